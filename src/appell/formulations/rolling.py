"""Constraints on velocities: wheels, balls and knife edges; and coordinates that follow others."""

from __future__ import annotations

from ..scalar import Scalar
from ..vec import Vec3, cross, omega
from .closure import NONE, Row
from .jet import Jet, jets


def wheel_rows(world, wheel) -> tuple[Vec3, list[Row]]:
    """The matter of a wheel where it touches the plane stands still, and the wheel stays on the plane.

    With its centre c, its axle z, and the plane's normal N, it touches at c + t, with

        t = -radius (N - (N . z) z) / |N - (N . z) z|,  of a ball  t = -radius N        (1)

    Source: neimark1972, rolling without slipping.
    """
    b, N = wheel.b, wheel.normal
    w, dw, r = world.w[b.link], world.dw[b.link], world.arm(b)
    spin, centre = jets(w, dw), world.u[b.link] + cross(w, r)
    t = jets(N * -wheel.radius)
    if not wheel.ball:
        z = world.R[b.link] @ (b.R @ Vec3(0, 0, 1))
        c1 = cross(w, z)
        axle = jets(z, c1, cross(dw, z) + cross(w, c1))
        down = jets(N) - axle * (axle.x * N.x + axle.y * N.y + axle.z * N.z)
        t = down * (Jet(-wheel.radius) / (down @ down).sqrt())  # (1)
    swing = world.du[b.link] + omega(w, dw) @ r
    u = jets(centre, swing) + cross(spin, t)
    x = world.o[b.link] + r + Vec3(*(c.value for c in t))
    height = N @ (x - wheel.point)
    rows = [Row(0, *_along(e, u), e, NONE) for e in wheel.across]
    return x, [Row(height, *_along(N, u), N, NONE), *rows]


def _along(e: Vec3, u: Vec3) -> tuple[Scalar, Scalar]:
    """The component of a vector of jets along a fixed direction, and how fast it changes."""
    return e @ Vec3(*(c.value for c in u)), e @ Vec3(*(c.first for c in u))


def blade_rows(world, blade) -> tuple[Vec3, list[Row]]:
    """A point that cannot move sideways."""
    b = blade.b
    w, dw, r = world.w[b.link], world.dw[b.link], world.arm(b)
    z, u = world.R[b.link] @ (b.R @ Vec3(0, 0, 1)), world.u[b.link] + cross(w, r)
    bias = z @ (world.du[b.link] + omega(w, dw) @ r) + cross(w, z) @ u
    return world.o[b.link] + r, [Row(0, z @ u, bias, z, NONE)]


def coupled(given, q, v) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """A coupling's value, rate and bias, and its slope by the coordinate that leads."""
    x, speed = q[given.of_position], v[given.of_freedom]
    value, slope, bend = 0, 0, 0
    for c in reversed(given.coefficients):
        bend = bend * x + slope * 2
        slope = slope * x + value
        value = value * x + c
    rate = v[given.freedom] - slope * speed
    return q[given.position] - value, rate, -(bend * speed * speed), slope
