"""Symmetric positive matrices over any scalar: no pivoting, no branch on a value, structural zeros skipped.

A matrix is anything indexed by two labels, a vector anything indexed by one; `order` lists the labels.
Entries that are structurally zero cost nothing and stay so: with labels from the base of a tree to its tips,
M = U D U' has no fill-in, and its factors are as sparse as the tree is.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from .scalar import Scalar

Vector: TypeAlias = dict[Any, Scalar]
Square: TypeAlias = dict[tuple[Any, Any], Scalar]


@dataclass(frozen=True)
class Factors:
    """M = U D U', with U of unit diagonal and nothing below it; L D L' is the same in reversed order."""

    order: tuple[Hashable, ...]
    columns: Mapping[Any, Vector]  # of U above the diagonal, without structural zeros
    inverse_pivots: Mapping[Any, Scalar]  # 1 / D

    def solve(self, b: Any) -> Vector:
        """x, such that M x = b."""
        z = self.without_upper({k: b[k] for k in self.order})
        return self.without_lower({k: z[k] * self.inverse_pivots[k] for k in self.order})

    def without_upper(self, b: Vector) -> Vector:
        """x, such that U x = b."""
        x = dict(b)
        for k in reversed(self.order):
            if not is_zero(x[k]):
                for i, u in self.columns[k].items():
                    x[i] = x[i] - u * x[k]
        return x

    def without_lower(self, b: Vector) -> Vector:
        """x, such that U' x = b."""
        x = dict(b)
        for k in self.order:
            for i, u in self.columns[k].items():
                if not is_zero(x[i]):
                    x[k] = x[k] - u * x[i]
        return x

    def inverse(self) -> Square:
        """The inverse W, row by row from U' W = D^-1 U^-1, whose lower half is 1 / D on the diagonal."""
        W: Square = {}
        for n, j in enumerate(self.order):
            for i in self.order[n:]:
                x = self.inverse_pivots[j] if i == j else 0
                for k, u in self.columns[i].items():
                    x = x if is_zero(W[k, j]) else x - u * W[k, j]
                W[i, j] = W[j, i] = x
        return W


def udu(M: Any, order: Iterable[Any]) -> Factors:
    """M = U D U', the last label eliminated first."""
    labels = tuple(order)
    A: Square = {(i, j): M[i, j] for n, j in enumerate(labels) for i in labels[: n + 1]}
    columns: dict[Any, Vector] = {}
    pivots: Vector = {}
    for n, k in reversed(list(enumerate(labels))):
        pivots[k] = 1 / A[k, k]
        columns[k] = _eliminated(A, k, [i for i in labels[:n] if not is_zero(A[i, k])], pivots[k])
    return Factors(labels, columns, pivots)


def _eliminated(A: Square, k: Any, above: Sequence[Any], inverse_pivot: Scalar) -> Vector:
    """The column of U at k, taken out of what is left of A."""
    column = {i: A[i, k] * inverse_pivot for i in above}
    for n, j in enumerate(above):
        for i in above[: n + 1]:
            A[i, j] = A[i, j] - column[j] * A[i, k]
    return column


def ldl(M: Any, order: Iterable[Any]) -> Factors:
    """M = L D L', the first label eliminated first."""
    return udu(M, reversed(list(order)))


def solve(M: Any, b: Any, order: Iterable[Any]) -> Vector:
    """x, such that M x = b."""
    return udu(M, order).solve(b)


def inverse(M: Any, order: Iterable[Any]) -> Square:
    """The inverse of M."""
    return udu(M, order).inverse()


def is_zero(x: object) -> bool:
    """Whether a scalar is the structural zero."""
    return type(x) is int and x == 0
