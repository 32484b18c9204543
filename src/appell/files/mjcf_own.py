"""What MJCF has no word for: kept as JSON in a <custom> text "appell", which MuJoCo carries along and does not ask.

order   the bodies as q counts them, where that is not depth first
fixed   names of fixed joints by their bodies
joints  smoothing, preload, gears, limits of speed, and limits that leave no room, by joints
sites   which sites are the ends of loops and no frames
loops   joints of loops that are more than one equality; their ends stand in the first of them
halves  joints of loops that are told as half of a body on them, welded to its other half
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from ..errors import ModelError, unknown
from ..model import parts, reading
from ..model.joints import per_freedom
from ..model.mechanism import Body, Frame, Joint, Loop
from ..model.reading import shown
from .halves import Parts, whole
from .xml import Element

NAME = "appell"
KEPT = ("smoothing", "preload", "velocity_limit", "gear")
Own: TypeAlias = tuple[Element | None, Mapping[str, Any]]
GROUPS = ("order", "fixed", "joints", "sites", "loops", "halves")


def taken(blocks: list[Element]) -> Own:
    """The text in <custom>, and what it holds."""
    for block in blocks:
        for e in block.children:
            if e.tag == "text" and e.name == NAME:
                block.take(e)
                e.word("name")
                return e, _parsed(e, e.word("data"))
    return None, {}


def _parsed(e: Element, text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text, parse_constant=lambda _: None)
        return reading.mapping(found, e.where, (), GROUPS)
    except (ValueError, RecursionError) as error:
        if isinstance(error, ModelError):
            raise
        raise e.refuse(f"data = {shown(text)}", "what Appell writes there, in JSON") from None


def dressed(bodies: tuple[Body, ...], e: Element | None, own: Mapping[str, Any]) -> tuple[Body, ...]:
    """The bodies with what is told of their joints, in the order that is told."""
    if e is None:
        return bodies
    told = {name: _joint(e, name, given) for name, given in _group(e, own, "joints").items()}
    named = {name: reading.name(own["fixed"], name, e.where) for name in _group(e, own, "fixed")}
    made = []
    for b in bodies:
        more = told.pop(b.joint.name, {})
        if b.joint.type == "fixed" and b.name in named:
            more = {"name": named.pop(b.name)}
        made.append(replace(b, joint=_geared(replace(b.joint, **more))) if more else b)
    for name in (*told, *named):
        raise ModelError(f"{e.where}: {unknown('joint', name, [b.joint.name for b in bodies])}")
    return _ordered(tuple(made), e, own)


def _geared(joint: Joint) -> Joint:
    """The joint with its rotor behind its gear; MJCF tells what the joint feels of it."""
    if joint.gear is None or joint.rotor_inertia is None:
        return joint
    felt, gears = per_freedom(joint, "rotor_inertia"), per_freedom(joint, "gear")
    own = tuple(x / (g * g) if g else x for x, g in zip(felt, gears, strict=True))
    return replace(joint, rotor_inertia=own if isinstance(joint.gear, tuple) else own[0])


def _group(e: Element, own: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = own.get(key, {})
    if not isinstance(found, Mapping):
        raise e.refuse(f"{key} = {shown(found)}", "values by names")
    return found


def _joint(e: Element, name: str, given: Any) -> dict[str, Any]:
    where = f"{e.where}, joint {shown(name)}"
    d = reading.mapping(given, where, (), (*KEPT, "limits"))
    return {key: (reading.ranges if key == "limits" else reading.one_or_many)(d, key, where) for key in d}


def _ordered(bodies: tuple[Body, ...], e: Element, own: Mapping[str, Any]) -> tuple[Body, ...]:
    if "order" not in own:
        return bodies
    by_name = {b.name: b for b in bodies}
    names = reading.sequence(own, "order", e.where)
    if len(names) != len(bodies) or {shown(x) for x in names} != {shown(x) for x in by_name}:
        raise e.refuse("an order of other bodies", "each body once")
    return tuple(by_name[x] for x in names)


def without_sites(frames: tuple[Frame, ...], e: Element | None, own: Mapping[str, Any]) -> tuple[Frame, ...]:
    """The frames that are no ends of loops."""
    if e is None or "sites" not in own:
        return frames
    ends = {shown(x) for x in reading.sequence(own, "sites", e.where)}
    return tuple(f for f in frames if shown(f.name) not in ends)


def closed(found: list[Loop], e: Element | None, own: Mapping[str, Any]) -> tuple[Loop, ...]:
    """The loops, with those in one piece that are written as several equalities."""
    given = {} if e is None else _group(e, own, "loops")
    if e is None or not given:
        return tuple(found)
    if strange := given.keys() - {x.name for x in found}:
        raise ModelError(f"{e.where}: {unknown('loop', min(strange), [x.name for x in found])}")
    pieces = {f"{name}/1" for name in given}
    joints = {name: parts.joint({**_plain(e, data), "name": name}, e.where) for name, data in given.items()}
    return tuple(replace(x, joint=joints.get(x.name, x.joint)) for x in found if x.name not in pieces)


def joined(parts_: Parts, e: Element | None, own: Mapping[str, Any]) -> Parts:
    """What was halved for the sake of loops in one piece again."""
    given = {} if e is None else _group(e, own, "halves")
    if e is None or not given:
        return parts_
    loops = {x.name: x for x in parts_.loops}
    known, bodies = [x.name for x in parts_.loops if x.joint.type == "fixed"], {b.name for b in parts_.bodies}
    for name in given:
        if name not in known or not {loops[name].body_a, loops[name].body_b} <= bodies:
            raise ModelError(f"{e.where}: {unknown('welded half', name, known)}")
    joints = {name: parts.joint({**_plain(e, data), "name": name}, e.where) for name, data in given.items()}
    try:
        return whole(parts_, joints)
    except KeyError as error:
        raise e.refuse(f"halves of one body in each other, at {error}", "each on its own") from None


def _plain(e: Element, data: Any) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise e.refuse(f"the loop {shown(data)}", "a joint")
    return data
