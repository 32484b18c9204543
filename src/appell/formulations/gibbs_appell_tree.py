"""Trees branch by branch, with massless virtual links: the mass matrix, inverse and forward dynamics.

A tree is cut into its chains from the base to a tip. A link is real in the first chain that has it and massless,
virtual, in the others: so each branch is a serial robot, each link counts once, and what the branches have adds up.
A moving base is the first link of every branch, on a joint of its own.
"""

from .composed import accelerations
from .gibbs_appell_branch import forces, inertia_matrix
from .resistance import bias


def mass_matrix(robot, q):
    """M(q), the sum of the matrices of all branches, and the rotors.

        M = sum of M of the branches                    (1)

    Source: shafei2018, section 3.1.3 and step 7 of its appendix.
    """
    M = robot.matrix()
    for branch in robot.branches():
        part, freedoms = inertia_matrix(branch, q), list(branch.freedoms())
        for k, z in enumerate(freedoms):
            for t in freedoms[: k + 1]:
                M[z, t] += part[z, t]  # (1)
    for z in robot.freedoms():
        M[z, z] += z.rotor
    return M


def inverse_dynamics(robot, q, v, a):
    """tau such that M(q) a + h(q, v) = tau, the sum of the forces of all branches.

        tau = sum of dS/da + dV/dq of the branches      (2)

    Source: shafei2018, eqs (23)-(24) and section 3.1.3.
    """
    tau = robot.vector()
    for branch in robot.branches():
        part = forces(branch, q, v, a)
        for z in branch.freedoms():
            tau[z] += part[z]  # (2)
    return tau


def forward_dynamics(robot, q, v, tau):
    """a such that M(q) a + h(q, v) = tau.

        h = the forces of the motion without acceleration           (3)
        M a = tau - h                                               (4)

    Source: shafei2018, eqs (25) and (41)-(42).
    """
    h = bias(inverse_dynamics)(robot, q, v)  # (3)
    return accelerations(robot, mass_matrix(robot, q), h, tau)  # (4)
