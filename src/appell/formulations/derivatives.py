"""Derivatives of inverse dynamics, O(n) sweeps and one product per pair of freedoms and entry."""

from ..spatial import Pose, Twist, Wrench
from ..vec import Mat3, Vec3, axial, cross, omega
from .composites import Flow, Matter


def inverse_dynamics_derivatives(robot, q, v, a):
    """The derivatives of tau by q (along the tangent, in body axes), by v, and by a, which is M.

    At the origin of b, the parent's space has angular velocity wp, velocity vp and acceleration rp (against
    gravity), and O = omega(wp, dwp). A small displacement along freedom z = (e, l) carries along the points x
    beyond it, and their accelerations; besides, it changes these by psi + 2 alpha x x., and a change of the
    speed of z changes them by chi + 2 e x x., where

        alpha = wp x e,   psi = (O e, O l + rp x e + 2 vp x alpha)                             (1)
        chi = ((wp + w) x e, (wp + w) x l + (vp + v) x e)                                      (2)

    are fields as of a twist: linear + angular x x. What hangs on b has matter I = (m, s, J), flow B of twice
    its velocities, and feels the wrench F, as in Gibbs-Appell; they add up from the tips to the base:     (3)

    A freedom t that carries z feels what z does to everything beyond z:

        dtau_t/dq_z = t . (z x* F + I psi + B alpha),   dtau_t/dv_z = t . (I chi + B e)        (4)

    and z feels of t what t does to everything beyond z. With y = I z, and h the power of B against z:

        dtau_z/dq_t = y . psi_t + h . alpha_t,   dtau_z/dv_t = y . chi_t + h . e_t,   M_zt = y . t      (5)

    Between freedoms of one joint (5) holds, since F is carried along there. Rotors add to M alone.

    Source: carpentier2018, singh2022; their products of spatial vectors are resolved into fields of points.
    """
    X, O, w, dw, u, r2 = robot.slots(Pose), robot.slots(Mat3), *(robot.slots(Vec3) for _ in range(4))
    I, B, F = robot.slots(Matter), robot.slots(Flow), robot.slots(Wrench)
    alpha, psi, chi = robot.per_freedom(Vec3), robot.per_freedom(Twist), robot.per_freedom(Twist)
    y, h, dF, dH = (robot.per_freedom(kind) for kind in (Wrench, Vec3, Wrench, Wrench))
    dq, dv, M = robot.table("nv", "nv"), robot.table("nv", "nv"), robot.matrix()
    r2[0] = -robot.gravity

    for b in robot.outward():
        p, joint, djoint = b.parent, b.rate(v), b.rate(a)
        X[b] = b.pose(q)
        R, r = X[b].R, X[b].r
        wp, dwp, up = R.T @ w[p], R.T @ dw[p], R.T @ (u[p] + cross(w[p], r))
        rp, Op = R.T @ (r2[p] + O[p] @ r), omega(wp, dwp)
        w[b], u[b] = wp + joint.angular, up + joint.linear
        dw[b] = dwp + cross(wp, joint.angular) + djoint.angular
        r2[b] = rp + cross(wp, joint.linear * 2) + cross(joint.angular, joint.linear) + djoint.linear
        O[b] = omega(w[b], dw[b])
        for z in b.freedoms:
            e, l, ww, uu = z.angular, z.linear, wp + w[b], up + u[b]
            alpha[z] = cross(wp, e)
            psi[z] = Twist(Op @ e, Op @ l + cross(rp, e) + cross(up + up, alpha[z]))  # (1)
            chi[z] = Twist(cross(ww, e), cross(ww, l) + cross(uu, e))  # (2)
        I[b] = Matter(b.mass, b.first, b.second)  # (3)
        B[b] = Flow.of(I[b], Twist(w[b] + w[b], u[b] + u[b]))
        moment = axial(O[b], b.second) + cross(b.first, r2[b])
        F[b] = Wrench(moment, r2[b] * b.mass + O[b] @ b.first) - robot.wrench(b)

    for b in robot.inward():
        for z in b.freedoms:
            e, l, n, f = z.angular, z.linear, F[b].moment, F[b].force
            turned = Wrench(cross(e, n) + cross(l, f), cross(e, f))
            dF[z] = turned + I[b] @ psi[z] + B[b].swept(alpha[z])  # (4)
            dH[z] = I[b] @ chi[z] + B[b].swept(e)
            for c in robot.support(b):
                for t in c.freedoms:
                    dq[t, z], dv[t, z] = dF[z] @ t.twist, dH[z] @ t.twist
                dF[z], dH[z] = X[c].to_parent(dF[z]), X[c].to_parent(dH[z])
        for z in b.freedoms:  # after all of (4), to overwrite it within the joint
            y[z], h[z] = I[b] @ z.twist, B[b].against(z.twist)
            for c in robot.support(b):
                for t in c.freedoms:
                    dq[z, t] = y[z] @ psi[t] + h[z] @ alpha[t]  # (5)
                    dv[z, t] = y[z] @ chi[t] + h[z] @ t.angular
                    M[z, t] = y[z] @ t.twist
                y[z], h[z] = X[c].to_parent(y[z]), X[c].R @ h[z]
            M[z, z] += z.rotor
        p = b.parent
        I[p] += I[b].to_parent(X[b])
        B[p] += B[b].to_parent(X[b])
        F[p] += X[b].to_parent(F[b])
    return dq, dv, M
