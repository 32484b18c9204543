"""Forward dynamics by the Gibbs-Appell equations: inertia matrix, bias, and a solve, O(n^3)."""

from .composed import accelerations
from .gibbs_appell import gibbs_appell
from .gibbs_appell_inertia import gibbs_appell_inertia
from .resistance import bias


def gibbs_appell_forward(robot, q, v, tau):
    """a such that M(q) a + h(q, v) = tau.

        h = the forces of the motion without acceleration                                    (1)
        M a = tau - h, with M the Hessian of the Gibbs function                              (2)

    M is positive, so no pivots are sought. Where the paper solves by Cholesky's L L', here stands U D U' of
    `linalg`: the same products and sums without n square roots, and with the tips eliminated first a tree's zeros
    stay zeros. M is formed, so in single precision a is good to its condition times the rounding, as always then.

    Source: mata2002, section 3: (1) and (2) are (17) and (18), with the sign of G that both of them have.
    """
    h = bias(gibbs_appell)(robot, q, v)  # (1)
    free = {z.index: tau[z] - h[z] for z in robot.freedoms()}
    return accelerations(robot, gibbs_appell_inertia(robot, q), free)  # (2)
