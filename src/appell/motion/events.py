"""What may happen on the way, and what it leaves behind: the seam between smooth motion and everything else.

A `Phase` is how a robot moves until something happens: a right-hand side, and watches. A `Watch` is a handful of
functions of (t, q, v) whose passing through zero matters. When one does, the simulation lands there exactly and the
watch says what comes `After`: another state, another phase, the end, or nothing but a note.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..errors import ShapeError
from .laws import of_user

if TYPE_CHECKING:
    from .rate import Rate

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Phase:
    """How a robot moves until something happens."""

    rate: Rate
    watches: tuple[Watch, ...] = ()


@dataclass(frozen=True)
class Met:
    """Functions of a watch that passed zero at one instant; `ways` are +1 where they rise, -1 where they fall."""

    t: float
    q: Array
    v: Array
    which: tuple[int, ...]
    ways: tuple[int, ...]
    phase: Phase


@dataclass(frozen=True)
class After:
    """What an event leaves behind; what is None stays as it is."""

    q: Array | None = None
    v: Array | None = None
    phase: Phase | None = None
    end: str | None = None  # a sentence that ends the simulation
    events: Sequence[Any] = ()  # for the run's lists
    impacts: Sequence[Any] = ()


class Watch(Protocol):
    """Functions to keep an eye on."""

    @property
    def directions(self) -> Array:
        """For each function: +1 if only its rising matters, -1 if only its falling, 0 if both."""
        ...

    def values(self, t: Array, q: Array, v: Array) -> Array:
        """The functions (k, m) at k times and states."""
        ...

    def sides(self, t: float, q: Array, v: Array) -> Array:
        """The signs (m,) that the functions have where a phase begins; 0 where the values shall tell."""
        ...

    def meet(self, met: Met) -> After:
        """What comes after a zero."""
        ...


@dataclass(frozen=True)
class Event:
    """Something of the user's: where a function (t, q, v) -> number passes zero.

    `direction` +1 or -1 wants it rising or falling. `terminal` ends the simulation there. `then(t, q, v) -> (q, v)`
    changes the state. A `vectorised` function takes k states at once: (k,), (k, nq), (k, nv) -> (k,).
    """

    function: Callable[..., Any]
    name: str = ""
    direction: int = 0
    terminal: bool = False
    then: Callable[..., Any] | None = None
    vectorised: bool = False

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ShapeError(f"event {self.name!r}: got {self.function!r}, wanted a function (t, q, v) -> number")
        if self.direction not in (-1, 0, 1):
            raise ShapeError(f"event {self.name!r}: direction is {self.direction!r}, wanted -1, 0 or 1")


@dataclass(frozen=True)
class Happened:
    """An event that took place: `direction` is +1 where its function rose, -1 where it fell."""

    name: str
    t: float
    q: Array
    v: Array
    direction: int


@dataclass
class UserWatch:
    """One event of the user's."""

    event: Event
    seconds: float = field(default=0.0, init=False)

    @property
    def directions(self) -> Array:
        return np.array([self.event.direction])

    def values(self, t: Array, q: Array, v: Array) -> Array:
        e = self.event
        if e.vectorised:
            found = np.asarray(e.function(t, q, v), float)
        else:
            rows = zip(t, q, v, strict=True)
            found = np.array([of_user(f"event {e.name!r}", e.function, float(x), a, b) for x, a, b in rows], float)
        if found.shape not in ((len(t),), (len(t), 1)):
            raise ShapeError(f"event {e.name!r} gave shape {found.shape[1:]} at t = {t[0]:.15g}, wanted a number")
        if not np.isfinite(found).all():
            at = t[np.flatnonzero(~np.isfinite(found.reshape(-1)))[0]]
            raise ShapeError(f"event {e.name!r} is not finite at t = {at:.15g}")
        return found.reshape(-1, 1)

    def sides(self, t: float, q: Array, v: Array) -> Array:
        return np.zeros(1)

    def meet(self, met: Met) -> After:
        e = self.event
        note = Happened(e.name, met.t, met.q.copy(), met.v.copy(), met.ways[0])
        end = f"ended by event {e.name!r} at t = {met.t:.15g}." if e.terminal else None
        if e.then is None:
            return After(end=end, events=(note,))
        then = of_user(f"event {e.name!r}", e.then, met.t, met.q.copy(), met.v.copy())
        q, v = (np.asarray(x, float) for x in then)
        if q.shape != met.q.shape or v.shape != met.v.shape or not (np.isfinite(q).all() and np.isfinite(v).all()):
            raise ShapeError(f"event {e.name!r} at t = {met.t:.15g} left q {q}, v {v}, wanted finite ones")
        return After(q, v, end=end, events=(note,))


def watches(given: Any) -> tuple[UserWatch, ...]:
    """The user's events: functions or `Event`s."""
    events = [given] if isinstance(given, Event) or callable(given) else given
    if not isinstance(events, Iterable):
        raise ShapeError(f"simulate: events is {given!r}, wanted a list of functions or of Event")
    return tuple(UserWatch(_event(e, k)) for k, e in enumerate(events))


def _event(given: Any, number: int) -> Event:
    name = getattr(given, "__name__", "").replace("<lambda>", "") or f"event{number + 1}"
    if not isinstance(given, Event):
        return Event(given, name)
    inner = getattr(given.function, "__name__", "").replace("<lambda>", "") or name
    return given if given.name else Event(given.function, inner, *_options(given))


def _options(e: Event) -> tuple[Any, ...]:
    return e.direction, e.terminal, e.then, e.vectorised
