"""What binds a mechanism beside its tree: joints that close loops, couplings, wheels, knife edges; their equations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..scalar import Scalar
from ..vec import Vec3

NONE = Vec3()


@dataclass(frozen=True)
class Closure:
    """A joint of some kind between two places: its axes are those of the places, its own axis z.

    The second axis of a universal joint is z of place b; at rest it makes an angle of cosine `lean` with the first.
    """

    kind: str
    a: Any
    b: Any
    pitch: Scalar = 0
    lean: Scalar = 0
    rest: tuple[tuple[Scalar, Scalar], ...] = ()  # of a universal joint: where z of b stands in a, and z of a in b
    freedoms: tuple[Any, ...] = ()  # with what resists along them, if anything does


@dataclass(frozen=True)
class Coupled:
    """A coordinate that is a polynomial of another."""

    position: int
    freedom: int
    of_position: int
    of_freedom: int
    coefficients: tuple[Scalar, ...]


@dataclass(frozen=True)
class Rolls:
    """A wheel with axle z about a place, or a ball, on a plane of the base."""

    b: Any
    radius: Scalar
    point: Vec3
    normal: Vec3
    across: tuple[Vec3, Vec3]  # two directions in the plane
    ball: bool = False


@dataclass(frozen=True)
class Blade:
    """A place whose origin cannot move along its z."""

    b: Any


@dataclass(frozen=True)
class Row:
    """One equation: its value (0 where only rates are bound), its rate, and what of that changes without accelerations.

    The rate is the power of a wrench of unit size, a force at `x` and a moment, on link b against link a.
    """

    value: Scalar
    rate: Scalar
    bias: Scalar
    force: Vec3
    moment: Vec3
