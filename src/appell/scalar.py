"""What a scalar must do: + - * / unary minus, and the functions below. Nothing else.

A scalar may be a float, a `Count`, a `Dim`, an expression, a NumPy array, a CasADi or SymPy symbol: the
formulations never ask. The Python ints 0 and 1 are the *structural* zero and one: they are known before
any number is, so `0 * x` and `1 * x` disappear from whatever is being written.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Scalar: TypeAlias = Any  # any arithmetic: a Protocol would promise less than the readings do


def _apply(name: str, x: Scalar) -> Scalar:
    own = getattr(x, name, None)
    if own is not None:
        return own()
    if type(x) in (int, float):
        return getattr(math, name)(x)
    import numpy as np

    return getattr(np, name)(x)


def sin(x: Scalar) -> Scalar:
    """Sine."""
    return 0 if _is_int(x, 0) else _apply("sin", x)


def cos(x: Scalar) -> Scalar:
    """Cosine."""
    return 1 if _is_int(x, 0) else _apply("cos", x)


def sqrt(x: Scalar) -> Scalar:
    """Square root."""
    return x if _is_int(x, 0, 1) else _apply("sqrt", x)


def tanh(x: Scalar) -> Scalar:
    """Hyperbolic tangent."""
    return 0 if _is_int(x, 0) else _apply("tanh", x)


def sign(x: Scalar) -> Scalar:
    """-1, 0 or 1."""
    if type(x) in (int, float):
        return (x > 0) - (x < 0) + 0.0 * x
    return _apply("sign", x)


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """The angle of the direction (x, y), between -pi and pi."""
    if _is_int(y, 0) and _is_int(x, 1):
        return 0
    for own in (y, x):
        if hasattr(own, "atan2"):
            return type(own).atan2(y, x)
    if type(x) in (int, float) and type(y) in (int, float):
        return math.atan2(y, x)
    import numpy as np

    return np.arctan2(y, x)


def between(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """x, or the bound that it is beyond: without a branch, so that it compiles."""
    below, above = (1 + sign(low - x)) * 0.5, (1 + sign(x - high)) * 0.5
    return x * (1 - below - above) + low * below + high * above


def structural(x: Scalar) -> Scalar:
    """A number as the formulations should see it: an exact 0.0 or 1.0 becomes the structural int."""
    if type(x) is float or type(x) is int:
        return 0 if x == 0.0 else 1 if x == 1.0 else x
    return x


def _is_int(x: object, *values: int) -> bool:
    return type(x) is int and x in values


def _is_number(x: object) -> bool:
    return type(x) is float or type(x) is int


@dataclass(frozen=True)
class Count:
    """A scalar that only counts what is done to it, as the papers' tables count.

    Free: constant with constant (off-line work), negation, times 0 and +-1, plus 0. Twice is one addition;
    division by a constant is a product; sine and cosine of one angle are one `sincos`.
    """

    tally: Counter[str] = field(default_factory=Counter)
    seen: set[str] = field(default_factory=set, compare=False)

    def _new(self, operation: str) -> Count:
        self.tally[operation] += 1
        return Count(self.tally)

    def __add__(self, other: Scalar) -> Count:
        return self if _is_number(other) and other == 0 else self._new("add")

    def __mul__(self, other: Scalar) -> Scalar:
        if _is_number(other):
            if other == 0:
                return 0
            if other in (1, -1):
                return self
            if other in (2, -2):
                return self._new("add")
        return self._new("mul")

    def __truediv__(self, other: Scalar) -> Scalar:
        return self * (1.0 / other) if _is_number(other) else self._new("div")

    def __rtruediv__(self, other: Scalar) -> Scalar:
        return 0 if _is_number(other) and other == 0 else self._new("div")

    def __neg__(self) -> Count:
        return self

    def _angle(self) -> Count:
        if "sincos" not in self.seen:
            self.seen.add("sincos")
            self.tally["sincos"] += 1
        return Count(self.tally)

    def sqrt(self) -> Count:
        return self._new("sqrt")

    def tanh(self) -> Count:
        return self._new("tanh")

    def sign(self) -> Count:
        return self._new("sign")

    @staticmethod
    def atan2(y: Scalar, x: Scalar) -> Count:
        return (y if isinstance(y, Count) else x)._new("atan2")

    __radd__ = __sub__ = __rsub__ = __add__
    __rmul__ = __mul__
    sin = cos = _angle


@dataclass(frozen=True)
class Dim:
    """A scalar that is only a physical dimension: powers of kilogram, metre and second.

    Adding unlike dimensions, or taking the sine of a length, is a TypeError. Structural 0 fits any dimension.
    """

    kg: int = 0
    m: int = 0
    s: int = 0

    def __add__(self, other: Scalar) -> Dim:
        if _is_int(other, 0):
            return self
        if self != (other if isinstance(other, Dim) else Dim()):
            raise TypeError(f"{self} plus {other}: dimensions differ")
        return self

    def __mul__(self, other: Scalar) -> Scalar:
        if _is_int(other, 0):
            return 0
        o = other if isinstance(other, Dim) else Dim()
        return Dim(self.kg + o.kg, self.m + o.m, self.s + o.s)

    def __truediv__(self, other: Scalar) -> Dim:
        o = other if isinstance(other, Dim) else Dim()
        return Dim(self.kg - o.kg, self.m - o.m, self.s - o.s)

    def __rtruediv__(self, other: Scalar) -> Scalar:
        return 0 if _is_int(other, 0) else Dim(-self.kg, -self.m, -self.s)

    def __neg__(self) -> Dim:
        return self

    def _pure(self) -> Dim:
        if self != Dim():
            raise TypeError(f"a function of a pure number was given {self}")
        return self

    def sqrt(self) -> Dim:
        if self.kg % 2 or self.m % 2 or self.s % 2:
            raise TypeError(f"square root of {self}")
        return Dim(self.kg // 2, self.m // 2, self.s // 2)

    def sign(self) -> Dim:
        return Dim()

    @staticmethod
    def atan2(y: Scalar, x: Scalar) -> Dim:
        _ = y + x  # of one dimension
        return Dim()

    def __str__(self) -> str:
        return f"kg^{self.kg} m^{self.m} s^{self.s}"

    __radd__ = __sub__ = __rsub__ = __add__
    __rmul__ = __mul__
    sin = cos = tanh = _pure
