"""Any mechanism in any independent coordinates: M, C and g explicit in the Jacobians, without a recursion of their own.

With v = K u the velocities of rates u, and M a + h the forces of the tree, h = C v + g where nothing resists.
"""

from __future__ import annotations

from ..linalg import is_zero, solve
from ..orthogonal import dot
from . import cut_resistance
from .closed import ALL_FORCES, MASSES
from .coriolis import coriolis as of_tree
from .flowing import flowing
from .gibbs_appell import gibbs_appell
from .jet import Jet
from .reduction import Reduction, bonds, moving, written
from .still import ByPlace, Still

CORIOLIS = cut_resistance.coriolis(of_tree)


def inverse_dynamics(robot, q, u, du, closures, chosen):
    """The forces on the coordinates that bring about a motion.

        K' (M (K du + K. u) + h)          (1)

    Source: abedloo2014, for one machine.
    """
    K, v, bias = moving(robot, q, u, closures, chosen)
    a = ByPlace(K.motion([du[k] for k in range(len(K.own))], bias))
    return _felt(robot, K, ALL_FORCES(robot, q, v, a, closures))  # (1)


def bias(robot, q, u, closures, chosen):
    """The forces on the coordinates of a motion in which they do not accelerate."""
    return inverse_dynamics(robot, q, u, Still(), closures, chosen)


def gravity_forces(robot, q, closures, chosen):
    """g_r = K' g, the forces on the coordinates that hold the links at rest."""
    return _felt(robot, Reduction.of(robot, q, closures, chosen), gibbs_appell(robot, q, Still(), Still()))


def mass_matrix(robot, q, closures, chosen):
    """M_r = K' M K."""
    K = Reduction.of(robot, q, closures, chosen).basis()
    n, M = len(K), robot.table(len(K), len(K))
    for k, column in enumerate(_times(robot, MASSES(robot, q, closures), K)):
        for j in range(k, n):
            M[j, k] = M[k, j] = dot(K[j], column)
    return M


def coriolis(robot, q, u, closures, chosen):
    """C_r, of which C_r u are the forces of velocities.

        C_r = K' (C K + M K.),   W_d K._d = -W. K                    (1)

    where W are the coefficients of the equations and of the coordinates, and K. of a coordinate that is a freedom of
    the tree is 0. As M. - 2 C is skew, so is M_r. - 2 C_r.

    Source: abedloo2014, whose own C is not.
    """
    reduction, v, _ = moving(robot, q, u, closures, chosen)
    K, n = reduction.basis(), len(reduction.own)
    turning = [_rates(by) for _, by in bonds(robot, flowing(robot, q, v), Still(), closures, chosen)]
    dK = [reduction.motion([0] * n, [dot(row, column) for row in turning]) for column in K]
    CK, MdK = _times(robot, CORIOLIS(robot, q, v, closures), K), _times(robot, MASSES(robot, q, closures), dK)
    C = robot.table(n, n)
    for k, (one, two) in enumerate(zip(CK, MdK, strict=True)):
        for j in range(n):
            C[j, k] = dot(K[j], one) + dot(K[j], two)  # (1)
    return C


def forward_dynamics(robot, q, u, tau, closures, chosen):
    """The accelerations of the coordinates under forces on them, M_r du = tau - h_r."""
    M, h, n = mass_matrix(robot, q, closures, chosen), bias(robot, q, u, closures, chosen), len(chosen.coordinates)
    du = solve(M, {k: tau[k] - h[k] for k in range(n)}, range(n))
    return written(robot, [du[k] for k in range(n)])


def _felt(robot, K, t):
    """K' t, as an answer."""
    return written(robot, K.forces({z.index: t[z] for z in robot.freedoms()}))


def _times(robot, M, columns):
    """M times columns, each by places."""
    places = [z.index for z in robot.freedoms()]
    rows = {i: {j: x for j in places if not is_zero(x := M[i, j])} for i in places}
    for column in columns:
        yield {i: dot(row, column) for i, row in rows.items()}


def _rates(by):
    """How fast coefficients change that are jets."""
    return {z: x.first for z, x in by.items() if isinstance(x, Jet) and not is_zero(x.first)}
