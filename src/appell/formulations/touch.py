"""What may touch: a point of a link and a wall, a joint and its stop; where they are, as jets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..linalg import is_zero
from ..vec import cross, omega
from .jet import Jet, jets, still


@dataclass(frozen=True)
class Touch:
    """A point of a link and a wall on another, or in the world: a function of (x, t), positive where it may be.

    A ball's centre meets a wall that is parallel to the true one; its matter touches there at `radius` from the centre.
    An edge is a curve, a function of s in the place's axes, of which the nearest point between two s counts.
    """

    point: Any
    carrier: Any
    wall: Any
    radius: float = 0
    curve: Any = None
    ends: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True)
class Stop:
    """A coordinate of q and one of its limits; `way` is 1 for the lowest, -1 for the highest."""

    position: int
    freedom: int
    limit: float
    way: int


def at_stop(stop, q, v):
    """The gap of a joint at its stop."""
    return Jet((q[stop.position] - stop.limit) * stop.way, v[stop.freedom] * stop.way)


def seen(world, touch, r):
    """The coordinates x, in the wall's carrier, of what is at r from the origin of the point's link, as jets.

    With d from the carrier to the point, in the world, and the carrier's rotation R and angular velocity w,

        x = R' d                                           (1)
        x. = R' (d. - w x d)                               (2)
        x.. = R' (d.. - 2 w x d. - w. x d + w x w x d)     (3)

    Source: pfeiffer1996, the kinematics of contacts.
    """
    a, b = touch.point.link, touch.carrier.link
    s, w, dw = world.arm(touch.carrier), world.w[b], world.dw[b]
    up = still if any(isinstance(c, Jet) for c in r) else lambda x: x  # an edge's r holds jets along the edge
    R = up((world.R[b] @ touch.carrier.R).T)
    d = up(world.o[a] - world.o[b] - s) + r
    d1 = up(world.u[a] - world.u[b] - cross(w, s)) + cross(up(world.w[a]), r)
    d2 = up(world.du[a] - world.du[b] - omega(w, dw) @ s) + up(omega(world.w[a], world.dw[a])) @ r
    w, dw = up(w), up(dw)
    first = R @ (d1 - cross(w, d))  # (2)
    second = R @ (d2 - cross(w, d1) * 2 + cross(d, dw) + cross(w, cross(w, d)))  # (3)
    return jets(R @ d, first, second)  # (1)


def columns(world, touch, x):
    """What each freedom z = (e, l) of a link b does to matter of the point's link at x against the wall's there.

    That is l + e x (x - o_b), times 1 if b carries the point, -1 if the wall, 0 if both or none     (1)

    Source: pfeiffer1996, the kinematics of contacts.
    """
    on, under = world.support(touch.point), world.support(touch.carrier)
    for b in world.robot.outward():
        if not is_zero(on[b] - under[b]):
            for z in b.freedoms:
                t = world.turned(b, z.twist)
                yield z, (t.linear + cross(t.angular, x - world.o[b])) * (on[b] - under[b])  # (1)
