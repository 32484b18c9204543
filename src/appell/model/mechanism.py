"""A mechanism as its user gave it: frozen data, read from and written to the format `appell-robot/1`.

Nothing is rounded or reordered here: `Mechanism.from_dict(d).to_dict()` gives back what was read. A joint's
axis is a direction: a length off 1 by more than 1e-6 is warned of, kept, and normalised where it is used.
Rotations may be off orthonormal by 1e-6; they are kept as well, and made orthonormal where they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import accumulate
from typing import Any, TypeAlias

from ..errors import ModelError, unknown
from . import reading
from .inertia import check_inertias, check_massless
from .joints import EYE, WIDTHS, check_joint
from .reading import Rows, Vector, numbers, refuse, shown
from .rotation import check_rotations, quaternion_rows, read_quaternion
from .topology import cycle

FORMAT = "appell-robot/1"
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


@dataclass(frozen=True)
class Loop:
    """A joint that closes a chain. Not read by this version."""

    name: str


@dataclass(frozen=True)
class Mechanism:
    """Bodies on joints. Whatever can be built is valid: a bad one is a ModelError naming the element.

    The bodies are what they are. If `regrouped`, formulations do not meet them, but links with fewer moments and the
    same forces of the joints (`equivalent.regrouped`): which no matter could make, so they are derived, never written.
    """

    name: str
    gravity: Vector
    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...] = ()
    loops: tuple[Loop, ...] = ()
    regrouped: bool = False

    def __post_init__(self) -> None:
        _check_loops(self.name, self.loops)
        if numbers(self.gravity) is None or len(self.gravity) != 3:
            raise refuse(f"robot {self.name!r}", f"gravity = {shown(self.gravity)}", "3 finite numbers")
        _check_names(self)
        _check_tree(self)
        for body in self.bodies:
            check_joint(body.joint)
        check_rotations(self)
        check_inertias(self)
        check_massless(self)

    @cached_property
    def index(self) -> dict[str, int]:
        """Where each body stands; the base at -1."""
        return {"base": -1, **{b.name: i for i, b in enumerate(self.bodies)}}

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """The number of each body's parent, -1 for the base."""
        return tuple(self.index[b.parent] for b in self.bodies)

    @cached_property
    def q_starts(self) -> tuple[int, ...]:
        """Where each body's joint begins in q; at the end, the length of q."""
        return tuple(accumulate((WIDTHS[b.joint.type][0] for b in self.bodies), initial=0))

    @cached_property
    def v_starts(self) -> tuple[int, ...]:
        """Where each body's joint begins in v; at the end, the length of v."""
        return tuple(accumulate((WIDTHS[b.joint.type][1] for b in self.bodies), initial=0))

    @property
    def nq(self) -> int:
        return self.q_starts[-1]

    @property
    def nv(self) -> int:
        return self.v_starts[-1]

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Mechanism:
        """A mechanism from plain data in the format `appell-robot/1`."""
        d = reading.mapping(data, "robot", ("format", "name", "gravity", "bodies"), ("frames", "loops", "regrouped"))
        if d["format"] != FORMAT:
            raise refuse("robot", f"format = {shown(d['format'])}", repr(FORMAT))
        name = reading.name(d, "name", "robot")
        where = f"robot {name!r}"
        _check_loops(name, reading.sequence(d, "loops", where) if "loops" in d else ())
        bodies = tuple(map(_body, reading.sequence(d, "bodies", where)))
        frames = tuple(map(_frame, reading.sequence(d, "frames", where) if "frames" in d else ()))
        regrouped = reading.flag(d, "regrouped", where) if "regrouped" in d else False
        return Mechanism(name, reading.vector(d, "gravity", where), bodies, frames, (), regrouped)

    def to_dict(self) -> dict[str, Any]:
        """The mechanism as plain data: lists, strings and floats; optional keys only where they are set."""
        head = {"format": FORMAT, "name": self.name, "gravity": list(self.gravity)}
        if self.regrouped:
            head["regrouped"] = True
        return {**head, "bodies": _plain(self.bodies), "frames": _plain(self.frames), "loops": []}


def _body(data: Any) -> Body:
    where = f"body {shown(data.get('name'))}" if isinstance(data, Mapping) else "body"
    d = reading.mapping(data, where, ("name", "parent", "joint", "mass", "com", "inertia"), ("placement",))
    return Body(
        reading.name(d, "name", where),
        reading.name(d, "parent", where),
        _joint(d["joint"], where),
        _placement(d.get("placement", {}), where),
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


def _joint(data: Any, owner: str) -> Joint:
    named = isinstance(data, Mapping) and "name" in data
    where = f"joint {shown(data['name'])}" if named else f"joint of {owner}"
    d = reading.mapping(data, where, ("name", "type"), _JOINT)
    return Joint(**{key: _JOINT[key](d, key, where) for key in d})


def _placement(data: Any, owner: str) -> Placement:
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


def _frame(data: Any) -> Frame:
    where = f"frame {shown(data.get('name'))}" if isinstance(data, Mapping) else "frame"
    d = reading.mapping(data, where, ("name", "body"), ("placement",))
    placement = _placement(d.get("placement", {}), where)
    return Frame(reading.name(d, "name", where), reading.name(d, "body", where), placement)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(x) for x in value]
    if isinstance(value, Placement):
        turn = _plain(value.rotation) if value.quaternion is None else {"quaternion": list(value.quaternion)}
        return {"position": list(value.position), "rotation": turn}
    if hasattr(value, "__dataclass_fields__"):
        return {k: _plain(v) for k in value.__dataclass_fields__ if (v := getattr(value, k)) is not None}
    return value


def _check_loops(name: str, loops: Sequence[Any]) -> None:
    if len(loops):
        raise ModelError(f"robot {name!r}: got {len(loops)} loop(s), and closed loops are not read by this version")


def _check_names(mechanism: Mechanism) -> None:
    bodies = [b.name for b in mechanism.bodies]
    _check_unique("body", bodies, {"base"})
    _check_unique("joint", [b.joint.name for b in mechanism.bodies], set())
    _check_unique("frame", [f.name for f in mechanism.frames], {"base", *bodies})
    for frame in mechanism.frames:
        if frame.body != "base" and frame.body not in mechanism.index:
            raise ModelError(f"frame {frame.name!r}: {unknown('body', frame.body, ['base', *bodies])}")


def _check_unique(kind: str, names: Sequence[str], taken: set[str]) -> None:
    for name in names:
        if name in taken:
            raise refuse(f"{kind} {name!r}", "a name that is taken", "a name of its own")
        taken.add(name)


def _check_tree(mechanism: Mechanism) -> None:
    for body in mechanism.bodies:
        if body.parent not in mechanism.index:
            raise ModelError(f"body {body.name!r}: {unknown('parent', body.parent, mechanism.index)}")
    loop = cycle(mechanism.parents)
    if loop:
        names = [mechanism.bodies[i].name for i in (*loop, loop[0])]
        through = " -> ".join(names if len(names) <= 8 else [*names[:6], "...", names[-1]])
        where = f"robot {mechanism.name!r}"
        raise refuse(where, f"the cycle of parents {through}", "every body to hang on the base")
