"""Which way round joints are closed: their equations are also met by axes that point against each other."""

from __future__ import annotations

from collections.abc import Iterator

from ..vec import cross
from .closure import NONE, Closure, Row
from .cut_joint import AXES, seen
from .equations import columns
from .world import World

TILTED = ("revolute", "prismatic", "cylindrical", "helical", "planar", "fixed")
TURNED = ("prismatic", "fixed")


def senses(robot, q, closures):
    """(s, S): zeros where axes meet the right way round, else up to 2 (for a screw, times its pitch); their slopes.

    With the axes of b seen from a, and p from a to b,

        axes             s = 1 - z_b . z                   (1)
        turn             s = 1 - x_b . x                   (2)
        screw            s = h (1 - cos(p_z / h - turn))   (3)

    Source: nikravesh1988, the kinematics of joints.
    """
    world = World(robot)
    for _ in world.outward(q):
        pass
    bound = [closure for closure in closures if isinstance(closure, Closure)]
    found = [(closure, row) for closure in bound for row in ways(world, closure)]
    s, S = robot.table(len(found)), robot.table(len(found), "nv")
    for k, (closure, row) in enumerate(found):
        s[k] = row.value
        for z, t in columns(world, closure, world.o[closure.b.link] + world.arm(closure.b)):
            S[k, z] = row.force @ t.linear + row.moment @ t.angular
    return s, S


def count(closures) -> int:
    """How many senses there are."""
    kinds = [c.kind for c in closures if isinstance(c, Closure)]
    return sum((k in TILTED) + (k in TURNED) + (k == "helical") for k in kinds)


def ways(world, closure) -> Iterator[Row]:
    """The senses of one closure, in its world."""
    p, x, z = seen(world, closure.a, closure.b)
    R, B = (world.R[place.link] @ place.R for place in (closure.a, closure.b))
    k, X, Z = [R @ e for e in AXES], B @ AXES[0], B @ AXES[2]
    if closure.kind in TILTED:
        yield Row(1 - z.z.value, 0, 0, NONE, cross(k[2], Z))  # (1)
    if closure.kind in TURNED:
        yield Row(1 - x.x.value, 0, 0, NONE, cross(k[0], X))  # (2)
    if closure.kind == "helical":
        h = closure.pitch
        s, c = (p.z * (1 / h)).sin().value, (p.z * (1 / h)).cos().value
        moment = (cross(k[0], X) * c + cross(k[1], X) * s) * h
        yield Row((1 - c * x.x.value - s * x.y.value) * h, 0, 0, k[2] * (s * x.x.value - c * x.y.value), moment)  # (3)
