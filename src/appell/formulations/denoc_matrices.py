"""The matrices of the equations of motion from the DeNOC matrices Nl and Nd: generalised and convective inertia."""

from ..spatial import Pose, Twist, Wrench
from ..vec import Vec3, cross
from .composites import Matter


def generalised_inertia(robot, q):
    """M(q) = N' M N = Nd' (Nl' M Nl) Nd, the generalised inertia matrix.

    Block (i, j) of Nl' M Nl is M~_i A_ij where body j is i or carries it, with the composite mass matrix

        M~_p takes up A' M~ A                                            (1)

    of a body and all beyond it; so between a freedom z of body i and t of body j

        M_zt = (M~_i p_z) . A_ij p_t                                     (2)

    Source: saha2010, eq (16a): its generalised inertia matrix, and its eq (16b) for the composite mass matrix.
    """
    X, M, psi, I = robot.slots(Pose), robot.slots(Matter), robot.slots(Wrench), robot.matrix()
    for b in robot.outward():
        X[b], M[b] = b.pose(q), Matter(b.mass, b.first, b.second)
    for b in robot.inward():
        for z in b.freedoms:
            psi[b] = M[b] @ z.twist
            for c in robot.support(b):
                for t in c.freedoms:
                    I[z, t] = psi[c] @ t.twist  # (2)
                psi[c.parent] = X[c].to_parent(psi[c])
            I[z, z] += z.rotor
        M[b.parent] += M[b].to_parent(X[b])  # (1)
    return I


def convective_inertia(robot, q, v):
    """C(q, v) = N' (M dN + B N), the convective inertia matrix, such that dM/dt - 2 C is skew.

    The column of N at freedom z is the twist n = (e, l) of every body for a unit speed of z, and dN how it changes,

        n = A n_p + p,     dn = A dn_p + (0, e_p x r.) + W p                          (1)

    For the gyroscopic wrench W M E t, the sums of m w x (w x x) over the points x of a body, any B with B t = W M E t
    will do in C v. The paper's B = W M E gives away one w, the inner one, which makes only v'(dM/dt - 2 C) v vanish.
    The outer one given away instead, sums of m e x (w x x), with s and Euler's J = sum of m x x',

        B n = (-[w x] J e, e x (w x s))                                               (2)

    has B + B' = W M - M W = dM/dt in axes that do not turn. So dM/dt - 2 C = (dN' M N - N' M dN) + N' (B' - B) N,
    twice skew. Gathered from the tips,

        C_tz = p_t . f,     f_p takes up A' f,     f = M dn + B n                     (3)

    Source: saha2010, eqs (13), (16a), (16b); B is ours.
    """
    X, w, slide, n, dn, f = (robot.slots(kind) for kind in (Pose, Vec3, Vec3, Twist, Twist, Wrench))
    own, C = robot.per_freedom(), robot.table("nv", "nv")

    for b in robot.outward():
        joint = b.rate(v)
        X[b] = b.pose(q)
        R = X[b].R
        w[b] = R.T @ w[b.parent] + joint.angular
        slide[b] = R.T @ cross(w[b.parent], X[b].r) + joint.linear
        for z in b.freedoms:
            own[z] = 0

    for k in robot.outward():
        for z in k.freedoms:
            own[z], f[0] = 1, Wrench()
            for b in robot.outward():
                M = Matter(b.mass, b.first, b.second)
                carried, p = X[b].from_parent(n[b.parent]), b.rate(own)
                n[b] = carried + p  # (1)
                swept = cross(carried.angular, slide[b]) + cross(w[b], p.linear)
                dn[b] = X[b].from_parent(dn[b.parent]) + Twist(cross(w[b], p.angular), swept)
                e = n[b].angular
                gyro = Wrench(-cross(w[b], b.second @ e), cross(e, cross(w[b], b.first)))  # (2)
                f[b] = M @ dn[b] + gyro
            own[z] = 0
            for b in robot.inward():
                for t in b.freedoms:
                    C[t, z] = f[b] @ t.twist  # (3)
                f[b.parent] += X[b].to_parent(f[b])
    return C
