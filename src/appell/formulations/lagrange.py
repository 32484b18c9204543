"""Lagrange's equations with 4x4 transformations: inverse dynamics, O(n), and the mass matrix, O(n^2)."""

from ..spatial import Pose
from ..vec import IDENTITY
from .composites import Matter
from .homogeneous import Homogeneous


def lagrange(robot, q, v, a):
    """tau such that M(q) a + h(q, v) = tau, by the recursive Lagrangian of 4x4 transformations.

    Let W be the 4x4 transformation from a body to the base, X = [R, r; 0, 1] that to its parent, and [t] the matrix
    [[e x], l; 0, 0] of a twist t = (e, l). Then dW/dq_z = W [z] along a freedom z, and with the joint's rate t,

        W = W_p X,   W. = W_p. X + W [t]                                                            (1)
        W.. = W_p.. X + 2 W_p. X [t] + W ([t]^2 + [t.]) = W_p.. X + (W_p. X + W.) [t] + W [t.]      (2)

    With the pseudo-inertia J = [J, s; s', m] the kinetic energy is the sum of 1/2 tr(W. J W.'), and Lagrange's
    equations (in quasi-velocities: those of Boltzmann and Hamel) become

        tau_z = sum over bodies beyond z  tr(dW/dq_z J W..')

    As W of a body beyond is that of z's body times poses that z does not move, this can be summed inward:

        D = W.. J + sum D X'                                                         (3)
        tau_z = tr(W [z] D')                                                         (4)

    Gravity enters as an acceleration of the base, a wrench from outside by a 4x4 matrix whose trace with W [z] is its
    power. Nobody asks for the last columns of W and W.: they stay zero.

    Source: hollerbach1980, derived from its principle, as shafei2018 and valera2003 describe it; there D is transposed,
    gravity has a recursion of its own, and the robots are chains. Its 3x3 variant is what saha2010, Table 1, counts.
    """
    X, W, dW, ddW, D = robot.slots(Pose), *(robot.slots(Homogeneous) for _ in range(4))
    W[0], ddW[0], tau = Homogeneous(IDENTITY), Homogeneous(a=-robot.gravity), robot.vector()

    for b in robot.outward():
        p, joint, djoint = b.parent, b.rate(v), b.rate(a)
        X[b] = b.pose(q)
        turned = Pose(X[b].R)
        W[b], swept = W[p] @ turned, dW[p] @ turned
        dW[b] = swept + W[b] @ joint  # (1)
        ddW[b] = ddW[p] @ X[b] + (swept + dW[b]) @ joint + W[b] @ djoint  # (2)
        D[b] = ddW[b] @ Matter(b.mass, b.first, b.second) - W[b] @ robot.wrench(b)  # (3)

    for b in robot.inward():
        for z in b.freedoms:
            tau[z] = (W[b] @ z.twist).trace(D[b])  # (4)
        D[b.parent] += D[b].to_parent(X[b])  # (3)
    return tau


def lagrange_inertia(robot, q):
    """M(q), the second derivative of Lagrange's kinetic energy by v.

    Of 1/2 sum of tr(W. J W.') it is, for a freedom t that carries z of body b,

        M_zt = sum over bodies beyond z  tr(dW/dq_z J dW/dq_t')

    The bodies beyond b move with z as one, of pseudo-inertia

        J = J + sum X J X'                                                (1)

    so that with D_z = W [z] J, which goes to the base as in inverse dynamics,

        M_zt = tr(W [t] D_z'),   D_z -> D_z X'                            (2)

    Source: hollerbach1980, derived from its principle, with the bodies beyond taken together as in walker1982.
    """
    X, W, J, D = robot.slots(Pose), robot.slots(Homogeneous), robot.slots(Matter), robot.slots(Homogeneous)
    W[0], M = Homogeneous(IDENTITY), robot.matrix()

    for b in robot.outward():
        X[b] = b.pose(q)
        W[b] = W[b.parent] @ Pose(X[b].R)
        J[b] = Matter(b.mass, b.first, b.second)

    for b in robot.inward():
        for z in b.freedoms:
            D[b] = W[b] @ z.twist @ J[b]
            for c in robot.support(b):
                for t in c.freedoms:
                    M[z, t] = (W[c] @ t.twist).trace(D[c])  # (2)
                D[c.parent] = D[c].to_parent(X[c])
            M[z, z] += z.rotor
        J[b.parent] += J[b].to_parent(X[b])  # (1)
    return M
