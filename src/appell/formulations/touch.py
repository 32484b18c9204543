"""A point of a link against a wall, and a joint at its stop: gaps with their rates as jets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..linalg import is_zero
from ..scalar import sqrt
from ..vec import Vec3, cross, omega
from .jet import Jet, gradient, jet, jets


@dataclass(frozen=True)
class Touch:
    """A point of a link and a wall on another, or in the world: a function of (x, t), positive where it may be.

    A ball's centre meets a wall that is parallel to the true one; its matter touches there at `radius` from the centre.
    """

    point: Any
    carrier: Any
    wall: Any
    radius: float = 0


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


def gap_of(world, touch, t):
    """The gap in the wall's own measure."""
    return jet(touch.wall(seen(world, touch), Jet(t, 1)))


def at_wall(world, touch, t):
    """The gap in metres, the unit normal, and velocity and acceleration of matter against matter in the contact.

    In the wall's carrier, with x the ball's centre, r its radius and w its angular velocity, both against the wall,

        u = x. + r n x w                                   (1)

    Source: pfeiffer1996, the kinematics of contacts.
    """
    x, now = seen(world, touch), Jet(t, 1)
    slope = steepest(touch, x, now)
    steep = sqrt(slope @ slope)
    n = slope * (1 / steep)
    u = Vec3(*(Jet(s.first, s.second) for s in x)) + cross(n, _spin(world, touch)) * touch.radius  # (1)
    gap, R = jet(touch.wall(x, now)) * (1 / steep.value), world.R[touch.carrier.link] @ touch.carrier.R
    normal, speed, swerve = (c.value for c in n), (c.value for c in u), (c.first for c in u)
    return gap, R @ Vec3(*normal), R @ Vec3(*speed), R @ Vec3(*swerve)


def steepest(touch, x, now):
    """The derivatives of the wall's function by x, as jets."""
    return Vec3(*map(jet, gradient(lambda at: touch.wall(at, Jet(now)), x)))


def met_at(world, touch, t):
    """Where a ball touches, in the world."""
    slope = Vec3(*(s.value for s in steepest(touch, seen(world, touch), Jet(t))))
    out = world.R[touch.carrier.link] @ (touch.carrier.R @ slope) * (touch.radius / sqrt(slope @ slope))
    return world.o[touch.point.link] + world.arm(touch.point) - out


def _spin(world, touch):
    """The angular velocity of the point's link against the wall's carrier, in the carrier's axes, as jets."""
    a, b = touch.point.link, touch.carrier.link
    R, w = (world.R[b] @ touch.carrier.R).T, world.w[a] - world.w[b]
    return jets(R @ w, R @ (world.dw[a] - world.dw[b] - cross(world.w[b], w)))


def seen(world, touch):
    """The point's coordinates x in the wall's carrier, as jets.

    With d from the carrier to the point, in the world, and the carrier's rotation R and angular velocity w,

        x = R' d                                           (1)
        x. = R' (d. - w x d)                               (2)
        x.. = R' (d.. - 2 w x d. - w. x d + w x w x d)     (3)

    Source: pfeiffer1996, the kinematics of contacts.
    """
    a, b = touch.point.link, touch.carrier.link
    r, s, w, dw = world.arm(touch.point), world.arm(touch.carrier), world.w[b], world.dw[b]
    R = (world.R[b] @ touch.carrier.R).T
    d = world.o[a] + r - world.o[b] - s
    d1 = world.u[a] + cross(world.w[a], r) - world.u[b] - cross(w, s)
    d2 = world.du[a] + omega(world.w[a], world.dw[a]) @ r - world.du[b] - omega(w, dw) @ s
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
