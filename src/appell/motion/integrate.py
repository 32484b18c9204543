"""Smooth motion in steps of the right size: an adaptive Runge-Kutta method of order 8 with dense output of order 7.

Source: hairer1993, sections II.4 and II.10.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
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
SHARE = 0.1  # of the largest of numbers that are measured together: what each is taken for at least
EPS = float(np.finfo(float).eps)


class Rate(Protocol):
    """The right-hand side: dy/dt of y = (q, v, work)."""

    size: int
    counted: int  # how many of y the error is measured by; what follows them counts beside these
    together: slice | None  # what of y is measured by its largest number

    def bound(self, y: Array, dy: Array) -> Callable[[float], Any]:
        """A function of time that reads y and writes dy, always the same arrays."""
        ...

    def settle(self, t: float, y: Array, dy: Array) -> None:
        """Brings a step's end back to where it belongs: quaternions to unit length."""
        ...


class Stepper(Protocol):
    """What moves a state (t, y) on; `h` is the size of the next step."""

    t: float
    y: Array
    h: float

    def restart(self, t: float, y: Array, guess: float = 0.0) -> None:
        """Goes on from another state."""
        ...

    def advance(self, t_stop: float) -> Steps:
        """Some steps more, the last of which ends at t_stop at the latest."""
        ...

    def back(self, step: Steps) -> None:
        """Returns to where a step began."""
        ...

    def landing(self, step: Steps, t: float) -> Steps:
        """A step once more, but so that it ends at t."""
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


class Adaptive(ABC):
    """A state (t, y), moved on by `advance` in steps whose size follows their error.

    `y` and its derivative `slope` are always the same arrays; `ahead` is how many steps are made in one go.
    """

    y: Array
    slope: Array
    ahead = 1

    def __init__(self, rate: Rate, tolerances: Tolerances, counts: Counts) -> None:
        self.rate, self.tolerances, self.counts = rate, tolerances, counts
        self.t, self.h = 0.0, 0.0

    def restart(self, t: float, y: Array, guess: float = 0.0) -> None:
        """Goes on from another state; the step size, or the guess, is kept."""
        self._at(t, y)
        if not np.isfinite(self.slope).all():
            raise StepFailure(f"the motion has no finite derivative at t = {t:.15g}")
        self.h = guess or self.h or self._first_step()

    def advance(self, t_stop: float) -> Steps:
        """A few steps more, the last of which ends at t_stop at the latest."""
        starts, F = [], self._room(self.ahead)
        while self.t < t_stop and len(starts) < self.ahead:
            size = self._found_size(t_stop)
            starts.append((self.t, size, self.y.copy()))
            self._go(size, t_stop if size == t_stop - self.t else self.t + size, F[len(starts) - 1])
        return self._steps(starts, F)

    def back(self, step: Steps) -> None:
        """Returns to where a step began."""
        self._at(float(step.t[0]), step.y[0])

    def landing(self, step: Steps, t: float) -> Steps:
        """A step once more, but so that it ends at t: more exact there than the polynomial."""
        self.back(step)
        F, h = self._room(1), t - self.t
        start = (self.t, h, self.y.copy())
        self._attempt(h)
        self._go(h, t, F[0])
        return self._steps([start], F)

    # -- what differs: where the stages are computed --------------------------------------------------------------

    @abstractmethod
    def _derive(self, t: float, y: Array) -> Array:
        """The derivative at a state; `slope` if y is the state itself."""

    @abstractmethod
    def _attempt(self, h: float) -> tuple[float, float]:
        """Computes a step without making it: sums of squares of its errors of orders 5 and 3, as far as tolerated."""

    @abstractmethod
    def _finish(self, h: float, F: Array) -> None:
        """Makes the step that was attempted, and fills its polynomials."""

    @abstractmethod
    def _room(self, count: int) -> Array:
        """Memory for the polynomials of some steps."""

    # -- one step ---------------------------------------------------------------------------------------------

    def _at(self, t: float, y: Array) -> None:
        self.t, self.y[:] = t, y
        self._derive(t, self.y)
        self.counts.evaluations += 1

    def _found_size(self, t_stop: float) -> float:
        """Attempts steps until one is exact enough; its size, and in `h` that of the next."""
        h, grow, error = min(self.h, self.tolerances.max_step), MOST, 0.0
        while True:
            left = t_stop - self.t
            size = left if 1.01 * h >= left else h
            if size < 4 * EPS * max(abs(self.t), EPS) or not isfinite(size):
                why = "" if isfinite(error) else ": beyond it the motion is not finite"
                raise StepFailure(f"the step size vanished at t = {self.t:.15g}{why}")
            error = self._error(size)
            if error <= 1.0:
                break
            self.counts.rejected += 1
            grow = 1.0
            h = size * max(LEAST, SAFETY * error ** (-1 / ORDER)) if isfinite(error) else size * LEAST / 2
        new = size * min(grow, max(LEAST, SAFETY * error ** (-1 / ORDER)) if error > 0 else MOST)
        self.h = max(new, h) if size < h else new  # a step cut short by a stop tells little about the next
        return size

    def _error(self, h: float) -> float:
        five, three = self._attempt(h)
        self.counts.evaluations += table.STAGES
        whole = five + 0.01 * three
        return h * five / sqrt(whole * self.rate.counted) if whole != 0.0 else 0.0

    def _go(self, h: float, t: float, F: Array) -> None:
        self._finish(h, F)
        self.t = t
        self.counts.steps += 1
        self.counts.evaluations += table.EXTENDED - table.STAGES - 1
        self.rate.settle(t, self.y, self.slope)

    def _steps(self, starts: list[tuple[float, float, Array]], F: Array) -> Steps:
        t, h, y = zip(*starts, strict=True)
        return Steps(np.array(t), np.array(h), np.array(y), np.ascontiguousarray(F[: len(t), :, : self.rate.size]))

    def _first_step(self) -> float:
        """A size whose error is moderate, from two derivatives."""
        tol, slope = self.tolerances, self.slope.copy()
        scale = tol.atol + tol.rtol * np.abs(self.y) + np.finfo(float).tiny
        d0, d1 = (sqrt(float(np.mean((x / scale) ** 2))) for x in (self.y, slope))
        h0 = 0.01 * d0 / d1 if d0 > 1e-5 and d1 > 1e-5 else 1e-6
        then = self._derive(self.t + h0, self.y + h0 * slope)
        self.counts.evaluations += 1
        d2 = sqrt(float(np.mean(((then - slope) / scale) ** 2))) / h0
        sharpest = max(d1, d2)
        h1 = (0.01 / sharpest) ** (1 / ORDER) if isfinite(sharpest) and sharpest > 1e-15 else max(1e-6, 1e-3 * h0)
        return min(100 * h0, h1, tol.max_step)


