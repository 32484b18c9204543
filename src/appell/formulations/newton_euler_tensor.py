"""Inverse dynamics by Newton's and Euler's equations in Cartesian tensors, for augmented bodies, O(n)."""

from ..spatial import Pose
from ..vec import Mat3, Sym3, Vec3, axial, cross, omega, square


def newton_euler_tensor(robot, q, v, a):
    """tau such that M(q) a + h(q, v) = tau, by Newton's and Euler's equations in tensor form.

    An augmented body carries, at the origins r of the bodies that hang on it, all the mass beyond as points: mass,
    first moment and Euler's tensor about its origin are

        m' = m + sum m',   s' = s + sum m' r,   J' = J + sum m' r r'            (1)

    and constant, thus off-line, where joints only turn. Its points x accelerate with r" + O x, where

        O = [dw x] + [w x]^2                                                    (2)

    is the angular acceleration tensor. At a joint, r" is that of the point of the parent there, k, and what the joint
    adds, u: k = R' (r"_p + O_p r), r" = k + u. So by Newton the force through a joint is m' k + g, and only g needs
    to be summed, and by Euler's equation the moment n is the axial vector of a skew tensor:

        g = O s' + m' u                                                         (3)
        [n x] = O J' - (O J')' + [s' x r" x]                                    (4)
        tau = z . (n, g + m' k)                                                 (5)

    with g and n of all bodies beyond added. Gravity enters as an acceleration of the base.

    Source: balafoutis1991, derived from its principle, with the augmented bodies that bring the text to the 93
    products and 81 sums per body that mata2002, Table 1, reports; there for serial chains.
    """
    X, O, w, dw, r2, k = robot.slots(Pose), robot.slots(Mat3), *(robot.slots(Vec3) for _ in range(4))
    m, s, J = robot.slots(), robot.slots(Vec3), robot.slots(Sym3)
    g, n, tau = robot.slots(Vec3), robot.slots(Vec3), robot.vector()
    r2[0] = -robot.gravity

    for b in robot.outward():
        X[b] = b.pose(q)
        m[b], s[b], J[b] = b.mass, b.first, b.second
    for b in robot.inward():
        p, r = b.parent, X[b].r
        m[p] += m[b]  # (1)
        s[p] += r * m[b]
        J[p] += square(r) * m[b]

    for b in robot.outward():
        p, joint, djoint = b.parent, b.rate(v), b.rate(a)
        R, r = X[b].R, X[b].r
        wp = R.T @ w[p]
        w[b] = wp + joint.angular
        dw[b] = R.T @ dw[p] + cross(wp, joint.angular) + djoint.angular
        u = cross(wp, joint.linear * 2) + cross(joint.angular, joint.linear) + djoint.linear
        k[b] = R.T @ (r2[p] + O[p] @ r)
        r2[b] = k[b] + u
        O[b] = omega(w[b], dw[b])  # (2)
        outside = robot.wrench(b)
        g[b] = O[b] @ s[b] + u * m[b] - outside.force  # (3)
        n[b] = axial(O[b], J[b]) + cross(s[b], r2[b]) - outside.moment  # (4)

    for b in robot.inward():
        for z in b.freedoms:
            tau[z] = z.dot(n[b], g[b]) + (z.linear @ k[b]) * m[b]  # (5)
        p, force = b.parent, X[b].R @ g[b]
        g[p] += force
        n[p] += X[b].R @ n[b] + cross(X[b].r, force)
    return tau
