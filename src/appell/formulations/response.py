"""What contacts answer, in the walls' own measures: how gaps bend, and what pushes along the walls' slopes."""

from __future__ import annotations

from ..linalg import is_zero, solve
from ..scalar import sqrt
from ..vec import Vec3
from .composed import factors
from .composite_body import composite_body
from .edge import at_start, reaching
from .jet import Jet
from .meeting import gap_of, steepest
from .touch import Stop, columns, seen
from .world import World


def closing(robot, q, v, a, t, contacts):
    """(g.., s) of every contact: the second derivative of its gap in a motion, and its slope in space, 1 per metre if
    the wall measures in metres."""
    world, bend, steep = World(robot), robot.table(len(contacts)), robot.table(len(contacts))
    for _ in world.outward(q, v, a):
        pass
    for k, c in enumerate(contacts):
        if isinstance(c, Stop):
            bend[k], steep[k] = a[c.freedom] * c.way, 1
        else:
            _, slope = reached(world, c, t[0])
            bend[k], steep[k] = gap_of(world, c, t[0]).second, sqrt(slope @ slope)
    return bend, steep


def response(robot, q, t, held, b, contacts):
    """(f, dv, w): what pushes on the contacts that are held (1, or 0) so that b is gone there.

    With J the slopes of the gaps by v, H = diag(held) and M = U D U',

        Y = U^-1 J'                                   (1)
        (H Y' D^-1 Y H + (1 - H)^2) f = -H b          (2)
        dv = M^-1 J' f = U'^-1 D^-1 Y f               (3)
        w = b + J dv = b + Y' D^-1 Y f                (4)

    Source: shafei2018, (45) and (46), solved for the impulses.
    """
    m, world, M = len(contacts), World(robot), factors(robot, composite_body(robot, q))
    for _ in world.outward(q):
        pass
    Y = [M.without_upper(slopes(robot, world, c, t[0])) for c in contacts]  # (1)
    DY = [{z: y if is_zero(y) else y * M.inverse_pivots[z] for z, y in row.items()} for row in Y]
    A = {(k, n): _product(DY[k], Y[n]) for k in range(m) for n in range(m) if k <= n}
    A |= {(n, k): x for (k, n), x in A.items()}
    B = {(k, n): x * held[k] * held[n] + ((1 - held[k]) * (1 - held[k]) if k == n else 0) for (k, n), x in A.items()}
    push = solve(B, {k: -(held[k] * b[k]) for k in range(m)}, range(m))  # (2)
    moved = M.without_lower({z: sum(DY[k][z] * push[k] for k in range(m)) for z in M.order})  # (3)
    f, dv, w = robot.table(m), robot.vector(), robot.table(m)
    for z in robot.freedoms():
        dv[z] = moved[z.index]
    for k in range(m):
        f[k], w[k] = push[k], b[k] + sum(A[k, n] * push[n] for n in range(m))  # (4)
    return f, dv, w


def slopes(robot, world, contact, t):
    """How every freedom changes a gap, by its place; structural zeros where it does not."""
    row = {z.index: 0 for z in robot.freedoms()}
    if isinstance(contact, Stop):
        row[contact.freedom] = contact.way
        return row
    r, slope = reached(world, contact, t)
    normal = world.R[contact.carrier.link] @ (contact.carrier.R @ slope)
    for z, column in columns(world, contact, world.o[contact.point.link] + r):
        row[z.index] = normal @ column
    return row


def reached(world, contact, t):
    """From its link's origin to what is nearest to the wall; the gap's slope there, in the wall's axes."""
    r = world.arm(contact.point) if contact.curve is None else at_start(reaching(world, contact, t)[0])
    return r, Vec3(*(s.value for s in steepest(contact, seen(world, contact, r), Jet(t))))


def _product(x, y):
    return sum(x[z] * y[z] for z in x if not is_zero(x[z]) and not is_zero(y[z]))
