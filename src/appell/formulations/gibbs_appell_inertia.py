"""The mass matrix as the Hessian of the Gibbs function, O(n^2) on a chain."""

from ..spatial import Pose, Twist, Wrench
from ..vec import Vec3, cross
from .composites import Matter


def gibbs_appell_inertia(robot, q):
    """M(q), the second derivatives of the Gibbs function S by the accelerations.

    S = 1/2 sum m |r" + O x|^2 is quadratic in the accelerations, so its Hessian asks only how a unit acceleration
    of freedom t of body k moves all that hangs on k: it turns by e, and the point at k's origin moves by l. In the
    axes of a body j, with s from k's origin to that of j,

        e = R' e,   l = R' l,   s = R' (s + r)                                              (1)

    All bodies at and beyond j are one, with mass m, first moment s_j and inertia I_j about the origin of j. Its
    wrench for a unit acceleration of freedom z of j is

        f = m l_z + e_z x s_j,   n = I_j e_z + s_j x l_z                                    (2)

    and M between z and t is the power that it would have in the motion t,

        d^2 S / da_z da_t = e . (n + s x f) + l . f                                         (3)

    Source: mata2002, section 4.2: (1) is its steps 2 and 3, (2) its steps 4 to 6, (3) its step 7, that is eq (22)
    with the last term right, s_ki r_ji. The composite inertia is Euler's tensor here, as in `composites`.
    """
    X, C, M = robot.slots(Pose), robot.slots(Matter), robot.matrix()
    s, t = robot.slots(Vec3), robot.slots(Twist)
    felt = robot.per_freedom(Wrench)

    for b in robot.outward():
        X[b] = b.pose(q)
        C[b] = Matter(b.mass, b.first, b.second)

    for b in robot.inward():
        for z in b.freedoms:
            felt[z] = C[b] @ z.twist  # (2)
        C[b.parent] += C[b].to_parent(X[b])

    for k in robot.outward():
        for y in k.freedoms:
            for z in k.freedoms:
                M[z, y] = felt[z] @ y.twist
            M[y, y] += y.rotor
            s[k], t[k] = Vec3(), y.twist
            for b in robot.beyond(k):
                R, r, p = X[b].R, X[b].r, b.parent
                s[b], t[b] = R.T @ (s[p] + r), Twist(R.T @ t[p].angular, R.T @ t[p].linear)  # (1)
                for z in b.freedoms:
                    moment = felt[z].moment + cross(s[b], felt[z].force)
                    M[z, y] = moment @ t[b].angular + felt[z].force @ t[b].linear  # (3)
    return M
