"""Inverse dynamics by Newton's and Euler's equations, O(n)."""

from ..spatial import Pose
from ..vec import Vec3, cross


def newton_euler(robot, q, v, a):
    """tau such that M(q) a + h(q, v) = tau, by Newton's and Euler's equations about the joint origins.

    With m the mass, s = m c the first moment and I the inertia tensor of a body about its origin,

        f = m r" + dw x s + w x (w x s)       (1)
        n = I dw + w x I w + s x r"           (2)
        tau = z . n                           (3)

    Source: luh1980, its two recursions; there about mass centres, here about joint origins.
    """
    X, w, dw, r2 = robot.slots(Pose), *(robot.slots(Vec3) for _ in range(3))
    f, n, tau = robot.slots(Vec3), robot.slots(Vec3), robot.vector()
    r2[0] = -robot.gravity

    for b in robot.outward():
        p, joint, djoint = b.parent, b.rate(v), b.rate(a)
        X[b] = b.pose(q)
        R, r, s, I = X[b].R, X[b].r, b.first, b.second.inertia
        wp = R.T @ w[p]
        w[b] = wp + joint.angular
        dw[b] = R.T @ dw[p] + cross(wp, joint.angular) + djoint.angular
        fall = r2[p] + cross(dw[p], r) + cross(w[p], cross(w[p], r))
        swing = cross(wp, joint.linear * 2) + cross(joint.angular, joint.linear)
        r2[b] = R.T @ fall + swing + djoint.linear
        outside = robot.wrench(b)
        f[b] = r2[b] * b.mass + cross(dw[b], s) + cross(w[b], cross(w[b], s)) - outside.force  # (1)
        n[b] = I @ dw[b] + cross(w[b], I @ w[b]) + cross(s, r2[b]) - outside.moment  # (2)

    for b in robot.inward():
        for z in b.freedoms:
            tau[z] = z.dot(n[b], f[b])  # (3)
        p, force = b.parent, X[b].R @ f[b]
        f[p] += force
        n[p] += X[b].R @ n[b] + cross(X[b].r, force)
    return tau
