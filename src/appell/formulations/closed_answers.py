"""Closed mechanisms: what forces do to accelerations, given accelerations, and derivatives of accelerations."""

from __future__ import annotations

from ..linalg import WEIGHT, Bound, is_zero
from . import cut_resistance, resistance
from .closed import BIAS, MASSES, forward_dynamics
from .derivatives import inverse_dynamics_derivatives as of_tree
from .equations import equations
from .flowing import flowing
from .jet import Jet, jet
from .still import ByPlace, Still
from .world import World

DERIVATIVES = resistance.derivatives(of_tree)
CUT_FORCES = cut_resistance.inverse(lambda robot, q, v, a: robot.vector())


def inverse_mass_matrix(robot, q, closures, weight=WEIGHT):
    """W, the accelerations W tau that forces bring about while loops stay closed: singular, as loops hold the rest.

    Source: bayo1988, the augmented equations.
    """
    order = [z.index for z in robot.freedoms()]
    rows = [by for *_, by in equations(World(robot), q, Still(), closures)]
    bound, W = Bound.of(MASSES(robot, q, closures), rows, order, weight), robot.table("nv", "nv")
    for z in order:
        x, _ = bound.solve({t: int(t == z) for t in order}, [0] * len(rows))
        for t in order:
            W[t, z] = x[t]
    return W


def hybrid_dynamics(robot, q, v, a, tau, closures, weight=WEIGHT):
    """(a, tau) where some freedoms have given accelerations and the others given forces, with loops closed.

    A given acceleration is one more equation, and its force what closes it:

        M a + h = tau + A' f + E' g,   A a + c = 0,   E a = given          (1)

    Source: bayo1988, the augmented equations.
    """
    h, order = BIAS(robot, q, v, closures), [z.index for z in robot.freedoms()]
    held = [z.index for z in robot.freedoms() if robot.is_prescribed(z)]
    found = list(equations(World(robot), q, v, closures))
    rows = [*(by for *_, by in found), *({z: 1} for z in held)]
    wanted = [*(-c for _, _, c, _ in found), *(a[z] for z in held)]
    free = {z: (0 if z in held else tau[z]) - h[z] for z in order}
    x, f = Bound.of(MASSES(robot, q, closures), rows, order, weight).solve(free, wanted)  # (1)
    moves, forces, given = robot.vector(), robot.vector(), dict(zip(held, f[len(found) :], strict=True))
    for z in order:
        moves[z], forces[z] = x[z], given.get(z, tau[z])
    return moves, forces


def forward_dynamics_derivatives(robot, q, v, tau, closures, weight=WEIGHT):
    """The derivatives of a by q (along the tangent, in body axes), by v, and by tau.

    Along any motion of a state on the loops, with e the change along a freedom of q or v,

        M da - A' df = dtau - ID_e + A_e' f,   A da = -(A_e a + c_e)       (1)

    with the derivatives ID_e of the tree's inverse dynamics at the accelerations a, and A_e, c_e of the equations.

    Source: carpentier2018, there without loops.
    """
    order = [z.index for z in robot.freedoms()]
    solution, sizes = forward_dynamics(robot, q, v, tau, closures, weight)
    a = ByPlace({z: solution[z] for z in order})
    found = list(equations(World(robot), q, v, closures))
    f, rows = [sizes[k] for k in range(len(found))], [by for *_, by in found]
    bound, tables = Bound.of(MASSES(robot, q, closures), rows, order, weight), DERIVATIVES(robot, q, v, a)
    results = robot.table("nv", "nv"), robot.table("nv", "nv")
    for e in order:
        for (x, y), table, result in zip(_along(robot, q, v, e), tables, results, strict=False):
            felt, wanted = _changes(robot, x, y, a, f, closures)
            da, _ = bound.solve({z: felt[z] - table[z, e] for z in order}, wanted)  # (1)
            for z in order:
                result[z, e] = da[z]
    return *results, inverse_mass_matrix(robot, q, closures, weight)


def inverse_dynamics_derivatives(robot, q, v, a, closures):
    """Derivatives of the forces in all joints of the tree, with what resists in cut joints, by q, v and a."""
    dq, dv, _ = DERIVATIVES(robot, q, v, a)
    for e in [z.index for z in robot.freedoms()]:
        for table, (x, y) in zip((dq, dv), _along(robot, q, v, e), strict=True):
            cut = CUT_FORCES(robot, x, y, a, closures)
            for z in robot.freedoms():
                table[z, e] += jet(cut[z]).first
    return dq, dv, MASSES(robot, q, closures)


def _along(robot, q, v, e):
    """The state moving along a freedom of q, and along one of v; all of it in jets, which mix with nothing else."""
    still = ByPlace({z.index: Jet(v[z]) for z in robot.freedoms()})
    speeds = ByPlace({z.index: Jet(v[z], int(z.index == e)) for z in robot.freedoms()})
    return (flowing(robot, q, ByPlace({e: 1})), still), (flowing(robot, q, Still()), speeds)


def _changes(robot, q, v, a, f, closures):
    """A_e' f less what cut joints take more, and -(A_e a + c_e), for a state in jets."""
    cut = CUT_FORCES(robot, q, v, a, closures)
    felt, wanted = {z.index: -jet(cut[z]).first for z in robot.freedoms()}, []
    for k, (_, _, c, by) in enumerate(equations(World(robot), q, v, closures)):
        change = {z: x.first for z, x in by.items() if isinstance(x, Jet) and not is_zero(x.first)}
        felt |= {z: felt[z] + x * f[k] for z, x in change.items()}
        wanted.append(-(jet(c).first + sum(x * a[z] for z, x in change.items())))
    return felt, wanted
