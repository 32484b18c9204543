"""Closing loops from a guess: Levenberg's and Marquardt's method on the manifold, whatever the rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import sparse
from .scaled import Scaled

Array = np.ndarray[Any, Any]
STEPS, LONGEST = 200, 0.5  # of one search; radians, or sizes, in one step
FAINT = 1e-10  # singular values that are smaller, against the largest, lead nowhere
ROUND = 2e-16


@dataclass(frozen=True)
class Closed:
    """Where a search for a closed configuration ended, and what is left of the equations and of the senses there."""

    q: Array
    left: Array
    wrong: Array

    @property
    def gap(self) -> float:
        """The largest of all that is left."""
        return float(max(np.abs(self.left).max(initial=0.0), self.wrong.max(initial=0.0)))


def closed(scaled: Scaled, q: Array, free: Array, steps: int = STEPS) -> Closed:
    """The closed configuration next to q, moving the coordinates that are free; or the place where no step helps.

    Beside the equations the axes' distance from the right sense has to vanish. The damping goes down with the square
    of what is left, so the end is as fast as Newton's, along equations that depend on each other as well.

    Source: yamashita2001, the damping.
    """
    n, damping = int(scaled.binds.sum()), 1e-3
    r, J = _gaps(scaled, q, free)
    for _ in range(steps):
        before = float(np.linalg.norm(r))
        if before <= ROUND or damping > 1e9:
            break
        step = np.zeros(len(free))
        step[free] = _step(J, r, damping * before**2)
        there = scaled.moved(q, step)
        r1, J1 = _gaps(scaled, there, free)
        after = float(np.linalg.norm(r1))
        if not after < before:
            damping *= 10
        elif after > 0.99 * before and before < 1e-13:
            break
        else:
            q, r, J, damping = there, r1, J1, max(damping / 5, 1e-6)
            if after > (1 - 1e-7) * before:
                break
    return Closed(q, r[:n], r[n:])


def _gaps(scaled: Scaled, q: Array, free: Array) -> tuple[Array, Any]:
    """What has to vanish, and its slopes by the free coordinates."""
    (g, A), (s, S) = scaled.equations(q), scaled.senses(q)
    r, parts = np.concatenate([g[scaled.binds], s]), [A[scaled.binds], S]
    if not scaled.large:
        return r, np.concatenate(parts)[:, free]
    from scipy.sparse import vstack

    J: Any = vstack(parts, format="csc")
    return r, J[:, free]


def _step(J: Any, r: Array, damping: float) -> Array:
    """The damped step of least squares, of bounded length."""
    step = least(J, r, damping)
    return step * min(1.0, LONGEST / max(float(np.abs(step).max(initial=0.0)), LONGEST))


def least(J: Any, r: Array, damping: float = 0.0) -> Array:
    """The shortest of the steps d for which J d + r is least."""
    if sparse.is_sparse(J):
        return sparse.step(J, r, damping)
    if not J.size:
        return np.zeros(J.shape[1])
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    return -Vt.T @ (s / (s * s + damping + (FAINT * s[0]) ** 2 + ROUND**2) * (U.T @ r))
