"""Closed mechanisms by what drives them: inverse and forward dynamics, in whatever way all joints follow the driven.

A way is made in one configuration. Its `rates` are those of all joints from those of the driven, with what velocities
add to accelerations, `adds`; its `driving` what drives must give for the forces of all joints.
"""

from ..linalg import solve
from .denoc import denoc
from .denoc_matrices import generalised_inertia
from .resistance import inverse
from .still import Still

ALL_FORCES = inverse(denoc)


def inverse_dynamics(robot, q, v, a, way):
    """(tau, v, a): the forces of drives that bring about a motion, and the motion of all joints.

    Of the velocities and accelerations given, only those of driven joints are asked for. With the velocities N v of
    all joints, the tree's DeNOC matrices Nl and Nd, and its w* = M t. + W M E t,

        v = N v,   a = N a + dN v                                      (1)
        tau = N' (Nd' Nl' w*)                                          (2)

    Source: saha2010, section 3.4, which leaves it at the word that all is as for serial chains.
    """
    at = way(robot, q)
    u = at.rates(v)
    du = at.rates(a, at.adds(u))  # (1)
    tau, forces = robot.table(len(at.driven)), at.driving(ALL_FORCES(robot, q, u, du))  # (2)
    for n, k in enumerate(at.driven):
        tau[n] = forces[k]
    return tau, u, du


def forward_dynamics(robot, q, v, tau, way):
    """The accelerations of all joints for forces in all of them.

    With N from the driven joints to all, M and h of the tree, and h for driven joints without acceleration,

        I = N' M N,   I a = N' (tau - h)                               (1)

    Source: saha2010, section 3.4, which leaves it at the word that all is as for serial chains.
    """
    at = way(robot, q)
    u = at.rates(v)
    adds = at.adds(u)
    h, phi = ALL_FORCES(robot, q, u, at.rates(Still(), adds)), robot.vector()
    for z in robot.freedoms():
        phi[z] = tau[z] - h[z]
    M, N, I = generalised_inertia(robot, q), {k: at.rates(Unit(k)) for k in at.driven}, {}
    for n, k in enumerate(at.driven):
        flow = {z: sum(M[z, t] * N[k][t] for t in robot.freedoms()) for z in robot.freedoms()}
        for j in at.driven[: n + 1]:
            I[j, k] = sum(x * N[j][z] for z, x in flow.items())
    return at.rates(solve(I, at.driving(phi), at.driven), adds)  # (1)


class Unit:
    """Rates that are 1 in one driven joint and 0 in the others."""

    def __init__(self, one):
        self.one = one

    def __getitem__(self, k):
        return 1 if k == self.one else 0
