"""Forward dynamics and the inverse mass matrix by U D U' of the decoupled form, without forming M."""

from ..spatial import Articulated, Pose, Twist, Wrench
from ..vec import Mat3, Vec3, axial, cross, omega


def denoc_forward(robot, q, v, tau):
    """a such that M(q) a + h(q, v) = tau, by Gaussian elimination from the tips on M = Nd' Nl' M Nl Nd, O(n).

    M = U D U' needs, freedom by freedom, the inertia M^ of a body with all that hangs on it,

        psi = M^ p / m^,    m^ = p . M^ p + rotor,    M- = M^ - m^ psi psi'                      (1)
        M^_p takes up A' M- A                                                                    (2)

    and phi = U D U' a is solved by three steps, inward, at each body, and outward:

        phi^ = phi - p . eta,     eta <- eta + psi phi^,     eta_p takes up A' eta               (3)
        phi~ = phi^ / m^                                                                         (4)
        a = phi~ - psi . mu,      mu = A mu_p + p a                                              (5)

    Here phi is tau less the forces of a motion that is known, and eta starts with the wrenches of that motion, so
    that one wrench is carried for both. Any motion at q and v will do. The one in which no body accelerates along
    the axis of its own joint costs least: there, x of p a being the rest of the motion along p, what is solved for
    is the whole acceleration x + a, as psi . p = 1 - rotor / m^                                 (6)

    Source: saha2010, eqs (18)-(21) as corrected: (1), (2) are (19c), without its A', and (19d); (3) is (19a), (19b)
    with eta_i+1 on the left of its second half; (4) is (20); (5) is (21) with psi, not psi^.
    """
    X, O, w, dt = robot.slots(Pose), robot.slots(Mat3), robot.slots(Vec3), robot.slots(Twist)
    M, eta, mu, a = robot.slots(Articulated), robot.slots(Wrench), robot.slots(Twist), robot.vector()
    psi, phi, known, rigid = robot.per_freedom(Wrench), *(robot.per_freedom() for _ in range(3))
    dt[0] = Twist(Vec3(), -robot.gravity)

    for b in robot.outward():
        p, joint = b.parent, b.rate(v)
        X[b] = b.pose(q)
        R, r, s = X[b].R, X[b].r, b.first
        wp = R.T @ w[p]
        w[b] = wp + joint.angular
        turns = Twist(cross(wp, joint.angular), cross(wp, joint.linear * 2) + cross(joint.angular, joint.linear))
        t = Twist(R.T @ dt[p].angular, R.T @ (dt[p].linear + O[p] @ r)) + turns
        for z in b.freedoms:
            known[z], t = t.split(z.twist)
        dt[b], O[b] = t, omega(w[b], t.angular)
        moment = axial(O[b], b.second) + cross(s, t.linear)
        eta[b] = Wrench(moment, t.linear * b.mass + O[b] @ s) - robot.wrench(b)
        M[b] = Articulated.of_body(b.mass, b.first, b.second)

    for b in robot.inward():
        inertia, wrench = M[b], eta[b]
        for z in reversed(b.freedoms):
            psi[z], d, inertia = inertia.through(z.twist, z.rotor)  # (1)
            hat = tau[z] + z.rotor * known[z] - wrench @ z.twist
            wrench += psi[z] * hat  # (3)
            phi[z], rigid[z] = hat * d, z.rotor * d  # (4)
        M[b.parent] += inertia.to_parent(X[b])  # (2)
        eta[b.parent] += X[b].to_parent(wrench)

    for b in robot.outward():
        t = X[b].from_parent(mu[b.parent])
        for z in b.freedoms:
            x, t = t.split(z.twist)
            whole = phi[z] - psi[z] @ t + rigid[z] * x  # (6)
            a[z] = whole - x - known[z]  # (5)
            t += z.twist * whole
        mu[b] = t
    return a
