"""Derivatives of inverse dynamics in axes that do not turn: for long robots, where no entry waits for another."""

from ..spatial import Pose, Twist, Wrench
from ..vec import Vec3, axial, cross, omega
from .composites import Flow, Matter
from .world import World


def derivatives_fixed(robot, q, v, a):
    """The derivatives of tau by q (along the tangent, in body axes), by v, and by a, which is M.

    What `derivatives` says of bodies, fields and freedoms, said in the base's axes, about the bodies' own origins o.
    With wp the angular velocity of the parent's space, vp and rp velocity and acceleration (against gravity) of its
    point at o_b, and O = omega(wp, dwp), a displacement along z = (e, l) and a change of its speed bring fields

        alpha = wp x e,   psi = (O e, O l + rp x e + 2 vp x alpha)                             (1)
        chi = ((wp + w) x e, (wp + w) x l + (vp + v) x e)                                      (2)

    Matter I, flow B and wrench F of all that hangs on b add up, shifted by o_b - o_p:                              (3)

    A freedom t of a body c that carries z feels, and z feels of t, with y = I z and h the power of B against z,

        dtau_t/dq_z = t . S (z x* F + I psi + B alpha),   dtau_t/dv_z = t . S (I chi + B e)    (4)
        dtau_z/dq_t = S y . psi_t + h . alpha_t,   dtau_z/dv_t = S y . chi_t + h . e_t,   M_zt = S y . t      (5)

    where S takes a wrench about o_b to one about o_c, by (o_b - o_c) x its force and nothing else.

    Source: carpentier2018, singh2022, in the base's axes.
    """
    world = World(robot)
    R, o, w, u, r2 = world.R, world.o, world.w, world.u, world.du
    I, B, F = robot.slots(Matter), robot.slots(Flow), robot.slots(Wrench)
    T, psi, chi = (robot.per_freedom(Twist) for _ in range(3))
    alpha = robot.per_freedom(Vec3)
    dq, dv, M = robot.table("nv", "nv"), robot.table("nv", "nv"), robot.matrix()
    r2[0] = -robot.gravity

    for b in world.outward(q, v, a):
        p = b.parent
        d, wp, O = o[b] - o[p], w[p], omega(w[p], world.dw[p])
        up, rp = u[p] + cross(wp, d), r2[p] + O @ d
        for z in b.freedoms:
            T[z] = world.turned(b, z.twist)
            e, l, ww, uu = T[z].angular, T[z].linear, wp + w[b], up + u[b]
            alpha[z] = cross(wp, e)
            psi[z] = Twist(O @ e, O @ l + cross(rp, e) + cross(up + up, alpha[z]))  # (1)
            chi[z] = Twist(cross(ww, e), cross(ww, l) + cross(uu, e))  # (2)
        I[b] = matter = Matter(b.mass, b.first, b.second).to_parent(Pose(R[b]))
        B[b] = Flow.of(matter, Twist(w[b] + w[b], u[b] + u[b]))
        O = omega(w[b], world.dw[b])
        moment, force = axial(O, matter.second) + cross(matter.first, r2[b]), r2[b] * b.mass + O @ matter.first
        F[b] = Wrench(moment, force) - Pose(R[b]).to_parent(robot.wrench(b))

    for b in robot.inward():
        for z in b.freedoms:
            e, l, n, f = T[z].angular, T[z].linear, F[b].moment, F[b].force
            turned = Wrench(cross(e, n) + cross(l, f), cross(e, f))
            dF = turned + I[b] @ psi[z] + B[b].swept(alpha[z])
            dH = I[b] @ chi[z] + B[b].swept(e)
            for c in robot.support(b):
                S = Pose(r=o[b] - o[c])
                for t in c.freedoms:
                    dq[t, z], dv[t, z] = S.to_parent(dF) @ T[t], S.to_parent(dH) @ T[t]  # (4)
        for z in b.freedoms:  # after all of (4), to overwrite it within the joint
            y, h = I[b] @ T[z], B[b].against(T[z])
            for c in robot.support(b):
                felt = Pose(r=o[b] - o[c]).to_parent(y)
                for t in c.freedoms:
                    dq[z, t] = felt @ psi[t] + h @ alpha[t]  # (5)
                    dv[z, t] = felt @ chi[t] + h @ T[t].angular
                    M[z, t] = felt @ T[t]
            M[z, z] += z.rotor
        p, S = b.parent, Pose(r=o[b] - o[b.parent])  # (3)
        I[p] += I[b].to_parent(S)
        B[p] += B[b].to_parent(S)
        F[p] += S.to_parent(F[b])
    return dq, dv, M
