"""The joints of an MJCF body: several in a row, anywhere in it, with coordinates that count from a reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..model.mechanism import Joint, Placement
from ..model.reading import Vector
from .mjcf_options import YES_NO, Options, words
from .source import Ignored
from .turns import EYE, axis_rows, carried, turned, unit
from .xml import Element

TYPES = {"hinge": "revolute", "slide": "prismatic", "ball": "ball", "free": "free"}
KNOWN = words("name class type pos axis range limited ref springref stiffness damping armature frictionloss")
KNOWN |= words("actuatorfrcrange actuatorfrclimited")
CONSTANTS = {"damping": ("damping", "damper"), "frictionloss": ("coulomb", "frictionloss")}
CONSTANTS |= {"armature": ("rotor_inertia", "")}  # here, and the <flag> that switches it off
HEAVY = "of a free body's translations: a mass without weight, which is not known here"
LARGEST = 1e308  # a limit beyond it is none
ORIGIN: Vector = (0.0, 0.0, 0.0)
STIFF = "springs of balls and free bodies are not read"
POLYNOMIAL = "beyond its first number, which is linear"


@dataclass(frozen=True)
class Moving:
    """A joint as it was read: what it is, the point in the body about which it turns, and where its zero is."""

    joint: Joint
    element: Element
    anchor: Vector = ORIGIN
    reference: float = 0.0

    def back(self) -> Placement:
        """From where the coordinate is at its reference, which the file shows, to where it is zero."""
        if not self.reference or self.joint.axis is None:
            return Placement()
        if self.joint.type == "revolute":
            return Placement(rotation=axis_rows(self.joint.axis, -self.reference))
        return Placement(tuple(-self.reference * x for x in unit(self.joint.axis)))  # type: ignore[arg-type]


def direction(axis: Vector) -> Vector:
    """An axis of length 1, as formats have it that take any; one of no direction is left to be refused."""
    return unit(axis) if max(map(abs, axis)) > 1e-9 else axis


def free_joint(e: Element, name: str) -> Moving:
    """A <freejoint>, to which no defaults apply."""
    for key in ("name", "group"):
        e.word(key, None)
    return Moving(Joint(name, "free"), e)


def moving(e: Element, name: str, frame: Placement, options: Options) -> Moving:
    """A <joint>, seen from its body: frames may stand between the two."""
    kind = e.choice("type", TYPES, "revolute")
    e.word("name", None)
    data: dict[str, Any] = {"name": name, "type": kind}
    axis, anchor = e.vector("axis", (0.0, 0.0, 1.0)), e.vector("pos", (0.0, 0.0, 0.0))
    scale = options.degrees if kind == "revolute" else 1.0
    reference = e.number("ref", 0.0) * scale if kind in ("revolute", "prismatic") else 0.0
    if kind in ("revolute", "prismatic"):
        data["axis"] = direction(axis if frame.rotation == EYE else turned(frame.rotation, axis))
        _spring(e, data, scale, options)
    elif e.attributes.get("stiffness", "0").split()[0:1] not in (["0"], []):
        options.notes.append(Ignored(e.line, f"stiffness of {e.title}", STIFF, True, e.file))
        e.word("stiffness")
    _limits(e, data, options)
    for key, (mine, flag) in CONSTANTS.items():
        value = _first(e, key, options)
        if value and flag not in options.off:
            data[mine] = value
    _drive(e, data, options)
    if kind == "free" and data.get("rotor_inertia"):
        options.notes.append(Ignored(e.line, f"armature of {e.title}", HEAVY, True, e.file))
        data["rotor_inertia"] = (0.0, 0.0, 0.0, *(data["rotor_inertia"],) * 3)
    turns = kind in ("revolute", "ball")
    return Moving(Joint(**data), e, carried(frame, Placement(anchor)).position if turns else ORIGIN, reference)


def _first(e: Element, key: str, options: Options) -> float:
    """The linear one of several numbers; the others are told."""
    values = e.numbers(key, (0.0,))
    if any(values[1:]):
        options.notes.append(Ignored(e.line, f"{key} of {e.title}", POLYNOMIAL, True, e.file))
    if values[0] < 0:
        raise e.refuse(f"{key} = {values[0]}", "a number that is not negative")
    return values[0]


def _spring(e: Element, data: dict[str, Any], scale: float, options: Options) -> None:
    stiffness, rest = _first(e, "stiffness", options), e.number("springref", 0.0) * scale
    if stiffness and "spring" not in options.off:
        data |= {"stiffness": stiffness} | ({"rest": rest} if rest else {})


def _limits(e: Element, data: dict[str, Any], options: Options) -> None:
    ends = e.vector("range", None, n=2)
    limited = e.choice("limited", {**YES_NO, "auto": None}, None)
    if limited is None:
        limited = options.auto_limits and ends is not None and ends != (0.0, 0.0)
    if not limited or data["type"] not in ("revolute", "prismatic"):
        return
    if ends is None or ends[0] > ends[1]:
        raise e.refuse(f"range = {ends}", "the lower limit, then the upper one")
    scale = options.degrees if data["type"] == "revolute" else 1.0
    data["limits"] = tuple(x * scale if abs(x) < LARGEST else x * 10 for x in ends)


def _drive(e: Element, data: dict[str, Any], options: Options) -> None:
    """What all drives of the joint together can give, if it is the same both ways."""
    ends = e.vector("actuatorfrcrange", None, n=2)
    limited = e.choice("actuatorfrclimited", {**YES_NO, "auto": None}, None)
    if ends is not None and limited is not False and (limited or options.auto_limits):
        if ends[0] == -ends[1] and ends[1] >= 0:
            data["effort_limit"] = ends[1]
        else:
            options.notes.append(Ignored(e.line, f"actuatorfrcrange of {e.title}", "unlike both ways", False, e.file))
