"""Integrators of fixed step: the classical Runge-Kutta method, and a symplectic one for long runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import ceil, sqrt
from typing import Any

import numpy as np

from .canonical import Canonical
from .integrate import Counts, Rate, StepFailure
from .rate import Rate as Free
from .steps import Steps

Array = np.ndarray[Any, Any]
ROUNDS = 40  # of an implicit step at most
SOLVED, UNSOLVED = 4e-16, 1e-12  # changes of its stages, relative, that are none, and that are too many


class Fixed(ABC):
    """A state (t, y), moved on in steps of equal size; between its steps stand Hermite's cubics."""

    def __init__(self, rate: Rate, step: float, counts: Counts) -> None:
        self.rate, self.step, self.counts = rate, step, counts
        self.t, self.h = 0.0, step
        self.y, self.slope, self.y1 = np.zeros(rate.size), np.zeros(rate.size), np.zeros(rate.size)
        self.derive = rate.bound(self.y, self.slope)

    def restart(self, t: float, y: Array, guess: float = 0.0) -> None:
        """Goes on from another state."""
        self.t, self.y[:] = t, y
        self._derive()
        if not np.isfinite(self.slope).all():
            raise StepFailure(f"the motion has no finite derivative at t = {t:.15g}")

    def advance(self, t_stop: float) -> Steps:
        """One step more: as many equal ones lie ahead of t_stop as make it no longer than was asked for."""
        left = t_stop - self.t
        count = max(1, ceil(left / self.step * (1 - 1e-12)))
        return self._go(left / count, t_stop if count == 1 else self.t + left / count)

    def back(self, step: Steps) -> None:
        """Returns to where a step began."""
        self.restart(float(step.t[0]), step.y[0])

    def landing(self, step: Steps, t: float) -> Steps:
        """A step once more, but so that it ends at t."""
        self.back(step)
        return self._go(t - self.t, t)

    @abstractmethod
    def _make(self, h: float) -> None:
        """Fills y1, the state after a step."""

    def _derive(self) -> None:
        self.derive(self.t)
        self.counts.evaluations += 1

    def _go(self, h: float, t: float) -> Steps:
        self._make(h)
        if not np.isfinite(self.y1).all():
            raise StepFailure(f"the motion is not finite after t = {self.t:.15g}; the step of {h:g} is too long")
        start, first, begin = self.y.copy(), self.slope.copy(), self.t
        self.y[:], self.t = self.y1, t
        self._derive()
        dy = self.y1 - start
        F = np.stack([dy, h * first - dy, 2 * dy - h * (first + self.slope)])
        self.counts.steps += 1
        self.rate.settle(t, self.y, self.slope)
        return Steps(np.array([begin]), np.array([h]), start[None], F[None])


class RungeKutta4(Fixed):
    """The classical method of order 4."""

    def __init__(self, rate: Rate, step: float, counts: Counts) -> None:
        super().__init__(rate, step, counts)
        self.z, self.k = np.zeros(rate.size), np.zeros((3, rate.size))
        self.calls = [rate.bound(self.z, k) for k in self.k]

    def _make(self, h: float) -> None:
        self.counts.evaluations += 3
        k, before = self.k, self.slope
        for n, (c, call) in enumerate(zip((0.5, 0.5, 1.0), self.calls, strict=True)):
            self.z[:] = self.y + c * h * before
            call(self.t + c * h)
            before = k[n]
        self.y1[:] = self.y + h / 6 * (self.slope + 2 * (k[0] + k[1]) + k[2])


class Symplectic(Fixed):
    """Gauss' method of two stages and order 4, in coordinates and momenta: what it conserves, it conserves for ever.

    Symplectic, and exact for quadratic invariants: a quaternion's length, a free robot's angular momentum.

    Source: hairer2006, sections II.1 and VI.4.
    """

    A = np.array([[0.25, 0.25 - sqrt(3) / 6], [0.25 + sqrt(3) / 6, 0.25]])
    C = (0.5 - sqrt(3) / 6, 0.5 + sqrt(3) / 6)

    def __init__(self, rate: Any, step: float, counts: Counts) -> None:
        super().__init__(rate, step, counts)
        if type(rate) is not Free:
            raise StepFailure("the symplectic integrator knows no closed contacts and no joints that stick")
        self.space = Canonical(rate)
        self.slopes: Array | None = None

    def restart(self, t: float, y: Array, guess: float = 0.0) -> None:
        """Goes on from another state."""
        super().restart(t, y, guess)
        self.slopes = None

    def _make(self, h: float) -> None:
        x = self.space.lifted(self.y)
        if self.slopes is None:
            self.slopes = np.stack([self.space.slope(self.t, x)] * 2)
        with np.errstate(over="ignore", invalid="ignore"):
            self.slopes = k = self._settled(x, h, self.slopes)
        self.y1[:] = self.space.lowered(x + 0.5 * h * (k[0] + k[1]))

    def _settled(self, x: Array, h: float, k: Array) -> Array:
        """The slopes at the stages, from a guess: each round puts them where the last ones lead."""
        off, size = 1.0, float(np.abs(x).max() + h * np.abs(k).max())
        for _ in range(ROUNDS):
            last, before = off, k
            at = zip(self.A, self.C, strict=True)
            k = np.stack([self.space.slope(self.t + c * h, x + h * (a @ before)) for a, c in at])
            self.counts.evaluations += 2
            off = float(np.abs(k - before).max()) * h / size
            if not off > SOLVED or last <= off < UNSOLVED:  # nearer than round-off it does not come
                break
        if not off <= UNSOLVED:
            raise StepFailure(f"the stages of a step of {h:g} do not settle at t = {self.t:.15g}")
        return k
