"""Jets: scalars that know how fast they change, and how fast that changes, along one motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import scalar
from ..scalar import Scalar
from ..vec import Mat3, Vec3

NOTHING = Vec3()


@dataclass(frozen=True, slots=True)
class Jet:
    """x + x' t + 1/2 x'' t^2 over any scalar. What a function makes of jets holds its derivatives along the motion.

    A function written with + - * / ** and the functions of `scalar` (or NumPy's of the same names) takes them.
    """

    value: Scalar = 0
    first: Scalar = 0
    second: Scalar = 0

    def __add__(self, other: Scalar) -> Jet:
        o = jet(other)
        return Jet(self.value + o.value, self.first + o.first, self.second + o.second)

    def __neg__(self) -> Jet:
        return Jet(-self.value, -self.first, -self.second)

    def __sub__(self, other: Scalar) -> Jet:
        o = jet(other)
        return Jet(self.value - o.value, self.first - o.first, self.second - o.second)

    def __rsub__(self, other: Scalar) -> Jet:
        return jet(other) - self

    def __mul__(self, other: Scalar) -> Jet:
        o = jet(other)
        both = self.first * o.first
        second = self.second * o.value + self.value * o.second + (both + both)
        return Jet(self.value * o.value, self.first * o.value + self.value * o.first, second)

    def __truediv__(self, other: Scalar) -> Jet:
        return self * jet(other)._through(lambda x: (1 / x, -1 / (x * x), 2 / (x * x * x)))

    def __rtruediv__(self, other: Scalar) -> Jet:
        return jet(other) / self

    def __pow__(self, n: int) -> Jet:
        if type(n) is not int or n < 0:
            raise TypeError(f"a power of {n!r} of a coordinate, wanted a whole number that is not negative")
        if n < 2:
            return self if n else Jet(1)
        half = self ** (n // 2)
        return half * half * self if n % 2 else half * half

    def _through(self, f: Callable[[Scalar], tuple[Scalar, Scalar, Scalar]]) -> Jet:
        """The chain rule, with f, f' and f'' at the value."""
        y, slope, bend = f(self.value)
        return Jet(y, slope * self.first, slope * self.second + bend * (self.first * self.first))

    def sin(self) -> Jet:
        return self._through(lambda x: (scalar.sin(x), scalar.cos(x), -scalar.sin(x)))

    def cos(self) -> Jet:
        return self._through(lambda x: (scalar.cos(x), -scalar.sin(x), -scalar.cos(x)))

    def sqrt(self) -> Jet:
        root = scalar.sqrt(self.value)
        return self._through(lambda x: (root, 0.5 / root, -0.25 / (root * x)))

    def tanh(self) -> Jet:
        y = scalar.tanh(self.value)
        slope = 1 - y * y
        return self._through(lambda _: (y, slope, -2 * y * slope))

    def sign(self) -> Jet:
        return Jet(scalar.sign(self.value))

    @staticmethod
    def atan2(y: Scalar, x: Scalar) -> Jet:
        y, x = jet(y), jet(x)
        square = x * x + y * y
        turned = Jet(x.value * y.first - y.value * x.first, x.value * y.second - y.value * x.second) / square
        return Jet(scalar.atan2(y.value, x.value), turned.value, turned.first)

    __radd__ = __add__
    __rmul__ = __mul__


def jet(x: Scalar) -> Jet:
    """A scalar as a jet: one that is none does not change."""
    return x if isinstance(x, Jet) else Jet(x)


def jets(x: Vec3, first: Vec3 = NOTHING, second: Vec3 = NOTHING) -> Vec3:
    """A vector of jets from a vector and its derivatives."""
    return Vec3(*(Jet(*parts) for parts in zip(x, first, second, strict=True)))


def still(x: Any) -> Any:
    """A vector or matrix as jets that do not change."""
    return Vec3(*map(Jet, x)) if isinstance(x, Vec3) else Mat3(*map(still, x))


def gradient(f: Callable[[Vec3], Scalar], x: Vec3) -> Vec3:
    """The derivatives of a function of a vector by its components: along each axis in turn."""
    axes = (Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1))
    return Vec3(*(jet(f(jets(x, axis))).first for axis in axes))
