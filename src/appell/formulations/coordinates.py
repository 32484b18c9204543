"""Coordinates of a mechanism that are no freedoms of its tree: how fast they are, by its freedoms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..scalar import Scalar, sqrt
from ..vec import Vec3, cross, omega
from .closure import Blade
from .cut_freedom import cut_freedoms
from .equations import columns, resolved
from .jet import Jet, jets
from .world import World

AXES = {"x": Vec3(1, 0, 0), "y": Vec3(0, 1, 0), "z": Vec3(0, 0, 1)}


@dataclass(frozen=True)
class Cut:
    """A freedom of a joint that closes a loop."""

    closure: int
    freedom: int


@dataclass(frozen=True)
class Along:
    """A frame's velocity along an axis of the base, or how fast it turns about that."""

    place: Any
    axis: str
    turns: bool = False


@dataclass(frozen=True)
class Angle:
    """One of three angles that turn a frame from the base's axes, each about an axis that the ones before carry."""

    place: Any
    sequence: str
    number: int


@dataclass(frozen=True)
class Mixed:
    """A sum of velocities with constant shares, by the places of the freedoms."""

    shares: tuple[tuple[int, Scalar], ...]


def row_of(world, closures, x) -> tuple[Scalar, Mapping[int, Scalar]]:
    """How a coordinate moves: what of its acceleration no acceleration makes, and its coefficients."""
    if isinstance(x, Mixed):
        return 0, dict(x.shares)
    if isinstance(x, Cut):
        closure = closures[x.closure]
        at = world.o[closure.b.link] + world.arm(closure.b)
        _, _, bias, by = next(resolved(world, closure, at, [cut_freedoms(world, closure)[x.freedom]]))
        return bias, by
    k, r = x.place.link, world.arm(x.place)
    twists, w, dw = columns(world, Blade(x.place), world.o[k] + r), world.w[k], world.dw[k]
    if isinstance(x, Angle):
        d = angle(world, x)
        e, turning = Vec3(*(c.value for c in d)), Vec3(*(c.first for c in d))
        return turning @ w + e @ dw, {z: e @ t.angular for z, t in twists}
    e = AXES[x.axis]
    if x.turns:
        return e @ dw, {z: e @ t.angular for z, t in twists}
    return e @ (world.du[k] + omega(w, dw) @ r), {z: e @ t.linear for z, t in twists}


def angle(world, x) -> Vec3:
    """The direction d for which d . w is the rate of an angle, as jets.

    The first axis e_1 is the base's, the third, e_3, the frame's, and the second is across both, so that at small
    angles it has its own direction:

        e_2 = +- e_1 x e_3 / |e_1 x e_3|                                       (1)
        w = sum of e_k rate_k, so d_k = e_i x e_j / (e_1 . e_2 x e_3)          (2)

    Source: abedloo2014, where the platform has any angles.
    """
    first, second, third = (AXES[c] for c in x.sequence)
    k = x.place.link
    carried = world.R[k] @ (x.place.R @ third)
    e1, e3 = jets(first), jets(carried, cross(world.w[k], carried))
    across, sign = cross(e1, e3), 1 if x.sequence[0] == x.sequence[2] else cross(first, third) @ second
    e = e1, across * (Jet(sign) / sqrt(across @ across)), e3  # (1)
    i, j = (x.number + 1) % 3, (x.number + 2) % 3
    return cross(e[i], e[j]) * (Jet(1) / (e1 @ cross(e[1], e3)))  # (2)


def columns_of(robot, q, closures, coordinates) -> Iterator[Mapping[int, Scalar]]:
    """What a unit force on each coordinate is on the freedoms of the tree."""
    world = World(robot)
    for _ in world.outward(q):
        pass
    for x in coordinates:
        yield {x: 1} if isinstance(x, int) else row_of(world, closures, x)[1]
