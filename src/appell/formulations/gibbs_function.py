"""The Gibbs function of every body in a motion."""

from ..spatial import Pose
from ..vec import Mat3, Vec3, cross, omega


def gibbs_function(robot, q, v, a):
    """S of each body, half the sum of m |r" + O x|^2 over its points x; gravity is an acceleration of the base.

        O = [dw x] + [w x]^2                                         (1)
        S = (m r" . r" + tr(O J O')) / 2 + r" . O s                  (2)

    where s and J are first and second moment about the body's origin. The sum over all bodies has dS/da = tau.

    Source: mata2002, eqs (1)-(8), there about mass centres.
    """
    X, O, w, dw, r2 = robot.slots(Pose), robot.slots(Mat3), *(robot.slots(Vec3) for _ in range(3))
    S = robot.slots()
    r2[0] = -robot.gravity
    for b in robot.outward():
        p, joint, djoint = b.parent, b.rate(v), b.rate(a)
        X[b] = b.pose(q)
        R, r = X[b].R, X[b].r
        wp = R.T @ w[p]
        w[b] = wp + joint.angular
        dw[b] = R.T @ dw[p] + cross(wp, joint.angular) + djoint.angular
        swing = cross(wp, joint.linear * 2) + cross(joint.angular, joint.linear)
        r2[b] = R.T @ (r2[p] + O[p] @ r) + swing + djoint.linear
        O[b] = omega(w[b], dw[b])  # (1)
        turned = sum((row @ (b.second @ row) for row in O[b]), 0)
        S[b] = (r2[b] @ r2[b] * b.mass + turned) * 0.5 + r2[b] @ (O[b] @ b.first)  # (2)
    return S
