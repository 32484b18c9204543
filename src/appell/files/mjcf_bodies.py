"""The bodies of an MJCF: nested, each with several joints or none, among frames that only move what is in them.

A joint may turn about any point of its body, and count from any reference. So a body becomes one link for each of its
joints, with its own name on the last, and on one more where the last turns about another point: q is MuJoCo's qpos.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..model.inertia import tensors
from ..model.mechanism import Body, Frame, Inertia, Joint, Placement
from ..model.parts import PerFreedom
from ..model.reading import Vector
from ..model.shapes import Shape
from .graph import free
from .matter import Matter, placed, together
from .mjcf_geoms import Assets, Geom, geom, weighing
from .mjcf_joints import Moving, free_joint, moving
from .mjcf_options import Defaults, Options, settle
from .source import Ignored
from .turns import HERE, carried, rows_quaternion
from .xml import Element

BASE = "base"
CONTENTS = ("frame", "body", "joint", "freejoint", "geom", "site")
MAKERS = ("replicate", "composite", "flexcomp", "attach")  # what would make more bodies
FULL = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
ORIGIN: Vector = (0.0, 0.0, 0.0)


class Content(NamedTuple):
    """An element in a body, where its frames put it, and the class that it inherits."""

    element: Element
    frame: Placement
    inherited: str


@dataclass
class Bodies:
    """The bodies while they are read."""

    options: Options
    defaults: Defaults
    assets: Assets
    bodies: list[Body] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)
    taken: set[str] = field(default_factory=lambda: {BASE})
    joints: dict[str, Moving] = field(default_factory=dict)  # by their names here
    names: dict[str, str] = field(default_factory=lambda: {"world": BASE})  # of bodies: there -> here
    worlds: dict[str, Placement] = field(default_factory=lambda: {BASE: HERE})  # while all joints are at references
    standing: set[str] = field(default_factory=lambda: {BASE})  # bodies that no joint moves
    sites: dict[str, tuple[str, Placement]] = field(default_factory=dict)
    start: list[tuple[str, PerFreedom]] = field(default_factory=list)  # coordinates that are not neutral, at first
    lines: dict[str, int] = field(default_factory=dict)

    def note(self, e: Element, what: str, why: str, moves: bool = False) -> None:
        """Something that is read otherwise than it is written."""
        self.options.notes.append(Ignored(e.line, what, why, moves, e.file))

    def read(self, worlds: list[Element]) -> None:
        """All bodies of <worldbody>, parents first, in the order of the file."""
        waiting: list[tuple[Content, str]] = []
        for e in worlds:
            found = self._flattened(e, HERE, "main")
            self._look(found, BASE)
            waiting += [(x, BASE) for x in found if x.element.tag == "body"]
        waiting.reverse()
        while waiting:
            content, parent = waiting.pop()
            name, inner = self._body(content, parent)
            waiting += reversed([(x, name) for x in inner if x.element.tag == "body"])

    def _body(self, content: Content, parent: str) -> tuple[str, list[Content]]:
        e, frame, inherited = content
        name = self._named(e)
        inside = carried(frame, self.options.place(e))
        self.worlds[name] = carried(self.worlds[parent], inside)
        inner = self._flattened(e, HERE, inherited)
        if parent in self.standing and not any(x.element.tag.endswith("joint") for x in inner):
            self.standing.add(name)
        joints = [self._joint(x, name, k) for k, x in enumerate(x for x in inner if x.element.tag.endswith("joint"))]
        geoms = self._look(inner, name)
        self._chain(name, parent, inside, joints, self._weight(e, geoms, name in self.standing))
        if e.number("gravcomp", 0.0):
            self.note(e, f"gravcomp of {e.title}", "all bodies weigh what they weigh", True)
        if e.word("mocap", "false") == "true":
            self.note(e, f"mocap of {e.title}", "the body stands still")
        return name, inner

    def _flattened(self, e: Element, frame: Placement, inherited: str) -> list[Content]:
        """What stands in a body, in the order of the file, with frames opened."""
        found: list[Content] = []
        waiting = self._contents(e, frame, inherited)
        while waiting:
            content = waiting.pop()
            x = content.element
            if x.tag == "frame":
                x.word("name", None)
                waiting += self._contents(x, carried(content.frame, self.options.place(x)), content.inherited)
            else:
                found.append(content)
        return found

    def _contents(self, e: Element, frame: Placement, inherited: str) -> list[Content]:
        """What stands in a body or in a frame, the last first."""
        for x in e.children:
            if x.tag in MAKERS:
                raise x.refuse(f"<{x.tag}>, which makes bodies and is not read", "the bodies themselves")
        inherited = e.word("childclass", inherited)
        return [Content(x, frame, inherited) for x in reversed(e.all(*CONTENTS))]

    def _named(self, e: Element) -> str:
        given = e.word("name", "")
        if given in self.names:
            raise e.refuse(f"the name {given!r}, which is taken", "a name of its own for every body")
        name = free(given if given and given != BASE else f"body{len(self.worlds)}", self.taken)
        if given == BASE:
            self.note(e, e.title, f"called {name!r} here, as 'base' is the world")
        if given:
            self.names[given] = name
        self.taken.add(name)
        self.lines |= {f"{kind} {name!r}": e.line for kind in ("body", "shape of body")}
        return name

    # -- joints ---------------------------------------------------------------------------------------------------

    def _joint(self, content: Content, body: str, k: int) -> Moving:
        e = content.element
        given = e.attributes.get("name", "")
        if given in self.joints:
            raise e.refuse(f"the name {given!r}, which is taken", "a name of its own for every joint")
        name = given or free(f"{body}_joint{k or ''}", self.joints)
        self.lines[f"joint {name!r}"] = e.line
        if e.tag == "freejoint":
            if e.word("align", "auto") == "true":
                self.note(e, f"align of {e.title}", "the body keeps its own frame, to which q belongs")
            found = free_joint(e, name)
        else:
            m = self.defaults.merged(e, content.inherited)
            found = moving(m, name, content.frame, self.options)
            settle(e, m)
        self.joints[name] = found
        return found

    def _chain(self, name: str, parent: str, inside: Placement, joints: list[Moving], matter: Matter) -> None:
        """A link for each joint; one more where the body's origin is not where the last joint turns."""
        place, at, carrier = inside, ORIGIN, parent
        weight: dict[str, Any] = {"mass": matter.mass, "com": matter.com, "inertia": matter.inertia}
        for k, x in enumerate(joints):
            if x.joint.type == "free":
                self._check_free(x.element, parent, joints)
                place = HERE
            here = at if x.joint.type in ("prismatic", "free") else x.anchor
            stand = carried(carried(place, _shift(at, here)), x.back())
            last = k == len(joints) - 1 and here == ORIGIN
            link = name if last else free(f"{name}/{k}", self.taken)
            self.taken.add(link)
            self.bodies.append(Body(link, carrier, x.joint, stand, **(weight if last else {})))
            self._start(x, inside)
            place, at, carrier = HERE, here, link
        if carrier != name:
            weld = Joint(free(f"{name}_fixed", self.joints), "fixed")
            self.bodies.append(Body(name, carrier, weld, carried(place, _shift(at, ORIGIN)), **weight))

    def _check_free(self, e: Element, parent: str, joints: list[Moving]) -> None:
        if parent != BASE or len(joints) > 1:
            raise e.refuse("a free joint beside others, or inside another body", "it alone, in a body of the world")

    def _start(self, x: Moving, inside: Placement) -> None:
        """Where a joint stands at first."""
        if x.joint.type == "free" and inside != HERE:
            self.start.append((x.joint.name, (*inside.position, *rows_quaternion(inside.rotation))))
        elif x.reference:
            self.start.append((x.joint.name, x.reference))

    # -- what a body weighs and looks like ------------------------------------------------------------------------

    def _look(self, inner: list[Content], body: str) -> list[Geom]:
        """Geoms and sites on a body."""
        found = []
        for e, frame, inherited in inner:
            if e.tag in ("geom", "site"):
                m = self.defaults.merged(e, inherited)
                if e.tag == "geom":
                    found.append(geom(m, body, frame, self.assets))
                else:
                    self._site(m, body, frame)
                settle(e, m)
        self.shapes += [x.shape for x in found if x.shape is not None]
        return found

    def _site(self, e: Element, body: str, frame: Placement) -> None:
        name, ends = e.word("name", ""), e.vector("fromto", None, n=6)
        at = self.options.place(e)
        if ends is not None:
            at = Placement(tuple(0.5 * (a + b) for a, b in zip(ends[:3], ends[3:], strict=True)), at.rotation)  # type: ignore[arg-type]
        if name in self.sites:
            raise e.refuse(f"the name {name!r}, which is taken", "a name of its own for every site")
        if name:
            self.sites[name] = (body, carried(frame, at))

    def _weight(self, e: Element, geoms: list[Geom], stands: bool) -> Matter:
        """Mass and inertia, of the body itself or of its geoms."""
        given, o = e.one("inertial"), self.options
        if given is not None and (o.from_geoms is not True or not weighing(geoms, o)):
            return self._bounded(e, self._inertial(given))
        if given is not None:
            given.told()
        if o.from_geoms is False:
            return self._bounded(e, Matter())
        parts = []
        for x in weighing(geoms, o):
            if x.matter is None and stands:
                self.note(x.element, f"the weight of {x.element.title}", "it stands", o.total_mass > 0)
            elif x.matter is None:
                raise x.element.refuse(
                    "an inertia that only a mesh, or a shell, could tell", "an <inertial> in its body"
                )
            else:
                parts.append(x.matter)
        return self._bounded(e, together(parts))

    def _inertial(self, e: Element) -> Matter:
        mass, at = e.number("mass"), Placement(e.vector("pos"), self.options.turn(e))
        full = e.vector("fullinertia", None, n=6)
        if full is not None and ("diaginertia" in e.attributes or at.rotation != HERE.rotation):
            raise e.refuse("fullinertia beside another inertia or a turn", "one of them")
        inertia = Inertia(*(full or e.vector("diaginertia", ORIGIN)))
        if min(mass, inertia.ixx, inertia.iyy, inertia.izz) < 0:  # before any bound makes something of it
            raise e.refuse(f"mass = {mass}, moments {inertia.ixx}, {inertia.iyy}, {inertia.izz}", "none negative")
        return placed(at, Matter(mass, inertia=inertia))

    def _bounded(self, e: Element, m: Matter) -> Matter:
        """What boundmass, boundinertia and balanceinertia make of a body."""
        o = self.options
        if m.mass < o.least_mass:
            m = Matter(o.least_mass, m.com, m.inertia)
        if not (o.least_inertia or o.balance):
            return m
        moments, axes = np.linalg.eigh(tensors([m.inertia])[0])
        bound = np.maximum(moments, o.least_inertia)
        if o.balance and bound[0] + bound[1] < bound[2]:
            bound[:] = bound.mean()
        if (bound == moments).all():
            return m
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = (axes * bound @ axes.T).tolist()
        return Matter(m.mass, m.com, Inertia(xx, yy, zz, xy, xz, yz))

    def framed(self) -> tuple[Frame, ...]:
        """The sites as frames; one that is called as a body is gets another name."""
        found = []
        for name, (body, at) in self.sites.items():
            called = free(f"{name}_site", {*self.taken, *self.sites}) if name in self.taken else name
            self.lines[f"frame {called!r}"] = self.lines.get(f"body {body!r}", 1)
            found.append(Frame(called, body, at))
        return tuple(found)


def _shift(a: Vector, b: Vector) -> Placement:
    """From one point to another."""
    return HERE if a == b else Placement((b[0] - a[0], b[1] - a[1], b[2] - a[2]))
