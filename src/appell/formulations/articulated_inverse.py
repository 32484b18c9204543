"""The inverse mass matrix and the derivatives of forward dynamics by articulated bodies: all of it rolls."""

from ..spatial import Articulated, Pose, Twist, Wrench
from .articulated_body import articulated_body
from .derivatives import inverse_dynamics_derivatives
from .resistance import derivatives, forward


def inverse_mass_matrix(robot, q):
    """The inverse of M(q), O(n^2): its column of z is the acceleration for a unit force along z.

    With psi, d and the inertias I as in `articulated_body`, the force runs from z to the base,

        e = force - t . P,   P <- P + psi e                                (1)

    for every freedom t on the way, and all links answer, from the base to the tips,

        a_t = e d - psi . acceleration                                     (2)

    Source: featherstone1983.
    """
    X, I, P, acc = (robot.slots(kind) for kind in (Pose, Articulated, Wrench, Twist))
    psi, d, e, W = robot.per_freedom(Wrench), robot.per_freedom(), robot.per_freedom(), robot.matrix()

    for b in robot.outward():
        X[b], I[b] = b.pose(q), Articulated.of_body(b.mass, b.first, b.second)
    for b in robot.inward():
        inertia = I[b]
        for z in reversed(b.freedoms):
            psi[z], d[z], inertia = inertia.through(z.twist, z.rotor)
            e[z] = 0
        I[b.parent] += inertia.to_parent(X[b])

    for b in robot.outward():
        for z in b.freedoms:
            e[z], P[b] = 1, Wrench()
            for c in robot.support(b):
                wrench = P[c]
                for t in reversed(c.freedoms):
                    e[t] += -(wrench @ t.twist)  # (1)
                    wrench += psi[t] * e[t]
                P[c.parent] = X[c].to_parent(wrench)
            for c in robot.outward():
                acc[c] = X[c].from_parent(acc[c.parent])
                for t in c.freedoms:
                    W[t, z] = e[t] * d[t] - psi[t] @ acc[c]  # (2)
                    acc[c] += t.twist * W[t, z]
                    e[t] = 0  # for the next force
    return W


def forward_dynamics_derivatives(robot, q, v, tau):
    """The derivatives of a by q (along the tangent, in body axes), by v, and by tau: the inverse of M.

    Along any motion of the state M a + h = tau holds, so

        da = W dtau - W (dtau/dq) dq - W (dtau/dv) dv           (1)

    with W = M^-1, and the derivatives of inverse dynamics at the acceleration that the forces bring about.

    Source: carpentier2018.
    """
    a, W = forward(articulated_body)(robot, q, v, tau), inverse_mass_matrix(robot, q)
    dq, dv, _ = derivatives(inverse_dynamics_derivatives)(robot, q, v, a)
    by_q, by_v = robot.table("nv", "nv"), robot.table("nv", "nv")
    for b in robot.outward():
        for z in b.freedoms:
            for c in robot.outward():
                for t in c.freedoms:
                    by_q[z, t], by_v[z, t] = 0, 0
                    _multiply(robot, W, z, t, ((dq, by_q), (dv, by_v)))  # (1)
    return by_q, by_v, W


def _multiply(robot, W, z, t, pairs):
    for s in robot.outward():
        for x in s.freedoms:
            for given, result in pairs:
                result[z, t] += -(W[z, x] * given[x, t])
