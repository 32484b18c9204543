"""Closed mechanisms: accelerations and forces of constraint together, whatever the rank of the constraints."""

from __future__ import annotations

from ..linalg import WEIGHT, Bound
from . import cut_resistance, resistance
from .composite_body import composite_body
from .equations import equations
from .gibbs_appell import gibbs_appell
from .still import Still
from .world import World

ALL_FORCES = cut_resistance.inverse(resistance.inverse(gibbs_appell))
BIAS = cut_resistance.bias(resistance.bias(gibbs_appell))
MASSES = cut_resistance.mass_matrix(composite_body)


def constraints(robot, q, v, closures):
    """(g, A, c): how far each equation is from closed, and A v = 0, A a + c = 0 for motions that keep it so."""
    found = list(equations(World(robot), q, v, closures))
    m = len(found)
    g, A, c = robot.table(m), robot.table(m, "nv"), robot.table(m)
    for k, (value, _, second, by) in enumerate(found):
        g[k], c[k] = value, second
        for z, x in by.items():
            A[k, z] = x
    return g, A, c


def forward_dynamics(robot, q, v, tau, closures, weight=WEIGHT):
    """(a, f) such that every loop stays closed, and f is what closes it: M a + h = tau + A' f, A a + c = 0.

    Source: bayo1988, the augmented equations; here with rounds that refine.
    """
    h = BIAS(robot, q, v, closures)
    found = list(equations(World(robot), q, v, closures))
    order = [z.index for z in robot.freedoms()]
    bound = Bound.of(MASSES(robot, q, closures), [by for *_, by in found], order, weight)
    forces = {z.index: tau[z] - h[z] for z in robot.freedoms()}
    x, f = bound.solve(forces, [-c for _, _, c, _ in found])
    return _written(robot, x, f)


def accelerations(robot, q, v, tau, closures, weight=WEIGHT):
    """The accelerations alone.

    Source: bayo1988, the augmented equations; here with rounds that refine.
    """
    return forward_dynamics(robot, q, v, tau, closures, weight)[0]


def response(robot, q, b, s, closures):
    """(x, f) such that M x = b + A' f and A x = s: what an impulse b does, or the shortest way to change A x by s.

    Source: bayo1988, the augmented equations; here with rounds that refine.
    """
    order = [z.index for z in robot.freedoms()]
    rows = [by for *_, by in equations(World(robot), q, Still(), closures)]
    bound = Bound.of(MASSES(robot, q, closures), rows, order)
    x, f = bound.solve({k: b[k] for k in order}, [s[k] for k in range(len(rows))])
    return _written(robot, x, f)


def freedoms(robot, q, w, closures):
    """How many freedoms the equations leave, weighed by w: a part of one more where they hardly bind in a direction.

    Source: bayo1988, the augmented equations.
    """
    order = [z.index for z in robot.freedoms()]
    rows = [by for *_, by in equations(World(robot), q, Still(), closures)]
    count = robot.table(1)
    count[0] = Bound.weighed(MASSES(robot, q, closures), rows, [w[k] for k in range(len(rows))], order).freedoms
    return count


def _written(robot, x, f):
    a, forces = robot.vector(), robot.table(len(f))
    for z in robot.freedoms():
        a[z] = x[z.index]
    for k, y in enumerate(f):
        forces[k] = y
    return a, forces
