"""The mass matrix by composite rigid bodies, O(n^2) on a chain."""

from ..spatial import Pose
from ..vec import Sym3, Vec3, cross, mixed, square


def composite_body(robot, q):
    """M(q), the symmetric mass matrix.

    Mass m, first moment s and second moment J of all bodies at and beyond b add up to one composite body,

        s' = R s + m r,   J' = R J R' + (R s) r' + r (R s)' + m r r'                  (1)

    whose wrench for a unit acceleration of freedom z = (angular e, linear l) is

        f = m l + e x s,   n = I e + s x l,   I = tr(J) 1 - J                           (2)

    and M between z and any freedom t of its support is t . (n, f), carried there       (3)

    Source: walker1982, method 3.
    """
    X, m, s, J = robot.slots(Pose), robot.slots(), robot.slots(Vec3), robot.slots(Sym3)
    f, n, M = robot.slots(Vec3), robot.slots(Vec3), robot.matrix()

    for b in robot.outward():
        X[b] = b.pose(q)
        m[b], s[b], J[b] = b.mass, b.first, b.second

    for b in robot.inward():
        for z in b.freedoms:
            f[b] = z.linear * m[b] + cross(z.angular, s[b])  # (2)
            n[b] = J[b].inertia @ z.angular + cross(s[b], z.linear)
            for c in robot.support(b):
                for t in c.freedoms:
                    M[z, t] = t.dot(n[c], f[c])  # (3)
                p, force = c.parent, X[c].R @ f[c]
                n[p] = X[c].R @ n[c] + cross(X[c].r, force)
                f[p] = force
            M[z, z] += z.rotor
        p, r, sp = b.parent, X[b].r, X[b].R @ s[b]  # (1)
        J[p] += X[b].R.congruence(J[b]) + mixed(sp, r) + square(r) * m[b]
        s[p] += sp + r * m[b]
        m[p] += m[b]
    return M
