"""The legs of a spherical parallel robot, found in its tree and loops, in the posture in which it stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..closures import closures_of
from ..errors import ModelError, ShapeError
from ..formulations.spherical import SphericalLeg
from ..model.joints import basis
from ..model.reading import Vector
from ..model.tree import Tree
from ..model.walk import structural_mat, structural_vec
from ..vec import Mat3, Vec3
from .centre import Stand, floats
from .legs import end_effector

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
AXES: dict[str, Vector] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
QUATERNION = "quaternion"
SOLVED = 2  # the hinges of a leg that follow from the platform; those before are coordinates


@dataclass(frozen=True)
class Chain:
    """A leg's links from the base; the platform's hinge in the last one's axes, and in the platform's own link's."""

    links: tuple[int, ...]
    tip: Array
    seat: Array


def legs_of(robot: Robot, q: Array, count: int) -> tuple[SphericalLeg, ...]:
    """All legs, in the posture of q. The first hinges of long legs are coordinates after the platform's `count`."""
    tree, stand = robot.tree, Stand.of(robot.tree, q)
    home = stand.R[tree.frames[end_effector(robot.mechanism)].link]
    found, place = [], count
    for chain in chains(robot):
        more = max(0, len(chain.links) - SOLVED)
        way, led = _way(tree, stand, q, chain), tuple(range(place, place + more))
        found.append(SphericalLeg(chain.links, vector(chain.tip), vector(home @ chain.seat), way, led))
        place += more
    return tuple(found)


def chains(robot: Robot) -> Iterator[Chain]:
    """The legs that loops close, and the one that carries the platform in the tree, if it has any matter."""
    tree, mechanism, body = robot.tree, robot.mechanism, end_effector(robot.mechanism)
    platform = tree.links[tree.frames[body].link - 1]
    path = tuple(b.index for b in tree.support(platform.parent))[::-1]
    if any(tree.links[k - 1].mass for k in path):
        yield _checked(robot, Chain(path, floats(platform.fixed @ Vec3(0, 0, 1)), np.array([0.0, 0.0, 1.0])))
    for loop, cut in zip(mechanism.loops, closures_of(mechanism, tree), strict=True):
        if loop.joint.type != "revolute":
            raise ModelError(f"loop {loop.name!r} has a {loop.joint.type} joint, wanted a hinge")
        seat, tip = (cut.b, cut.a) if loop.body_b == body else (cut.a, cut.b)
        path = tuple(b.index for b in tree.support(tip.link))[::-1]
        yield _checked(robot, Chain(path, floats(tip.R @ Vec3(0, 0, 1)), floats(seat.R @ Vec3(0, 0, 1))))


def _checked(robot: Robot, chain: Chain) -> Chain:
    kinds = {robot.tree.links[k - 1].kind for k in chain.links}
    if kinds != {"revolute"}:
        got = ", ".join(sorted(kinds - {"revolute"})) or "nothing"
        raise ModelError(f"a leg of {robot.name!r} turns on {got}, wanted hinges alone")
    return chain


def _way(tree: Tree, stand: Stand, q: Array, chain: Chain) -> int:
    """On which side the last hinge of a leg stands, as the sign of the root that tells its cosine and sine."""
    if len(chain.links) < SOLVED:
        return 1
    before, last = (tree.links[k - 1] for k in chain.links[-2:])
    F = stand.R[before.parent] @ matrix(before.fixed)
    w, n = F.T @ stand.R[last.index] @ chain.tip, floats(last.fixed @ Vec3(0, 0, 1))
    angle = q[before.q_index] + float(before.angle)
    a, b = n[0] * w[0] + n[1] * w[1], n[0] * w[1] - n[1] * w[0]
    return 1 if a * np.sin(angle) - b * np.cos(angle) >= 0 else -1


def frames_of(coordinates: Any) -> tuple[Mat3, ...]:
    """The frames about whose z the platform turns, each in the one before, and its own in the last; or none."""
    if isinstance(coordinates, str):
        if coordinates == QUATERNION:
            return ()
        if not coordinates or set(coordinates) - set(AXES):
            raise ShapeError(f"coordinates are {coordinates!r}, wanted letters of axes, as 'zyx', or {QUATERNION!r}")
    axes = [AXES[letter] for letter in coordinates] if isinstance(coordinates, str) else directions(coordinates)
    turned = [np.eye(3), *(np.array(basis(axis)) for axis in axes), np.eye(3)]
    return tuple(exact(a.T @ b) for a, b in pairwise(turned))


def directions(given: Any) -> list[Vector]:
    """Axes as a user gives them: rows of three numbers, of any length but 0."""
    axes = np.asarray(given, float)
    lengths = np.linalg.norm(axes, axis=-1) if axes.ndim == 2 and axes.shape[1:] == (3,) else np.zeros(0)
    if not lengths.size or not (np.isfinite(lengths) & (lengths > 1e-9)).all():
        raise ShapeError(f"coordinates are {given!r}, wanted axes: rows of three numbers, none of them all zero")
    return [(float(x), float(y), float(z)) for x, y, z in axes / lengths[:, None]]


def exact(A: Array) -> Mat3:
    """A matrix with structural zeros and ones where it has them."""
    return structural_mat(Mat3(*(Vec3(*map(float, row)) for row in A)))


def vector(v: Array) -> Vec3:
    """A vector with structural zeros and ones where it has them."""
    return structural_vec(Vec3(*map(float, np.where(np.abs(v) < 1e-16, 0.0, v))))


def matrix(A: Any) -> Array:
    """A matrix of floats."""
    return np.array([floats(row) for row in A])
