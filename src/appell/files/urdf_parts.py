"""The parts of a URDF as it is written: placements, inertias, shapes, and what a joint says of itself."""

from __future__ import annotations

from ..model.joints import WIDTHS
from ..model.mechanism import Body, Joint, Placement
from ..model.shapes import Shape
from .notes import Notes
from .turns import HERE, rows_rpy
from .urdf_joints import OWN
from .xml_text import Tag, number, numbers

NAMES = {"fixed": "fixed", "prismatic": "prismatic", "planar": "planar", "free": "floating", "ball": "spherical"}
LARGEST = 1.7976931348623157e308  # as a limit it is none, and the reader takes it so
UNDRAWN = ("ellipsoid", "plane")
ENDLESS = (float("-inf"), float("inf"))


def place(tag: Tag, placement: Placement, name: str = "origin") -> None:
    """Where an element stands, unless it stands at the origin."""
    if placement.position != HERE.position or placement.rotation != HERE.rotation:
        tag.add(name, {"xyz": numbers(placement.position), "rpy": numbers(rows_rpy(placement.rotation))})


def inertial(tag: Tag, body: Body) -> None:
    """What a body weighs."""
    inner = tag.add("inertial")
    place(inner, Placement(body.com))
    inner.add("mass", {"value": number(body.mass)})
    inner.add("inertia", {key: number(value) for key, value in vars(body.inertia).items()})


def shape(link: Tag, given: Shape, materials: dict[tuple[float, ...], str], notes: Notes) -> None:
    """A shape, as what is seen or met or both; the numbers of a colour stand where it is met first."""
    if given.type in UNDRAWN:
        link.children.append(f"{given.type} {numbers(given.size)}")
        notes.add(f"no {given.type}, of which URDF has none")
        return
    for role in ("visual", "collision") if given.role == "both" else (given.role,):
        tag = link.add(role, {"name": given.name} if given.name else {})
        place(tag, given.placement)
        tag.add("geometry").add(given.type, _size(given))
        if given.color is not None:
            first = given.color not in materials
            name = materials.setdefault(given.color, f"material_{len(materials) + 1}")
            material = tag.add("material", {"name": name})
            if first:
                material.add("color", {"rgba": numbers(given.color)})


def _size(given: Shape) -> dict[str, str]:
    if given.type == "mesh":
        scale = {"scale": numbers(given.scale)} if given.scale else {}
        return {"filename": given.file or "", **scale}
    if given.type == "box":
        return {"size": numbers(given.size)}
    return dict(zip(("radius", "length"), map(number, given.size), strict=False))


def kind(joint: Joint) -> str:
    """The word for a joint's type."""
    if joint.type == "revolute":
        return "continuous" if joint.limits in (None, ENDLESS) else "revolute"
    return NAMES.get(joint.type, joint.type)


def describe(tag: Tag, joint: Joint, notes: Notes) -> None:
    """Limits, friction and springs of a joint or of a loop."""
    _limits(tag, joint, notes)
    found = {key: notes.even(joint, given) for key, given in (("damping", "damping"), ("friction", "coulomb"))}
    given = {key: number(value) for key, value in found.items() if value is not None}
    own = {key: value for key in OWN if (value := notes.even(joint, key)) is not None}
    if given or own:
        dynamics = tag.add("dynamics", given)
        for key, value in own.items():
            notes.own(dynamics, key, number(value))
            notes.add(f"{key}, in an attribute that only Appell reads")


def _limits(tag: Tag, joint: Joint, notes: Notes) -> None:
    """The range of a joint, and what its drive can give."""
    drive = {
        word: value
        for word, key in (("effort", "effort_limit"), ("velocity", "velocity_limit"))
        if (value := notes.even(joint, key)) is not None
    }
    if kind(joint) in ("revolute", "prismatic"):
        low, high = joint.limits or ENDLESS
        ends = {"lower": max(low, -LARGEST), "upper": min(high, LARGEST)}
        drive = {**ends, "effort": LARGEST, "velocity": LARGEST, **drive}
    elif joint.limits is not None and joint.type == "planar":
        notes.add("no limits of planar joints, of which URDF has none")
    if drive:
        tag.add("limit", {key: number(value) for key, value in drive.items()})


def transmission(root: Tag, joint: Joint, notes: Notes) -> Tag | None:
    """Gear and rotor of a joint."""
    if joint.gear is None and joint.rotor_inertia is None:
        return None
    gear, rotor = notes.even(joint, "gear"), notes.even(joint, "rotor_inertia")
    if WIDTHS[joint.type] != (1, 1):
        notes.add(f"no gears and rotors of {joint.type} joints")
        return None
    tag = Tag("transmission", {"name": f"{joint.name}_transmission"})
    tag.add("type", text="transmission_interface/SimpleTransmission")
    tag.add("joint", {"name": joint.name})
    actuator = tag.add("actuator", {"name": f"{joint.name}_motor"})
    if gear is not None:
        actuator.add("mechanicalReduction", text=number(gear))
    if rotor is not None:
        actuator.add("rotorInertia", text=number(rotor))
    return tag
