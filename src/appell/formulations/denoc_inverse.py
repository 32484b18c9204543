"""The inverse mass matrix from the factors of the decoupled form, each entry explicit."""

from ..linalg import is_zero
from ..spatial import Articulated, Pose, Wrench


def denoc_inverse(robot, q):
    """The inverse of M(q): V' D^-1 V, with V = U^-1 of M = U D U'.

    With psi and m^ of each freedom, found as in forward dynamics by

        psi = M^ p / m^,    m^ = p . M^ p + rotor,    M^_p takes up A' (M^ - m^ psi psi') A      (1)

    the column of V at freedom j is what unit force along j leaves on its way to the base,

        V_jj = 1,    V_ij = -p_i . eta,    eta <- eta + psi_i V_ij,    eta_p = A' eta            (2)

    for i in the support of j, and 0 elsewhere. So, over all i that both j and k hang on,

        (M^-1)_jk = sum of V_ij V_ik / m^_i                                                      (3)

    Source: saha2010, section 2.4.2, where I^-1 = U^-T D^-1 U^-1 is said to be explicit; (1) is (19c), (19d).
    """
    X, M, psi, d = robot.slots(Pose), robot.slots(Articulated), robot.per_freedom(Wrench), robot.per_freedom()
    V, W = robot.table("nv", "nv"), robot.matrix()

    for b in robot.outward():
        X[b], M[b] = b.pose(q), Articulated.of_body(b.mass, b.first, b.second)
    for b in robot.inward():
        inertia = M[b]
        for z in reversed(b.freedoms):
            psi[z], d[z], inertia = inertia.through(z.twist, z.rotor)  # (1)
        M[b.parent] += inertia.to_parent(X[b])

    for b in robot.outward():
        for z in b.freedoms:
            eta = Wrench()
            for c in robot.support(b):
                for t in reversed(c.freedoms):
                    V[t, z] = (1 if t is z else 0) - eta @ t.twist  # (2)
                    eta += psi[t] * V[t, z]
                eta = X[c].to_parent(eta)

    for b in robot.outward():
        for i in b.freedoms:
            above = [z for z in robot.freedoms() if not is_zero(V[i, z])]
            for j, z in enumerate(above):
                for t in above[j:]:
                    W[z, t] += V[i, z] * V[i, t] * d[i]  # (3)
    return W
