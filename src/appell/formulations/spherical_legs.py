"""The kinematics of spherical parallel robots in closed form: all hinges from the coordinates of the platform.

Vectors are in the base's axes, unless a body carries them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..scalar import sqrt
from ..vec import IDENTITY, Mat3, Quat, Turn, Vec3, cross, turn
from .spherical import Attitude, Hinge, Spherical, SphericalLeg

Z, NONE = Vec3(0, 0, 1), Vec3()


def attitude(x, dx, spherical: Spherical) -> Attitude:
    """The platform's rotation, and E of its angular velocity E dx.

        R = F1 Rz(x1) F2 Rz(x2) ... F,   E_k = z of the k-th turn            (1)
        dE_k = (sum of E_j dx_j, j < k) x E_k                                (2)

    Source: abedloo2014, (25), (26), whose Rz(x1) Ry(x2) Rx(x3) is one choice of the frames F.
    """
    if not spherical.frames:
        R = Quat(*(x[k] for k in range(4))).matrix
        E = dict(enumerate(R.T))
        spin = E[0] * dx[0] + E[1] * dx[1] + E[2] * dx[2]
        return Attitude(R, E, {k: cross(spin, e) for k, e in E.items()}, spin)
    R, spin, E, dE = spherical.frames[0], NONE, {}, {}
    for k, frame in enumerate(spherical.frames[1:]):
        E[k], dE[k] = R @ Z, cross(spin, R @ Z)  # (1), (2)
        spin += E[k] * dx[k]
        R = _times(R, turn(x[k])) @ frame
    return Attitude(R, E, dE, spin)


def hinges(robot, leg: SphericalLeg, x, dx, platform: Attitude) -> list[Hinge]:
    """All hinges of a leg.

    Of e1 and e2, the axes of the last two, and v, that of the platform, each rate is the part of Omega along it, by
    the dual vectors

        d1 = e2 x v / h,  d2 = v x e1 / h,  d3 = e1 x e2 / h,   h = e1 . (e2 x v)         (3)
        K_i = d_i . E,    dK_i = d_i . (dE - sum of de_j K_j)                             (4)

    Hinges before, which are coordinates themselves, have their share of E dx. A leg of one link has e1 x v for e2.

    Source: abedloo2014, (37)-(43); (4) is (41) without its quotients.
    """
    E, dE, spin, found = dict(platform.E), dict(platform.dE), NONE, []
    v = platform.R @ leg.seat
    turns = [*turned(robot, leg, x, v)]
    for place, (link, R, angle) in zip(leg.led, turns[:-2], strict=True):
        e, swing = R @ Z, cross(spin, R @ Z)
        E[place], dE[place] = E.get(place, NONE) - e, dE.get(place, NONE) - swing
        spin += e * dx[place]
        found.append(Hinge(link, R, e, swing, angle, {place: 1}, {}))
    last = turns[-2:]
    axes = [R @ Z for _, R, _ in last]
    e1, e2 = axes if len(axes) == 2 else (axes[0], cross(axes[0], v))
    p = cross(e2, v)
    h = 1 / (e1 @ p)
    duals = (p * h, cross(v, e1) * h, cross(e1, e2) * h)  # (3)
    K = [{k: d @ column for k, column in E.items()} for d in duals]  # (4)
    swings = [cross(spin, e1)]
    if len(axes) == 2:
        spin += e1 * sum(K[0][k] * dx[k] for k in E)
        swings.append(cross(spin, e2))
    bends = [*zip(swings, K, strict=False), (cross(platform.spin, v), K[2])]
    rest = {k: _less(column, [swing * row[k] for swing, row in bends]) for k, column in dE.items()}
    for n, (link, R, angle) in enumerate(last):
        dK = {k: duals[n] @ column for k, column in rest.items()}  # (4)
        found.append(Hinge(link, R, axes[n], swings[n], angle, K[n], dK))
    return found


def turned(robot, leg: SphericalLeg, x, v: Vec3) -> Iterator[tuple[int, Mat3, Turn]]:
    """Every link, its axes, and the turn of its hinge.

    The last link turns so that its tip t is at v, the link before so that the last one's axis n makes with v the angle
    that it makes with t. With w = v in the axes of a hinge before it turns, the cosines and sines are

        c = (t_x w_x + t_y w_y) / (t_x^2 + t_y^2),   s = (t_x w_y - t_y w_x) / (t_x^2 + t_y^2)          (5)
        c = (a k - b r) / (a^2 + b^2),               s = (b k + a r) / (a^2 + b^2)                      (6)
        a = n_x w_x + n_y w_y,   b = n_x w_y - n_y w_x,   k = t_z - n_z w_z,   r^2 = a^2 + b^2 - k^2    (7)

    Source: abedloo2014, (27)-(36) as corrected, with cosines and sines for angles.
    """
    links, R = {b.index: b for b in robot.outward()}, IDENTITY
    for n, index in enumerate(leg.links):
        F, after = R @ links[index].fixed, len(leg.links) - n - 1
        w = F.T @ v
        if after > 1:
            angle = turn(x[leg.led[n]] + links[index].angle)
        elif after:
            axis = links[leg.links[n + 1]].fixed @ Z
            a, b, k = axis.x * w.x + axis.y * w.y, axis.x * w.y - axis.y * w.x, leg.tip.z - axis.z * w.z  # (7)
            r, scale = sqrt(a * a + b * b - k * k) * leg.way, 1 / (a * a + b * b)
            angle = Turn((a * k - b * r) * scale, (b * k + a * r) * scale)  # (6)
        else:
            t, scale = leg.tip, 1 / (leg.tip.x * leg.tip.x + leg.tip.y * leg.tip.y)
            angle = Turn((t.x * w.x + t.y * w.y) * scale, (t.x * w.y - t.y * w.x) * scale)  # (5)
        R = _times(F, angle)
        yield index, R, angle


def _times(R: Mat3, angle: Turn) -> Mat3:
    """R Rz."""
    return Mat3(*(angle.T @ row for row in R))


def _less(x: Vec3, others: list[Vec3]) -> Vec3:
    for y in others:
        x = x - y
    return x
