"""A scalar of any number of decimal digits: one more reading of the texts, to see what rounding does to them.

With 40 digits the answer is exact for every purpose; with 7 it is what single precision would give, and in between
one sees how many digits a formulation loses, by its own arithmetic and not by its compiler's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from decimal import Context, Decimal
from functools import cache
from typing import Any

import numpy as np

from ..formulations.table import Formulation
from ..model.tree import Tree
from ..model.walk import Coordinates, Walk, structural_link, structural_vec
from ..scalar import Scalar, sqrt
from ..vec import Mat3, cross

GUARD = 12  # more digits inside a series


@dataclass(frozen=True, slots=True)
class Digits:
    """A number of `context.prec` digits: every operation is rounded to them, as is every constant it meets."""

    x: Decimal
    context: Context

    def of(self, other: Scalar) -> Decimal:
        """Another number, rounded alike."""
        return other.x if isinstance(other, Digits) else self.context.create_decimal(other)

    def __add__(self, other: Scalar) -> Digits:
        return Digits(self.context.add(self.x, self.of(other)), self.context)

    def __sub__(self, other: Scalar) -> Digits:
        return Digits(self.context.subtract(self.x, self.of(other)), self.context)

    def __rsub__(self, other: Scalar) -> Digits:
        return Digits(self.context.subtract(self.of(other), self.x), self.context)

    def __mul__(self, other: Scalar) -> Digits:
        return Digits(self.context.multiply(self.x, self.of(other)), self.context)

    def __truediv__(self, other: Scalar) -> Digits:
        return Digits(self.context.divide(self.x, self.of(other)), self.context)

    def __rtruediv__(self, other: Scalar) -> Digits:
        return Digits(self.context.divide(self.of(other), self.x), self.context)

    def __neg__(self) -> Digits:
        return Digits(self.context.minus(self.x), self.context)

    def __float__(self) -> float:
        return float(self.x)

    def sqrt(self) -> Digits:
        return Digits(self.context.sqrt(self.x), self.context)

    def sign(self) -> Digits:
        return Digits(self.context.create_decimal((self.x > 0) - (self.x < 0)), self.context)

    def tanh(self) -> Digits:
        wide = self._wide()
        e = wide.exp(wide.multiply(self.x, Decimal(2)))
        return self._rounded(wide.divide(wide.subtract(e, Decimal(1)), wide.add(e, Decimal(1))))

    def sin(self) -> Digits:
        return self._series(self.x, 1)

    def cos(self) -> Digits:
        return self._series(Decimal(1), 0)

    def _series(self, term: Decimal, order: int) -> Digits:
        """The sum of x^k / k! with alternating signs, for every second k from `order` on."""
        wide = self._wide()
        square, total = wide.multiply(self.x, self.x), Decimal(0)
        while wide.add(total, term) != total:
            total = wide.add(total, term)
            term = wide.divide(wide.minus(wide.multiply(term, square)), Decimal((order + 1) * (order + 2)))
            order += 2
        return self._rounded(total)

    def _wide(self) -> Context:
        """Room for the digits that a series or an exponential cancels."""
        return rounding_to(self.context.prec + GUARD + int(abs(self.x)))

    def _rounded(self, x: Decimal) -> Digits:
        return Digits(self.context.plus(x), self.context)

    __radd__, __rmul__ = __add__, __mul__


@cache
def rounding_to(digits: int) -> Context:
    """Arithmetic of so many digits; what is infinite or undefined goes on as such, as with floats."""
    return Context(prec=digits, traps=[])


def read(row: Formulation, tree: Tree, digits: int, *values: Any) -> np.ndarray[Any, Any]:
    """The answer of a formulation that gives one number per freedom, worked out with so many digits."""
    number = _number(digits)
    given = [Coordinates([x if isinstance(x, Digits) else number(float(x)) for x in y]) for y in values]
    answer = row.text(Walk(_of(tree, number)), *given)
    if row.question.outputs[0][1] != ("nv",):
        raise TypeError(f"{row.computes} is not one number per freedom")
    return np.array([answer[k] for k in range(tree.nv)], dtype=object)


def _number(digits: int) -> Callable[[float], Digits]:
    context = rounding_to(digits)
    return lambda x: Digits(context.create_decimal(x), context)


def _of(tree: Tree, number: Callable[[float], Digits]) -> Tree:
    """The tree with every number in digits but the structural ones."""
    links = (_converted(structural_link(b), number) for b in tree.links)
    whole = tuple(replace(b, fixed=_orthonormal(b.fixed)) for b in links)
    return replace(tree, links=whole, gravity=_converted(structural_vec(tree.gravity), number))


def _orthonormal(A: Mat3) -> Mat3:
    """A rotation of floats is one to 16 digits only, and texts differ by what is missing."""
    x = A.r1 * (1 / sqrt(A.r1 @ A.r1))
    across = A.r2 - x * (x @ A.r2)
    y = across * (1 / sqrt(across @ across))
    return Mat3(x, y, cross(x, y))


def _converted(value: Any, number: Callable[[float], Digits]) -> Any:
    if type(value) is float:
        return number(value)
    if isinstance(value, tuple):
        return tuple(_converted(x, number) for x in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _converted(getattr(value, f.name), number) for f in fields(value)})
    return value
