"""Inverse dynamics by Kane's equations, O(n)."""

from ..spatial import Pose, Wrench
from ..vec import Mat3, Vec3, cross, omega


def kane(robot, q, v, a):
    """tau such that M(q) a + h(q, v) = tau, by Kane's equations.

    Velocities are linear in the generalised speeds v; the coefficients are the partial velocities. A body that turns
    with w, and whose origin moves with u, has along a freedom z = (e, l) of its own joint, and along any other
    freedom t that carries it, from the partial velocities of its parent,

        dw/dv_z = e,              du/dv_z = l                                       (1)
        dw/dv_t = R' dw_p/dv_t,   du/dv_t = R' (du_p/dv_t + dw_p/dv_t x r)          (2)

    The inertia torque and force of a body about its origin are -n and -f,

        f = m r" + O s,   O = [dw x] + [w x]^2                                      (3)
        n = I dw + w x I w + s x r"                                                 (4)

    and the generalised inertia force of z, their power in the partial velocities, balances the active one:

        tau_z = sum over bodies  dw/dv_z . n + du/dv_z . f                          (5)

    As (2) is the same for all t, its transpose takes n and f to the parent once for all of them, and what is left
    of (5) is one body and (1). Gravity enters as an acceleration of the base.

    Source: angeles1989, derived from its principle, as mata2002 and valera2003, eq. (8), describe it; there about
    mass centres, here about joint origins, which massless links have, too.
    """
    (X, force), tau = inertia_forces(robot, q, v, a), robot.vector()
    for b in robot.inward():
        for z in b.freedoms:
            partial = z.twist  # (1)
            tau[z] = force[b] @ partial  # (5)
        force[b.parent] += X[b].to_parent(force[b])  # (2)
    return tau


def inertia_forces(robot, q, v, a):
    """The bodies' poses, and the wrenches (n, f) about their origins that the motion takes, less those from outside."""
    X, O, w, dw, r2 = robot.slots(Pose), robot.slots(Mat3), *(robot.slots(Vec3) for _ in range(3))
    force = robot.slots(Wrench)
    r2[0] = -robot.gravity
    for b in robot.outward():
        p, joint, djoint = b.parent, b.rate(v), b.rate(a)
        X[b] = b.pose(q)
        R, r, I = X[b].R, X[b].r, b.second.inertia
        wp = R.T @ w[p]
        w[b] = wp + joint.angular
        dw[b] = R.T @ dw[p] + cross(wp, joint.angular) + djoint.angular
        swing = cross(wp, joint.linear * 2) + cross(joint.angular, joint.linear)
        r2[b] = R.T @ (r2[p] + O[p] @ r) + swing + djoint.linear
        O[b] = omega(w[b], dw[b])
        f = r2[b] * b.mass + O[b] @ b.first  # (3)
        n = I @ dw[b] + cross(w[b], I @ w[b]) + cross(b.first, r2[b])  # (4)
        force[b] = Wrench(n, f) - robot.wrench(b)
    return X, force
