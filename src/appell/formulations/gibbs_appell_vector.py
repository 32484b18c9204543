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
        A = e . alpha                                   (4)
        B = l . (f + phi) - e . beta                    (5)
        tau = A + B                                     (6)

    where the terms with R come from the bodies that hang on b, r leads from b's origin to theirs, and e and l are
    the angular and the linear part of a freedom.

    Source: valera2003, eqs (13)-(26): (1) is (17), (2) is (26), (3) is (25), (4) is (16), (5) is (23) and (20)-(21),
    (6) is (8). In its (22), (24) and (25) r must start at O_j, as here. There I and r" are of mass centres, here of
    joint origins, which shifts m c x r" from alpha to beta. As alpha - beta is all that is asked for, they could
    travel as one.
    """
    X, w, dw, r2 = robot.slots(Pose), *(robot.slots(Vec3) for _ in range(3))
    f, alpha, beta, phi = (robot.slots(Vec3) for _ in range(4))
    A, B, tau = robot.per_freedom(), robot.per_freedom(), robot.vector()
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
        f[b] = r2[b] * b.mass + cross(dw[b], s) + cross(w[b], cross(w[b], s)) - outside.force
        alpha[b] = I @ dw[b] + cross(w[b], I @ w[b]) - outside.moment  # (1)
        beta[b] = cross(r2[b], s)  # (3)

    for b in robot.inward():
        p, R, through = b.parent, X[b].R, f[b] + phi[b]
        for z in b.freedoms:
            A[z] = z.angular @ alpha[b]  # (4)
            B[z] = z.linear @ through - z.angular @ beta[b]  # (5)
            tau[z] = A[z] + B[z]  # (6)
        force = R @ through  # (2)
        phi[p] += force
        alpha[p] += R @ alpha[b]
        beta[p] += R @ beta[b] + cross(force, X[b].r)
    return tau
