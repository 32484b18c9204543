"""Zeros and ones that rounding has blurred, made exact: only so do they fold."""

from __future__ import annotations

from typing import TypeVar

from ..vec import Mat3, Sym3, Vec3

ROUNDING = 8e-16
T = TypeVar("T", Vec3, Sym3)


def unit(x: float) -> float:
    """A cosine, exact where it is 0, 1 or -1 up to rounding."""
    nearest = round(x)
    return nearest if abs(x - nearest) <= ROUNDING else x


def clean(A: Mat3) -> Mat3:
    """A rotation whose entries are exact where they are 0, 1 or -1 up to rounding."""
    return Mat3(*(Vec3(*map(unit, row)) for row in A))


def scale_of(values: Vec3 | Sym3) -> float:
    """The size that rounding errors of some entries are measured by."""
    return sum(map(abs, values))


def small(values: T, scale: float) -> T:
    """Zero where only rounding is left."""
    return type(values)(*(0 if abs(x) <= ROUNDING * scale else x for x in values))


def tidy_sum(a: T, b: T) -> T:
    """a + b, with zero where only rounding is left."""
    sums = ((x, y, x + y) for x, y in zip(a, b, strict=True))
    return type(a)(*(0 if abs(s) <= ROUNDING * (abs(x) + abs(y)) else s for x, y, s in sums))
