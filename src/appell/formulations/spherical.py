"""What spherical parallel robots are made of: legs of hinges through one centre, and a platform."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..scalar import Scalar
from ..vec import Mat3, Turn, Vec3

Row = dict[int, Scalar]  # by the places of the platform's rates


@dataclass(frozen=True)
class SphericalLeg:
    """Links on hinges through the centre, from the base to the platform, which turns about the leg's tip.

    The last two hinges follow from the platform; those before, if any, are coordinates themselves.
    """

    links: tuple[int, ...]
    tip: Vec3  # the platform's hinge, in the last link's axes
    seat: Vec3  # the same in the platform's
    way: int = 1  # which of the two postures, as the sign of a root
    led: tuple[int, ...] = ()  # the coordinates of the hinges before


@dataclass(frozen=True)
class Spherical:
    """Legs and a platform. `arms` lead from the centre to a link's origin, in the link's axes, where they differ.

    The platform's coordinates are angles of turns about z of frames that stand in each other as `frames` say, from the
    base to the platform; without frames a quaternion, whose rates are the angular velocity in the platform's axes.
    """

    legs: tuple[SphericalLeg, ...]
    platform: Any  # a place, whose axes those of the platform are
    frames: tuple[Mat3, ...]
    driven: tuple[tuple[int, int], ...]  # legs, and which of their hinges
    size: int  # how many rates there are
    arms: Mapping[int, Vec3]


@dataclass(frozen=True)
class Attitude:
    """How the platform is turned, its angular velocity by the rates, column by column, and how these change."""

    R: Mat3
    E: dict[int, Vec3]
    dE: dict[int, Vec3]
    spin: Vec3


@dataclass(frozen=True)
class Hinge:
    """A hinge of a leg: its link's number and axes, its own axis and how that swings, its turn; its rate by the
    platform's rates, and how that changes."""

    link: int
    R: Mat3
    axis: Vec3
    swing: Vec3
    turn: Turn
    K: Row
    dK: Row
