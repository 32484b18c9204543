"""The natural orthogonal complement: the mass matrix, O(n^3), and forward dynamics."""

from ..spatial import Pose, Twist, Wrench
from .composed import accelerations
from .composites import Matter
from .kane import inertia_forces
from .still import Still


def natural_orthogonal_complement(robot, q):
    """M(q) = T' I T, where T makes the twists of all bodies from the speeds: t = T v.

    T is orthogonal to the constraints: no wrench by which joints constrain the bodies has power in T v, whatever v,
    and it is natural, as it comes of the bodies' velocities without solving for it. Its column of a freedom z holds
    the twists that a unit speed of z gives to its own body and to those beyond, c on p,

        T_bz = z,   T_cz = (R' e, R' (l + e x r)) with (e, l) = T_pz                    (1)

    With I the inertia of a body about its origin, for any freedom t that carries z, or of the same joint,

        M_zt = sum over z's body and all beyond  T_t . I T_z                            (2)

    Source: angeles1988a, derived from its principle, as mata2002 and saha2010 describe it. There about mass centres
    and with a square root of I, which massless links lack: M = (sqrt(I) T)' (sqrt(I) T).
    """
    return _projected(robot, complement(robot, q))


def forward_dynamics(robot, q, v, tau):
    """a such that M(q) a + h(q, v) = tau, by the natural orthogonal complement T.

    Newton's and Euler's equations of all bodies, with the joints' constraint wrenches and forces on the right, are

        I t. + wrench of v and gravity = wrenches of constraints + wrenches of tau

    where t = T v, so t. = T a + T. v. Times T' the constraints' wrenches are gone, tau stands alone, and with the
    wrench of each body for a = 0, which holds T. v,

        M a = tau - T' wrench,   M = T' I T                            (1)

    is solved by M = U D U'.

    Source: angeles1988a, derived from its principle, as mata2002 describes it; its wrenches are Kane's.
    """
    T, (_, wrench), h = complement(robot, q), inertia_forces(robot, q, v, Still()), robot.vector()
    for b in robot.outward():
        for z in b.freedoms:
            h[z] = 0
        for c in robot.support(b):
            for z in c.freedoms:
                h[z] += wrench[b] @ T[b, z]  # (1)
    return accelerations(robot, _projected(robot, T), h, tau)  # (1)


def complement(robot, q):
    """T, by body and freedom."""
    X, T = robot.slots(Pose), robot.per_pair(Twist)
    for b in robot.outward():
        X[b] = b.pose(q)
    for b in robot.outward():
        for z in b.freedoms:
            T[b, z] = z.twist  # (1)
            for c in robot.beyond(b):
                T[c, z] = X[c].from_parent(T[c.parent, z])  # (1)
    return T


def _projected(robot, T):
    """T' I T, with the rotors."""
    y, M = robot.per_pair(Wrench), robot.matrix()
    for b in robot.outward():
        matter = Matter(b.mass, b.first, b.second)
        for c in robot.support(b):
            for z in c.freedoms:
                y[b, z] = matter @ T[b, z]  # I T
    for b in robot.outward():
        for z in b.freedoms:
            for c in robot.support(b):
                for t in c.freedoms:
                    M[z, t] = y[b, z] @ T[b, t]  # (2)
                for d in robot.beyond(b):
                    for t in c.freedoms:
                        M[z, t] += y[d, z] @ T[d, t]  # (2)
            M[z, z] += z.rotor
    return M
