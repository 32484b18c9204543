"""Forward dynamics by DeNOC where the base, or any other joint, moves as it is told."""

from ..spatial import Articulated, Pose, Twist, Wrench
from ..vec import Mat3, Vec3, axial, cross, omega
from .resistance import Driven, resistance


def denoc_moving(robot, q, v, a, tau):
    """(a, tau) such that M(q) a + h(q, v) = tau: a as given where prescribed, tau as given elsewhere, O(n).

    A moving base is a body on a joint of six freedoms whose motion is known. What is known belongs to the motion of
    reference, which then takes the wrenches eta; only the other freedoms are eliminated,

        psi = M^ p / m^,    m^ = p . M^ p + rotor,    phi~ = (tau - p . eta) / m^                (1)
        M^_p takes up A' (M^ - m^ psi psi') A,        eta_p takes up A' (eta + psi m^ phi~)      (2)

    while M^ and eta pass a prescribed one as they are. With mu = A mu_p, what the motion adds to that of reference,

        a = phi~ - psi . mu,        mu <- mu + p a,        where p is free                       (3)
        tau = p . (M^ mu + eta) + rotor a,                 where it is prescribed                (4)

    Source: saha2010, eqs (18)-(21) as in `denoc_forward`, and section 4.1, whose subsystems have bases that move.
    """
    X, O, w, dt = robot.slots(Pose), robot.slots(Mat3), robot.slots(Vec3), robot.slots(Twist)
    M, eta, mu = robot.slots(Articulated), robot.slots(Wrench), robot.slots(Twist)
    psi, phi = robot.per_freedom(Wrench), robot.per_freedom()
    moves, forces = robot.vector(), robot.vector()
    given, still = Driven(q, v, tau) if robot.resists else tau, Vec3()
    dt[0] = Twist(still, -robot.gravity)

    for b in robot.outward():
        p, joint = b.parent, b.rate(v)
        X[b] = b.pose(q)
        R, r = X[b].R, X[b].r
        wp = R.T @ w[p]
        w[b] = wp + joint.angular
        fall = R.T @ (dt[p].linear + O[p] @ r) + cross(wp, joint.linear * 2) + cross(joint.angular, joint.linear)
        dt[b] = Twist(R.T @ dt[p].angular + cross(wp, joint.angular), fall)
        for z in b.freedoms:
            if robot.is_prescribed(z):
                dt[b] += z.twist * a[z]
        O[b] = omega(w[b], dt[b].angular)
        moment = axial(O[b], b.second) + cross(b.first, dt[b].linear)
        eta[b] = Wrench(moment, dt[b].linear * b.mass + O[b] @ b.first) - robot.wrench(b)
        M[b] = Articulated.of_body(b.mass, b.first, b.second)

    for b in robot.inward():
        inertia, wrench = M[b], eta[b]
        for z in reversed(b.freedoms):
            if robot.is_prescribed(z):
                psi[z], phi[z] = inertia @ z.twist, wrench @ z.twist
            else:
                hat = given[z] - wrench @ z.twist
                psi[z], d, inertia = inertia.through(z.twist, z.rotor)  # (1)
                phi[z] = hat * d
                wrench += psi[z] * hat  # (2)
        M[b.parent] += inertia.to_parent(X[b])
        eta[b.parent] += X[b].to_parent(wrench)

    for b in robot.outward():
        t = X[b].from_parent(mu[b.parent])
        for z in b.freedoms:
            if robot.is_prescribed(z):
                moves[z] = a[z]
                forces[z] = psi[z] @ t + phi[z] + z.rotor * a[z] + resistance(z, q, v)  # (4)
            else:
                moves[z], forces[z] = phi[z] - psi[z] @ t, tau[z]  # (3)
                t += z.twist * moves[z]
        mu[b] = t
    return moves, forces
