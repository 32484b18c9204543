"""The joints of an SDF: axes in any frame, limits, dynamics, threads, and coordinates that follow others."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..model.joints import WIDTHS
from ..model.mechanism import Placement
from ..model.reading import Vector
from .mjcf_joints import direction
from .sdf_frames import Frames
from .turns import transposed, turned
from .xml import Element, number

TYPES = {
    "revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "fixed": "fixed", "ball": "ball",
    "universal": "universal", "revolute2": "universal", "screw": "helical",
}  # fmt: skip
ENDLESS = 1e16  # a limit from there on is none
OWN = ("smoothing", "preload")
AXES = {"axis": 0, "axis2": 1}
TRUE = {"true": True, "1": True, "false": False, "0": False}


class Mimic(NamedTuple):
    """q = multiplier (x - reference) + offset, where x is another joint's coordinate."""

    element: Element
    joint: str
    multiplier: float
    offset: float


class Edge:
    """A joint as it was read: the links it joins, where it stands in the world, and what a `Joint` is made of."""

    __slots__ = ("child", "data", "element", "frame", "freedoms", "mimic", "name", "parent", "scope", "world")

    def __init__(self, e: Element, name: str, scope: str, frames: Frames, old: bool) -> None:
        self.element, self.name, self.scope, self.frame = e, name, scope, frames
        written = e.word("type")
        if written not in TYPES:
            raise e.refuse(f"type = {written!r}", f"one of {', '.join(TYPES)}")
        self.parent, self.child = (frames.link(self.whole(e.the(end).content()), e) for end in ("parent", "child"))
        self.world: Placement = frames.world(name)
        self.data: dict[str, Any] = {"name": e.label("appell:name", name), "type": TYPES[written]}
        self.freedoms, self.mimic = WIDTHS[TYPES[written]][1], None
        self._axes(e, written, old)

    def whole(self, name: str) -> str:
        """A name of this scope as the whole file knows it."""
        return name if name == "world" else self.scope + name

    def _axes(self, e: Element, written: str, old: bool) -> None:
        kind, axes = self.data["type"], [(key, x) for key in AXES for x in e.all(key)]
        wanted = ("axis", "axis2")[: 2 if kind == "universal" else 1]
        if kind in ("fixed", "ball"):
            for _, x in axes:
                x.told()
            return
        told: dict[str, list[Any]] = {}
        for key, x in axes:
            if key in wanted:
                self.data[key] = self._direction(x, old)
                for what, value in self._told(x, written).items():
                    told.setdefault(what, [None] * len(wanted))[AXES[key]] = value
        for key in wanted:
            if key not in self.data:
                raise e.refuse(f"no <{key}>", f"one, as a {written} joint needs it")
        self.data |= {key: _both(key, values) for key, values in told.items()}
        if kind == "helical":
            self.data["pitch"] = _pitch(e)

    def _direction(self, e: Element, old: bool) -> Vector:
        """The axis in the joint's frame."""
        given, of = e.one("xyz"), e.one("use_parent_model_frame")
        flag = of is not None and TRUE.get(of.content(), False)
        axis: Vector = (0.0, 0.0, 1.0) if given is None else given.content_vector(3)  # type: ignore[assignment]
        name = "" if given is None else given.word("expressed_in", "")
        frame = self.whole(name) if name else self.scope + "__model__" if flag or old else ""
        if not frame:
            return direction(axis)
        back = transposed(self.world.rotation)
        return direction(turned(back, turned(self.frame.world(frame).rotation, axis)))

    def _told(self, e: Element, written: str) -> dict[str, Any]:
        """Limits, friction and springs of one axis."""
        found: dict[str, Any] = {}
        limit, dynamics = e.one("limit"), e.one("dynamics")
        if limit is not None:
            found |= _limit(limit, written)
        if dynamics is not None:
            for key, mine in (("damping", "damping"), ("friction", "coulomb"), ("spring_stiffness", "stiffness")):
                value = _number(dynamics, key, 0.0)
                if value < 0:
                    raise dynamics.refuse(f"{key} = {value}", "a number that is not negative")
                found |= {mine: value} if value else {}
            rest = _number(dynamics, "spring_reference", 0.0)
            found |= {"rest": rest} if rest and "stiffness" in found else {}
            own = {key: dynamics.number(f"appell:{key}", None) for key in (*OWN, "gear", "rotor_inertia")}
            found |= {key: value for key, value in own.items() if value is not None}
        self._mimic(e)
        return found

    def _mimic(self, e: Element) -> None:
        given = e.one("mimic")
        if given is None:
            return
        multiplier, offset, reference = (
            _number(given, k, x) for k, x in (("multiplier", 1.0), ("offset", 0.0), ("reference", 0.0))
        )
        given.choice("axis", ("axis",), "axis")
        self.mimic = Mimic(given, self.whole(given.label("joint")), multiplier, offset - multiplier * reference)


def _both(key: str, values: list[Any]) -> Any:
    """What one or two axes say: one value if it is the same."""
    if len(values) == 1:
        return values[0]
    if key == "limits":
        ends = (-math.inf, math.inf)
        return tuple(ends if x is None else x for x in values)
    absent = {"gear": 1.0, "effort_limit": math.inf, "velocity_limit": math.inf}.get(key, 0.0)
    both = tuple(absent if x is None else x for x in values)
    return both[0] if both[0] == both[1] else both


def _limit(e: Element, written: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    low, high = _end(e, "lower", -math.inf), _end(e, "upper", math.inf)
    if low > high:
        raise e.refuse(f"lower = {low} above upper = {high}", "the lower limit first")
    if written != "continuous" and (low, high) != (-math.inf, math.inf):
        found["limits"] = (low, high)
    for key, mine in (("effort", "effort_limit"), ("velocity", "velocity_limit")):
        value = _end(e, key, math.inf)
        if 0 <= value < math.inf:  # by the format a negative one is none
            found[mine] = value
    return found


def _end(e: Element, tag: str, default: float) -> float:
    """A limit, which may be without end."""
    x = e.one(tag)
    if x is None:
        return default
    text = x.content()
    value = {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf}.get(text.lower(), number(text))
    if value is None:
        raise x.refuse(repr(text), "a number")
    return value if abs(value) < ENDLESS else math.copysign(math.inf, value)


def _number(e: Element, tag: str, default: float) -> float:
    x = e.one(tag)
    return default if x is None else x.content_number()


def _pitch(e: Element) -> float:
    """Metres per radian: of the pitch per turn, or of what Gazebo has made of `thread_pitch`."""
    new, old = e.one("screw_thread_pitch"), e.one("thread_pitch")
    if new is not None:
        if old is not None:
            old.told()
        return new.content_number() / (2 * math.pi)
    per = 1.0 if old is None else old.content_number()
    if per == 0:
        raise e.refuse("thread_pitch = 0", "radians per metre, of a left-handed thread")
    return -1 / per
