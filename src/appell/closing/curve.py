"""The curve of closed configurations over a path: it turns back where the workspace ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import AssemblyError
from .mobility import RANK
from .scaled import Scaled

Array = np.ndarray[Any, Any]
STEP, LEAST = 0.05, 1e-7
MOST = 20_000  # steps
ROUND = 1e-15


@dataclass(frozen=True)
class Turn:
    """Where the curve turns back: the part of the way, and the configuration."""

    part: float
    q: Array


@dataclass(frozen=True)
class Curve:
    """Configurations in which what is held has gone a part s of the `way`; free coordinates and s are its points.

    The curve is followed by its own length: at the end of the workspace s turns back, the curve goes on.

    Source: keller1977, continuation by arc length.
    """

    scaled: Scaled
    free: Array
    way: Array

    def followed(self, q: Array) -> Array | Turn:
        """From the closed q to where s is 1, or where it turns back before that."""
        s, size = 0.0, STEP
        t = self.tangent(q, np.append(np.zeros(self.free.sum()), 1.0))
        for _ in range(MOST):
            there = self.stepped(q, s, t, size)
            if there is None:
                size /= 2
                if size < LEAST:
                    raise AssemblyError(f"{self.scaled.robot.name!r} cannot be followed beyond {s:.6g} of the way")
                continue
            q1, s1, t1 = there
            if t1[-1] <= 0:
                turn = self._turn(q, s, t, size)
                if turn.part < 1:
                    return turn
            if s1 >= 1:
                return self._end(q, s, t, size)
            q, s, t, size = q1, s1, t1, min(1.4 * size, STEP)
        raise AssemblyError(
            f"{self.scaled.robot.name!r} needs more than {MOST} steps for the way, wanted a shorter one"
        )

    def tangent(self, q: Array, before: Array) -> Array:
        """The direction of the curve, the one that goes on from the direction before."""
        N = self._null(self.matrix(q))
        t = N @ (N.T @ before)
        return t / max(float(np.linalg.norm(t)), 1e-300)

    def matrix(self, q: Array) -> Array:
        """The slopes of the equations by the free coordinates and by s."""
        _, A = self.scaled.at(q)
        A = A[self.scaled.binds]
        return np.column_stack([A[:, self.free], A @ self.way])

    def _null(self, J: Array) -> Array:
        _, s, Vt = np.linalg.svd(J)
        r = min(int((s > RANK * s.max(initial=0.0)).sum()), J.shape[1] - 1)
        return Vt[r:].T

    def stepped(self, q: Array, s: float, t: Array, size: float) -> tuple[Array, float, Array] | None:
        """So far along the curve: predicted along t, corrected across it; None where that fails or leaps."""
        q1, s1 = self.moved(q, t * size), s + t[-1] * size
        for _ in range(12):
            g, _ = self.scaled.at(q1)
            g = g[self.scaled.binds]
            J = np.vstack([self.matrix(q1), t])
            d = -np.linalg.lstsq(J, np.append(g, 0.0), rcond=1e-9)[0]
            q1, s1 = self.moved(q1, d), s1 + d[-1]
            if np.abs(d).max() < 1e-13 or (np.abs(d).max() < 1e-9 and np.abs(g).max(initial=0.0) < ROUND):
                break
        else:
            if np.abs(self.scaled.at(q1)[0][self.scaled.binds]).max(initial=0.0) > 1e-12:
                return None
        t1 = self.tangent(q1, t)
        return (q1, s1, t1) if t1 @ t > 0.9 else None

    def moved(self, q: Array, d: Array) -> Array:
        """q moved by free coordinates and along the way."""
        step = self.way * d[-1]
        step[self.free] += d[:-1]
        return self.scaled.moved(q, step)

    def _turn(self, q: Array, s: float, t: Array, size: float) -> Turn:
        """Where s stands still, within a step."""
        at = self._where(q, s, t, size, lambda there: there[2][-1])
        return Turn(at[1], at[0])

    def _end(self, q: Array, s: float, t: Array, size: float) -> Array:
        """Where s is 1, within a step."""
        return self._where(q, s, t, size, lambda there: 1.0 - there[1])[0]

    def _where(self, q: Array, s: float, t: Array, size: float, sign: Any) -> tuple[Array, float, Array]:
        """The point within a step where something that is positive at its start vanishes."""
        from scipy.optimize import brentq

        points: dict[float, tuple[Array, float, Array]] = {0.0: (q, s, t)}

        def value(length: float) -> float:
            if length not in points:
                points[length] = self.stepped(q, s, t, length) or points[0.0]
            return float(sign(points[length]))

        if not value(0.0) > 0 > value(size):
            return points[size]
        root = float(brentq(value, 0.0, size, xtol=1e-15))  # pyright: ignore[reportArgumentType]
        value(root)
        return points[root]
