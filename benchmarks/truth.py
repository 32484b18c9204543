"""Answers from another source, against which every contender is verified before it is timed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import appell

from .task import FD, ID, Array, Contender, M, Task, available

CLOSE = 1e-9  # relative to the largest entry; forward dynamics by the condition of the mass matrix too
BY_RESIDUAL = 100  # degrees of freedom above which forward dynamics is judged by M a + h - tau


class OtherText:
    """Where no peer holds the robot: Appell's inverse dynamics by the formulation that is not timed."""

    def __init__(self, robot: appell.Robot) -> None:
        timed = robot.formulation(ID, rolled=True).name
        self.method = "newton_euler" if timed != "newton_euler" else "gibbs_appell"
        self.rnea: Any = robot.kernel(ID, method=self.method, unroll=False)


def truth_for(d: dict[str, Any]) -> Any:
    """Pinocchio where it can hold the robot, else MuJoCo, else Appell's other text."""
    if available("pinocchio"):
        from tests.oracles.pinocchio_model import LARGEST, PinocchioOracle

        if len(d["bodies"]) <= LARGEST:
            return PinocchioOracle(d)
    if available("mujoco"):
        from tests.oracles.mujoco_model import DEEPEST, MujocoOracle

        if len(d["bodies"]) <= DEEPEST:
            return MujocoOracle(d)
    return OtherText(appell.Robot.from_dict(d))


def reference(truth: Any, question: str, q: Array, v: Array, x: Array) -> Array:
    """An oracle's answer in Appell's order."""
    if question == ID:
        return truth.rnea(q, v, x)
    if question == M:
        return truth.crba(q)
    return truth.aba(q, v, x) if question == FD else np.stack(truth.rnea_derivatives(q, v, x))


def wrong(contender: Contender, task: Task, truth: Any) -> str:
    """What is wrong with a contender's answers, or nothing: the single one, and rows of the batch."""
    limit = tolerance(task, truth)
    worst = float(np.max([distance(truth, task, *pair) for pair in _pairs(contender, task)], initial=0.0))
    return "" if worst <= limit else f"WRONG: error {worst:.1e}, wanted at most {limit:.1e}"


def _pairs(contender: Contender, task: Task) -> Iterator[tuple[tuple[Array, ...], Array]]:
    """States with the answers that were given; the last row of a batch may be what vectors left over."""
    if contender.answer is not None:
        yield task.one, contender.answer()
    if contender.batch_answer is not None:
        given = contender.batch_answer()
        for i in (0, 1, task.states // 2, task.states - 1):
            yield tuple(x[i] for x in task.many), given[i]


def distance(truth: Any, task: Task, state: tuple[Array, ...], given: Array) -> float:
    """How far an answer is off, relative to the largest entry of what was wanted."""
    q, v, x = state
    if _by_residual(task):
        return relative(truth.rnea(q, v, given), x)
    return relative(given, reference(truth, task.question, q, v, x))


def relative(got: Any, wanted: Array) -> float:
    """The largest difference by the largest entry; NaN where there is one."""
    return float(np.max(np.abs(np.asarray(got) - wanted)) / max(1e-300, np.max(np.abs(wanted))))


def tolerance(task: Task, truth: Any) -> float:
    """What rounding may do."""
    if task.question != FD or _by_residual(task):
        return CLOSE
    return CLOSE + 1e-14 * float(np.linalg.cond(truth.crba(task.one[0])))


def _by_residual(task: Task) -> bool:
    return task.question == FD and task.nv > BY_RESIDUAL
