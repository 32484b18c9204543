"""How far contacts are from closing, and how that changes."""

from __future__ import annotations

from .meeting import at_wall, gap_of, met_at
from .still import Still
from .touch import Stop, at_stop, columns
from .world import World


def gaps(robot, q, v, t, contacts):
    """(g, g.): the gap of every contact and its rate, in the wall's own measure."""
    world, g, rate = World(robot), robot.table(len(contacts)), robot.table(len(contacts))
    for _ in world.outward(q, v):
        pass
    for k, c in enumerate(contacts):
        gap = at_stop(c, q, v) if isinstance(c, Stop) else gap_of(world, c, t[0])
        g[k], rate[k] = gap.value, gap.first
    return g, rate


def touching(robot, q, v, t, contacts):
    """(g, g., c, J, n, u, d) of every contact, in metres. Where it stays closed, g.. = J a + c; n is the wall's unit
    normal, u the velocity of the point against the wall's matter and d that part of its acceleration that does not
    depend on a, all in the world.

    J is n' times the Jacobian of u                          (1)

    Source: pfeiffer1996, the kinematics of contacts.
    """
    m, world = len(contacts), World(robot)
    g, rate, c, J = robot.table(m), robot.table(m), robot.table(m), robot.table(m, "nv")
    n, u, d = robot.table(m, 3), robot.table(m, 3), robot.table(m, 3)
    for _ in world.outward(q, v, Still()):
        pass
    for k, contact in enumerate(contacts):
        if isinstance(contact, Stop):
            gap = at_stop(contact, q, v)
            J[k, contact.freedom] = contact.way
        else:
            gap, normal, *motion, r = at_wall(world, contact, t[0])
            for axis, parts in enumerate(zip(normal, *motion, strict=True)):
                n[k, axis], u[k, axis], d[k, axis] = parts
            for z, column in columns(world, contact, world.o[contact.point.link] + r):
                J[k, z] = normal @ column  # (1)
        g[k], rate[k], c[k] = gap.value, gap.first, gap.second
    return g, rate, c, J, n, u, d


def sliding(robot, q, t, contacts):
    """The Jacobian by v of every contact's u: the velocity of matter against the wall's matter, in the world."""
    world, S = World(robot), robot.table(len(contacts), 3, "nv")
    for _ in world.outward(q):
        pass
    for k, contact in enumerate(contacts):
        for z, column in () if isinstance(contact, Stop) else columns(world, contact, met_at(world, contact, t[0])):
            for axis, x in enumerate(column):
                S[k, axis, z] = x
    return S
