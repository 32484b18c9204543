"""Loops of any joint as loops of none: half of a body on the loop's joint, welded to its other half. Exact.

Formats that can only weld and connect hold every loop so, and matter is nowhere lost: both halves have the same shape.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from ..model.graph import turned_round
from ..model.mechanism import Body, Configuration, Inertia, Joint, Loop, Mechanism
from .graph import free
from .matter import Matter, placed
from .turns import HERE, seen_from

BASE = "base"


def halved(mechanism: Mechanism, kinds: Collection[str]) -> Mechanism:
    """The mechanism with its loops of these kinds so; the halves are its last bodies."""
    bodies, loops = {b.name: b for b in mechanism.bodies}, []
    taken = {*bodies, BASE, *(f.name for f in mechanism.frames)}
    for x in mechanism.loops:
        if x.joint.type not in kinds:
            loops.append(x)
            continue
        x = _turned(x) if x.body_b == BASE else x
        other = bodies[x.body_b] = _times(bodies[x.body_b], 0.5)
        weight = placed(seen_from(x.placement_b, HERE), Matter(other.mass, other.com, other.inertia))
        name = free(f"{x.name}/half", taken)
        taken.add(name)
        joint = replace(x.joint, name=f"{x.name}/joint")
        bodies[name] = Body(name, x.body_a, joint, x.placement_a, weight.mass, weight.com, weight.inertia)
        loops.append(Loop(x.name, Joint(x.name, "fixed"), name, x.body_b, HERE, x.placement_b))
    return replace(mechanism, bodies=tuple(bodies.values()), loops=tuple(loops))


def _turned(x: Loop) -> Loop:
    """The loop from its other end."""
    return Loop(x.name, turned_round(x.joint), x.body_b, x.body_a, x.placement_b, x.placement_a)


def _times(b: Body, k: float) -> Body:
    return replace(b, mass=k * b.mass, inertia=Inertia(*(k * x for x in vars(b.inertia).values())))


class Parts(NamedTuple):
    """What of a mechanism halves belong to."""

    bodies: tuple[Body, ...]
    loops: tuple[Loop, ...]
    configurations: tuple[Configuration, ...]


def whole(parts: Parts, joints: Mapping[str, Joint]) -> Parts:
    """The parts with the halves of some loops where they were, and their joints in the loops again."""
    bodies, loops = {b.name: b for b in parts.bodies}, {x.name: x for x in parts.loops}
    gone: set[str] = set()
    for name, joint in reversed(list(joints.items())):
        weld = loops[name]
        links = _links(weld.body_a, bodies)
        gone |= {bodies[x].joint.name for x in links}
        removed = [bodies.pop(x) for x in links]
        first = removed[-1]
        bodies[weld.body_b] = _times(bodies[weld.body_b], 2.0)
        loops[name] = Loop(name, joint, first.parent, weld.body_b, first.placement, weld.placement_b)
    return Parts(tuple(bodies.values()), tuple(loops.values()), tuple(_without(parts.configurations, gone)))


def _links(last: str, bodies: Mapping[str, Body]) -> list[str]:
    """A body, and the links before it that are its own joints."""
    found = [last]
    while bodies[found[-1]].parent.startswith(f"{last}/"):
        found.append(bodies[found[-1]].parent)
    return found


def _without(given: Iterable[Configuration], gone: set[str]) -> Iterable[Configuration]:
    for c in given:
        yield replace(c, joints=tuple(x for x in c.joints if x[0] not in gone))
