"""Forward dynamics by articulated bodies, O(n)."""

from ..spatial import Articulated, Pose, Twist, Wrench
from ..vec import Vec3, axial, cross, omega


def articulated_body(robot, q, v, tau):
    """a such that M(q) a + h(q, v) = tau, without forming M.

    A body with all that hangs on it resists like I a + P, an inertia and a bias wrench. One freedom z at a time,

        psi = I z d,   d = 1 / (z . I z + rotor),   e = tau - z . P  (1)
        I <- I - psi psi' / d,   P <- P + psi e                      (2)

    leaves what is felt through the joint; with the joint's bias acceleration c it goes to the parent,

        P <- P + I c                                                 (3)

    and on the way back  a_z = e d - psi . acceleration              (4)

    As the freedoms of a joint are eliminated one by one, no block is ever inverted: this is U D U' of M.

    Source: featherstone1983.
    """
    X, w, bias = robot.slots(Pose), robot.slots(Vec3), robot.slots(Twist)
    I, P, acc = robot.slots(Articulated), robot.slots(Wrench), robot.slots(Twist)
    psi, own, a = robot.per_freedom(Wrench), robot.per_freedom(), robot.vector()
    still = Vec3()

    for b in robot.outward():
        p, joint = b.parent, b.rate(v)
        X[b] = b.pose(q)
        R, r = X[b].R, X[b].r
        wp = R.T @ w[p]
        w[b] = wp + joint.angular
        swing = R.T @ (omega(w[p], still) @ r) + cross(wp, joint.linear * 2) + cross(joint.angular, joint.linear)
        bias[b] = Twist(cross(wp, joint.angular), swing)
        O = omega(w[b], still)
        I[b] = Articulated.of_body(b.mass, b.first, b.second)
        P[b] = Wrench(axial(O, b.second), O @ b.first) - robot.wrench(b)

    for b in robot.inward():
        inertia, wrench = I[b], P[b]
        for z in reversed(b.freedoms):
            e = tau[z] - wrench @ z.twist
            psi[z], d, inertia = inertia.through(z.twist, z.rotor)  # (1)
            own[z] = e * d
            wrench += psi[z] * e  # (2)
        wrench += inertia @ bias[b]  # (3)
        P[b.parent] += X[b].to_parent(wrench)
        I[b.parent] += inertia.to_parent(X[b])

    acc[0] = Twist(still, -robot.gravity)
    for b in robot.outward():
        t = X[b].from_parent(acc[b.parent]) + bias[b]
        for z in b.freedoms:
            a[z] = own[z] - psi[z] @ t  # (4)
            t += z.twist * a[z]
        acc[b] = t
    return a
