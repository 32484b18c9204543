"""Trees branch by branch: inertia matrix and right-hand side, and what follows from them."""

from .composed import accelerations
from .gibbs_appell_branch import inertia_matrix, right_hand_side


def of_links(robot, q):
    """The inertia matrix of the links: those of all branches, added up.

    A tree is cut into its chains from the base to a tip. A link is real in the first of them and massless in the
    others, so each branch is a serial robot, and each link counts once:

        M = sum of the branches' M                      (1)

    Source: shafei2018, section 3.1.3. A moving base is the first link of every branch, on a joint of its own.
    """
    M = robot.matrix()
    for branch in robot.branches():
        part, freedoms = inertia_matrix(branch, q), list(branch.freedoms())
        for k, z in enumerate(freedoms):
            for t in freedoms[: k + 1]:
                M[z, t] += part[z, t]  # (1)
    return M


def right_side(robot, q, v):
    """The right-hand side without joint forces: those of all branches, added up.

        R = sum of the branches' R                      (2)

    Source: shafei2018, section 3.1.3.
    """
    right = robot.vector()
    for branch in robot.branches():
        part = right_hand_side(branch, q, v)
        for z in branch.freedoms():
            right[z] += part[z]  # (2)
    return right


def mass_matrix(robot, q):
    """M(q), rotors included."""
    M = of_links(robot, q)
    for z in robot.freedoms():
        M[z, z] += z.rotor
    return M


def inverse_dynamics(robot, q, v, a):
    """tau such that M(q) a + h(q, v) = tau: the Gibbs-Appell equations of all branches, dS/da + dV/dq = tau.

        tau = M a - R                                   (3)

    Source: shafei2018, eqs (23)-(24).
    """
    M, right, tau = of_links(robot, q), right_side(robot, q, v), robot.vector()
    for z in robot.freedoms():
        needed = -right[z]
        for t in robot.freedoms():
            needed += M[z, t] * a[t]  # (3)
        tau[z] = needed
    return tau


def forward_dynamics(robot, q, v, tau):
    """a such that M(q) a + h(q, v) = tau.

        M a = tau + R                                   (4)

    Source: shafei2018, eq (25).
    """
    right = right_side(robot, q, v)
    free = {z.index: tau[z] + right[z] for z in robot.freedoms()}  # (4)
    return accelerations(robot, mass_matrix(robot, q), free)
