"""The parts of a mechanism as plain frozen data, and how they are read from plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from . import reading
from .joints import EYE
from .reading import Rows, Vector, shown
from .rotation import quaternion_rows, read_quaternion

PerFreedom: TypeAlias = float | tuple[float, ...]


@dataclass(frozen=True)
class Joint:
    """What carries a body: its kind, its axes in the joint frame, and what resists in it."""

    name: str
    type: str
    axis: Vector | None = None
    pitch: float | None = None  # metres per radian, of a helical joint
    axis2: Vector | None = None  # of a universal joint
    limits: tuple[Any, ...] | None = None  # (lowest, highest), or one such pair per coordinate
    damping: PerFreedom | None = None
    coulomb: PerFreedom | None = None
    smoothing: PerFreedom | None = None  # the speed over which dry friction turns round
    rotor_inertia: PerFreedom | None = None
    gear: PerFreedom | None = None  # turns of the rotor per turn of the joint: gear^2 rotor_inertia is felt
    stiffness: PerFreedom | None = None
    rest: PerFreedom | None = None  # where the spring is slack
    preload: PerFreedom | None = None  # a constant force that the joint takes up
    effort_limit: PerFreedom | None = None  # what its drive can give, and how fast: data for controllers
    velocity_limit: PerFreedom | None = None


@dataclass(frozen=True)
class Placement:
    """Where a frame stands in another: position, and the rotation whose columns are its axes."""

    position: Vector = (0.0, 0.0, 0.0)
    rotation: Rows = EYE
    quaternion: tuple[float, float, float, float] | None = None  # as the rotation was given, if it was so


@dataclass(frozen=True)
class Inertia:
    """The inertia tensor about the mass centre, in the body's axes; ixy is the entry of the matrix."""

    ixx: float = 0.0
    iyy: float = 0.0
    izz: float = 0.0
    ixy: float = 0.0
    ixz: float = 0.0
    iyz: float = 0.0


@dataclass(frozen=True)
class Body:
    """A rigid body, the joint that carries it, and where that joint's frame stands in the parent's."""

    name: str
    parent: str
    joint: Joint
    placement: Placement = Placement()
    mass: float = 0.0
    com: Vector = (0.0, 0.0, 0.0)
    inertia: Inertia = Inertia()


@dataclass(frozen=True)
class Frame:
    """A named frame, fixed on a body."""

    name: str
    body: str
    placement: Placement = Placement()


def body(data: Any) -> Body:
    """A body from plain data."""
    where = f"body {shown(data.get('name'))}" if isinstance(data, Mapping) else "body"
    d = reading.mapping(data, where, ("name", "parent", "joint", "mass", "com", "inertia"), ("placement",))
    return Body(
        reading.name(d, "name", where),
        reading.name(d, "parent", where),
        joint(d["joint"], where),
        placement(d.get("placement", {}), where),
        reading.number(d, "mass", where),
        reading.vector(d, "com", where),
        _inertia(d["inertia"], where),
    )


_JOINT: dict[str, Callable[[Mapping[str, Any], str, str], Any]] = {
    "name": reading.name,
    "type": reading.name,
    "axis": reading.vector,
    "pitch": reading.number,
    "axis2": reading.vector,
    "limits": reading.ranges,
    **dict.fromkeys((f.name for f in fields(Joint)[6:]), reading.one_or_many),
}


def joint(data: Any, owner: str) -> Joint:
    """A joint from plain data."""
    named = isinstance(data, Mapping) and "name" in data
    where = f"joint {shown(data['name'])}" if named else f"joint of {owner}"
    d = reading.mapping(data, where, ("name", "type"), _JOINT)
    return Joint(**{key: _JOINT[key](d, key, where) for key in d})


def placement(data: Any, owner: str) -> Placement:
    """A placement from plain data."""
    where = f"placement of {owner}"
    d = reading.mapping(data, where, (), ("position", "rotation"))
    position = reading.vector(d, "position", where) if "position" in d else (0.0, 0.0, 0.0)
    if "rotation" not in d:
        return Placement(position)
    if isinstance(d["rotation"], Mapping):
        quaternion = read_quaternion(d["rotation"], where)
        return Placement(position, quaternion_rows(quaternion), quaternion)
    return Placement(position, reading.matrix(d, "rotation", where))


_INERTIA = tuple(f.name for f in fields(Inertia))


def _inertia(data: Any, owner: str) -> Inertia:
    where = f"inertia of {owner}"
    d = reading.mapping(data, where, _INERTIA)
    return Inertia(*(reading.number(d, key, where) for key in _INERTIA))


def frame(data: Any) -> Frame:
    """A frame from plain data."""
    where = f"frame {shown(data.get('name'))}" if isinstance(data, Mapping) else "frame"
    d = reading.mapping(data, where, ("name", "body"), ("placement",))
    stands = placement(d.get("placement", {}), where)
    return Frame(reading.name(d, "name", where), reading.name(d, "body", where), stands)


def plain(value: Any) -> Any:
    """Parts as plain data: lists, strings and floats; what is not set is left out."""
    if isinstance(value, tuple):
        return [plain(x) for x in value]
    if isinstance(value, Placement):
        turn = plain(value.rotation) if value.quaternion is None else {"quaternion": list(value.quaternion)}
        return {"position": list(value.position), "rotation": turn}
    if hasattr(value, "__dataclass_fields__"):
        return {k: plain(v) for k in value.__dataclass_fields__ if (v := getattr(value, k)) is not None}
    return value
