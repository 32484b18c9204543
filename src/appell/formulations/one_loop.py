"""The equations of one loop from where its two links stand and move: compiled once for all loops of a kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..vec import Mat3, Vec3
from .equations import rows_of

LINK, SPOT, ROW = 24, 12, 8  # numbers of a link, of a place on it, of an equation


@dataclass(frozen=True)
class Spot:
    """A place on one of two links."""

    link: int
    R: Mat3
    r: Vec3


class Two:
    """Two links in the base's axes, 0 and 1, as the texts of loops see a world."""

    def __init__(self, one: Any, other: Any) -> None:
        links = [[_vector(x, 3 * k) for k in range(LINK // 3)] for x in (one, other)]
        self.R = [Mat3(*vectors[:3]) for vectors in links]
        self.o, self.w, self.u, self.dw, self.du = ([vectors[k] for vectors in links] for k in range(3, 8))

    def arm(self, spot):
        """From the origin of a link to a place on it."""
        return self.R[spot.link] @ spot.r


def one_loop(robot, link_a, link_b, spot_a, spot_b, shape, closure):
    """For every equation a row: its value, what its rate changes by without accelerations, the force and the moment of
    its wrench; and where the wrenches act.

    A link is given by its rotation, origin, velocities and accelerations, a place on it by rotation and position.

    Source: nikravesh1988, the kinematics of joints.
    """
    world = Two(link_a, link_b)
    a, b = _spot(0, spot_a), _spot(1, spot_b)
    x, found = rows_of(world, replace(closure, a=a, b=b, pitch=shape[0], lean=shape[1]))
    rows, at = robot.table(len(found), ROW), robot.table(3)
    for k, row in enumerate(found):
        for n, y in enumerate((row.value, row.bias, *row.force, *row.moment)):
            rows[k, n] = y
    for n, y in enumerate(x):
        at[n] = y
    return rows, at


def _spot(link: int, x: Any) -> Spot:
    return Spot(link, Mat3(*(_vector(x, 3 * k) for k in range(3))), _vector(x, 9))


def _vector(x: Any, k: int) -> Vec3:
    return Vec3(x[k], x[k + 1], x[k + 2])
