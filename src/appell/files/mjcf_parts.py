"""The parts of an MJCF as it is written: where things stand, what they weigh, joints, geoms, drives."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ..model.actuators import Actuator
from ..model.joints import WIDTHS, per_freedom
from ..model.mechanism import Body, Inertia, Joint, Placement
from ..model.reading import Vector
from ..model.shapes import Shape
from .graph import free
from .mjcf_own import KEPT
from .notes import Notes
from .turns import HERE, rows_quaternion, turned
from .xml_text import Tag, number, numbers

KINDS = {"revolute": "hinge", "prismatic": "slide", "ball": "ball", "free": "free"}
CONSTANTS = {"damping": "damping", "coulomb": "frictionloss", "stiffness": "stiffness", "rest": "springref"}
LARGEST = 1.7976931348623157e308  # as a limit it is none, and the reader takes it so
MESHES = (".stl", ".obj", ".msh")
SEEN, MET = {"contype": "0", "conaffinity": "0"}, {"group": "3"}
HALVED = ("box", "plane")


def stand(placement: Placement) -> dict[str, str]:
    """Where an element stands, unless it stands at the origin."""
    found = {}
    if placement.position != HERE.position:
        found["pos"] = numbers(placement.position)
    if placement.rotation != HERE.rotation:
        found["quat"] = numbers(rows_quaternion(placement.rotation))
    return found


def inertial(tag: Tag, body: Body) -> None:
    """What a body weighs, if anything."""
    i = body.inertia
    if not body.mass and i == Inertia():
        return
    moments = (i.ixx, i.iyy, i.izz)
    full = {"fullinertia": numbers((*moments, i.ixy, i.ixz, i.iyz))}
    even = {"diaginertia": numbers(moments)}
    turns = full if any((i.ixy, i.ixz, i.iyz)) else even
    tag.add("inertial", {"pos": numbers(body.com), "mass": number(body.mass), **turns})


def joint(tag: Tag, given: Joint, back: Placement, notes: Notes) -> None:
    """A joint of a body, whose frame stands in the body at `back`."""
    words = {"name": given.name, "type": KINDS[given.type]}
    if given.type in ("revolute", "ball") and back.position != HERE.position:
        words["pos"] = numbers(back.position)
    if given.type in ("revolute", "prismatic"):
        words["axis"] = numbers(turned(back.rotation, given.axis or (0.0, 0.0, 1.0)))
        words |= _limits(given)
    for key, word in CONSTANTS.items():
        value = notes.even(given, key)
        words |= {} if value is None else {word: number(value)}
    most = notes.even(given, "effort_limit")
    if most is not None and most < float("inf"):
        words["actuatorfrcrange"] = numbers((-most, most))
    tag.add("joint", words | _rotor(given, notes))
    kept = {key: value for key in KEPT if (value := getattr(given, key)) is not None}
    if given.limits and given.limits[0] == given.limits[1]:
        kept["limits"] = given.limits
    if kept:
        notes.keep("joints", given.name, kept)
    for key in sorted(kept.keys() - {"gear"}):
        notes.add(f"{key}, where only Appell reads it")


def _limits(given: Joint) -> dict[str, str]:
    low, high = given.limits or (float("-inf"), float("inf"))
    if low == -high == float("-inf") or low == high:  # the latter is kept elsewhere: MuJoCo refuses it
        return {}
    return {"limited": "true", "range": numbers((max(low, -LARGEST), min(high, LARGEST)))}


def _rotor(given: Joint, notes: Notes) -> dict[str, str]:
    """The inertia of a rotor as the joint feels it."""
    if given.rotor_inertia is None:
        return {}
    felt = {r * g * g for r, g in zip(per_freedom(given, "rotor_inertia"), per_freedom(given, "gear"), strict=True)}
    if len(felt) > 1 or given.type == "free":
        notes.add(f"no rotors that differ from freedom to freedom, as in the {given.type} joint {given.name!r}")
        return {}
    return {"armature": number(felt.pop())}


# -- geoms --------------------------------------------------------------------------------------------------------


@dataclass
class Looks:
    """Geoms while they are written, and the meshes that they name."""

    notes: Notes
    assets: Tag
    meshes: dict[tuple[str, Vector | None], str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def geom(self, tag: Tag, given: Shape) -> None:
        """A shape as a geom; meshes that MuJoCo cannot open stand in a comment."""
        if given.type == "mesh" and not self._opens(given.file or ""):
            tag.children.append(f"mesh {given.file}")
            self.notes.add(f"no meshes but {', '.join(MESHES)} of relative paths")
            return
        if given.type not in ("mesh", "plane") and not min(given.size) > 0:
            tag.children.append(f"{given.type} {numbers(given.size)}")
            self.notes.add("no shapes of no size")
            return
        words = {"type": given.type, **stand(given.placement)}
        if given.name and given.name not in self.names:
            self.names.add(given.name)
            words = {"name": given.name, **words}
        if given.type == "mesh":
            words["mesh"] = self._mesh(given)
        else:
            words["size"] = numbers(_half(given))
        words |= {} if given.color is None else {"rgba": numbers(given.color)}
        tag.add("geom", words | (SEEN if given.role == "visual" else MET if given.role == "collision" else {}))

    def _opens(self, file: str) -> bool:
        return "://" not in file and PurePosixPath(file).suffix.lower() in MESHES

    def _mesh(self, given: Shape) -> str:
        """The name of a mesh among the assets."""
        key = (given.file or "", given.scale)
        if key not in self.meshes:
            name = self.meshes[key] = free(PurePosixPath(key[0]).stem, set(self.meshes.values()))
            scale = {"scale": numbers(given.scale)} if given.scale else {}
            self.assets.add("mesh", {"name": name, "file": key[0], **scale})
        return self.meshes[key]


def _half(given: Shape) -> tuple[float, ...]:
    """Half lengths, as MJCF has them; radii stay."""
    if given.type in HALVED:
        return tuple(0.5 * x for x in given.size) + ((1.0,) if given.type == "plane" else ())
    return (given.size[0], 0.5 * given.size[1]) if given.type in ("capsule", "cylinder") else given.size


def drive(tag: Tag, given: Actuator, on: Joint) -> None:
    """A drive of a joint."""
    gear = given.gear if isinstance(given.gear, tuple) else (given.gear,)
    words = {"name": given.name, "joint": on.name, "gear": numbers(gear[: max(1, WIDTHS[on.type][1])])}
    words |= {key: number(value) for key in ("kp", "kv") if (value := getattr(given, key)) is not None}
    for word, ends in (("ctrl", given.control_range), ("force", given.force_range)):
        words |= {f"{word}limited": "true", f"{word}range": numbers(ends)} if ends is not None else {}
    tag.add(given.type, words)
