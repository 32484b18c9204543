"""The legs of a parallel robot as chains of bodies from the base to its platform."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..closing.legs import end_effector
from ..errors import ModelError
from ..model.parts import Joint
from ..model.rotation import orthonormal, stacked

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
KNOWN = "two parallel or crossing turns, a universal joint and a slide, or a turn and bars on universal joints"


@dataclass(frozen=True)
class Chain:
    """Bodies from the base to where a joint holds the platform: that joint's place on the last, and on the platform."""

    bodies: tuple[int, ...]
    joint: Joint
    end: Array
    seat: Array


def platform_of(robot: Robot) -> str | None:
    """The platform; none where legs of two bars meet in one pin."""
    m = robot.mechanism
    if (
        len(m.loops) == 1
        and m.loops[0].joint.type == "revolute"
        and "base" not in (m.loops[0].body_a, m.loops[0].body_b)
    ):
        return None
    return end_effector(m)


def chains(robot: Robot, platform: str | None) -> Iterator[Chain]:
    """The legs of a robot."""
    m = robot.mechanism
    for loop in m.loops:
        ends = ((loop.body_a, loop.placement_a), (loop.body_b, loop.placement_b))
        for (name, place), (other, seat) in (ends, ends[::-1]):
            if platform in (None, other):
                yield Chain(_path(robot, name), loop.joint, matrix(place), matrix(seat) if platform else np.eye(4))
    if platform is not None and m.bodies[m.index[platform]].parent != "base":
        body = m.bodies[m.index[platform]]
        yield Chain(_path(robot, body.parent), body.joint, matrix(body.placement), np.eye(4))


def _path(robot: Robot, name: str) -> tuple[int, ...]:
    found, k = [], robot.mechanism.index[name]
    while k >= 0:
        found.append(k)
        k = robot.mechanism.parents[k]
    return tuple(found[::-1])


def matrix(place: Any) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = orthonormal(stacked([place]))[0], place.position
    return T


def groups(found: Iterator[Chain]) -> list[list[Chain]]:
    """Legs, those together that hang on one body."""
    groups: dict[int, list[Chain]] = {}
    for chain in found:
        if not chain.bodies:
            raise ModelError(f"joint {chain.joint.name!r} holds the platform to the base, wanted legs of {KNOWN}")
        groups.setdefault(chain.bodies[0], []).append(chain)
    return list(groups.values())
