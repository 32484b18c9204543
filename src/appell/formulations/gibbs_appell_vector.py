"""Inverse dynamics by the Gibbs-Appell equations in vectors, O(n)."""

from ..spatial import Pose
from ..vec import Vec3, cross


def gibbs_appell_vector(robot, q, v, a):
    """tau such that M(q) a + h(q, v) = tau, by the Gibbs-Appell equations in vector form.

    The derivative of the Gibbs function by an acceleration has a part A from its angular and a part B from its
    linear terms. With f the force m r" + dw x s + w x (w x s) of a body and I its inertia about its origin,

        alpha = I dw + w x I w + R alpha                (1)
        phi = R (f + phi)                               (2)
        beta = r" x s + phi x r + R beta                (3)
        tau = A + B,   A = z . alpha,   B = -z . beta   (4)

    where the terms with R come from the bodies that hang on b, and r leads from b's origin to theirs. Along a
    joint that slides, B is the part of f + phi.

    Source: valera2003, eqs (13)-(26): (1) is (17), (2) is (26), (3) is (25), (4) is (16) and (23), (20)-(21). In its
    (22), (24) and (25) r must start at O_j, as here. There I and r" are of mass centres, here of joint origins,
    which shifts m c x r" from alpha to beta. As alpha - beta is all that is asked for, they could travel as one.
    """
    X, w, dw, r2 = robot.slots(Pose), *(robot.slots(Vec3) for _ in range(3))
    f, alpha, beta, phi = (robot.slots(Vec3) for _ in range(4))
    tau = robot.vector()
    r2[0] = -robot.gravity

    for b in robot.outward():
        p, joint, djoint = b.parent, b.rate(v), b.rate(a)
        X[b] = b.pose(q)
        R, r, s, I = X[b].R, X[b].r, b.first, b.second.inertia
        wp = R.T @ w[p]
        w[b] = wp + joint.angular
        dw[b] = R.T @ dw[p] + cross(wp, joint.angular) + djoint.angular
        fall = r2[p] + cross(dw[p], r) + cross(w[p], cross(w[p], r))
        r2[b] = R.T @ fall + cross(wp + w[b], joint.linear) + djoint.linear
        outside = robot.wrench(b)
        f[b] = r2[b] * b.mass + cross(dw[b], s) + cross(w[b], cross(w[b], s)) - outside.force
        alpha[b] = I @ dw[b] + cross(w[b], I @ w[b]) - outside.moment  # (1)
        beta[b] = cross(r2[b], s)  # (3)

    for b in robot.inward():
        for z in b.freedoms:
            tau[z] = z.dot(alpha[b] - beta[b], f[b] + phi[b])  # (4)
        p, R = b.parent, X[b].R
        force = R @ (f[b] + phi[b])  # (2)
        phi[p] += force
        alpha[p] += R @ alpha[b]
        beta[p] += R @ beta[b] + cross(force, X[b].r)
    return tau
