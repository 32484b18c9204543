"""One Runge-Kutta step of many lanes, each of its own length.

Stages run over blocks of lanes whose arrays stay in the second cache.
Source: hairer1993, sections II.1 and II.10.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import dop853_table as table
from .fleet import Fleet, Own

Array = np.ndarray[Any, Any]
BLOCK = 256  # lanes


@dataclass(frozen=True)
class Tableau:
    """Stages; the last is the derivative at the end, with which the next step begins."""

    A: Array  # (stages, stages - 1)
    C: Array
    order: int
    errors: Array | None = None  # rows of two estimates


RK4 = Tableau(
    np.array([[0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1, 0], [1 / 6, 1 / 3, 1 / 3, 1 / 6]]),
    np.array([0, 0.5, 0.5, 1, 1]), 4,
)  # fmt: skip
DOP853 = Tableau(table.A[:13, :12], table.C[:13], 8, np.array([table.E5[:13], table.E3[:13]]))
TABLEAUS = {"rk4": RK4, "dop853": DOP853}


@dataclass(frozen=True)
class Trial:
    """Ends of steps: states, derivatives, forces in held contacts, and errors by what is tolerated."""

    y: Array
    slope: Array
    f: Array
    error: Array

    def of(self, rows: Any) -> Trial:
        """Some of them."""
        return Trial(self.y[rows], self.slope[rows], self.f[rows], self.error[rows])

    def copy(self) -> Trial:
        """In memory of their own."""
        return Trial(self.y.copy(), self.slope.copy(), self.f.copy(), self.error.copy())

    def put(self, rows: Array, new: Trial, which: Array) -> None:
        """Changes where some of them end."""
        for name in ("y", "slope", "f"):
            getattr(self, name)[rows] = getattr(new, name)[which]


class Stages:
    """Memory for the stages of a block, and the steps."""

    def __init__(self, fleet: Fleet, tableau: Tableau, rtol: float, atol: float) -> None:
        self.fleet, self.tableau, self.rtol, self.atol = fleet, tableau, rtol, atol
        count = len(tableau.C)
        self.room = np.empty((count, BLOCK * fleet.size))
        self.z, self.f = np.empty((BLOCK, fleet.size)), np.empty((BLOCK, fleet.m))
        self.rows = [tableau.A[s, :s].copy() for s in range(count)]
        self.evaluations = 0

    def step(self, t: Array, y: Array, slope: Array, h: Array, own: Own, held: Array | None) -> Trial:
        """From (t, y), where the derivative is `slope`, by h each."""
        k, n = y.shape
        out = Trial(np.empty((k, n)), np.empty((k, n)), np.zeros((k, self.fleet.m)), np.zeros(k))
        for a in range(0, k, BLOCK):
            b = slice(a, a + BLOCK)
            part = Trial(out.y[b], out.slope[b], out.f[b], out.error[b])
            self._block(t[b], y[b], slope[b], h[b], own.of(b), None if held is None else held[b], part)
        self.evaluations += k * (len(self.tableau.C) - 1)
        return out

    def _block(
        self, t: Array, y: Array, slope: Array, h: Array, own: Own, held: Array | None, out: Trial
    ) -> None:  # fmt: skip
        k, n = y.shape
        count = len(self.tableau.C)
        flat = self.room[:, : k * n]
        K, z, f, by = flat.reshape(count, k, n), self.z[:k], self.f[:k], h[:, None]
        np.multiply(slope, by, out=K[0])
        for s in range(1, count):
            np.dot(self.rows[s], flat[:s], out=z.reshape(-1))
            z += y
            at = t + self.tableau.C[s] * h
            if held is None:
                self.fleet.derive(at, z, K[s], own)
            else:
                self.fleet.derive_held(at, z, K[s], own, held, f)
            if s < count - 1:
                K[s] *= by
        out.y[:], out.slope[:], out.f[:] = z, K[-1], f if held is not None else 0.0
        K[-1] *= by
        if self.tableau.errors is not None and self.rtol > 0:
            out.error[:] = self._errors(y, z, flat, k, n)

    def _errors(self, y: Array, y1: Array, flat: Array, k: int, n: int) -> Array:
        """Hairer's mix of two estimates; the stages are scaled by h already."""
        near = np.maximum(np.abs(y), np.abs(y1))
        near *= self.rtol
        near += self.atol
        spread = (self.tableau.errors @ flat).reshape(2, k, n)  # type: ignore[operator]
        spread /= near
        spread *= spread
        five, three = spread.sum(2)
        whole = (five + 0.01 * three) * self.fleet.counted
        return five / np.sqrt(np.where(whole > 0, whole, 1.0))
