"""What an MJCF file decides for all of its elements: units, turns, limits, inertias, gravity, defaults."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..model.joints import unit
from ..model.mechanism import Placement
from ..model.reading import Rows, Vector
from .source import Ignored
from .turns import EYE, axis_rows, euler_rows, exact, frame_of, quaternion_rows, turn_between
from .xml import Element

TURNS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
YES_NO = {"true": True, "false": False}
UP: Vector = (0.0, 0.0, 1.0)
SEQUENCE = frozenset("xyzXYZ")


@dataclass
class Options:
    """<compiler> and <option>: several of each count as one, the last word holds."""

    degrees: float = math.pi / 180
    sequence: str = "xyz"
    auto_limits: bool = True
    from_geoms: bool | None = None  # None: where there is no <inertial>
    groups: tuple[float, float] = (0.0, 5.0)
    balance: bool = False
    least_mass: float = 0.0
    least_inertia: float = 0.0
    total_mass: float = -1.0
    mesh_folder: str = ""
    strip: bool = False
    gravity: Vector = (0.0, 0.0, -9.81)
    off: set[str] = field(default_factory=set)  # what <flag> disables
    notes: list[Ignored] = field(default_factory=list)

    def compiler(self, e: Element) -> None:
        """What a <compiler> says."""
        take: dict[str, tuple[str, Callable[..., Any], Any]] = {
            "angle": ("degrees", e.choice, {"degree": math.pi / 180, "radian": 1.0}),
            "autolimits": ("auto_limits", e.choice, YES_NO),
            "inertiafromgeom": ("from_geoms", e.choice, {**YES_NO, "auto": None}),
            "balanceinertia": ("balance", e.choice, YES_NO),
            "strippath": ("strip", e.choice, YES_NO),
        }
        for key, (name, read, known) in take.items():
            if key in e.attributes:
                setattr(self, name, read(key, known))
        self.sequence = e.word("eulerseq", self.sequence)
        if len(self.sequence) != 3 or not set(self.sequence) <= SEQUENCE:
            raise e.refuse(f"eulerseq = {self.sequence!r}", "three letters of xyz and XYZ")
        self.least_mass = e.number("boundmass", self.least_mass)
        self.least_inertia = e.number("boundinertia", self.least_inertia)
        self.total_mass = e.number("settotalmass", self.total_mass)
        self.groups = e.vector("inertiagrouprange", self.groups, n=2)
        self.mesh_folder = e.word("meshdir", e.word("assetdir", self.mesh_folder))
        if e.word("coordinate", "local") != "local":
            raise e.refuse("coordinate = 'global'", "local ones; MuJoCo itself reads no others any more")

    def option(self, e: Element) -> None:
        """What an <option> says of the mechanism: gravity, and which of its flags are off."""
        self.gravity = e.vector("gravity", self.gravity)
        for flag in e.all("flag"):
            for key in ("gravity", "spring", "damper", "frictionloss", "equality", "constraint"):
                if flag.choice(key, {"enable": False, "disable": True}, False):
                    self.off.add(key)
        for key in ("density", "viscosity"):
            if e.number(key, 0.0):
                self.notes.append(Ignored(e.line, f"{key} of <option>", "no forces of a fluid", True, e.file))

    # -- turns ----------------------------------------------------------------------------------------------------

    def turn(self, e: Element) -> Rows:
        """The rotation of an element, in one of the five ways to tell it."""
        given = [key for key in TURNS if key in e.attributes]
        if len(given) > 1:
            raise e.refuse(f"{given[0]} and {given[1]}", "one of them")
        return getattr(self, f"_{given[0]}")(e) if given else EYE

    def place(self, e: Element) -> Placement:
        """Where an element stands."""
        return Placement(e.vector("pos", (0.0, 0.0, 0.0)), self.turn(e))

    def _quat(self, e: Element) -> Rows:
        q = e.vector("quat", n=4)
        if not 1e-20 < sum(x * x for x in q) < 1e20:
            raise e.refuse(f"quat = {q}", "a quaternion that is neither zero nor huge")
        return EYE if q[1:] == (0.0, 0.0, 0.0) else exact(quaternion_rows(q))

    def _axisangle(self, e: Element) -> Rows:
        *axis, angle = e.vector("axisangle", n=4)
        return axis_rows(_direction(e, "axisangle", tuple(axis)), angle * self.degrees)

    def _euler(self, e: Element) -> Rows:
        return euler_rows([x * self.degrees for x in e.vector("euler")], self.sequence)

    def _xyaxes(self, e: Element) -> Rows:
        six = e.vector("xyaxes", n=6)
        x, y = _direction(e, "xyaxes", six[:3]), _direction(e, "xyaxes", six[3:])
        n = (x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0])
        _direction(e, "xyaxes", n)
        return frame_of(x, y)

    def _zaxis(self, e: Element) -> Rows:
        return turn_between(UP, _direction(e, "zaxis", e.vector("zaxis")))


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set of names."""
    return frozenset(text.split())


def _direction(e: Element, key: str, v: Any) -> Vector:
    """A vector made of length 1."""
    if not max(map(abs, v)) > 1e-10:
        raise e.refuse(f"{key} of no direction", "one")
    return unit(v)


class Defaults:
    """The classes of <default>, each with all that it inherits."""

    def __init__(self, blocks: list[Element], known: Mapping[str, frozenset[str]]) -> None:
        """`known` tells which attributes of which elements are read, and so inherited."""
        self.classes: dict[str, dict[str, dict[str, str]]] = {"main": {}}
        self.elements: list[Element] = []
        waiting = [(e, "main", True) for e in reversed(blocks)]
        while waiting:
            e, outer, top = waiting.pop()
            name = e.word("class", "main" if top else None)
            if name is None:
                raise e.refuse("no 'class'", "the attribute 'class'")
            if not top and name in self.classes:
                raise e.refuse(f"class = {name!r} a second time", "a name of its own")
            mine = dict(self.classes[outer])
            inner = e.all("default")
            for x in e.all(*{x.tag for x in e.children}):
                if x.tag in known:
                    own = {key: value for key, value in x.attributes.items() if key in known[x.tag]}
                    mine[x.tag] = mine.get(x.tag, {}) | own
                self.elements.append(x)
            self.classes[name] = mine
            if top and name != "main":
                self.classes["main"] = mine
            waiting += [(x, name, False) for x in reversed(inner)]

    def merged(self, e: Element, inherited: str, tag: str = "") -> Element:
        """The element with what its class, or the one it inherits, adds to elements of its kind."""
        name = e.attributes.pop("class", inherited)
        if name not in self.classes:
            raise e.refuse(f"class = {name!r}", f"one of {', '.join(list(self.classes)[:12])}")
        found = Element(e.tag, self.classes[name].get(tag or e.tag, {}) | e.attributes, e.file, e.line)
        found.owner, found.name = e.owner, e.name
        return found

    def unread(self, known: Mapping[str, frozenset[str]]) -> Iterator[tuple[Element, list[str]]]:
        """What defaults say that nobody would read."""
        for e in self.elements:
            left = [key for key in e.attributes if key not in known.get(e.tag, ())]
            if left or e.tag not in known:
                yield e, left


def settle(e: Element, merged: Element) -> None:
    """Leave in an element what was not read of it."""
    e.attributes = {key: value for key, value in e.attributes.items() if key in merged.attributes}
