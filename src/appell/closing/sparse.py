"""Equations of many bodies as sparse matrices: steps of least squares, rank, and how near to losing it."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Sparse = Any
FLOOR = 1e-11  # of squared singular values: what is below leads nowhere
DEPENDENT, NOTHING = 1e-7, 1e-14  # what is left of a row that says nothing new; what is left out


def is_sparse(A: Any) -> bool:
    """Whether a matrix is a sparse one."""
    return not isinstance(A, np.ndarray)


def step(J: Sparse, r: Array, damping: float) -> Array:
    """The damped step of least squares against r: of those that do, the shortest."""
    from scipy.sparse import eye_array
    from scipy.sparse.linalg import splu

    K = (J.T @ J + (damping + FLOOR) * eye_array(J.shape[1])).tocsc()
    options = {"SymmetricMode": True}
    return -splu(K, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options).solve(J.T @ r)


@dataclass(frozen=True)
class Eliminated:
    """Rows by Gauss's elimination, one after another: those that depend on earlier ones, and the columns of pivots."""

    dependent: list[int]
    pivots: list[int]

    @property
    def rank(self) -> int:
        """How many rows are independent."""
        return len(self.pivots)


def eliminated(A: Sparse) -> Eliminated:
    """Each row's pivot is its largest entry once the columns of earlier pivots are taken out of it."""
    A = A.tocsr()
    kept: list[dict[int, float]] = []
    place: dict[int, int] = {}
    dependent: list[int] = []
    for k in range(A.shape[0]):
        span = slice(A.indptr[k], A.indptr[k + 1])
        row = dict(zip(A.indices[span].tolist(), A.data[span].tolist(), strict=True))
        size = max(map(abs, row.values()), default=0.0)
        _take_out(row, kept, place, NOTHING * size)
        pivot = max(row, key=lambda c: abs(row[c]), default=-1)
        if pivot < 0 or abs(row[pivot]) <= DEPENDENT * size:
            dependent.append(k)
            continue
        scale = 1 / row[pivot]
        place[pivot] = len(kept)
        kept.append({c: x * scale for c, x in row.items()})
    return Eliminated(dependent, list(place))


def _take_out(row: dict[int, float], kept: list[dict[int, float]], place: dict[int, int], small: float) -> None:
    """The columns of pivots out of a row, in the order in which the pivots came."""
    waiting: list[tuple[int, int]] = []
    for c in row:
        if c in place:
            heappush(waiting, (place[c], c))
    while waiting:
        n, c = heappop(waiting)
        x = row.pop(c, 0.0)
        if abs(x) <= small:
            continue
        for other, y in kept[n].items():
            if other == c:
                continue
            if other not in row and other in place:
                heappush(waiting, (place[other], other))
            row[other] = row.get(other, 0.0) - x * y
    for c in [c for c, x in row.items() if abs(x) <= small]:
        del row[c]


def smallest(A: Sparse, dependent: list[int]) -> tuple[float, Array]:
    """The smallest singular value of the rows that are independent, against the largest; and the velocity it meets."""
    from scipy.sparse.linalg import eigsh

    keep = np.setdiff1d(np.arange(A.shape[0]), dependent)
    rows = A.tocsr()[keep]
    square, start = (rows @ rows.T).tocsc(), np.random.default_rng(1).normal(size=len(keep))
    largest = _largest(square, start)
    value, u = eigsh(square, k=1, sigma=-1e-14 * largest, which="LM", v0=start)
    direction = rows.T @ u[:, 0]
    return float(np.sqrt(max(value[0], 0.0) / largest)), direction / max(float(np.linalg.norm(direction)), 1e-300)


def _largest(square: Sparse, x: Array) -> float:
    """The largest eigenvalue, to a few digits."""
    for _ in range(100):
        x = square @ (x / np.linalg.norm(x))
    return float(np.linalg.norm(x))
