"""Robots as MJCF: what the format has, as it has it; what it has not, as an error, a comment or a note.

A body of no matter that carries one other becomes one more joint of that: MuJoCo refuses bodies that weigh nothing,
and here a body of several joints is read as such links. Joints of several freedoms become several joints, a helical
one a hinge with a slide that follows it. Loops are equalities: a ball connects, a fixed joint welds, a revolute one
connects twice; for others half of a body hangs on the joint, welded to the other half. q keeps its order when it is
read again, also where MuJoCo has another (depth first).
"""

from __future__ import annotations

import json
from typing import Any, Literal, TypeAlias

import numpy as np

from ..errors import ModelError
from ..model import manifold
from ..model.graph import turned_round
from ..model.joints import unit
from ..model.mechanism import Coupling, Joint, Loop, Mechanism, Placement
from ..model.parts import plain
from ..model.reading import Vector
from .gathered import gathered
from .graph import free
from .halves import halved
from .mjcf_nest import Nest, nests
from .mjcf_own import NAME
from .mjcf_parts import Looks, drive, inertial, joint, stand
from .notes import Notes
from .turns import HERE, carried, quaternion_rows, rows_quaternion
from .xml_text import Tag, Written, document, number, numbers

Loops: TypeAlias = Literal["error", "comment"]
BASE = "base"
CLOSES = ("ball", "fixed", "revolute")
HALVED = ("prismatic", "cylindrical", "universal", "planar")
DEGREE = 4  # of the polynomials of couplings


def text(mechanism: Mechanism, loops: Loops = "error", least: float = 0.0) -> Written:
    """The mechanism as MJCF; `loops` tells what becomes of what binds its tree and is no equality.

    "error" refuses it, "comment" leaves it out in words. Readers raise masses and moments to the least one told.
    """
    if loops not in ("error", "comment"):
        raise ModelError(f"loops: got {loops!r}, wanted 'error' or 'comment'")
    return _Writing(mechanism, loops, least).written()


