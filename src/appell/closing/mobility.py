"""How a mechanism can move: freedoms counted and by rank, equations that say nothing new, independent coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import sparse
from .newton import closed, least
from .scaled import Scaled
from .search import apart

Array = np.ndarray[Any, Any]
RANK = 1e-7  # a singular value that is smaller, against the largest, counts as none: loops close to its square
AWAY = 0.05  # how far off a generic configuration is looked for


@dataclass(frozen=True)
class Mobility:
    """Degrees of freedom of a closed mechanism.

    `gruebler` counts joints and equations; `here` is what the rank of the equations leaves in this configuration,
    `generic` what it leaves in those around. Where `here` is more, the configuration is singular; where `generic`
    is more than `gruebler`, equations are redundant everywhere.
    """

    gruebler: int
    here: int
    generic: int

    def __int__(self) -> int:
        return self.generic


def rank(A: Any) -> int:
    """The rank of scaled equations."""
    if sparse.is_sparse(A):
        return sparse.eliminated(A).rank
    s = singular_values(A)
    return int((s > RANK * s.max(initial=0.0)).sum()) if s.size else 0


def singular_values(A: Array) -> Array:
    """In falling order; as many as the smaller side is long."""
    return np.linalg.svd(A, compute_uv=False) if A.size else np.zeros(min(A.shape))


def motions(A: Array, r: int | None = None) -> Array:
    """The velocities that equations of rank r allow, orthonormal columns."""
    if not A.size:
        return np.eye(A.shape[1])
    _, _, Vt = np.linalg.svd(A)
    return Vt[rank(A) if r is None else r :].T


def generic(scaled: Scaled, q: Array, A: Any) -> tuple[Array, Any]:
    """A configuration near q that is like those around it, and the equations there: of highest rank.

    It is reached by moving at random and closing the loops again. What comes back to q itself cannot move: then q.
    """
    best, highest, rng = (q, A), rank(A), np.random.default_rng(1)
    free, J, own = np.ones(scaled.robot.nv, bool), A[scaled.binds], highest
    for _ in range(3):
        way = rng.normal(size=len(free))
        way += least(J, J @ way)
        if not (size := np.linalg.norm(way)) > 1e-6:
            break
        there = closed(scaled, scaled.moved(q, AWAY * way / size), free)
        if there.gap < 1e-9 and apart(scaled, q, there.q) > 1e-3 * AWAY:
            _, near = scaled.equations(there.q)
            if (found := rank(near)) > highest or best[1] is A:
                best, highest = (there.q, near), found
    return best if highest >= own else (q, A)


def dependent_rows(A: Any, r: int) -> list[int]:
    """Rows that depend on those before them, so that r remain."""
    if sparse.is_sparse(A):
        return sparse.eliminated(A).dependent
    Q, found = np.zeros((0, A.shape[1])), []
    scale = np.abs(A).max(initial=0.0)
    for k, row in enumerate(A):
        left = row - Q.T @ (Q @ row)
        left -= Q.T @ (Q @ left)
        size = np.linalg.norm(left)
        if size > 1e-6 * max(float(np.linalg.norm(row)), 1e-3 * scale) and len(Q) < r:
            Q = np.vstack([Q, left / size])
        else:
            found.append(k)
    return found if len(A) - len(found) == r else _by_pivots(A.T, r)[1]


def independent_freedoms(A: Any, r: int) -> list[int]:
    """Freedoms that tell all motions under equations of rank r: the best, or if there are many those that will do."""
    if sparse.is_sparse(A):
        return sorted(set(range(A.shape[1])) - set(sparse.eliminated(A).pivots))
    return independent_columns(motions(A, r))


def independent_columns(N: Array) -> list[int]:
    """The freedoms that tell all motions best: rows of N, chosen one by one as the farthest from those chosen."""
    return sorted(_by_pivots(N.T, N.shape[1])[0])


def spanning(A: Array, r: int) -> list[int]:
    """r columns of a matrix of rank r that span all of them."""
    return _by_pivots(A, r)[0]


def _by_pivots(A: Array, r: int) -> tuple[list[int], list[int]]:
    """Columns: r that span all of them, and the others."""
    from scipy.linalg import qr

    if not A.size:
        return [], list(range(A.shape[1]))
    order = [int(k) for k in qr(A, pivoting=True, mode="r")[-1]]
    return order[:r], sorted(order[r:])
