"""Functions of a user's (t, q, v) that are read once with symbols and become machine code.

Only functions that the user marks, with `appell.traced`, are read so: whether a function is pure, and forgets
everything between two calls, nobody can see from outside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

import numpy as np

from ..asking import Identity
from ..errors import ShapeError
from ..formulations.table import Formulation, Question
from .events import Event, UserWatch
from .laws import Function, Law, checked, held, law

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]


class traced:
    """A pure function (t, q, v), written with + - * / and `np.sin`, `cos`, `sqrt`, `tanh`, that may be compiled."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        update_wrapper(self, function)

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)


class Compiled:
    """A law that is machine code."""

    seconds, calls, smooth = 0.0, 0, True
    about = "a function, compiled"

    def __init__(self, kernel: Callable[..., Any], shape: tuple[int, ...]) -> None:
        self.kernel, self.shape, self.none = kernel, shape, held(np.zeros(shape))

    def at(self, t: float, q: Array, v: Array) -> Array:
        return self.kernel(np.array([t]), q, v).reshape(self.shape)

    def begin(self, t: float, q: Array, v: Array) -> None:
        pass

    def next_stop(self, t: float) -> float:
        return float("inf")

    def cubic(self, t: float) -> Array:
        return self.none

    def along(self, t: Array, q: Array, v: Array) -> Array:
        return self.kernel(t[:, None], q, v).reshape(-1, *self.shape)


def driving(robot: Robot, name: str, given: Any, shape: tuple[int, ...], t0: float, t_end: float) -> Law:
    """Whatever the user drives a motion with, as a law: compiled, if it is marked so and can be read."""
    if not isinstance(given, traced):
        return law(name, given, shape, t0, t_end)
    kernel, reason = compiled(robot, name, given, shape)
    if kernel is not None:
        return Compiled(kernel, shape)
    python = Function(given.function, name, shape)
    python.about = f"a Python function, which could not be compiled ({reason})"
    return python


def compiled(robot: Robot, name: str, function: traced, shape: tuple[int, ...]) -> tuple[Any, str]:
    """The kernel (t, q, v) -> numbers of a function; or None, and why not."""
    from ..kernel.make import make

    text = _Text(function.function, name, robot.nq, robot.nv, int(np.prod(shape)))
    question = Question(("t", "q", "v"), ((name, (text.size,)),), "a function of the user's")
    row = Formulation("users", "function", text, "", rolls=False, asks=question)
    try:
        checked(name, function(0.0, robot.neutral(), np.zeros(robot.nv)), shape, 0.0)
        return make(row, robot.tree, owner=Identity(robot.mechanism, robot.identity)).callable, ""
    except ShapeError:
        raise
    except Exception as reason:  # a user's function may do anything when it meets symbols
        return None, str(reason) or type(reason).__name__


def watched(robot: Robot, watches: tuple[UserWatch, ...]) -> tuple[UserWatch, ...]:
    """The user's events, compiled where they are marked so and can be read."""
    return tuple(UserWatch(_quick(robot, w.event)) for w in watches)


def _quick(robot: Robot, event: Event) -> Event:
    if not isinstance(event.function, traced):
        return event
    kernel, _ = compiled(robot, f"event {event.name!r}", event.function, ())
    if kernel is None:
        return replace(event, function=event.function.function)
    return replace(event, function=lambda t, q, v: kernel(t[:, None], q, v), vectorised=True)


@dataclass(frozen=True)
class _Text:
    """A function as a text over any scalars."""

    function: Callable[..., Any]
    name: str
    nq: int
    nv: int
    size: int

    def __call__(self, robot: Any, t: Any, q: Any, v: Any) -> Any:
        found = _flat(self.function(t[0], _vector(q, self.nq), _vector(v, self.nv)), self.size)
        if len(found) != self.size:
            raise ShapeError(f"{self.name} gave {len(found)} numbers, wanted {self.size}")
        out = robot.table(self.size)
        for k, x in enumerate(found):
            out[k] = x
        return out


def _vector(values: Any, count: int) -> Array:
    """Numbers as numbers, anything else as objects that NumPy's functions ask for their own."""
    numbers = [values[k] for k in range(count)]
    if all(isinstance(x, float) for x in numbers):
        return np.array(numbers)
    out = np.empty(count, object)
    for k, x in enumerate(numbers):  # an entry may be an array itself, of many states
        out[k] = x
    return out


def _flat(found: Any, size: int) -> list[Any]:
    """What a function gave, number by number; where states are many, a number is an array itself."""
    if isinstance(found, np.ndarray) and found.ndim and len(found) != size and found.size != size:
        return [found] if size == 1 else [*found]
    if isinstance(found, np.ndarray):
        return found.ravel().tolist()
    if not isinstance(found, (list, tuple)):
        return [float(found) if isinstance(found, np.floating) else found]
    width = size // len(found) if found else 1
    return [y for x in found for y in ([x] if width == 1 and not isinstance(x, list) else _flat(x, width))]