class Dop853(Adaptive):
    """Stages in Python, for any right-hand side."""

    def __init__(self, rate: Rate, tolerances: Tolerances, counts: Counts) -> None:
        super().__init__(rate, tolerances, counts)
        n = rate.size
        self.K = np.zeros((table.EXTENDED, n))
        self.y, self.slope = np.zeros(n), self.K[0]
        self.z, self.spread = np.zeros(n), np.zeros((2, n))
        self.y1, self.other = np.zeros(n), np.zeros(n)
        self.calls = [rate.bound(self.z, k) for k in self.K]
        self.ask = rate.bound(self.z, self.other)
        rows = [(s, table.A[s, :s].copy(), self.K[:s], float(table.C[s])) for s in range(1, table.EXTENDED)]
        self.stages, self.more = rows[: table.STAGES], rows[table.STAGES :]
        self.errors = np.array([table.E5, table.E3])

    def _derive(self, t: float, y: Array) -> Array:
        self.z[:] = y
        if y is self.y:
            self.calls[0](t)
            return self.slope
        self.ask(t)
        return self.other

    def _stage(self, s: int, a: Array, K: Array, c: float, h: float) -> None:
        z = self.z
        np.dot(a, K, out=z)
        z *= h
        z += self.y
        self.calls[s](self.t + c * h)

    def _attempt(self, h: float) -> tuple[float, float]:
        for s, a, K, c in self.stages:
            self._stage(s, a, K, c, h)
        self.y1[:] = self.z
        near = np.maximum(np.abs(self.y), np.abs(self.y1))
        if self.rate.together:
            v = near[self.rate.together]
            np.maximum(v, SHARE * v.max(initial=0.0), out=v)
        near *= self.tolerances.rtol
        near += self.tolerances.atol
        np.dot(self.errors, self.K[:13], out=self.spread)
        self.spread /= near
        self.spread *= self.spread
        five, three = self.spread.sum(1).tolist()
        return five, three

    def _finish(self, h: float, F: Array) -> None:
        for s, a, K, c in self.more:
            self._stage(s, a, K, c, h)
        K, y = self.K, self.y
        np.subtract(self.y1, y, out=F[0])
        np.dot(table.D, K, out=F[3:])
        np.add(K[0], K[12], out=F[2])
        F[1] = K[0]
        F[1:] *= h
        F[1] -= F[0]
        np.subtract(2 * F[0], F[2], out=F[2])
        y[:] = self.y1
        K[0] = K[12]

    def _room(self, count: int) -> Array:
        return np.empty((count, 7, self.rate.size))
