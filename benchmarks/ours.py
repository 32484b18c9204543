"""Appell as a contender: the bare kernel (new array, and `out=`), the robot's method, and the batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import appell

from .measure import Call
from .task import Array, Contender, Task


def appell_contenders(task: Task) -> Iterator[Contender]:
    """Three ways to call; the batch with a new array and with `out=`."""
    robot = appell.Robot.from_dict(task.robot)
    f, method = robot.kernel(task.question), getattr(robot, task.question)
    names = {"f": f, "robot": robot}
    one, many = names | _lettered(task.one), names | _lettered(task.many)
    first, rows, letters = task.one[: task.inputs], task.many[: task.inputs], ", ".join("qvx"[: task.inputs])
    call = f"robot.{task.question}({letters})"
    yield bare(task, robot, "appell")
    yield Contender("appell method", Call(call, one), lambda: _whole(method(*first)))
    one, many = one | {"out": _empty(f(*first))}, many | {"out": _empty(f(*rows))}
    filled = f"f({letters}, out=out)"
    yield Contender("appell out=", Call(filled, one), _filled(filled, one), Call(filled, many), _filled(filled, many))


def bare(task: Task, robot: appell.Robot, name: str, method: str | None = None) -> Contender:
    """The bare kernel of a method, by default the best one, with new arrays for its answers."""
    f, letters = robot.kernel(task.question, method=method), ", ".join("qvx"[: task.inputs])
    one, many = task.one[: task.inputs], task.many[: task.inputs]
    single, batch = (Call(f"f({letters})", {"f": f} | _lettered(state)) for state in (one, many))
    return Contender(name, single, lambda: _whole(f(*one)), batch, lambda: _whole(f(*many)))


def _empty(answer: Any) -> Any:
    """Room for an answer, or for each of several."""
    return tuple(map(np.empty_like, answer)) if isinstance(answer, tuple) else np.empty_like(answer)


def _filled(statement: str, names: dict[str, Any]) -> Callable[[], Array]:
    def answer() -> Array:
        for out in names["out"] if isinstance(names["out"], tuple) else (names["out"],):
            out.fill(np.nan)  # what an earlier call left must not pass for an answer
        Call(statement, names).timer().timeit(1)
        return _whole(names["out"])

    return answer


def _lettered(state: tuple[Array, ...]) -> dict[str, Array]:
    return dict(zip("qvx", state))


def _whole(answer: Any) -> Array:
    """Several matrices as one array, behind the axes of the batch."""
    return np.stack(answer, axis=-3) if isinstance(answer, tuple) else answer
