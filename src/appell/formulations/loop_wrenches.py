"""What loops and constraints do to the links that they bind."""

from ..linalg import is_zero
from ..orthogonal import Orthogonal, transposed
from ..spatial import Wrench
from ..vec import cross
from .closed import ALL_FORCES
from .closure import Closure, Coupled
from .coordinates import Cut, columns_of
from .cut_freedom import cut_freedoms
from .equations import equations, resolved, rows_of
from .joint_wrenches import of_tree
from .resistance import resistance
from .still import ByPlace
from .world import World


def of_closed(robot, q, v, a, u, closures, motors, others):
    """(tree, bonds): as of a tree; and of every loop and constraint what b gets of a, in b's axes about its origin.

    With forces u of motors, B u on the freedoms of the tree, the sizes of what the equations hold back are

        A' f = M a + h - B u, the least that will do                                           (1)

    and along its own freedoms a cut joint gives what its motors do, less what friction, spring and rotor take     (2)

    Source: nikravesh1988, where multipliers are reactions.
    """
    forces, world = ALL_FORCES(robot, q, v, a, closures), World(robot)
    left = {z.index: forces[z] for z in robot.freedoms()}
    for k, column in enumerate(columns_of(robot, q, closures, motors)):
        left |= {z: left[z] - x * u[k] for z, x in column.items() if not is_zero(x)}
    rows = [by for *_, by in equations(world, q, v, closures)]
    f = Orthogonal.of(transposed(rows, others), others).least(left)  # (1)
    own = {x: u[k] for k, x in enumerate(motors) if isinstance(x, Cut)}
    carried, bonds, first = robot.slots(Wrench), robot.table(len(closures), 6), 0
    for k, closure in enumerate(closures):
        if isinstance(closure, Coupled):
            first += 1
            continue
        x, held = rows_of(world, closure)
        pushes = [(row, f.get(first + j, 0)) for j, row in enumerate(held)] + _driven(world, closure, k, a, own)  # (2)
        first += len(held)
        force = _sum(row.force * y for row, y in pushes)
        moment = _sum(row.moment * y for row, y in pushes)
        _bear(world, carried, closure, x, force, moment)
        R, o = world.R[closure.b.link] @ closure.b.R, world.o[closure.b.link] + world.arm(closure.b)
        about = R.T @ (moment + cross(x - o, force))
        for j, entry in enumerate((*(R.T @ force), *about)):
            bonds[k, j] = entry
    return of_tree(robot, q, v, a, carried), bonds


def _driven(world, closure, k, a, own):
    """The freedoms of a cut joint, each with the force along it."""
    if not isinstance(closure, Closure):
        return []
    x = world.o[closure.b.link] + world.arm(closure.b)
    free, found = cut_freedoms(world, closure), []
    for j, (row, (value, rate, bias, by)) in enumerate(zip(free, resolved(world, closure, x, free), strict=True)):
        push = own.get(Cut(k, j), 0)
        if closure.freedoms:
            z = closure.freedoms[j]
            moved = bias + sum(y * a[t] for t, y in by.items() if not is_zero(y))
            push = push - resistance(z, ByPlace({0: value}), ByPlace({0: rate})) - z.rotor * moved
        found.append((row, push))
    return found


def _bear(world, carried, closure, x, force, moment):
    """A wrench at x on link b, and against it on link a, in the links' axes about their origins."""
    for place, way in ((closure.b, 1), (closure.a, -1)) if isinstance(closure, Closure) else ((closure.b, 1),):
        R, about = world.R[place.link], moment + cross(x - world.o[place.link], force)
        if place.link:
            carried[place.link] = carried[place.link] + Wrench(R.T @ about, R.T @ force) * way


def _sum(vectors):
    total = next(vectors)
    for x in vectors:
        total = total + x
    return total
