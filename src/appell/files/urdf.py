"""URDF files read: strictly, links and joints in the order of the file, and nothing dropped without a word.

The root link is a body on a fixed joint, or on a free one if the robot floats; a root link without <inertial> that
does not float is the base itself, and its name a frame there. q and v follow the <joint> elements of the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import ModelError
from ..model.mechanism import Body, Frame, Joint, Mechanism, Placement
from . import xml
from .geometry import References
from .graph import check_ends, free, once, rooted
from .matter import Matter
from .places import roots_of
from .source import PLAIN, Choices, Ignored, Read, Source, unread
from .urdf_joints import Edge, transmission
from .urdf_links import Geometry, matter
from .urdf_loops import FOLLOWS_NOTHING, TAGS, couplings, cut, loop
from .xml import Element

BASE = "base"
GRAVITY = (0.0, 0.0, -9.81)
WANTED = "a URDF file"
REASONS = {
    **dict.fromkeys(("gazebo", "plugin", "surface", "contact", "verbose"), "settings of a simulator"),
    **dict.fromkeys(("sensor", "ros2_control", "hardwareInterface", "calibration"), "for drivers and controllers"),
    "safety_controller": "soft limits, which controllers keep",
    **dict.fromkeys(("collision_checking", "self_filter"), "for collision checkers"),
    "texture": "pictures are not shown",
    "limit": "not known of such a joint",
    **dict.fromkeys(("visual", "collision"), "geometry was not asked for"),
}
MOVES = ("dynamics", "inertial", "inertia", "mass", "coupling")


def read(path: str | os.PathLike[str], choices: Choices = PLAIN) -> Read:
    """The robot in a URDF file."""
    return read_element(xml.read(path, WANTED), os.fspath(path), choices)


def read_element(root: Element, path: str, choices: Choices) -> Read:
    """The robot in a <robot> element."""
    _refuse_others(root)
    name, places = root.label("name", Path(path).stem or "robot"), roots_of(path, choices.roots)
    gravity = root.vector("appell:gravity", GRAVITY)
    robot = _Robot(root, Geometry(References(places)), choices)
    notes = sorted([*robot.notes(), *unread(root, REASONS, MOVES)], key=lambda x: x.line)
    source = Source(path, "urdf", places, tuple(notes), robot.lines())
    bound = robot.loops, tuple(x for x, _ in robot.couplings)
    parts = robot.bodies(), robot.frames(), *bound
    choice: dict[str, Any] = {"shapes": robot.geometry.all(), "unphysical": choices.unphysical}
    try:
        return Read(Mechanism(name, gravity, *parts, **choice), source)
    except ModelError as error:
        raise source.located(error) from None


def _refuse_others(root: Element) -> None:
    """What is no URDF, and what has to be run before it is one."""
    if root.tag != "robot":
        raise root.refuse(f"<{root.tag}>", "<robot>")
    waiting = [root]
    while waiting:
        e = waiting.pop()
        if e.tag.startswith("xacro:") or any("${" in x or "$(" in x for x in e.attributes.values()):
            raise e.refuse("xacro, which is a program", "what it makes: `xacro robot.xacro > robot.urdf`")
        waiting += e.children


class _Robot:
    """Links and joints as they were read, and how they hang together."""

    def __init__(self, root: Element, geometry: Geometry, choices: Choices) -> None:
        self.geometry, self.floating = geometry, choices.floating
        root.word("version", None)
        for e in root.all("material"):
            geometry.material(e)
        self.links = once(root.all("link"), "link")
        if not self.links:
            raise root.refuse("no <link>", "one at least")
        self.weights = {name: matter(e) for name, e in self.links.items()}
        self.edges = {name: Edge(e, name) for name, e in once(root.all("joint"), "joint").items()}
        check_ends(self.edges.values(), self.links)
        self.driven = [(e, transmission(e, self.edges)) for e in root.all("transmission")]
        self.tree = rooted(root, self.links, list(self.edges.values()))
        self.root = self.tree.roots[0]
        self.names = self._named()
        self.marks = self._marks()
        self._close(once(root.all(*TAGS), "loop"))
        for link, e in self.links.items() if choices.geometry else ():
            for role in ("visual", "collision"):
                for shape in e.all(role):
                    geometry.add(self.names[link], shape, role)

    def _named(self) -> dict[str, str]:
        """What each link is called here: a root that weighs nothing is the base, which no other may be called."""
        names = {name: name for name in self.links}
        if BASE in names:
            names[BASE] = free("base_link" if "base_link" not in names else "base_frame", names)
        if not self.floating and self.weights[self.root] is None:
            names[self.root] = BASE
        return names

    def _marks(self) -> set[str]:
        """The links that are frames: empty, and on a fixed joint of their own name, as they are written here."""
        carry = {edge.parent for edge in self.edges.values()}
        fixed = {x.name for x in self.tree.tree if x.name == x.child and x.data["type"] == "fixed"}
        return {k for k in fixed - carry if not self.links[k].children and self.weights[k] is None}

    def _close(self, tags: dict[str, Element]) -> None:
        """The loops and couplings, and which element says so."""
        cuts = [cut(x, self.names) for x in self.tree.loops]
        self.loops = (*cuts, *(loop(e, name, self.names) for name, e in tags.items()))
        self.couplings, self.idle = couplings(self.edges, {*self.edges, *tags})
        self.bound = tags | {x.name: e for x, e in self.couplings} | {x.name: x.element for x in self.tree.loops}

    def bodies(self) -> tuple[Body, ...]:
        """The bodies: the root's, then one for each joint, in the order of the file."""
        found = []
        if self.names[self.root] != BASE:
            joint = Joint(free("root_joint", self.edges), "free" if self.floating else "fixed")
            found.append(self._body(self.root, BASE, joint, Placement()))
        for x in self.tree.tree:
            if x.child not in self.marks:
                found.append(self._body(x.child, self.names[x.parent], Joint(**x.data), x.placement))
        return tuple(found)

    def _body(self, link: str, parent: str, joint: Joint, placement: Placement) -> Body:
        weight = self.weights[link] or Matter()
        return Body(self.names[link], parent, joint, placement, weight.mass, weight.com, weight.inertia)

    def frames(self) -> tuple[Frame, ...]:
        """The root link, where it is the base under another name, and the links that are frames."""
        base = [Frame(self.root, BASE)] if self.names[self.root] == BASE != self.root else []
        marked = [x for x in self.tree.tree if x.child in self.marks]
        return (*base, *(Frame(self.names[x.child], self.names[x.parent], x.placement) for x in marked))

    def lines(self) -> dict[str, int]:
        """Where bodies, joints and what binds them stand in the file."""
        bound = [(k, name, e) for name, e in self.bound.items() for k in ("loop", "constraint", "joint")]
        links = [(k, self.names[name], e) for name, e in self.links.items() for k in ("body", "frame", "shape of body")]
        joints = [("joint", name, x.element) for name, x in self.edges.items()]
        return {f"{kind} {name!r}": e.line for kind, name, e in (*bound, *links, *joints)}

    def notes(self) -> Iterator[Ignored]:
        """What was read in another way than it was written."""
        for e, why in self.driven:
            if why:
                yield Ignored(e.told().line, e.title, why, file=e.file)
        for e, why in self.idle:
            yield Ignored(e.line, e.title, why, why == FOLLOWS_NOTHING, e.file)
        for package, line in self.geometry.refer.lost.items():
            yield Ignored(line, f"the package {package!r}", "not in the roots, so its meshes cannot be shown")
        if BASE in self.links and self.names[BASE] != BASE:
            e, new = self.links[BASE], self.names[BASE]
            yield Ignored(e.line, e.title, f"called {new!r} here, as 'base' is the world", file=e.file)
