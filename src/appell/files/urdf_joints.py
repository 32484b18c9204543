"""The joints of a URDF, and what its transmissions say of their drives."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..model.joints import WIDTHS
from ..model.mechanism import Placement
from .urdf_links import origin
from .xml import Element, number

TYPES = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "free",
    "planar": "planar",
    "spherical": "ball",  # as Bullet has it
    "ball": "ball",
}
LARGEST = 1e308  # a limit beyond it is none: URDF has no other way to write a slide without ends
OWN = ("stiffness", "rest", "preload", "smoothing")  # in attributes appell:...
ROTORS = ("rotorInertia", "motorInertia", "drake:rotor_inertia")
GEARS = ("mechanicalReduction", "mechanical_reduction", "drake:gear_ratio")


class Mimic(NamedTuple):
    """q = multiplier x + offset, where x is another joint's coordinate."""

    element: Element
    joint: str
    multiplier: float
    offset: float


class Edge:
    """A joint as it was read: the links it joins, where it stands in the parent, and what a `Joint` is made of."""

    __slots__ = ("child", "data", "element", "freedoms", "mimic", "name", "parent", "placement")

    def __init__(self, e: Element, name: str) -> None:
        self.element, self.name = e, name
        written = e.word("type")
        if written not in TYPES:
            raise e.refuse(f"type = {written!r}", f"one of {', '.join(TYPES)}")
        self.parent, self.child = (e.the(end).label("link") for end in ("parent", "child"))
        self.placement: Placement = origin(e)
        self.data: dict[str, Any] = {"name": self.name, "type": TYPES[written]}
        self.mimic, self.freedoms = _mimic(e), WIDTHS[TYPES[written]][1]
        if TYPES[written] == "fixed":
            _nothing(e)
            return
        axis = e.one("axis")
        if TYPES[written] in ("revolute", "prismatic", "planar"):
            self.data["axis"] = (1.0, 0.0, 0.0) if axis is None else axis.vector("xyz", (1.0, 0.0, 0.0))
        elif axis is not None:
            axis.word("xyz", None)  # says nothing here, by the format
        limit(e, written, self.data)
        dynamics(e, self.data)


def _nothing(e: Element) -> None:
    """What may stand in a fixed joint, and says nothing there, by the format."""
    for tag in ("axis", "limit", "dynamics"):
        for x in e.all(tag):
            x.told()


def _mimic(e: Element) -> Mimic | None:
    """What couples a joint to another."""
    given = e.one("mimic")
    if given is None:
        return None
    return Mimic(given, given.label("joint"), given.number("multiplier", 1.0), given.number("offset", 0.0))


def limit(e: Element, written: str, data: dict[str, Any]) -> None:
    """The range of a joint, and what its drive can give."""
    given = e.one("limit")
    if given is None:
        if written in ("revolute", "prismatic"):
            raise e.refuse("no <limit>", f"one, as a {written} joint needs it (a continuous one does not)")
        return
    if written in ("revolute", "prismatic"):
        low, high = given.number("lower", 0.0), given.number("upper", 0.0)
        if low > high:
            raise given.refuse(f"lower = {low} above upper = {high}", "the lower limit first")
        ends = tuple(x if abs(x) < LARGEST else x * 10 for x in (low, high))
        if ends != (float("-inf"), float("inf")):
            data["limits"] = ends
    for key, mine in (("effort", "effort_limit"), ("velocity", "velocity_limit")):
        value = given.number(key, None)
        if value is not None and value < LARGEST:
            if value < 0:
                raise given.refuse(f"{key} = {value}", "a number that is not negative")
            data[mine] = value


def dynamics(e: Element, data: dict[str, Any]) -> None:
    """Damping and dry friction; springs too, as they are written here."""
    given = e.one("dynamics")
    for key, mine in (("damping", "damping"), ("friction", "coulomb")):
        value = None if given is None else given.number(key, None)
        if value is not None and given is not None:
            if value < 0:
                raise given.refuse(f"{key} = {value}", "a number that is not negative")
            if value:
                data[mine] = value
    if given is not None:
        own = {key: given.number(f"appell:{key}", None) for key in OWN}
        data |= {key: value for key, value in own.items() if value is not None}


def transmission(e: Element, joints: dict[str, Edge]) -> str | None:
    """Put rotor and gear of a transmission of one joint into the joint; else say why not."""
    ends, drives = ([x for x in e.children if x.tag == tag] for tag in ("joint", "actuator"))
    if len(ends) != 1 or len(drives) != 1:
        return "more than one joint, or more than one drive"
    if ends[0].name not in joints:
        return f"the joint {ends[0].name!r} is not there"
    data = joints[ends[0].name].data
    if data["type"] not in ("revolute", "prismatic"):
        return f"a {data['type']} joint has no drive"
    end, drive = e.the("joint"), e.the("actuator")
    for x in (e, end, drive):
        x.word("name", None)
    e.word("type", None)
    kind = e.one("type")
    if kind is not None:
        kind.content()
    gear, rotor = _of(GEARS, drive, end, e), _of(ROTORS, drive)
    if gear is not None:
        data["gear"] = gear
    if rotor is not None:
        data["rotor_inertia"] = rotor
    return None


def _of(tags: tuple[str, ...], *places: Element) -> float | None:
    """The number in the first such element, as its text or its value."""
    found = [e for place in places for tag in tags for e in place.all(tag)]
    for e in found[:1]:
        if "value" in e.attributes:
            return e.number("value")
        text = e.content()
        value = number(text)
        if value is None:
            raise e.refuse(repr(text), "a finite number")
        return value
    return None