class _Writing:
    """A file while it is written."""

    def __init__(self, mechanism: Mechanism, loops: Loops, least: float) -> None:
        self.root = Tag("mujoco", {"model": mechanism.name})
        self.loops, self.notes = loops, Notes(self.root)
        for x in (x for x in mechanism.loops if x.joint.type in HALVED):
            self.notes.keep("halves", x.name, plain(_seen(x)))
            self.notes.add(f"the loop {x.name!r} as half of a body on its joint, welded to the other half")
        mechanism, refused = gathered(mechanism)
        if refused:
            named = ", ".join(map(repr, refused[:4])) + (", ..." if len(refused) > 4 else "")
            self.notes.add(f"the matter of {named}, and of what they are fixed to, in one body: MuJoCo refuses it")
        self.mechanism = mechanism = halved(mechanism, HALVED)
        bounds = {"boundmass": number(least), "boundinertia": number(least)} if least else {}
        self.root.add("compiler", {"angle": "radian", "inertiafromgeom": "false", **bounds})
        self.root.add("option", {"gravity": numbers(mechanism.gravity)})
        self.assets, self.world, self.equality = Tag("asset"), Tag("worldbody"), Tag("equality")
        self.looks = Looks(self.notes, self.assets)
        self.nests = nests(mechanism)
        self.tags: dict[str, Tag] = {BASE: self.world}
        self.start = self._start()
        self.sites = {f.name for f in mechanism.frames}
        self.ends: list[str] = []

    def written(self) -> Written:
        m = self.mechanism
        self._shapes(BASE)
        for nest in self.nests:
            self._body(nest)
        for frame in m.frames:
            self.tags[frame.body].add("site", {"name": frame.name, **stand(frame.placement)})
        for x in (*m.loops, *m.constraints):
            self._bind(x)
        drives, keys = self._drives(), self._keys()
        if m.unphysical:
            self.notes.add("inertias that no matter has, which are read with `unphysical=True` only")
        own = self._own()
        custom = Tag("custom", children=[Tag("text", {"name": NAME, "data": json.dumps(own)})] if own else [])
        parts = (custom, self.assets, self.world, self.equality, drives, keys)
        self.root.children += [x for x in parts if x.children or x is self.world]
        return Written(document(self.root), self.notes.found)

    def _own(self) -> dict[str, Any]:
        """What only Appell reads."""
        order = [name for names in self._names_by_body() for name in names]
        found = dict(self.notes.kept)
        if self.ends:
            found["sites"] = self.ends
        if order != [name for nest in self.nests for name in nest.names]:
            found["order"] = order
        return found

    def _names_by_body(self) -> list[list[str]]:
        """How the links will be called when they are read, in the order of the bodies."""
        called = {name: links for nest in self.nests for name, links in nest.called.items()}
        return [called[b.name] for b in self.mechanism.bodies]

    # -- bodies -------------------------------------------------------------------------------------------------------

    def _body(self, nest: Nest) -> None:
        body = nest.body
        tag = self.tags[nest.parent].add("body", {"name": nest.name})
        self.tags |= dict.fromkeys((b.name for b in nest.bodies), tag)
        place = nest.placement
        if body.joint.type == "free":
            self._check_free(nest)
            place = carried(place, self.start.get(body.joint.name, HERE))
        tag.attributes |= stand(place)
        for x, back in nest.joints:
            joint(tag, x, back, self.notes)
        if nest.follows:
            words = {"joint1": nest.follows[1], "joint2": nest.follows[0]}
            self.equality.add("joint", {**words, "polycoef": numbers((0.0, nest.follows[2], 0.0, 0.0, 0.0))})
            self.notes.add("helical joints, as a hinge with a slide that follows it")
        if body.joint.type == "fixed" and not nest.joints and body.joint.name != f"{body.name}_fixed":
            self.notes.keep("fixed", nest.name, body.joint.name)
        inertial(tag, body)
        self._shapes(body.name)
        if nest.joints and not body.mass:
            self.notes.add("moving bodies without mass, which MuJoCo refuses")

    def _shapes(self, body: str) -> None:
        for x in self.mechanism.shapes:
            if x.body == body:
                self.looks.geom(self.tags[body], x)

    def _check_free(self, nest: Nest) -> None:
        if nest.parent != BASE:
            got = f"a free joint on {nest.parent!r}"
            raise ModelError(f"joint {nest.body.joint.name!r}: got {got}, wanted it on the base, as MJCF has it")
        if nest.placement != HERE:
            self.notes.add("free bodies that are counted from the world's origin")

    # -- what binds the tree ------------------------------------------------------------------------------------------

    def _bind(self, x: Any) -> None:
        if isinstance(x, Coupling) and len(x.coefficients) <= DEGREE + 1:
            self._couple(x)
        elif isinstance(x, Loop) and x.joint.type in CLOSES:
            self._close(x)
        else:
            self.root.children.append(self.notes.left_out(x, self.loops, "what is no equality of MJCF"))

    def _couple(self, x: Coupling) -> None:
        joints = [(b.name, b.joint) for b in self.mechanism.bodies]
        names = {n: f"{j.name}/0" if j.type == "helical" else j.name for name, j in joints for n in (name, j.name)}
        powers = (*x.coefficients, *(0.0,) * DEGREE)[: DEGREE + 1]
        words = {"name": x.name, "joint1": names[x.joint], "joint2": names[x.of]}
        self.equality.add("joint", {**words, "polycoef": numbers(powers)})

    def _close(self, x: Loop) -> None:
        """A loop by sites on its two bodies, and for a hinge by two more along its axis."""
        word = "weld" if x.joint.type == "fixed" else "connect"
        self.equality.add(word, {"name": x.name, **self._ends(x, x.name)})
        if x.joint.type == "revolute":
            along = unit(x.joint.axis or (0.0, 0.0, 1.0))
            self.equality.add(word, {"name": f"{x.name}/1", **self._ends(x, f"{x.name}/1", along)})
        if x.joint != Joint(x.name, x.joint.type):
            data = plain(x.joint)
            del data["name"]
            self.notes.keep("loops", x.name, data)

    def _ends(self, x: Loop, name: str, by: Vector = (0.0, 0.0, 0.0)) -> dict[str, str]:
        found = {}
        for k, (body, at) in enumerate(((x.body_a, x.placement_a), (x.body_b, x.placement_b)), 1):
            site = free(f"{name}/{'ab'[k - 1]}", self.sites)
            self.sites.add(site)
            self.ends.append(site)
            self.tags[body].add("site", {"name": site, **stand(carried(at, Placement(by)))})
            found[f"site{k}"] = site
        return found

    # -- drives and keys ----------------------------------------------------------------------------------------------

    def _drives(self) -> Tag:
        tag, joints = Tag("actuator"), {x.name: x for nest in self.nests for x, _ in nest.joints}
        for x in self.mechanism.actuators:
            if x.joint in joints:
                drive(tag, x, joints[x.joint])
            else:
                self.notes.add(f"no drive {x.name!r}, as {x.joint!r} is no single joint there")
        return tag

    def _start(self) -> dict[str, Placement]:
        """Where free bodies stand at first, if the configuration "start" tells no more than that."""
        first = self.mechanism.configurations[:1]
        free = {b.joint.name for b in self.mechanism.bodies if b.joint.type == "free" and b.placement == HERE}
        if not first or first[0].name != "start" or not {name for name, _ in first[0].joints} <= free:
            return {}
        return {name: _pose(np.array(q)) for name, q in first[0].joints}

    def _keys(self) -> Tag:
        m, tag = self.mechanism, Tag("keyframe")
        for given in m.configurations[1 if self.start else 0 :]:
            q, there = manifold.configuration(m, given.name), []
            for b, placement in ((b, nest.placement) for nest in self.nests for b in nest.bodies):
                i = m.index[b.name]
                there += self._coordinates(b.joint, placement, q[m.q_starts[i] : m.q_starts[i + 1]])
            tag.add("key", {"name": given.name, "qpos": numbers(there)})
        return tag

    def _coordinates(self, given: Joint, placement: Placement, q: Any) -> list[float]:
        """The coordinates of a joint there."""
        if given.type == "free" and placement != HERE:
            pose = carried(placement, _pose(q))
            return [*pose.position, *rows_quaternion(pose.rotation)]
        return [*q.tolist(), *([given.pitch * q[0]] if given.pitch and given.type == "helical" else [])]


def _seen(x: Loop) -> Joint:
    """The joint of a loop from the end that is not the base."""
    return turned_round(x.joint) if x.body_b == BASE else x.joint


def _pose(q: Any) -> Placement:
    """The pose in the coordinates of a free body."""
    position, quaternion = q[:3].tolist(), q[3:].tolist()
    rotation = HERE.rotation if not any(quaternion[1:]) else quaternion_rows(tuple(quaternion))
    return Placement(tuple(position), rotation)
