"""Forward dynamics by the Gibbs-Appell equations: inertia matrix, bias, and a solve, O(n^3) on a chain."""

from .composed import accelerations
from .gibbs_appell import gibbs_appell
from .gibbs_appell_inertia import gibbs_appell_inertia
from .resistance import bias


def gibbs_appell_forward(robot, q, v, tau):
    """a such that M(q) a + h(q, v) = tau.

        h = the forces of the motion without acceleration                                    (1)
        M a = tau - h, with M the Hessian of the Gibbs function                              (2)

    M is positive, so no pivots are sought. Where the paper has Cholesky's L L', here stands U D U' (`elimination`): as
    many products, no square roots, and as the tips are eliminated first the zeros of a tree's M stay zeros. Since M
    is formed, a is only as good as its condition times the rounding: see `articulated_body` for what is not.

    Source: mata2002, section 3: (2) is (17), where h = C - G; the words around it, C + G, have another sign.
    """
    h = bias(gibbs_appell)(robot, q, v)  # (1)
    return accelerations(robot, gibbs_appell_inertia(robot, q), h, tau)  # (2)
