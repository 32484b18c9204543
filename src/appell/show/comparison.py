"""Every formulation of the three basic questions along one motion: whether they agree, and how long each takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from time import perf_counter
from timeit import Timer
from typing import Any

import numpy as np

from ..formulations.table import FORMULATIONS, QUESTIONS, Formulation
from ..kernel.check import plain
from ..model.walk import Coordinates, Walk
from ..robot import Robot
from ..trace.counting import Counts

Array = np.ndarray
BASIC = ("inverse_dynamics", "mass_matrix", "forward_dynamics")
ROUNDING = 1e-13  # allowed difference of two texts, relative to the largest number: some hundred roundings
SAMPLES = 20  # instants at which the slow reading is asked


@dataclass(frozen=True)
class Motion:
    """Positions, velocities and accelerations at instants, one row each."""

    t: Array
    q: Array
    v: Array
    a: Array

    def at(self, rows: Any) -> Motion:
        """Some of the instants."""
        return Motion(self.t[rows], self.q[rows], self.v[rows], self.a[rows])


def minimum_jerk(start: Any, end: Any, duration: float, count: int) -> Motion:
    """From rest to rest, every joint by the same polynomial of degree five."""
    start, span = np.asarray(start, float), np.subtract(end, start)
    t = np.linspace(0.0, duration, count)
    s = (t / duration)[:, None]
    q = start + span * s**3 * (10 - 15 * s + 6 * s**2)
    v = span / duration * 30 * s**2 * (1 - s) ** 2
    return Motion(t, q, v, span / duration**2 * 60 * s * (1 - s) * (1 - 2 * s))


@dataclass(frozen=True)
class Agreement:
    """The largest difference between two answers, relative to the largest number in them."""

    question: str
    what: str
    against: str
    difference: float
    allowed: float

    @property
    def holds(self) -> bool:
        """Also false for a NaN."""
        return self.difference <= self.allowed


@dataclass(frozen=True)
class Cost:
    """Seconds: to build, and for one state by each reading; and the operations of one state."""

    formulation: Formulation
    build: float
    from_cache: bool
    plain: float
    call: float
    batch: float
    counts: Counts


class Comparison:
    """A robot and a motion, and what the formulations make of them."""

    def __init__(self, robot: Robot, motion: Motion) -> None:
        self.robot, self.motion = robot, motion
        self.rows = [f for question in BASIC for f in FORMULATIONS if f.computes == question]
        self.built: dict[Formulation, float] = {}

    def build(self, row: Formulation) -> float:
        """Compiles a formulation, or loads it from the cache; the seconds that took."""
        start = perf_counter()
        self.kernel(row)
        self.built[row] = perf_counter() - start
        return self.built[row]

    def kernel(self, row: Formulation) -> Callable[..., Any]:
        """The bare callable of a formulation."""
        return self.robot.kernel(row.computes, method=row.name)

    def of(self, question: str) -> list[Formulation]:
        """The formulations that answer a question."""
        return [f for f in self.rows if f.computes == question]

    @cached_property
    def torques(self) -> dict[str, Array]:
        """Joint torques along the motion, by every formulation of inverse dynamics."""
        return {f.name: self.kernel(f)(*self._given(f, self.motion)) for f in self.of(BASIC[0])}

    def _given(self, row: Formulation, motion: Motion) -> list[Array]:
        known = {"q": motion.q, "v": motion.v, "a": motion.a}
        return [self._first_torques if name == "tau" else known[name] for name in QUESTIONS[row.computes].inputs]

    @cached_property
    def _first_torques(self) -> Array:
        return next(iter(self.torques.values()))

    # -- agreement --------------------------------------------------------------------------------------------

    def agreements(self) -> Iterator[Agreement]:
        """Each formulation against its own text, against the others, and each question against the next."""
        for f in self.of(BASIC[0]):
            yield self._with_text(f)
        first, *others = self.torques
        for name in others:
            yield self._agree(BASIC[0], name, first, self.torques[name], self.torques[first])
        for f in self.of("mass_matrix"):
            yield self._agree(f.computes, f.name, "columns of inverse dynamics", self._masses(f), self._columns)
        for f in self.of("forward_dynamics"):
            found = self.kernel(f)(*self._given(f, self.motion))
            yield self._agree(f.computes, f.name, "the accelerations given", found, self.motion.a, self._condition)

    def against(self, name: str, torques: Array) -> Agreement:
        """The first formulation's torques against someone else's."""
        return self._agree(BASIC[0], next(iter(self.torques)), name, self._first_torques, torques)

    def _with_text(self, row: Formulation) -> Agreement:
        """The compiled answer against the text read with plain floats."""
        few = self.motion.at(np.linspace(0, len(self.motion.t) - 1, SAMPLES).astype(int))
        states = zip(few.q, few.v, few.a, strict=True)
        texts = [plain(row, self.robot.tree, {"q": q, "v": v, "a": a})[0] for q, v, a in states]
        compiled = self.kernel(row)(few.q, few.v, few.a)
        return self._agree(row.computes, row.name, "its own text, read with floats", compiled, np.array(texts))

    def _agree(self, question: str, what: str, against: str, x: Array, y: Array, condition: float = 1.0) -> Agreement:
        difference = float(np.abs(x - y).max() / np.abs(y).max())
        return Agreement(question, what, against, difference, ROUNDING * max(condition, 1.0))

    def _masses(self, row: Formulation) -> Array:
        return self.kernel(row)(self.motion.q)

    @cached_property
    def _columns(self) -> Array:
        """The mass matrices as inverse dynamics has them: torques of unit accelerations at rest, less gravity's."""
        ask = self.kernel(self.of(BASIC[0])[0])
        q, rest = self.motion.q[:, None, :], np.zeros(self.robot.nv)
        return np.swapaxes(ask(q, rest, np.eye(self.robot.nv)) - ask(q, rest, rest), -1, -2)

    @cached_property
    def _condition(self) -> float:
        """How much the worst mass matrix of the motion magnifies a rounding."""
        return float(np.linalg.cond(self._columns).max())

    # -- cost -------------------------------------------------------------------------------------------------

    def cost(self, row: Formulation, seconds: float = 0.3) -> Cost:
        """Best of many, for each reading."""
        ask, given = self.kernel(row), self._given(row, self.motion)
        one = [np.array(x[len(x) // 3]) for x in given]
        text = partial(row.text, Walk(self.robot.tree), *(Coordinates(x.tolist()) for x in one))
        out = ask(*given)
        call = best("f(*x)", {"f": ask, "x": one}, seconds)
        batch = best("f(*x, out=y)", {"f": ask, "x": given, "y": out}, seconds) / len(self.motion.t)
        counted = self.robot.count(row.computes, row.name)
        slow = best("f()", {"f": text}, seconds)
        return Cost(row, self.built[row], ask.__self__.from_cache, slow, call, batch, counted)  # type: ignore[attr-defined]


def best(statement: str, names: dict[str, Any], seconds: float) -> float:
    """Seconds per run of a statement: the best of blocks of about 2 ms, for as long as is given."""
    timer = Timer(statement, globals=names)
    timer.timeit(1)
    number = max(1, int(2e-3 / max(timer.timeit(1), 1e-8)))
    end, found = perf_counter() + seconds, float("inf")
    while perf_counter() < end:
        found = min(found, timer.timeit(number) / number)
    return found
