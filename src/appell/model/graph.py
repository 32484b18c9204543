"""Mechanisms as graphs: bodies, and joints between any two of them. The spanning tree is chosen here.

The joints that are cut leave as few equations as possible; among equals those stay in the tree that are asked for,
then those with friction, springs, rotors or limits, then those that come first. A body gets the frame of the joint
that carries it, so that coordinates mean what the joint says: its frame on `body_b` seen from that on `body_a`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ..errors import ModelError, unknown
from . import configurations, loops, parts, reading
from .joints import RESISTANCES, WIDTHS, check_joint
from .loops import Loop
from .mechanism import Mechanism
from .parts import Body, Frame, Inertia, Joint, Placement
from .reading import refuse, shown

Array = np.ndarray[Any, Any]
TURNED_ROUND = ("revolute", "prismatic", "helical", "cylindrical", "universal", "fixed")
ENDS = ("body_a", "body_b")
PLACES = ("placement_a", "placement_b")
HERE = Placement()


@dataclass(frozen=True)
class Edge:
    """A joint between two bodies, with its frame on each."""

    joint: Joint
    ends: tuple[str, str]
    places: tuple[Placement, Placement]

    @property
    def equations(self) -> int:
        """How many it leaves if it is cut."""
        return 6 - WIDTHS[self.joint.type][1]

    def carries(self, outer: str) -> Hung:
        """How one of its bodies hangs on the other."""
        if outer == self.ends[1]:
            return Hung(self.ends[0], self.joint, *self.places)
        return Hung(self.ends[1], turned_round(self.joint), *self.places[::-1])


@dataclass(frozen=True)
class Hung:
    """How a body hangs on its parent: by a joint, with its frame on the parent and on the body."""

    parent: str
    joint: Joint
    on_parent: Placement
    on_body: Placement


def mechanism(data: Any, keep: Iterable[str] = ()) -> Mechanism:
    """A mechanism from a graph in plain data; `keep` names joints that should not be cut."""
    optional = ("frames", "constraints", "configurations")
    d = reading.mapping(data, "graph", ("name", "gravity", "bodies", "joints"), optional)
    name = reading.name(d, "name", "graph")
    where = f"graph {name!r}"
    given = [_body(x) for x in reading.sequence(d, "bodies", where)]
    bodies = {b.name: b for b in given}
    _check_names("body", ["base", *(b.name for b in given)], where)
    edges = [_edge(x, bodies, where) for x in reading.sequence(d, "joints", where)]
    _check_names("joint", [e.joint.name for e in edges], where)
    tree, cut = spanning(list(bodies), edges, tuple(keep), where)
    moved = {"base": HERE, **{n: hung.on_body for n, hung in tree.items()}}
    made = tuple(_carried(bodies[n], tree[n], moved) for n in bodies)
    closed = tuple(_loop(e, moved) for e in cut)
    rest: dict[str, Any] = {
        key: tuple(map(part, reading.sequence(d, key, where))) for key, part in _REST.items() if key in d
    }
    frames = _frames(rest.pop("frames", ()), moved)
    return Mechanism(name, reading.vector(d, "gravity", where), made, frames, closed, **rest)


_REST: dict[str, Any] = {
    "frames": parts.frame, "constraints": loops.constraint, "configurations": configurations.configuration,
}  # fmt: skip


def _body(data: Any) -> Body:
    """A body, on no joint yet, in its own frame."""
    where = f"body {shown(data.get('name'))}" if isinstance(data, Mapping) else "body"
    d = reading.mapping(data, where, ("name", "mass", "com", "inertia"))
    hung = {"parent": "base", "joint": {"name": "none", "type": "fixed"}}
    return parts.body({**d, **hung})


def _edge(data: Any, bodies: Mapping[str, Body], where: str) -> Edge:
    named = isinstance(data, Mapping) and "name" in data
    where = f"joint {shown(data['name'])}" if named else f"joint of {where}"
    own = [f.name for f in fields(Joint)]
    d = reading.mapping(data, where, ("name", "type", *ENDS), (*own, *PLACES))
    joint = parts.joint({k: x for k, x in d.items() if k in own}, where)
    check_joint(joint)
    a, b = (reading.name(d, key, where) for key in ENDS)
    for end in (a, b):
        if end not in ("base", *bodies):
            raise ModelError(f"{where}: {unknown('body', end, ['base', *bodies])}")
    if a == b:
        raise refuse(where, f"both ends on {a!r}", "two bodies")
    on_a, on_b = (parts.placement(d.get(key, {}), where) for key in PLACES)
    return Edge(joint, (a, b), (on_a, on_b))


def _check_names(kind: str, names: list[str], where: str) -> None:
    if twice := {n for n in names if names.count(n) > 1}:
        raise refuse(where, f"the {kind} {min(twice)!r} twice", "a name of its own for each")


def spanning(
    bodies: list[str], edges: list[Edge], keep: tuple[str, ...], where: str
) -> tuple[dict[str, Hung], list[Edge]]:
    """How each body hangs in the tree, and the joints that are cut."""
    if strange := set(keep) - {e.joint.name for e in edges}:
        raise unknown("joint", min(strange), [e.joint.name for e in edges])
    group = {n: n for n in ("base", *bodies)}

    def root(n: str) -> str:
        while group[n] != n:
            group[n] = group[group[n]]
            n = group[n]
        return n

    kept, cut = [], []
    for e in sorted(edges, key=lambda e: (-e.equations, e.joint.name not in keep, not resists(e.joint))):
        a, b = map(root, e.ends)
        (cut if a == b else kept).append(e)
        group[a] = b
    tree = _from_base(kept)
    if lost := [n for n in bodies if n not in tree]:
        raise refuse(where, f"bodies that no joint leads to: {', '.join(lost[:8])}", "a joint, if only a free one")
    return tree, sorted(cut, key=edges.index)


def _from_base(kept: list[Edge]) -> dict[str, Hung]:
    """The tree, walked from the base."""
    at: dict[str, list[Edge]] = {}
    for e in kept:
        for end in e.ends:
            at.setdefault(end, []).append(e)
    tree: dict[str, Hung] = {}
    waiting = ["base"]
    while waiting:
        inner = waiting.pop()
        for e in at.pop(inner, ()):
            outer = e.ends[inner == e.ends[0]]
            if outer in at:
                tree[outer] = e.carries(outer)
                waiting.append(outer)
    return tree


def resists(joint: Joint) -> bool:
    """Whether a joint holds more than its kind: friction, a spring, a rotor, limits."""
    return joint.limits is not None or any(getattr(joint, key) is not None for key in RESISTANCES)


def turned_round(joint: Joint) -> Joint:
    """The joint as its other body sees it, with the same coordinates; those of a universal joint change places."""
    if joint.type in TURNED_ROUND:
        back = {key: tuple(-x + 0.0 for x in getattr(joint, key)) for key in ("axis", "axis2") if getattr(joint, key)}
        if joint.type == "universal":
            back = {"axis": back["axis2"], "axis2": back["axis"]}
            wide = {key: getattr(joint, key) for key in (*RESISTANCES, "limits")}
            back |= {key: x[::-1] for key, x in wide.items() if isinstance(x, tuple)}
        return replace(joint, **back)
    if joint.limits is not None or any(isinstance(getattr(joint, key), tuple) for key in RESISTANCES):
        got = "limits, or constants for each freedom, and a tree that comes to it from body_b"
        raise refuse(f"joint {joint.name!r}", got, "body_a and body_b exchanged")
    return joint


# -- frames -------------------------------------------------------------------------------------------------------


def _carried(body: Body, hung: Hung, moved: Mapping[str, Placement]) -> Body:
    """The body in the frame of the joint that carries it."""
    R, p = _numbers(hung.on_body)
    com, inertia = body.com, body.inertia
    if not _is_here(hung.on_body):
        com = tuple(map(float, R.T @ (np.array(body.com) - p)))
    if not _is_straight(hung.on_body):
        I = R.T @ _tensor(inertia) @ R
        inertia = Inertia(*map(float, (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])))
    place = _on(hung.on_parent, moved[hung.parent])
    return Body(body.name, hung.parent, hung.joint, place, body.mass, com, inertia)  # type: ignore[arg-type]


def _tensor(i: Inertia) -> Array:
    return np.array([[i.ixx, i.ixy, i.ixz], [i.ixy, i.iyy, i.iyz], [i.ixz, i.iyz, i.izz]])


def _loop(e: Edge, moved: Mapping[str, Placement]) -> Loop:
    (a, b), (on_a, on_b) = e.ends, e.places
    return Loop(e.joint.name, e.joint, a, b, _on(on_a, moved[a]), _on(on_b, moved[b]))


def _frames(given: tuple[Frame, ...], moved: Mapping[str, Placement]) -> tuple[Frame, ...]:
    """The frames of the user, and the bodies' own where they were left."""
    for frame in given:
        if frame.body not in moved:
            raise ModelError(f"frame {frame.name!r}: {unknown('body', frame.body, moved)}")
    own = [Frame(f"{n}_frame", n, _on(HERE, at)) for n, at in moved.items() if not _is_here(at)]
    return (*(replace(f, placement=_on(f.placement, moved[f.body])) for f in given), *own)


def _on(place: Placement, frame: Placement) -> Placement:
    """A place on a body, in a frame of that body."""
    if _is_here(frame):
        return place
    (R, p), (S, r) = _numbers(frame), _numbers(place)
    at = tuple(map(float, R.T @ (r - p)))
    if _is_straight(frame):
        return replace(place, position=at)
    return Placement(at, tuple(tuple(map(float, row)) for row in R.T @ S))  # type: ignore[arg-type]


def _numbers(place: Placement) -> tuple[Array, Array]:
    return np.array(place.rotation, float), np.array(place.position, float)


def _is_straight(place: Placement) -> bool:
    return place.rotation == HERE.rotation


def _is_here(place: Placement) -> bool:
    return _is_straight(place) and not any(place.position)
