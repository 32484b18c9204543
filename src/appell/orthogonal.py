"""Columns over any scalar made orthogonal: least squares and least norms, without squaring the matrix's condition.

No pivoting and no branch on a value: that the columns are independent, and in which order they are best taken, is
found before, on numbers. Entries that are structurally zero cost nothing and stay so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from .linalg import inverse_of, is_zero
from .scalar import Scalar

SINGULAR = 1e-24  # of the square of a column: with so little left, it depends on others
Column: TypeAlias = dict[Any, Scalar]  # by the label of the row, without structural zeros


@dataclass(frozen=True)
class Orthogonal:
    """A = Q R by modified Gram and Schmidt: Q of orthogonal columns q, R with 1 on its diagonal and 0 below it.

    Both solves take the columns one after another, which keeps them as exact as reflections would be, even where the
    columns of Q have lost some of their orthogonality: their error grows with the condition of A, not with its square.

    Source: bjorck1994, there with columns of unit length.
    """

    order: tuple[Any, ...]
    columns: Mapping[Any, Column]  # of Q
    inverse_squares: Mapping[Any, Scalar]  # 1 / q . q; not a number where columns depend on each other
    above: Mapping[Any, Column]  # of R, above the diagonal

    @staticmethod
    def of(columns: Mapping[Any, Mapping[Any, Scalar]], order: Iterable[Any]) -> Orthogonal:
        """From the columns of A, each a mapping by rows, taken in an order."""
        labels = tuple(order)
        Q: dict[Any, Column] = {}
        above: dict[Any, Column] = {}
        inverse: dict[Any, Scalar] = {}
        for k in labels:
            given = q = {row: x for row, x in columns[k].items() if not is_zero(x)}
            above[k] = {}
            for j in labels[: len(Q)]:
                share = dot(Q[j], q)
                if not is_zero(share):
                    above[k][j] = share * inverse[j]
                    q = less(q, Q[j], above[k][j])
            left = dot(q, q)
            Q[k], inverse[k] = q, 1 / left if q is given else inverse_of(left, dot(given, given), SINGULAR)
        return Orthogonal(labels, Q, inverse, above)

    def solve(self, b: Mapping[Any, Scalar]) -> Column:
        """x that makes |A x - b| least."""
        x, left = {}, {row: y for row, y in b.items() if not is_zero(y)}
        for k in self.order:
            x[k] = dot(self.columns[k], left) * self.inverse_squares[k]
            left = less(left, self.columns[k], x[k])
        for k in reversed(self.order):
            for j, r in self.above[k].items():
                x[j] = x[j] - r * x[k]
        return x

    def least(self, b: Mapping[Any, Scalar]) -> Column:
        """The shortest y with A' y = b."""
        z: Column = {}
        for k in self.order:
            z[k] = b[k]
            for j, r in self.above[k].items():
                z[k] = z[k] - r * z[j]
        y: Column = {}
        for k in reversed(self.order):
            y = less(y, self.columns[k], (dot(self.columns[k], y) - z[k]) * self.inverse_squares[k])
        return y


def dot(x: Mapping[Any, Scalar], y: Mapping[Any, Scalar]) -> Scalar:
    """x . y."""
    return sum(a * y[row] for row, a in x.items() if row in y)


def less(x: Mapping[Any, Scalar], y: Mapping[Any, Scalar], times: Scalar) -> Column:
    """x - y times a number."""
    if is_zero(times):
        return dict(x)
    return {**x, **{row: x.get(row, 0) - a * times for row, a in y.items()}}


def transposed(rows: Sequence[Mapping[Any, Scalar]], labels: Iterable[Any]) -> dict[Any, Column]:
    """Some of the columns of a matrix that is given by its rows."""
    wanted = {k: {} for k in labels}
    for n, row in enumerate(rows):
        for k, x in row.items():
            if k in wanted and not is_zero(x):
                wanted[k][n] = x
    return wanted
