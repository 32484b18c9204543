"""What the links of a mechanism do to each other through their joints, cut or not."""

from ..spatial import Pose
from ..vec import Vec3, cross


def of_tree(robot, q, v, a, carried=None):
    """Of every link the force, and the moment about its origin, in its axes, that it gets through its joint.

    With f and n what a link's motion takes, less what acts on it from outside, and k the links on it,

        f = m r" + dw x s + w x (w x s),   n = I dw + w x I w + s x r"            (1)
        F = f + sum of R_k F_k,   N = n + sum of (R_k N_k + r_k x R_k F_k)        (2)

    Source: luh1980, where F and N are taken along the joints alone.
    """
    X, w, dw, r2 = robot.slots(Pose), *(robot.slots(Vec3) for _ in range(3))
    f, n, table = robot.slots(Vec3), robot.slots(Vec3), robot.table("n", 6)
    r2[0] = -robot.gravity
    for b in robot.outward():
        p, joint, djoint = b.parent, b.rate(v), b.rate(a)
        X[b] = b.pose(q)
        R, r, s, I = X[b].R, X[b].r, b.first, b.second.inertia
        wp = R.T @ w[p]
        w[b] = wp + joint.angular
        dw[b] = R.T @ dw[p] + cross(wp, joint.angular) + djoint.angular
        fall = r2[p] + cross(dw[p], r) + cross(w[p], cross(w[p], r))
        r2[b] = R.T @ fall + cross(wp, joint.linear * 2) + cross(joint.angular, joint.linear) + djoint.linear
        outside = robot.wrench(b) if carried is None else robot.wrench(b) + carried[b]
        f[b] = r2[b] * b.mass + cross(dw[b], s) + cross(w[b], cross(w[b], s)) - outside.force  # (1)
        n[b] = I @ dw[b] + cross(w[b], I @ w[b]) + cross(s, r2[b]) - outside.moment
    for b in robot.inward():
        p, force = b.parent, X[b].R @ f[b]
        for k, x in enumerate((*f[b], *n[b])):
            table[b.index + -1, k] = x
        f[p] += force  # (2)
        n[p] += X[b].R @ n[b] + cross(X[b].r, force)
    return table
