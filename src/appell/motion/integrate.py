"""Smooth motion in steps of the right size: an adaptive Runge-Kutta method of order 8 with dense output of order 7.

Source: hairer1993, sections II.4 and II.10.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite, sqrt
from typing import Any, Protocol

import numpy as np

from . import dop853_table as table
from .steps import Steps

Array = np.ndarray[Any, Any]
SAFETY, LEAST, MOST = 0.9, 0.2, 10.0  # how boldly a step's size follows its error
ORDER = 8
EPS = float(np.finfo(float).eps)


class Rate(Protocol):
    """The right-hand side: dy/dt of y = (q, v, work)."""

    size: int
    counted: int  # how many of y the error is measured by; what follows them counts beside these

    def bound(self, y: Array, dy: Array) -> Callable[[float], Any]:
        """A function of time that reads y and writes dy, always the same arrays."""
        ...

    def settle(self, t: float, y: Array, dy: Array) -> None:
        """Brings a step's end back to where it belongs: quaternions to unit length."""
        ...


class StepFailure(Exception):
    """A step that cannot be made; the sentence says why."""


@dataclass
class Counts:
    """What the integration cost."""

    steps: int = 0
    rejected: int = 0
    evaluations: int = 0


@dataclass(frozen=True)
class Tolerances:
    """How exact every step shall be, and how long at most."""

    rtol: float
    atol: float
    max_step: float = inf


class Dop853:
    """The integrator: a state (t, y), moved on by `advance`."""

    def __init__(
        self, rate: Rate, t: float, y: Array, tolerances: Tolerances, counts: Counts, guess: float = 0.0
    ) -> None:  # fmt: skip
        n = rate.size
        self.rate, self.tolerances, self.counts = rate, tolerances, counts
        self.K = np.zeros((table.EXTENDED, n))
        self.z, self.y1, self.spread = np.zeros(n), np.zeros(n), np.zeros((2, n))
        self.calls = [rate.bound(self.z, k) for k in self.K]
        rows = [(s, table.A[s, :s].copy(), self.K[:s], float(table.C[s])) for s in range(1, table.EXTENDED)]
        self.stages, self.last, self.more = rows[:11], rows[11], rows[12:]
        self.errors = np.array([table.E5, table.E3])
        self.h = guess  # the size of the next step
        self.restart(t, y)

    def restart(self, t: float, y: Array) -> None:
        """Goes on from another state; the step size is kept as a guess."""
        self.t, self.y = t, np.array(y, float)
        self.z[:] = self.y
        self._call(0, t)
        if not np.isfinite(self.K[0]).all():
            raise StepFailure(f"the motion has no finite derivative at t = {t:.15g}")
        self.h = self.h or self._first_step()

    def advance(self, t_stop: float, most: int = 1) -> Steps:
        """One step more, which ends at t_stop at the latest."""
        h = min(self.h, self.tolerances.max_step)
        while True:
            left = t_stop - self.t
            size = left if 1.01 * h >= left else h
            if size < 4 * EPS * max(abs(self.t), EPS) or not isfinite(size):
                raise StepFailure(f"the step size vanished at t = {self.t:.15g}")
            error = self._attempt(size)
            if error <= 1.0:
                break
            self.counts.rejected += 1
            h = size * max(LEAST, SAFETY * error ** (-1 / ORDER)) if isfinite(error) else size * LEAST / 2
        factor = min(MOST, SAFETY * error ** (-1 / ORDER)) if error > 0 else MOST
        self.h = max(size * factor, h) if size < h else size * factor
        return self._accept(size, t_stop if size == left else self.t + size)

    def back(self, step: Steps) -> None:
        """Returns to where a step began."""
        self.t, self.y = float(step.t[0]), step.y[0].copy()
        self.z[:] = self.y
        self._call(0, self.t)

    def landing(self, step: Steps, t: float) -> Steps:
        """A step once more, but so that it ends at t: more exact there than the polynomial."""
        self.back(step)
        self._attempt(t - self.t)
        return self._accept(t - self.t, t)

    # -- one step ---------------------------------------------------------------------------------------------

    def _attempt(self, h: float) -> float:
        """Fills the stages and y1; the error in units of what is tolerated."""
        z, y = self.z, self.y
        for s, a, K, c in self.stages:
            np.dot(a, K, out=z)
            z *= h
            z += y
            self._call(s, self.t + c * h)
        s, a, K, c = self.last
        np.dot(a, K, out=z)
        z *= h
        z += y
        self._call(s, self.t + h)
        self.y1[:] = z
        return self._error(h)

    def _call(self, stage: int, t: float) -> None:
        self.counts.evaluations += 1
        self.calls[stage](t)

    def _error(self, h: float) -> float:
        near = np.maximum(np.abs(self.y), np.abs(self.y1))
        near *= self.tolerances.rtol
        near += self.tolerances.atol
        np.dot(self.errors, self.K[:13], out=self.spread)
        self.spread /= near
        self.spread *= self.spread
        five, three = self.spread.sum(1).tolist()
        whole = five + 0.01 * three
        return abs(h) * five / sqrt(whole * self.rate.counted) if whole != 0.0 else 0.0

    def _accept(self, h: float, t1: float) -> Steps:
        y, K, F = self.y, self.K, np.empty((1, 7, self.rate.size))
        for s, a, Ks, c in self.more:
            np.dot(a, Ks, out=self.z)
            self.z *= h
            self.z += y
            self._call(s, self.t + c * h)
        f = F[0]
        np.subtract(self.y1, y, out=f[0])
        np.dot(table.D, K, out=f[3:])
        np.subtract(K[0], K[12], out=f[2])  # which leaves 2 dy - h (f0 + f1) in two more operations
        f[1] = K[0]
        f[2] -= 2 * K[0]
        f[1:] *= h
        f[1] -= f[0]
        f[2] += 2 * f[0]
        step = Steps(np.array([self.t]), np.array([h]), y[None], F)
        self.counts.steps += 1
        self.t, self.y = t1, self.y1.copy()
        K[0] = K[12]
        self.rate.settle(self.t, self.y, K[0])
        return step

    def _first_step(self) -> float:
        """A size whose error is moderate, from two derivatives."""
        tol = self.tolerances
        scale = tol.atol + tol.rtol * np.abs(self.y)
        d0, d1 = (sqrt(float(np.mean((x / scale) ** 2))) for x in (self.y, self.K[0]))
        h0 = 0.01 * d0 / d1 if d0 > 1e-5 and d1 > 1e-5 else 1e-6
        np.multiply(self.K[0], h0, out=self.z)
        self.z += self.y
        self._call(1, self.t + h0)
        d2 = sqrt(float(np.mean(((self.K[1] - self.K[0]) / scale) ** 2))) / h0
        sharpest = max(d1, d2)
        h1 = (0.01 / sharpest) ** (1 / ORDER) if isfinite(sharpest) and sharpest > 1e-15 else max(1e-6, 1e-3 * h0)
        return min(100 * h0, h1, tol.max_step)
