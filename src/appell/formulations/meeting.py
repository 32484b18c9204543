"""A point or an edge of a link against a wall: the gap, and how it changes."""

from __future__ import annotations

from ..scalar import sqrt
from ..vec import Vec3, cross
from .edge import at_start, carried, reaching
from .jet import Jet, gradient, jet, jets
from .touch import seen


def gap_of(world, touch, t):
    """The gap in the wall's own measure."""
    if touch.curve is None:
        return jet(touch.wall(seen(world, touch, world.arm(touch.point)), Jet(t, 1)))
    r, s = reaching(world, touch, t)
    return carried(jet(touch.wall(seen(world, touch, r), Jet(t, 1))), s, *touch.ends)[0]


def at_wall(world, touch, t):
    """The gap in metres, the unit normal, velocity and acceleration of matter against matter; where on the link.

    In the wall's carrier, with x the ball's centre, r its radius and w its angular velocity, both against the wall,

        u = x. + r n x w                                   (1)

    Source: pfeiffer1996, the kinematics of contacts.
    """
    if touch.curve is None:
        r = world.arm(touch.point)
        x = seen(world, touch, r)
        gap, swerve = jet(touch.wall(x, Jet(t, 1))), Vec3()
    else:
        curve, s = reaching(world, touch, t)
        x = seen(world, touch, curve)
        gap, along = carried(jet(touch.wall(x, Jet(t, 1))), s, *touch.ends)
        swerve = Vec3(*(jet(c.first).first for c in x)) * along
        r, x = at_start(curve), Vec3(*(Jet(*(jet(p).value for p in (c.value, c.first, c.second))) for c in x))
    slope = steepest(touch, x, Jet(t, 1))
    steep = sqrt(slope @ slope)
    n = slope * (1 / steep)
    u = Vec3(*(Jet(c.first, c.second) for c in x)) + cross(n, _spin(world, touch)) * touch.radius  # (1)
    R = world.R[touch.carrier.link] @ touch.carrier.R
    normal, speed, change = (c.value for c in n), (c.value for c in u), (c.first for c in u)
    return gap * (1 / steep.value), R @ Vec3(*normal), R @ Vec3(*speed), R @ (Vec3(*change) + swerve), r


def steepest(touch, x, now):
    """The derivatives of the wall's function by x, as jets."""
    return Vec3(*map(jet, gradient(lambda at: touch.wall(at, Jet(now)), x)))


def met_at(world, touch, t):
    """Where matter touches, from the base's origin."""
    r = world.arm(touch.point) if touch.curve is None else at_start(reaching(world, touch, t)[0])
    slope = Vec3(*(s.value for s in steepest(touch, seen(world, touch, r), Jet(t))))
    out = world.R[touch.carrier.link] @ (touch.carrier.R @ slope) * (touch.radius / sqrt(slope @ slope))
    return world.o[touch.point.link] + r - out


def _spin(world, touch):
    """The angular velocity of the point's link against the wall's carrier, in the carrier's axes, as jets."""
    a, b = touch.point.link, touch.carrier.link
    R, w = (world.R[b] @ touch.carrier.R).T, world.w[a] - world.w[b]
    return jets(R @ w, R @ (world.dw[a] - world.dw[b] - cross(world.w[b], w)))
