"""What binds a mechanism beside the joints of its tree: joints that close loops, and constraints on velocities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import ModelError, unknown
from . import parts, reading
from .joints import check_joint, joint_type
from .parts import Joint, Placement
from .reading import Vector, refuse, shown
from .topology import depth_first

if TYPE_CHECKING:
    from .mechanism import Mechanism

UP: Vector = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Loop:
    """A joint that closes a chain: its frame on one body and on the other, which it lets move as its kind does.

    The frames coincide where the joint's own coordinates are zero.
    """

    name: str
    joint: Joint
    body_a: str
    body_b: str
    placement_a: Placement = Placement()
    placement_b: Placement = Placement()


@dataclass(frozen=True)
class Coupling:
    """A joint whose coordinate follows another's: q = c0 + c1 x + c2 x^2 + ..., as gears and mimic joints do."""

    name: str
    joint: str
    of: str
    coefficients: tuple[float, ...] = (0.0, 1.0)


@dataclass(frozen=True)
class Rolling:
    """A wheel, or without an axis a ball, that rolls on a plane of the base without slipping.

    `position` is its centre and `axis` its axle, both in the body's frame; the plane holds `point`.
    """

    name: str
    body: str
    radius: float
    position: Vector = (0.0, 0.0, 0.0)
    axis: Vector | None = None
    point: Vector = (0.0, 0.0, 0.0)
    normal: Vector = UP


@dataclass(frozen=True)
class KnifeEdge:
    """A point of a body that cannot move along a direction that the body carries, as a skate or a wheel cannot."""

    name: str
    body: str
    direction: Vector
    position: Vector = (0.0, 0.0, 0.0)


Constraint: TypeAlias = Coupling | Rolling | KnifeEdge
CONSTRAINTS: dict[str, type[Any]] = {"coupling": Coupling, "rolling": Rolling, "knife_edge": KnifeEdge}


# -- from plain data and back -------------------------------------------------------------------------------------


def loop(data: Any) -> Loop:
    """A loop from plain data; its joint needs no name of its own."""
    where = f"loop {shown(data.get('name'))}" if isinstance(data, Mapping) else "loop"
    d = reading.mapping(data, where, ("name", "joint", "body_a", "body_b"), ("placement_a", "placement_b"))
    name = reading.name(d, "name", where)
    joint = dict(reading.mapping(d["joint"], f"joint of {where}", ("type",), [f.name for f in fields(Joint)]))
    a, b = (reading.name(d, key, where) for key in ("body_a", "body_b"))
    on_a, on_b = (parts.placement(d.get(key, {}), where) for key in ("placement_a", "placement_b"))
    return Loop(name, parts.joint({"name": name, **joint}, where), a, b, on_a, on_b)


def constraint(data: Any) -> Constraint:
    """A constraint from plain data."""
    where = f"constraint {shown(data.get('name'))}" if isinstance(data, Mapping) else "constraint"
    if not isinstance(data, Mapping) or "type" not in data:
        raise refuse(where, shown(data), f"a mapping with a type, one of {', '.join(CONSTRAINTS)}")
    if data["type"] not in CONSTRAINTS:
        raise ModelError(f"{where}: {unknown('type', data['type'], CONSTRAINTS)}")
    kind = CONSTRAINTS[data["type"]]
    needed = [f.name for f in fields(kind) if f.name in ("name", "joint", "of", "body", "radius", "direction")]
    d = reading.mapping(data, where, ["type", *needed], [f.name for f in fields(kind)])
    return kind(**{key: _READ.get(key, reading.vector)(d, key, where) for key in d if key != "type"})


def _coefficients(data: Mapping[str, Any], key: str, where: str) -> tuple[float, ...]:
    got = reading.numbers(data[key])
    if not got:
        raise refuse(where, f"{key} = {shown(data[key])}", "a list of finite numbers")
    return got


_READ: dict[str, Any] = {
    **dict.fromkeys(("name", "joint", "of", "body"), reading.name),
    "radius": reading.number,
    "coefficients": _coefficients,
}


