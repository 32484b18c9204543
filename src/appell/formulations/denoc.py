"""Inverse dynamics by the decoupled natural orthogonal complement, O(n)."""

from ..spatial import Pose, Twist, Wrench
from ..vec import Vec3, cross
from .composites import Matter


def denoc(robot, q, v, a):
    """tau such that M(q) a + h(q, v) = tau, by the Newton-Euler equations times the transpose of N = Nl Nd.

    The twist t = (w, u) of a body is A t_p + P v, with its parent's twist carried to its own origin by A and the
    joint's freedoms in P. Stacked, t = Nl Nd v; the DeNOC matrices Nl, of blocks A, and Nd, of blocks P, are never
    formed. As only w turns up in what follows, of t we carry w alone, and

        dt = A dt_p + dA t_p + W P v + P a,    dA t_p = (0, w_p x r.),   W = [w x, w x]           (1)

    where r. is the velocity of the body's origin less that of its parent's: what a prismatic joint slides is in it,
    and so both halves of 2 w x r.. With the extended mass M = [I, s x; -s x, m 1] and E, which keeps w of t,

        w* = M dt + W M E t                                                                       (2)
        tau = P' w*,    and w*_p takes up A' w*                                                   (3)

    which is tau = Nd' Nl' (M dt + W M E t). A base that moves by itself starts with its own t and dt; gravity is
    such a dt.

    Source: saha2010, eqs (5), (8), (17) and section 2.4.1: (1) is its forward recursion with the A that it drops
    before t_p, (2) and (3) are its backward recursion; for trees its section 4.3.
    """
    X, w, dt, wrench = (robot.slots(kind) for kind in (Pose, Vec3, Twist, Wrench))
    tau, still = robot.vector(), Vec3()
    dt[0] = Twist(still, -robot.gravity)

    for b in robot.outward():
        p, joint = b.parent, b.rate(v)
        X[b] = b.pose(q)
        R, r = X[b].R, X[b].r
        wp = R.T @ w[p]
        w[b] = wp + joint.angular
        falls = dt[p] + Twist(still, cross(w[p], cross(w[p], r)))
        turns = Twist(cross(w[b], joint.angular), cross(wp, joint.linear * 2) + cross(joint.angular, joint.linear))
        dt[b] = X[b].from_parent(falls) + turns + b.rate(a)  # (1)
        body = Matter(b.mass, b.first, b.second)
        flow = body @ Twist(w[b], still)
        gyro = Wrench(cross(w[b], flow.moment), cross(w[b], flow.force))
        wrench[b] = body @ dt[b] + gyro - robot.wrench(b)  # (2)

    for b in robot.inward():
        for z in b.freedoms:
            tau[z] = wrench[b] @ z.twist  # (3)
        wrench[b.parent] += X[b].to_parent(wrench[b])
    return tau
