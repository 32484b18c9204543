"""What every joint carries: the wrenches between the bodies of a mechanism, cut joints or not."""

from __future__ import annotations

from ..spatial import Wrench
from ..vec import cross
from .closure import Coupled
from .driven import ALL_FORCES
from .equations import rows_of
from .kane import inertia_forces
from .world import World


def reactions(robot, q, v, a, f, closures):
    """The wrench that every link gets through its joint, and that every loop puts on its body b against its body a.

    With the wrench w* that the motion of a body takes, less what acts on it from outside, cut joints included, from
    the tips to the base

        w = w*,    w_p takes up A' w                                  (1)

    Along the joint's freedoms w has the force of the drive. Of a loop, whose equation k has the force f_k,

        w = sum of f_k and the unit wrench of the equation            (2)

    Links: force and moment in the link's axes, about its origin. Loops: in the base's axes, about the origin of their
    place b.

    Source: saha2010, section 4, whose body-level recursion this is.
    """
    (X, w), world = inertia_forces(robot, q, v, a), World(robot)
    for _ in world.outward(q):
        pass
    through, cut, k = robot.table(robot.tree.n, 6), robot.table(len(closures), 6), 0
    for n, closure in enumerate(closures):
        if isinstance(closure, Coupled):
            k += 1
            continue
        x, rows = rows_of(world, closure)
        total = Wrench()
        for row in rows:
            total += Wrench(row.moment, row.force) * f[k]  # (2)
            k += 1
        _row(cut, n, total)
        for place, sense in ((closure.b, 1), (getattr(closure, "a", None), -1)):
            if place is not None:
                w[place.link] -= _on(world, place.link, total * sense, x)
    for b in robot.inward():
        _row(through, b.index - 1, w[b])
        w[b.parent] += X[b].to_parent(w[b])  # (1)
    return through, cut


def loads(robot, q, v, a, way, closures):
    """(tau, through, f, cut): the forces of drives, what every joint carries, and, where there are any, the forces of
    equations and what loops carry, subsystem by subsystem; of v and a those of driven joints are asked for.

    Source: saha2010, section 4: its recursion over subsystems, then over bodies.
    """
    at = way(robot, q)
    u = at.rates(v)
    du = at.rates(a, at.adds(u))
    push, known = at.solved(ALL_FORCES(robot, q, u, du))
    tau, f = robot.table(len(at.driven)), robot.table(len(at.rows))
    for n, k in enumerate(at.driven):
        tau[n] = push[k]
    for k, x in known.items():
        f[k] = x
    through, cut = reactions(robot, q, u, du, f, closures)
    return (tau, through, f, cut) if closures else (tau, through)


def _on(world, link, wrench, x) -> Wrench:
    """A wrench at a point, in a link's axes about its origin."""
    R, arm = world.R[link].T, x - world.o[link]
    return Wrench(R @ (wrench.moment + cross(arm, wrench.force)), R @ wrench.force)


def _row(table, n, wrench) -> None:
    for j, value in enumerate((*wrench.force, *wrench.moment)):
        table[n, j] = value
