"""M x = b + A' f with A x = s for matrices whose zeros stay where they are: as `linalg.Bound`, sparse.

K = M + A' w A is summed by places that are found once. Where bodies are many in a row, as they mostly are, its entries
stand near the diagonal once its rows are put in a good order, and it is factored as a band.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..linalg import FLOOR, LEAST, ROUNDS, WEIGHT

Array = np.ndarray[Any, Any]
Sparse = Any
WIDEST = 120  # diagonals beside the main one: beyond, a general factorisation has less to do


@dataclass(frozen=True)
class Pattern:
    """Where a sparse matrix has entries; their values come in another order, in which they are found."""

    shape: tuple[int, int]
    rows: Array
    columns: Array

    @cached_property
    def order(self) -> Array:
        """From row by row to as found."""
        return np.lexsort((self.columns, self.rows))

    @cached_property
    def _indices(self) -> tuple[Array, Array]:
        starts = np.searchsorted(self.rows[self.order], np.arange(self.shape[0] + 1))
        return self.columns[self.order].astype(np.int32), starts.astype(np.int32)

    def matrix(self, values: Array) -> Sparse:
        """The matrix with values, as found."""
        from scipy.sparse import csr_array

        return csr_array((values[self.order], *self._indices), self.shape)


class Augmented:
    """The equations of a mechanism, ready for values: masses by pairs of freedoms, lower half, and coefficients."""

    def __init__(self, masses: Pattern, coefficients: Pattern) -> None:
        self.masses, self.coefficients, self.n = masses, coefficients, masses.shape[0]
        self.off = masses.rows != masses.columns
        rows, columns = (np.concatenate([x, y[self.off]]) for x, y in
                         ((masses.rows, masses.columns), (masses.columns, masses.rows)))  # fmt: skip
        self.whole = Pattern(masses.shape, rows, columns)
        self.on = np.flatnonzero(~self.off)

    @cached_property
    def pairs(self) -> tuple[Array, Array]:
        """Pairs of entries of the same equation, each pair of freedoms once."""
        A = self.coefficients
        counts = np.bincount(A.rows, minlength=A.shape[0])
        starts = np.concatenate([[0], np.cumsum(counts)])[:-1]
        size = counts[A.rows[A.order]]
        first = np.repeat(np.arange(len(size)), size)
        ahead = np.arange(len(first)) - np.repeat(np.cumsum(size) - size, size)
        second = starts[A.rows[A.order]][first] + ahead
        once = self.place[A.columns[A.order][first]] >= self.place[A.columns[A.order][second]]
        return A.order[first[once]], A.order[second[once]]

    @cached_property
    def place(self) -> Array:
        """Where each freedom stands in an order that keeps neighbours together."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import reverse_cuthill_mckee

        A, M = (p.matrix(np.ones(len(p.rows))) for p in (self.coefficients, self.whole))
        place = np.empty(self.n, int)
        place[reverse_cuthill_mckee(csr_array(M + A.T @ A), symmetric_mode=True)] = np.arange(self.n)
        return place

    @cached_property
    def at(self) -> tuple[Array, int]:
        """Where in the band masses and products of coefficients go, and how wide it is."""
        (first, second), A, M = self.pairs, self.coefficients, self.masses
        i = self.place[np.concatenate([M.rows, A.columns[first]])]
        j = self.place[np.concatenate([M.columns, A.columns[second]])]
        low, high = np.minimum(i, j), np.maximum(i, j)
        return (high - low) * self.n + low, int((high - low).max(initial=0))

    def solved(self, masses: Array, coefficients: Array, b: Array, s: Array) -> tuple[Array, Array]:
        """(x, f)."""
        rows, columns, w = self.coefficients.rows, self.coefficients.columns, self.weights(masses, coefficients)
        solve = self._factored(masses, coefficients, w) or self._eliminated(masses, coefficients, w)
        x, f, whole = np.zeros(self.n), np.zeros(len(s)), np.concatenate([masses, masses[self.off]])
        across, along = self.whole.rows, self.whole.columns
        for _ in range(ROUNDS):
            push = f + w * (s - np.bincount(rows, coefficients * x[columns], len(s)))
            pushed = np.bincount(columns, coefficients * push[rows], self.n)
            dx = solve(b - np.bincount(across, whole * x[along], self.n) + pushed)
            x = x + dx
            f = push - w * np.bincount(rows, coefficients * dx[columns], len(s))
        return x, f

    def weights(self, masses: Array, coefficients: Array) -> Array:
        """Of the equations."""
        heavy = np.zeros(self.n)
        heavy[self.masses.rows[self.on]] = masses[self.on]
        ease = 1 / (heavy + heavy.mean() * FLOOR)
        A = self.coefficients
        gives = np.bincount(A.rows, coefficients**2 * ease[A.columns], A.shape[0])
        return WEIGHT / (gives + gives.mean() * LEAST)

    def _factored(self, masses: Array, coefficients: Array, w: Array) -> Any:
        """What solves with K, by Cholesky's factors of a band; None if it is too wide, or rounding made it singular."""
        from scipy.linalg.lapack import dpbtrs  # pyright: ignore[reportAttributeAccessIssue]

        _, factor = self._bands(masses, coefficients, w)
        if factor is None:
            return None
        return lambda y: dpbtrs(factor, y[self.back], lower=1)[0][self.place]

    def pivots(self, masses: Array, coefficients: Array) -> Array | None:
        """What is left of K's diagonal, against all of it, where the freedoms before have moved as they like.

        Next to nothing is left of a motion that the equations do not bind. None where K is no band.
        """
        band, factor = self._bands(masses, coefficients, self.weights(masses, coefficients))
        return None if factor is None or band is None else factor[0] ** 2 / band[0]

    def _bands(self, masses: Array, coefficients: Array, w: Array) -> tuple[Array | None, Array | None]:
        """K by diagonals, and its factor."""
        from scipy.linalg.lapack import dpbtrf  # pyright: ignore[reportAttributeAccessIssue]

        (at, wide), (first, second) = self.at, self.pairs
        if wide > WIDEST:
            return None, None
        products = w[self.coefficients.rows[first]] * coefficients[first] * coefficients[second]
        band = np.bincount(at, np.concatenate([masses, products]), (wide + 1) * self.n).reshape(wide + 1, self.n)
        factor, failed = dpbtrf(band, lower=1)
        return band, None if failed else factor

    @cached_property
    def back(self) -> Array:
        """From places to freedoms."""
        return np.argsort(self.place)

    def _eliminated(self, masses: Array, coefficients: Array, w: Array) -> Any:
        """What solves with K, whatever its pattern."""
        from scipy.sparse import diags_array
        from scipy.sparse.linalg import splu

        M, A = self.whole.matrix(np.concatenate([masses, masses[self.off]])), self.coefficients.matrix(coefficients)
        K = (M + A.T @ diags_array(w) @ A).tocsc()
        options = {"SymmetricMode": True}
        return splu(K, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options).solve
