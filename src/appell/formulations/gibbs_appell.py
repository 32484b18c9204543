"""Inverse dynamics by the Gibbs-Appell equations, O(n)."""

from ..spatial import Pose
from ..vec import Mat3, Vec3, axial, cross, omega


def gibbs_appell(robot, q, v, a):
    """tau such that M(q) a + h(q, v) = tau, by the Gibbs-Appell equations in tensor form.

    The Gibbs function of a body whose points x have acceleration r" + O x is S = 1/2 sum m |r" + O x|^2, so
    with s = sum m x and J = sum m x x' (Euler's tensor) about the body's origin

        O = [dw x] + [w x]^2                  (1)
        f = dS/dr" = m r" + O s               (2)
        n = axial(O J) + s x r"               (3)
        tau = z . n                           (4)

    where n and f, about joint b, hold all bodies at and beyond it. Gravity enters as an acceleration of the base.

    Source: mata2002, eqs (9)-(16) and section 4.1: (1) is (12), (2) is (9), (3) is (10)-(11), (4) is (14)-(16);
    there about mass centres, here about joint origins, which leaves one force per body to carry.
    """
    X, O, w, dw, r2 = robot.slots(Pose), robot.slots(Mat3), *(robot.slots(Vec3) for _ in range(3))
    f, n, tau = robot.slots(Vec3), robot.slots(Vec3), robot.vector()
    r2[0] = -robot.gravity

    for b in robot.outward():  # base -> tips: motion, then forces
        p, joint, djoint = b.parent, b.rate(v), b.rate(a)
        X[b] = b.pose(q)
        R, r = X[b].R, X[b].r
        wp = R.T @ w[p]
        w[b] = wp + joint.angular
        dw[b] = R.T @ dw[p] + cross(wp, joint.angular) + djoint.angular
        swing = cross(wp, joint.linear * 2) + cross(joint.angular, joint.linear)
        r2[b] = R.T @ (r2[p] + O[p] @ r) + swing + djoint.linear
        O[b] = omega(w[b], dw[b])  # (1)
        outside = robot.wrench(b)
        f[b] = r2[b] * b.mass + O[b] @ b.first - outside.force  # (2)
        n[b] = axial(O[b], b.second) + cross(b.first, r2[b]) - outside.moment  # (3)

    for b in robot.inward():  # tips -> base: carry to the parent
        for z in b.freedoms:
            tau[z] = z.dot(n[b], f[b])  # (4)
        p, force = b.parent, X[b].R @ f[b]
        f[p] += force
        n[p] += X[b].R @ n[b] + cross(X[b].r, force)
    return tau
