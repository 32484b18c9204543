"""The parts of an SDF as it is written: numbers stand in elements of their own."""

from __future__ import annotations

import math
from typing import Any

from ..model.joints import per_freedom
from ..model.mechanism import Body, Joint, Placement
from ..model.shapes import Shape
from .notes import Notes
from .sdf_joints import OWN
from .turns import HERE, rows_quaternion
from .xml_text import Tag, number, numbers

TYPES = {"revolute": "revolute", "prismatic": "prismatic", "fixed": "fixed", "ball": "ball"}
TYPES |= {"universal": "universal", "helical": "screw"}
KEPT = (*OWN, "gear", "rotor_inertia")
SIZES = {"sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius", "length")}
DYNAMICS = {"damping": "damping", "coulomb": "friction", "stiffness": "spring_stiffness", "rest": "spring_reference"}
DRIVES = {"effort_limit": "effort", "velocity_limit": "velocity"}


def pose(tag: Tag, placement: Placement, relative: str = "") -> None:
    """Where an element stands, unless it stands where it does by itself."""
    if not relative and placement.position == HERE.position and placement.rotation == HERE.rotation:
        return
    w, *xyz = rows_quaternion(placement.rotation)
    words = {"relative_to": relative} if relative else {}
    if placement.rotation == HERE.rotation:
        tag.add("pose", words, numbers((*placement.position, 0.0, 0.0, 0.0)))
    else:
        tag.add("pose", words | {"rotation_format": "quat_xyzw"}, numbers((*placement.position, *xyz, w)))


def inertial(tag: Tag, body: Body) -> None:
    """What a body weighs: always, as what is not told is 1 kg."""
    inner = tag.add("inertial")
    pose(inner, Placement(body.com))
    inner.add("mass", text=number(body.mass))
    tensor = inner.add("inertia")
    for key, value in vars(body.inertia).items():
        tensor.add(key, text=number(value))


def shape(tag: Tag, given: Shape, count: int) -> None:
    """A shape, as what is seen or met or both."""
    for role in ("visual", "collision") if given.role == "both" else (given.role,):
        inner = tag.add(role, {"name": given.name or f"shape{count}"})
        pose(inner, given.placement)
        _size(inner.add("geometry").add(given.type), given)
        if given.color is not None and role == "visual":
            inner.add("material").add("diffuse", text=numbers(given.color))


def _size(tag: Tag, given: Shape) -> None:
    for key, value in zip(SIZES.get(given.type, ()), given.size, strict=False):
        tag.add(key, text=number(value))
    if given.type in ("box", "plane"):
        tag.add("size", text=numbers(given.size))
    elif given.type == "ellipsoid":
        tag.add("radii", text=numbers(given.size))
    elif given.type == "mesh":
        tag.add("uri", text=given.file or "")
        if given.scale:
            tag.add("scale", text=numbers(given.scale))


def axes(tag: Tag, given: Joint, zeros: tuple[float, ...], notes: Notes) -> list[Tag]:
    """The axes of a joint with what is told of each; coordinates are counted from `zeros`."""
    found = []
    keys = {"fixed": (), "ball": (), "universal": ("axis", "axis2")}.get(given.type, ("axis",))
    for k, key in enumerate(keys):
        axis = tag.add(key)
        axis.add("xyz", text=numbers(getattr(given, key)))
        _limits(axis, given, k, zeros[k])
        _dynamics(axis, given, k, zeros[k], notes)
        found.append(axis)
    if given.type == "ball" and (
        lost := [key for key in (*DYNAMICS, *KEPT, *DRIVES) if getattr(given, key) is not None]
    ):
        notes.add(f"no {', '.join(lost)} of ball joints")
    if given.type == "helical":
        tag.add("screw_thread_pitch", text=number(2 * math.pi * (given.pitch or 0.0)))
    return found


def _one(given: Joint, key: str, k: int) -> Any:
    """One of the joint's constants for one freedom; None if it is not told."""
    return None if getattr(given, key) is None else per_freedom(given, key)[k]


def _limits(tag: Tag, given: Joint, k: int, zero: float) -> None:
    ends: Any = given.limits
    if ends is not None and isinstance(ends[0], tuple):
        ends = ends[k]
    told = {key: _one(given, mine, k) for mine, key in DRIVES.items()}
    if ends is None and all(x is None for x in told.values()):
        return
    limit = tag.add("limit")
    for key, value in zip(("lower", "upper"), ends or (), strict=False):
        limit.add(key, text=repr(value) if math.isinf(value) else number(value - zero))
    for key, value in told.items():
        if value is not None and value < math.inf:
            limit.add(key, text=number(value))


def _dynamics(tag: Tag, given: Joint, k: int, zero: float, notes: Notes) -> None:
    told = {key: _one(given, mine, k) for mine, key in DYNAMICS.items()}
    if told["spring_stiffness"] and zero:
        told["spring_reference"] = (told["spring_reference"] or 0.0) - zero
    kept = {key: _one(given, key, k) for key in KEPT if getattr(given, key) is not None}
    if kept or any(x is not None for x in told.values()):
        dynamics = tag.add("dynamics")
        for key, value in told.items():
            if value is not None:
                dynamics.add(key, text=number(value))
        for key, value in kept.items():
            notes.own(dynamics, key, number(value))
            notes.add(f"{key}, in an attribute that only Appell reads")