def plain_loop(given: Loop) -> dict[str, Any]:
    """A loop as plain data."""
    joint = parts.plain(given.joint)
    if joint["name"] == given.name:
        del joint["name"]
    where = {key: parts.plain(getattr(given, key)) for key in ("placement_a", "placement_b")}
    ends = {"body_a": given.body_a, "placement_a": where["placement_a"]}
    return {"name": given.name, "joint": joint, **ends, "body_b": given.body_b, "placement_b": where["placement_b"]}


def plain_constraint(given: Constraint) -> dict[str, Any]:
    """A constraint as plain data."""
    kind = next(word for word, made in CONSTRAINTS.items() if isinstance(given, made))
    return {"name": given.name, "type": kind, **parts.plain(given)}


# -- what is refused ----------------------------------------------------------------------------------------------


def check_loops(mechanism: Mechanism) -> None:
    """Refuse a loop or a constraint that names what is not there, or binds nothing."""
    taken = {b.joint.name for b in mechanism.bodies}
    for given in (*mechanism.loops, *mechanism.constraints):
        kind = "loop" if isinstance(given, Loop) else "constraint"
        names = {given.name, given.joint.name} if isinstance(given, Loop) else {given.name}
        if twice := names & taken:
            raise refuse(f"{kind} {given.name!r}", f"the name {min(twice)!r} that is taken", "a name of its own")
        taken |= names
    rigid = rigid_parts(mechanism) if mechanism.loops else {}
    for given in mechanism.loops:
        _check_loop(mechanism, given)
        if rigid[given.body_a] == rigid[given.body_b]:
            ends = f"{given.body_a!r} and {given.body_b!r}"
            raise refuse(
                f"loop {given.name!r}", f"{ends}, which no joint moves against each other", "a loop that moves"
            )
    joints = {name: b.joint for b in mechanism.bodies for name in (b.name, b.joint.name)}
    for given in mechanism.constraints:
        _check_constraint(mechanism, given, joints)


def _check_loop(mechanism: Mechanism, given: Loop) -> None:
    where = f"loop {given.name!r}"
    for body in (given.body_a, given.body_b):
        if body not in mechanism.index:
            raise ModelError(f"{where}: {unknown('body', body, mechanism.index)}")
    check_joint(given.joint)
    if given.joint.type == "free":
        raise refuse(where, "a free joint", "one that closes something")
    if given.body_a == given.body_b:
        raise refuse(where, f"both ends on {given.body_a!r}", "two bodies")


def rigid_parts(mechanism: Mechanism) -> dict[str, str]:
    """The body, or the base, that each body is fixed to."""
    found, parents = {"base": "base"}, mechanism.parents
    for i in depth_first(parents):
        body = mechanism.bodies[i]
        found[body.name] = found[body.parent] if body.joint.type == "fixed" else body.name
    return found


def _check_constraint(mechanism: Mechanism, given: Constraint, joints: Mapping[str, Joint]) -> None:
    where = f"constraint {given.name!r}"
    if isinstance(given, Coupling):
        _check_coupling(given, joints, where)
        return
    if given.body not in mechanism.index:
        raise ModelError(f"{where}: {unknown('body', given.body, mechanism.index)}")
    if isinstance(given, Rolling) and not 0 < given.radius < float("inf"):
        raise refuse(where, f"radius = {given.radius}", "a length")
    for key in ("axis", "direction", "normal"):
        along = getattr(given, key, None)
        if along is not None and not sum(c * c for c in along) > 1e-18:
            raise refuse(where, f"{key} = {shown(along)}", "a direction, which a vector of length 0 is not")


def _check_coupling(given: Coupling, joints: Mapping[str, Joint], where: str) -> None:
    for name in (given.joint, given.of):
        if name not in joints:
            raise ModelError(f"{where}: {unknown('joint', name, joints)}")
        kind = joint_type(joints[name])
        if kind.freedoms != 1:
            raise refuse(where, f"the {joints[name].type} joint {name!r}", "joints of one freedom")
    if not given.coefficients or not all(map(isfinite, given.coefficients)):
        raise refuse(where, f"coefficients = {shown(given.coefficients)}", "finite numbers")
    if joints[given.joint] is joints[given.of]:
        raise refuse(where, f"the joint {given.joint!r} twice", "two joints")
