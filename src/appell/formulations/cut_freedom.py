"""The freedoms that a joint which closes a loop leaves: where it stands, how fast it moves, and what pushes along."""

from __future__ import annotations

from ..scalar import Scalar, atan2
from ..vec import Vec3, cross, omega
from .closure import NONE, Row
from .cut_joint import AXES, seen

STILL = (NONE, NONE)


def cut_freedoms(world, closure) -> list[Row]:
    """A row for each freedom of a joint that closes a loop; a ball's values, which has none of its own, are 0.

    With the axes k of place a and X, Z of place b, pushing with a force of unit size along a displacement, and along
    an angle with the moment c for which a turn about the joint's own axes has the rate c . W,

        revolute, helical       c = Z                                  (1)
        universal               c = (k_z - l Z) / (1 - l^2) and        (2)
                                c = (Z - l k_z) / (1 - l^2),  l = lean
        planar                  k_x and k_y, and c = k_z               (3)
        ball                    c = X, Y, Z                            (4)

    Source: nikravesh1988, the kinematics of joints.
    """
    a, b = closure.a.link, closure.b.link
    k = [world.R[a] @ (closure.a.R @ e) for e in AXES]
    c = [world.R[b] @ (closure.b.R @ e) for e in AXES]
    on_a, on_b = [(x, cross(world.w[a], x)) for x in k], [(x, cross(world.w[b], x)) for x in c]
    turn, slide = (STILL, on_b[2]), (on_a[2], STILL)  # (1)
    wrenches = {
        "revolute": [turn],
        "helical": [turn],
        "prismatic": [slide],
        "cylindrical": [turn, slide],
        "universal": [(STILL, _dual(*pair, closure.lean)) for pair in ((on_a[2], on_b[2]), (on_b[2], on_a[2]))],  # (2)
        "planar": [(on_a[0], STILL), (on_a[1], STILL), (STILL, on_a[2])],  # (3)
        "ball": [(STILL, x) for x in on_b],  # (4)
        "fixed": [],
    }[closure.kind]
    motion = _relative(world, closure.a, closure.b)
    values = _values(world, closure, k, c)
    return [_row(value, wrench, motion) for value, wrench in zip(values, wrenches, strict=True)]


def _values(world, closure, k, c) -> list[Scalar]:
    """The coordinates, as a joint of the tree between the same places would have them."""
    p, x, _ = (Vec3(*(s.value for s in v)) for v in seen(world, closure.a, closure.b))
    turned = atan2(x.y, x.x)
    if closure.kind == "universal":
        (s, t), (g, h) = closure.rest
        X, Y, Z = c
        z, back = (k[0] @ Z, k[1] @ Z), (k[2] @ X, k[2] @ Y)
        return [_angle(s, t, *z), -_angle(g, h, *back)]
    return {
        "revolute": [turned],
        "helical": [p.z * (1 / closure.pitch)] if closure.kind == "helical" else [],
        "prismatic": [p.z],
        "cylindrical": [turned, p.z],
        "planar": [p.x, p.y, turned],
        "ball": [0, 0, 0],
        "fixed": [],
    }[closure.kind]


def _angle(x, y, u, v) -> Scalar:
    """From the direction (x, y) to (u, v)."""
    return atan2(x * v - y * u, x * u + y * v)


def _dual(own, other, lean):
    """A direction, and its rate, of component 1 along one axis of a universal joint and 0 along the other."""
    scale = 1 / (1 - lean * lean)
    return tuple((x - y * lean) * scale for x, y in zip(own, other, strict=True))


def _relative(world, a, b):
    """How place b moves against the matter of link a there, (d, W), and how that changes without accelerations."""
    i, j, r = a.link, b.link, world.arm(b)
    w, dw, wb, dwb = world.w[i], world.dw[i], world.w[j], world.dw[j]
    s, moves = world.o[j] + r - world.o[i], world.u[j] + cross(wb, r)
    d = moves - world.u[i] - cross(w, s)
    still = cross(dw, s) + cross(w, moves - world.u[i])
    return d, wb - w, world.du[j] + omega(wb, dwb) @ r - world.du[i] - still, dwb - dw


def _row(value, wrench, motion) -> Row:
    """The power of a unit wrench on a motion, and how that changes."""
    (force, moment), (d, W, dd, dW) = wrench, motion
    bias = force[1] @ d + force[0] @ dd + moment[1] @ W + moment[0] @ dW
    return Row(value, force[0] @ d + moment[0] @ W, bias, force[0], moment[0])
