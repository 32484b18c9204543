"""What a simulation keeps as it goes on: steps, rows, events, jumps of energy; in the end, a Run."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..asking import Identity
from ..trace.digest import sha256
from .integrate import Counts
from .ledger import Ledger, versions
from .rate import WORKS, Rate
from .run import Run
from .steps import Steps, joined

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]


@dataclass
class Record:
    """Everything that was found so far."""

    robot: Robot
    rate: Rate
    times: Array | None
    wanted: dict[str, Any]  # what was asked for: tolerances and the like
    counts: Counts = field(default_factory=Counts)
    parts: list[Steps] = field(default_factory=list)
    rows: list[tuple[float, Array, int]] = field(default_factory=list)  # time, state, how many jumps before it
    jumps: list[tuple[float, float]] = field(default_factory=list)  # time, energy lost
    events: list[Any] = field(default_factory=list)
    impacts: list[Any] = field(default_factory=list)
    residual: float = 0.0  # the worst value of a function where it was found to be zero
    began: float = field(default_factory=perf_counter)

    def start(self, t: float, y: Array) -> None:
        """The state at the start."""
        self._row(t, y)

    def moved(self, steps: Steps, y: Array) -> None:
        """Steps were made, the last of which ends in y."""
        self.parts.append(steps)
        for t, start in zip(steps.t[1:].tolist(), steps.y[1:], strict=True):
            self._row(t, start)
        self._row(steps.end, y)

    def jumped(self, t: float, before: Array, after: Array) -> None:
        """The state changed at once."""
        self.jumps.append((t, self._energy(before) - self._energy(after)))
        self._row(t, after)

    def _row(self, t: float, y: Array) -> None:
        self.rows.append((t, y.copy(), len(self.jumps)))

    def _energy(self, y: Array) -> float:
        q, v, _ = self.rate.split(y)
        return float(sum(self.robot.energy(q, v)))

    def run(self, outcome: str) -> Run:
        """What was found, as the user gets it."""
        steps = joined(self.parts) if self.parts else _none(self.rate.size)
        t, y, jumps = self._rows(steps)
        q, v, work = self.rate.split(y)
        tau = self.rate.torque.along(t, q, v)
        taken = np.cumsum([0.0, *(lost for _, lost in self.jumps)])[jumps]
        kinetic, potential = self.robot.energy(q, v)
        works = (work[:, k].copy() for k in range(WORKS))
        ledger = Ledger(t, kinetic, potential, *works, impacts=taken, outcome=outcome, facts=self._facts())
        events = sorted([*self.events, *self.rate.noted(steps)], key=lambda e: e.t)
        return Run(self.robot, t, q.copy(), v.copy(), tau, ledger, steps, events, self.impacts)

    def _rows(self, steps: Steps) -> tuple[Array, Array, Array]:
        """Times and states of the rows, and how many jumps stand before each."""
        if self.times is None or not len(steps):
            t, y, jumps = zip(*self.rows, strict=True)
            return np.array(t), np.array(y), np.array(jumps)
        times = self.times[self.times <= steps.end]
        before = np.searchsorted([t for t, _ in self.jumps], times, side="right")
        return times, self.rate.unit(steps.at(times)), before

    def _facts(self) -> dict[str, Any]:
        laws = self.rate.laws
        seconds, calls = sum(x.seconds for x in laws), sum(x.calls for x in laws)
        return {
            "steps": self.counts.steps, "rejected": self.counts.rejected, "evaluations": self.counts.evaluations,
            "event residual": self.residual, **self.wanted,
            "torque": laws[0].about, "wrench": laws[1].about if len(laws) > 1 else "none",
            "seconds": perf_counter() - self.began, "seconds in laws": seconds, "calls of laws": calls,
            "model": model_hash(Identity(self.robot.mechanism, self.robot.identity)), "versions": versions(),
        }  # fmt: skip


@lru_cache(maxsize=64)
def model_hash(model: Identity) -> str:
    """A name for a model's content, the same in every process."""
    return sha256(repr(model.mechanism.to_dict()).encode()).hexdigest()[:16]


def _none(size: int) -> Steps:
    return Steps(np.empty(0), np.empty(0), np.empty((0, size)), np.empty((0, 7, size)))
