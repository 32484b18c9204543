"""What sparse equations of motion are made of: where every joint stands and moves, and what all beyond it weighs."""

from ..vec import Sym3, Vec3, cross, mixed, square
from .still import Still
from .world import World

WIDTH = 36  # numbers per freedom


def fields(robot, q, v):
    """For every freedom z = (e, l) of a link, in the base's axes, one row: e, l; the wrench of all beyond for a unit
    acceleration of z about the link's origin, (f, n); and of the link its rotation, origin, velocities (w, u) and the
    accelerations (dw, du) that it has without any of the joints'.

    With composite bodies as in walker1982, M_zt = t . (n_z, f_z), carried to t's origin.

    Source: walker1982, method 3.
    """
    world, rows = World(robot), robot.table("nv", WIDTH)
    m, s, J = robot.slots(), robot.slots(Vec3), robot.slots(Sym3)
    r = robot.slots(Vec3)
    for b in world.outward(q, v, Still()):
        R = world.R[b]
        m[b], s[b], J[b] = b.mass, R @ b.first, R.congruence(b.second)
        r[b] = world.o[b] - world.o[b.parent]
        for z in b.freedoms:
            t = world.turned(b, z.twist)
            seen = (t.angular, t.linear, *R, world.o[b], world.w[b], world.u[b], world.dw[b], world.du[b])
            for k, x in enumerate(x for vector in seen for x in vector):
                rows[z, k] = x
    for b in robot.inward():
        for z in b.freedoms:
            t = world.turned(b, z.twist)
            f, n = t.linear * m[b] + cross(t.angular, s[b]), J[b].inertia @ t.angular + cross(s[b], t.linear)
            for k, x in enumerate((*f, *n)):
                rows[z, WIDTH - 6 + k] = x
        p = b.parent
        J[p] += J[b] + mixed(s[b], r[b]) + square(r[b]) * m[b]
        s[p] += s[b] + r[b] * m[b]
        m[p] += m[b]
    return rows
