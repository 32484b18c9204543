"""The mass matrix by composite bodies whose axes are the base's, O(n^2) on a chain: for long chains."""

from ..vec import Sym3, Vec3, cross, mixed, square
from .world import World


def composite_fixed(robot, q):
    """M(q), the symmetric mass matrix.

    R turns a body's axes into the base's, o is its origin there. Mass m, first moment s and second moment J of all
    bodies at and beyond b, about o_b and in the base's axes, add up to one composite body,

        d = o_b - o_p,   s' = s + m d,   J' = J + s d' + d s' + m d d'                  (1)

    whose wrench for a unit acceleration of freedom z = (angular e, linear l) is

        f = m l + e x s,   n = I e + s x l,   I = tr(J) 1 - J                           (2)

    In axes that do not turn it stays as it is on its way to the base, but for its point of reference: M between z and
    a freedom t of a body c that carries b is

        t . R_c' (n + (o_b - o_c) x f, f)                                               (3)

    No entry of M waits for another, as it does where a wrench is handed from body to body.

    Source: walker1982, method 3, its bodies in the base's axes.
    """
    world = World(robot)
    R, o = world.R, world.o
    m, s, J, M = robot.slots(), robot.slots(Vec3), robot.slots(Sym3), robot.matrix()

    for b in world.outward(q):
        m[b], s[b], J[b] = b.mass, R[b] @ b.first, R[b].congruence(b.second)

    for b in robot.inward():
        for z in b.freedoms:
            e, l = R[b] @ z.angular, R[b] @ z.linear
            f = l * m[b] + cross(e, s[b])  # (2)
            n = J[b].inertia @ e + cross(s[b], l)
            for c in robot.support(b):
                moment = n + cross(o[b] - o[c], f)
                for t in c.freedoms:
                    M[z, t] = t.dot(R[c].T @ moment, R[c].T @ f)  # (3)
            M[z, z] += z.rotor
        p = b.parent
        d = o[b] - o[p]  # (1)
        J[p] += J[b] + mixed(s[b], d) + square(d) * m[b]
        s[p] += s[b] + d * m[b]
        m[p] += m[b]
    return M
