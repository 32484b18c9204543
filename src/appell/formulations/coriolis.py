"""The Coriolis matrix by composite bodies."""

from ..spatial import Pose, Twist, Wrench
from ..vec import Vec3, cross
from .composites import Flow, Matter


def coriolis(robot, q, v):
    """C(q, v), such that C v is the velocity part of the forces and dM/dt - 2 C is skew.

    A freedom z = (e, l), fixed in b, changes in space at the rate

        z. = (w x e, w x l + u x e)                                                            (1)

    where w, u is the velocity of b. So v_z gives all points x beyond it accelerations v_z (z. + e x x.), and
    these sum to the whole acceleration. With matter I and flow B of all that hangs on b, y = I z, and h the
    power of B against z, for any freedom t that carries z, or of the same joint:

        C_tz = t . (I z. + B e)                                                                (2)
        C_zt = y . t. + h . e_t                                                                (3)

    The sum C_zt + C_tz is dM_zt/dt, as B + B' = dI/dt; C is not unique, and this one needs no coordinates.

    Source: echeandia2021.
    """
    X, w, u, I, B = (robot.slots(kind) for kind in (Pose, Vec3, Vec3, Matter, Flow))
    rate, y, f, h = (robot.per_freedom(kind) for kind in (Twist, Wrench, Wrench, Vec3))
    C = robot.table("nv", "nv")

    for b in robot.outward():
        p, joint = b.parent, b.rate(v)
        X[b] = b.pose(q)
        R, r = X[b].R, X[b].r
        w[b] = R.T @ w[p] + joint.angular
        u[b] = R.T @ (u[p] + cross(w[p], r)) + joint.linear
        for z in b.freedoms:
            rate[z] = Twist(cross(w[b], z.angular), cross(w[b], z.linear) + cross(u[b], z.angular))  # (1)
        I[b] = Matter(b.mass, b.first, b.second)
        B[b] = Flow.of(I[b], Twist(w[b], u[b]))

    for b in robot.inward():
        for z in b.freedoms:
            f[z] = I[b] @ rate[z] + B[b].swept(z.angular)
            y[z], h[z] = I[b] @ z.twist, B[b].against(z.twist)
            for c in robot.support(b):
                for t in c.freedoms:
                    C[t, z] = f[z] @ t.twist  # (2)
                    C[z, t] = y[z] @ rate[t] + h[z] @ t.angular  # (3)
                f[z], y[z], h[z] = X[c].to_parent(f[z]), X[c].to_parent(y[z]), X[c].R @ h[z]
        p = b.parent
        I[p] += I[b].to_parent(X[b])
        B[p] += B[b].to_parent(X[b])
    return C
