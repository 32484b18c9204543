"""Robots as SDF: links in the order of the bodies, so that q keeps its order; loops are joints like others.

An SDF has poses and no coordinates, and its loops are closed where the poses are. So those of a closed robot are those
of a closed configuration, `home`, and the coordinates of the file count from there. Cylindrical and planar joints
become simple ones with empty links between them. Preload, smoothing and rotors stand in attributes `appell:...`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ..errors import ModelError
from ..model.graph import turned_round
from ..model.joints import WIDTHS
from ..model.manifold import neutral
from ..model.mechanism import Body, Coupling, Joint, Loop, Mechanism, Placement
from ..model.reading import refuse
from ..model.topology import depth_first
from .graph import free
from .mjcf_nest import mere
from .notes import Notes
from .sdf import ALONE
from .sdf_frames import MODEL
from .sdf_parts import TYPES, axes, inertial, pose, shape
from .simple_joints import KINDS, PLANAR, steps
from .standing import moved, open_by
from .turns import HERE, carried, seen_from, turned
from .xml_text import Tag, Written, document, number, numbers

Loops: TypeAlias = Literal["error", "comment"]
BASE, WORLD = "base", "world"
SPLIT = PLANAR | {"cylindrical": KINDS["cylindrical"]}
CLOSED = 1e-6  # metres, or radians: loops that are not open by more


def text(mechanism: Mechanism, loops: Loops = "error", home: Sequence[float] | None = None) -> Written:
    """The mechanism as SDF, standing at `home` (by default where its coordinates are zero).

    `loops` tells what becomes of what binds its tree and is no joint of SDF: "error" refuses it, "comment" leaves it
    out in words.
    """
    if loops not in ("error", "comment"):
        raise ModelError(f"loops: got {loops!r}, wanted 'error' or 'comment'")
    q = neutral(mechanism) if home is None else np.asarray(home, float)
    return _Writing(mechanism, loops, q).written()


class Piece(NamedTuple):
    """A link, where it stands in its parent, the joint between them, and the coordinates at which that is."""

    name: str
    parent: str
    there: Placement
    joint: Joint
    zeros: tuple[float, ...]


class _Writing:
    """A file while it is written."""

    def __init__(self, mechanism: Mechanism, loops: Loops, home: Any) -> None:
        self.mechanism, self.loops, self.home = mechanism, loops, home
        self.root = Tag("sdf", {"version": "1.11"})
        self.notes = Notes(self.root)
        owner = self.root
        if mechanism.gravity != ALONE:
            owner = self.root.add("world", {"name": "world"})
            owner.add("gravity", text=numbers(mechanism.gravity))
        self.model = owner.add("model", {"name": mechanism.name})
        self.joints = {b.joint.name for b in mechanism.bodies}
        self.names = {BASE, *(b.name for b in mechanism.bodies)}
        for name in {WORLD, MODEL} & self.names:
            raise refuse(f"body {name!r}", "a name that means another thing in SDF", "another one")
        self.taken = {WORLD, MODEL, *self.names}  # one word for one thing: joints and frames too
        self.mere = {name for name in mere(mechanism) if self._is_frame(name)}
        self.links: dict[str, Tag] = {}
        self.worlds: dict[str, Placement] = {BASE: HERE}
        self.axes: dict[str, tuple[Tag, str, float]] = {}  # by names of joints and bodies: axis, joint, its zero

    def _is_frame(self, name: str) -> bool:
        """Whether an empty link is nothing but the frame of a joint: what it carries is fixed on it."""
        m = self.mechanism
        outer = next(b for b in m.bodies if b.parent == name)
        return outer.joint.type == "fixed" and m.bodies[m.index[name]].joint.type not in SPLIT

    def written(self) -> Written:
        m = self.mechanism
        for i in depth_first(m.parents):
            for x in self._pieces(m.bodies[i]):
                self.worlds[x.name] = carried(self.worlds[x.parent], x.there)
        for body in m.bodies:
            self._body(body)
        self._shapes()
        for frame in m.frames:
            self._frame(frame.name, frame.body, frame.placement)
        for x in (*m.loops, *m.constraints):
            self._bind(x)
        if m.unphysical:
            self.notes.add("inertias that no matter has, which are read with `unphysical=True` only")
        for what in ("actuators", "configurations"):
            if getattr(m, what):
                self.notes.add(f"no {what}")
        if self.home.tolist() != neutral(m).tolist():
            self.notes.add("coordinates that count from the closed configuration in which it is written")
        return Written(document(self.root), self.notes.found)

    # -- bodies -------------------------------------------------------------------------------------------------------

    def _pieces(self, body: Body) -> list[Piece]:
        """The links of a body, with the joint that carries each: one, or several where its joint is several."""
        m, i = self.mechanism, self.mechanism.index[body.name]
        chain, found = steps(body.joint, self.joints, SPLIT), []
        names = [free(f"{body.name}/{k}", self.names) for k in range(len(chain) - 1)] + [body.name]
        parent, placement, at = body.parent, body.placement, m.q_starts[i]
        for step, name in zip(chain, names, strict=True):
            zeros = self.home[at : at + WIDTHS[step.joint.type][0]]
            there, joint = moved(step.joint, placement, zeros)
            found.append(Piece(name, parent, there, joint, tuple(map(float, zeros))))
            parent, placement, at = name, HERE, at + len(zeros)
        return found

    def _body(self, body: Body) -> None:
        pieces = self._pieces(body)
        for x in pieces:
            if x.name not in self.mere:
                self._link(x, body if x.name == body.name else Body(x.name, x.parent, x.joint))
        if len(pieces) > 1:
            self.notes.add(f"{body.joint.type} joints, as simple ones with empty links between them")

    def _link(self, x: Piece, body: Body) -> None:
        tag, aside = self.model.add("link", {"name": x.name}), HERE
        self.links[x.name] = tag
        if x.parent in self.mere:  # its joint is this link's
            inner = self._pieces(self.mechanism.bodies[self.mechanism.index[x.parent]])[0]
            aside = seen_from(x.there, HERE)
            x = Piece(x.name, inner.parent, carried(inner.there, x.there), inner.joint, inner.zeros)
        pose(tag, x.there, "" if x.parent == BASE else x.parent)
        inertial(tag, body)
        if x.joint.type != "free":
            self._joint(x.joint, x.parent, x.name, aside, x.zeros)
            return
        if x.parent != BASE:
            raise refuse(f"joint {x.joint.name!r}", f"a free joint on {x.parent!r}", "it on the base, as SDF has it")
        if x.joint.name != self._floats(x.name):
            self.notes.own(tag, "joint", x.joint.name)

    def _floats(self, link: str) -> str:
        """What the reader calls the joint of a link that floats."""
        alone = sum(b.joint.type == "free" for b in self.mechanism.bodies) == 1
        return "root_joint" if alone else f"{link}_free"

    def _joint(self, joint: Joint, parent: str, child: str, at: Placement, zeros: tuple[float, ...]) -> Tag:
        tag = self._named("joint", joint.name)
        tag.attributes["type"] = TYPES[joint.type]
        tag.add("parent", text=WORLD if parent == BASE else parent)
        tag.add("child", text=child)
        pose(tag, at)
        found = axes(tag, joint, zeros, self.notes)
        if len(found) == 1:
            self.axes |= dict.fromkeys((joint.name, child), (found[0], tag.attributes["name"], zeros[0]))
        return tag

    def _named(self, kind: str, name: str) -> Tag:
        """An element of a name that nothing else has; its own is kept for Appell."""
        written = free(f"{name}_{kind}", self.taken) if name in self.taken else name
        self.taken.add(written)
        tag = self.model.add(kind, {"name": written})
        if written != name:
            self.notes.own(tag, "name", name)
            self.notes.add(f"{kind}s by other names, as links have theirs")
        return tag

    def _shapes(self) -> None:
        count: dict[str, int] = {}
        for x in self.mechanism.shapes:
            count[x.body] = count.get(x.body, -1) + 1
            if x.body == BASE:
                self.notes.add("no shapes of the base, which is no link there")
            else:
                shape(self.links[x.body], x, count[x.body])

    def _frame(self, name: str, body: str, placement: Placement) -> None:
        tag = self._named("frame", name)
        tag.attributes["attached_to"] = WORLD if body == BASE else body
        pose(tag, placement)
        if body == BASE:
            self.notes.add("frames of the base, which few others read")

    # -- what binds the tree ------------------------------------------------------------------------------------------

    def _bind(self, x: Any) -> None:
        if isinstance(x, Coupling) and self._mimic(x):
            return
        if isinstance(x, Loop) and x.joint.type in TYPES:
            self._close(x)
            return
        self.root.children.append(self.notes.left_out(x, self.loops, "what SDF has no word for"))

    def _mimic(self, x: Coupling) -> bool:
        """Whether a coupling is one that <mimic> can say."""
        if x.joint not in self.axes or x.of not in self.axes or len(x.coefficients) > 2:
            return False
        (tag, _, zero), (_, leader, other) = self.axes[x.joint], self.axes[x.of]
        if any(isinstance(c, Tag) and c.name == "mimic" for c in tag.children):
            return False
        offset, ratio = (*x.coefficients, 0.0)[:2]
        inner = tag.add("mimic", {"joint": leader})
        inner.add("multiplier", text=number(ratio))
        inner.add("offset", text=number(offset + ratio * other - zero))
        return True

    def _close(self, x: Loop) -> None:
        """A loop as one more joint of its second body."""
        if x.body_b == BASE:
            x = replace(
                x, joint=turned_round(x.joint), body_a=x.body_b, body_b=x.body_a,
                placement_a=x.placement_b, placement_b=x.placement_a,
            )  # fmt: skip
        A, B = (carried(self.worlds[n], p) for n, p in ((x.body_a, x.placement_a), (x.body_b, x.placement_b)))
        gap, zeros = open_by(x.joint, seen_from(A, B))
        if gap > CLOSED:
            raise ModelError(
                f"loop {x.name!r}: got a configuration in which it is open by {gap:.3g}, wanted a closed one (`home`), "
                "as an SDF has only poses"
            )
        aside, joint = seen_from(self.worlds[x.body_b], A), x.joint
        if joint.type == "universal" and joint.axis2:
            joint = replace(joint, axis2=turned(seen_from(A, B).rotation, joint.axis2))
        self._joint(joint, x.body_a, x.body_b, aside, zeros)
