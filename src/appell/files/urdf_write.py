"""Robots as URDF: what the format has, as it has it; what it has not, as an error, a comment or a note.

Joints stand in the order of the bodies, so that q keeps its order. A frame is an empty link on a fixed joint of its
own name. Cylindrical and universal joints become two, a helical one a turn with a slide that mimics it. Springs,
smoothing, preload and gravity stand in attributes `appell:...`, which other readers pass over.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from ..errors import ModelError
from ..model.mechanism import Body, Coupling, Inertia, Joint, Loop, Mechanism, Placement
from ..model.shapes import Shape
from .graph import free
from .notes import Notes
from .simple_joints import steps
from .turns import HERE
from .urdf import BASE, GRAVITY
from .urdf_loops import KINDS
from .urdf_parts import describe, inertial, kind, place, shape, transmission
from .xml_text import Tag, Written, document, number, numbers

Loops: TypeAlias = Literal["error", "comment", "constraint"]


def text(mechanism: Mechanism, loops: Loops = "error") -> Written:
    """The mechanism as URDF; `loops` tells what becomes of what binds its tree.

    "error" refuses it, "comment" leaves it out in words, "constraint" writes the tag that is proposed for loops.
    """
    if loops not in ("error", "comment", "constraint"):
        raise ModelError(f"loops: got {loops!r}, wanted 'error', 'comment' or 'constraint'")
    return _Writing(mechanism, loops).written()


class _Writing:
    """A file while it is written."""

    def __init__(self, mechanism: Mechanism, loops: Loops) -> None:
        self.mechanism, self.loops = mechanism, loops
        self.tag = Tag("robot", {"name": mechanism.name})
        self.notes = Notes(self.tag)
        self.tails: list[Tag | str] = []  # what stands behind links and joints
        self.turns: dict[str, Tag] = {}  # joints of one freedom, by the names of joint and body
        self.materials: dict[tuple[float, ...], str] = {}
        self.shapes: dict[str, list[Shape]] = {}
        for x in mechanism.shapes:
            self.shapes.setdefault(x.body, []).append(x)
        self.names = {BASE, *(b.name for b in mechanism.bodies), *(f.name for f in mechanism.frames)}
        self.joints = {b.joint.name for b in mechanism.bodies}
        self.root = self._root()

    def written(self) -> Written:
        m = self.mechanism
        if m.gravity != GRAVITY:
            self.notes.own(self.tag, "gravity", numbers(m.gravity))
            self.notes.add("gravity, in an attribute that only Appell reads")
        if m.unphysical:
            self.notes.add("inertias that no matter has, which are read with `unphysical=True` only")
        if all(b.name != self.root for b in m.bodies):
            self._link(self.root, None, BASE)
        for body in m.bodies:
            self._link(body.name, body, body.name)
            if body.name != self.root:
                self._carried(body)
        for frame in m.frames:
            if frame.name != self.root:
                self._link(frame.name)
                taken = frame.name in self.joints  # then it comes back as a body without matter
                name = free(f"{frame.name}_fixed", self.joints) if taken else frame.name
                self._joint(Joint(name, "fixed"), frame.body, frame.name, frame.placement)
        for x in (*m.loops, *m.constraints):
            self._bind(x)
        for what in ("actuators", "configurations"):
            if getattr(m, what):
                self.notes.add(f"no {what}")
        self.tag.children += self.tails
        return Written(document(self.tag), self.notes.found)

    def _root(self) -> str:
        """The root link: the only body on the base, if it just stands there; else a frame there, or an empty link."""
        m = self.mechanism
        there = [b for b in m.bodies if b.parent == BASE]
        bound = {end for x in m.loops for end in (x.body_a, x.body_b)}
        if len(there) == 1 and BASE not in bound and not any(x.body == BASE for x in (*m.frames, *m.shapes)):
            taken = {b.joint.name for b in m.bodies} - {there[0].joint.name}
            if there[0].joint == Joint(free("root_joint", taken), "fixed") and there[0].placement == HERE:
                return there[0].name
        return next((f.name for f in m.frames[:1] if f.body == BASE and f.placement == HERE), BASE)

    def _link(self, name: str, body: Body | None = None, carrier: str = "") -> None:
        tag = self.tag.add("link", {"name": name})
        if body is not None and (body.mass or body.inertia != Inertia() or name == self.root):
            inertial(tag, body)
        for x in self.shapes.get(carrier, ()):
            shape(tag, x, self.materials, self.notes)

    def _carried(self, body: Body) -> None:
        """The joint that carries a body; where it is two, with an empty link between them."""
        chain, parent, placement = steps(body.joint, self.joints), body.parent, body.placement
        between = free(f"{body.name}/0", self.names)
        tags: list[Tag] = []
        for step, child in zip(chain, [between, body.name][-len(chain) :], strict=True):
            if child == between:
                self._link(between)
                self.notes.add(f"{body.joint.type} joints, as two simple ones with an empty link between them")
            tags.append(self._joint(step.joint, parent, child, placement))
            if step.follows:
                tags.pop().add("mimic", {"joint": step.follows, "multiplier": number(step.ratio)})
            parent, placement = between, HERE
        if len(tags) == 1:
            self.turns |= dict.fromkeys((body.name, body.joint.name), tags[0])

    def _joint(self, joint: Joint, parent: str, child: str, placement: Placement) -> Tag:
        tag = self.tag.add("joint", {"name": joint.name, "type": kind(joint)})
        place(tag, placement)
        tag.add("parent", {"link": self.root if parent == BASE else parent})
        tag.add("child", {"link": child})
        if joint.axis is not None and joint.type not in ("fixed", "ball", "free"):
            tag.add("axis", {"xyz": numbers(joint.axis)})
        describe(tag, joint, self.notes)
        driven = transmission(self.tag, joint, self.notes)
        self.tails += [driven] if driven else []
        if joint.type in ("ball", "planar"):
            self.notes.add(f"{joint.type} joints, which few other readers know")
        return tag

    # -- what binds the tree --------------------------------------------------------------------------------------

    def _bind(self, x: Any) -> None:
        if isinstance(x, Coupling) and self._mimic(x):
            return
        if isinstance(x, Loop) and self.loops == "constraint" and x.joint.type in KINDS.values():
            self._constraint(x)
            return
        self.tails.append(self.notes.left_out(x, self.loops, "what URDF has no word for"))

    def _mimic(self, x: Coupling) -> bool:
        """Whether a coupling is one that <mimic> can say."""
        tag, leader = self.turns[x.joint], self.turns[x.of]
        if len(x.coefficients) > 2 or any(isinstance(c, Tag) and c.name == "mimic" for c in tag.children):
            return False
        offset, ratio = (*x.coefficients, 0.0)[:2]
        words = {"joint": leader.attributes["name"], "multiplier": number(ratio), "offset": number(offset)}
        tag.add("mimic", words)
        return True

    def _constraint(self, x: Loop) -> None:
        tag = Tag("constraint", {"name": x.name, "type": kind(x.joint)})
        ends = (("parent", x.body_a, x.placement_a), ("child", x.body_b, x.placement_b))
        for end, body, placement in ends:
            tag.add(end, {"link": self.root if body == BASE else body})
            place(tag, placement, f"{end}_origin")
            axis = x.joint.axis2 if x.joint.type == "universal" and end == "child" else x.joint.axis
            if axis is not None:
                tag.add(f"{end}_axis", {"xyz": numbers(axis)})
        describe(tag, x.joint, self.notes)
        self.notes.add("loops, in a tag that is proposed and few others read")
        self.tails.append(tag)
