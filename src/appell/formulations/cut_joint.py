"""The equations of a joint that closes a loop."""

from __future__ import annotations

from ..vec import Vec3, cross, omega
from .closure import NONE, Row
from .jet import Jet, jets

AXES = (Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1))


def cut_joint(world, closure) -> list[Row]:
    """The equations of a joint, in the axes of place a.

    With p from a to b and the axes of b, all seen from a,

        position along k        p_k = 0                          (1)
        tilt                    z_b . k = 0,  k = x, y           (2)
        turn                    x_b . y = 0                      (3)
        universal               z_b . z = lean                   (4)
        screw, of pitch h       h sin(p_z / h - turn) = 0        (5)

    The power of a force k at b is the rate of p_k, that of a moment c x k the rate of c . k.

    Source: nikravesh1988, the kinematics of joints.
    """
    p, x, z = seen(world, closure.a, closure.b)
    R = world.R[closure.a.link] @ closure.a.R
    B = world.R[closure.b.link] @ closure.b.R
    X, Z = B @ AXES[0], B @ AXES[2]
    k = [R @ e for e in AXES]
    along = [_row(value, k[i], NONE) for i, value in enumerate(p)]  # (1)
    tilts = [_row(z.x, NONE, cross(Z, k[0])), _row(z.y, NONE, cross(Z, k[1]))]  # (2)
    turn = _row(x.y, NONE, cross(X, k[1]))  # (3)
    if closure.kind == "universal":
        return [*along, _row(z.z - closure.lean, NONE, cross(Z, k[2]))]  # (4)
    if closure.kind == "helical":
        return [*along[:2], *tilts, _screw(closure.pitch, p.z, x, k, X)]  # (5)
    return {
        "revolute": [*along, *tilts],
        "prismatic": [*along[:2], *tilts, turn],
        "cylindrical": [*along[:2], *tilts],
        "planar": [along[2], *tilts],
        "ball": along,
        "fixed": [*along, *tilts, turn],
    }[closure.kind]


def _row(value: Jet, force: Vec3, moment: Vec3) -> Row:
    return Row(value.value, value.first, value.second, force, moment)


def _screw(pitch, z, x, k, X) -> Row:
    """A screw's advance against its turn, the same after every whole turn."""
    s, c = (z * (1 / pitch)).sin(), (z * (1 / pitch)).cos()
    value = (s * x.x - c * x.y) * pitch
    steep = c.value * x.x.value + s.value * x.y.value
    moment = cross(X, k[0]) * (s.value * pitch) - cross(X, k[1]) * (c.value * pitch)
    return _row(value, k[2] * steep, moment)


def seen(world, a, b) -> tuple[Vec3, Vec3, Vec3]:
    """From place a to place b, and b's axes x and z, in a's axes, as jets.

    With d from a to b in the world, W = w_b - w_a, and any direction c that b carries,

        p = R' d                                                   (1)
        p. = R' (d. - w_a x d)                                     (2)
        p.. = R' (d.. - 2 w_a x d. - w_a. x d + w_a x w_a x d)     (3)
        c. = R' (W x c)                                            (4)
        c.. = R' (W. x c + W x (w_b x c) - w_a x (W x c))          (5)

    Source: nikravesh1988, the kinematics of joints.
    """
    i, j = a.link, b.link
    R, s, r = (world.R[i] @ a.R).T, world.arm(a), world.arm(b)
    w, dw, wb, dwb = world.w[i], world.dw[i], world.w[j], world.dw[j]
    d = world.o[j] - world.o[i] + r - s
    d1 = world.u[j] - world.u[i] + cross(wb, r) - cross(w, s)
    d2 = world.du[j] - world.du[i] + omega(wb, dwb) @ r - omega(w, dw) @ s
    first = R @ (d1 - cross(w, d))  # (2)
    second = R @ (d2 - cross(w, d1) * 2 + cross(d, dw) + cross(w, cross(w, d)))  # (3)
    W, dW = wb - w, dwb - dw
    axes = []
    for e in (AXES[0], AXES[2]):
        c = world.R[j] @ (b.R @ e)
        c1 = cross(W, c)  # (4)
        axes.append(jets(R @ c, R @ c1, R @ (cross(dW, c) + cross(W, cross(wb, c)) - cross(w, c1))))  # (5)
    return jets(R @ d, first, second), *axes  # (1)
