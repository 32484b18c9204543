"""Symmetric positive matrices over any scalar: no pivoting, no branch on a value, structural zeros skipped.

A matrix is anything indexed by two labels, a vector anything indexed by one; `order` lists the labels.
Entries that are structurally zero cost nothing and stay so: with labels from the base of a tree to its tips,
M = U D U' has no fill-in, and its factors are as sparse as the tree is.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from .scalar import Scalar, sign

Vector: TypeAlias = dict[Any, Scalar]
Square: TypeAlias = dict[tuple[Any, Any], Scalar]
WEIGHT, ROUNDS = 1e10, 4  # of equations against masses; rounds that refine
WEIGHT_IN_SINGLES = 1e4  # the same for numbers of 24 bits: as far from 1 as from what they round off
FLOOR, LEAST = 1e-6, 1e-7  # of the mean mass, and of the mean equation, that nothing is less than

SQUARE = 1e-13  # of a square that was found as a difference: with less left, it may be no more than round-off


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


def inverse_of(x: Scalar, given: Scalar, least: float) -> Scalar:
    """1 / x; not a number where of what was given no larger part is left than `least`, which rounding may have made."""
    if type(x) in (int, float):
        return 1 / x
    whole = 1 + sign(x - given * least)
    return whole / (x * whole)  # 2 / (2 x), which is 1 / x to the last bit; or 0 / 0


def udu(M: Any, order: Iterable[Any], least: float | None = None) -> Factors:
    """M = U D U', the last label eliminated first; with `least`, a pivot that loses all of its entry is no number."""
    labels = tuple(order)
    A: Square = {(i, j): M[i, j] for n, j in enumerate(labels) for i in labels[: n + 1]}
    columns: dict[Any, Vector] = {}
    pivots: Vector = {}
    for n, k in reversed(list(enumerate(labels))):
        pivots[k] = 1 / A[k, k] if least is None else inverse_of(A[k, k], M[k, k], least)
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


@dataclass(frozen=True)
class Bound:
    """M x = b + A' f with A x = s, for a positive M and any A: also one whose rows depend on each other.

    Multiplying the equations into M with weights w, K = M + A' w A is positive, has M's zeros where A has none in
    common, and needs no choice of rows. Each round takes what is left over,

        K dx = b - M x + A' (f + w (s - A x)),   df = w (s - A (x + dx))

    and leaves of it a part 1 / (1 + w A M^-1 A'), so a few rounds reach the machine's precision. The parts of all
    directions add up to `freedoms`: a whole number, but for directions in which the equations hardly bind.
    """

    M: Any
    rows: Sequence[Mapping[Any, Scalar]]
    weights: Sequence[Scalar]
    factors: Factors

    @staticmethod
    def of(
        M: Any, rows: Sequence[Mapping[Any, Scalar]], order: Iterable[Any], weight: float = WEIGHT
    ) -> Bound:  # fmt: skip
        """The weights: so many times what moving along an equation alone would meet in M.

        An equation that binds next to nothing, as those across a plane mechanism do, weighs less.
        """
        labels = tuple(order)
        heavy = sum(M[i, i] for i in labels) * (FLOOR / len(labels))
        ease = {i: 1 / (M[i, i] + heavy) for i in labels}
        gives = [sum(x * x * ease[i] for i, x in row.items() if not is_zero(x)) for row in rows]
        least = sum(gives) * (LEAST / len(rows))
        return Bound.weighed(M, rows, [weight / (give + least) for give in gives], labels)

    @staticmethod
    def weighed(
        M: Any, rows: Sequence[Mapping[Any, Scalar]], weights: Sequence[Scalar], order: Iterable[Any]
    ) -> Bound:  # fmt: skip
        """With given weights."""
        labels = tuple(order)
        K: Square = {(i, j): M[i, j] for n, j in enumerate(labels) for i in labels[: n + 1]}
        place = {i: n for n, i in enumerate(labels)}
        for row, w in zip(rows, weights, strict=True):
            entries = [(i, x, x * w) for i, x in row.items() if not is_zero(x)]
            for i, x, _ in entries:
                for j, _, y in entries:
                    if place[i] <= place[j]:
                        K[i, j] = K[i, j] + x * y
        return Bound(M, rows, weights, udu(K, labels))

    def solve(self, b: Mapping[Any, Scalar], s: Sequence[Scalar]) -> tuple[Vector, list[Scalar]]:
        """(x, f)."""
        order = self.factors.order
        x: Vector = dict.fromkeys(order, 0)
        f: list[Scalar] = [0] * len(self.rows)
        for _ in range(ROUNDS):
            left = [t - self._along(row, x) for t, row in zip(s, self.rows, strict=True)]
            push = [p + w * t for p, w, t in zip(f, self.weights, left, strict=True)]
            rest = {i: b[i] - sum(self._entry(i, j) * x[j] for j in order if not is_zero(x[j])) for i in order}
            for row, p in zip(self.rows, push, strict=True):
                for i, y in row.items():
                    rest[i] = rest[i] + y * p
            dx = self.factors.solve(rest)
            x = {i: x[i] + dx[i] for i in order}
            f = [p - w * self._along(row, dx) for p, w, row in zip(push, self.weights, self.rows, strict=True)]
        return x, f

    @property
    def freedoms(self) -> Scalar:
        """The trace of K^-1 M: how many directions are free, n less that of A K^-1 w A'."""
        bound = 0
        for row, w in zip(self.rows, self.weights, strict=True):
            y = self.factors.without_upper({i: row.get(i, 0) for i in self.factors.order})
            along = sum(x * x * self.factors.inverse_pivots[i] for i, x in y.items() if not is_zero(x))
            bound = bound + along * w
        return len(self.factors.order) - bound

    def _entry(self, i: Any, j: Any) -> Scalar:
        return self.M[i, j]

    @staticmethod
    def _along(row: Mapping[Any, Scalar], x: Mapping[Any, Scalar]) -> Scalar:
        return sum(y * x[i] for i, y in row.items() if not (is_zero(y) or is_zero(x[i])))


def is_zero(x: object) -> bool:
    """Whether a scalar is the structural zero."""
    return type(x) is int and x == 0
