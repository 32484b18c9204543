"""Forward dynamics where some accelerations are given and some forces are wanted, O(n)."""

from ..spatial import Articulated, Pose, Twist, Wrench
from ..vec import Vec3, axial, cross, omega
from .resistance import Driven, resistance


def hybrid_dynamics(robot, q, v, a, tau):
    """(a, tau) such that M(q) a + h(q, v) = tau: a as given where prescribed, tau as given elsewhere.

    As in `articulated_body`, a body with all that hangs on it resists like I a + P; a freedom is passed by

        u = I z,   d = 1 / (z . u + rotor),   e = tau - z . P        (1)
        I <- I - u u' d,   P <- P + u (e d)                          (2)

    A prescribed freedom moves as told, whatever the force: I is felt through it, and only P changes,

        P <- P + u a                                                 (3)

    On the way back, with the acceleration of the body before z moves,

        a = (e - u . acceleration) d,   or   tau = u . acceleration + z . (P + u a) + rotor a          (4)

    Source: featherstone1983.
    """
    X, w, swing = robot.slots(Pose), robot.slots(Vec3), robot.slots(Twist)
    I, P, acc = robot.slots(Articulated), robot.slots(Wrench), robot.slots(Twist)
    u, d, e = robot.per_freedom(Wrench), robot.per_freedom(), robot.per_freedom()
    moves, forces, still = robot.vector(), robot.vector(), Vec3()
    given = Driven(q, v, tau) if robot.resists else tau

    for b in robot.outward():
        p, joint = b.parent, b.rate(v)
        X[b] = b.pose(q)
        R, r = X[b].R, X[b].r
        wp = R.T @ w[p]
        w[b] = wp + joint.angular
        fall = R.T @ (omega(w[p], still) @ r) + cross(wp, joint.linear * 2) + cross(joint.angular, joint.linear)
        swing[b] = Twist(cross(wp, joint.angular), fall)
        O = omega(w[b], still)
        I[b] = Articulated.of_body(b.mass, b.first, b.second)
        P[b] = Wrench(axial(O, b.second), O @ b.first) - robot.wrench(b)

    for b in robot.inward():
        inertia, wrench = I[b], P[b]
        for z in reversed(b.freedoms):
            u[z] = inertia @ z.twist  # (1)
            if robot.is_prescribed(z):
                wrench += u[z] * a[z]  # (3)
                e[z] = wrench @ z.twist + z.rotor * a[z]
                continue
            d[z] = 1 / (u[z] @ z.twist + z.rotor)
            e[z] = given[z] - wrench @ z.twist
            inertia = inertia.without(z.twist, u[z], u[z] * d[z], z.rotor)  # (2)
            wrench += u[z] * (e[z] * d[z])
        wrench += inertia @ swing[b]
        P[b.parent] += X[b].to_parent(wrench)
        I[b.parent] += inertia.to_parent(X[b])

    acc[0] = Twist(still, -robot.gravity)
    for b in robot.outward():
        p, R, r = acc[b.parent], X[b].R, X[b].r
        t = Twist(R.T @ p.angular, R.T @ (p.linear + cross(p.angular, r))) + swing[b]
        for z in b.freedoms:
            if robot.is_prescribed(z):
                moves[z] = a[z]
                forces[z] = u[z] @ t + e[z] + resistance(z, q, v)  # (4)
            else:
                moves[z], forces[z] = (e[z] - u[z] @ t) * d[z], tau[z]
            t += z.twist * moves[z]
        acc[b] = t
    return moves, forces
