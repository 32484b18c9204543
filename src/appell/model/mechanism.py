"""A mechanism as its user gave it: frozen data, read from and written to the format `appell-robot/1`.

Nothing is rounded or reordered here: `Mechanism.from_dict(d).to_dict()` gives back what was read. A joint's
axis is a direction: a length off 1 by more than 1e-6 is warned of, kept, and normalised where it is used.
Rotations may be off orthonormal by 1e-6; they are kept as well, and made orthonormal where they are used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from ..errors import ModelError, unknown
from . import configurations, loops, parts, reading
from .actuators import Actuator, actuator, check_actuators
from .configurations import Configuration, check_configurations
from .inertia import check_inertias, check_massless
from .joints import WIDTHS, check_joint
from .loops import Constraint, Coupling, KnifeEdge, Loop, Rolling, check_loops
from .parts import Body, Frame, Inertia, Joint, PerFreedom, Placement, plain
from .reading import Vector, numbers, refuse, shown
from .rotation import check_rotations
from .shapes import Shape, check_shapes, shape
from .topology import cycle

FORMAT = "appell-robot/1"
LISTS = {"bodies": parts.body, "frames": parts.frame, "loops": loops.loop, "constraints": loops.constraint}
LISTS |= {"configurations": configurations.configuration, "actuators": actuator, "shapes": shape}
FLAGS = ("regrouped", "unphysical")


@dataclass(frozen=True)
class Mechanism:
    """Bodies on joints. Whatever can be built is valid: a bad one is a ModelError naming the element.

    The bodies are what they are. If `regrouped`, formulations do not meet them, but links with fewer moments and the
    same forces of the joints (`regrouped.regrouped`): which no matter could make, so they are derived, never written.
    """

    name: str
    gravity: Vector
    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...] = ()
    loops: tuple[Loop, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    configurations: tuple[Configuration, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    shapes: tuple[Shape, ...] = ()
    regrouped: bool = False
    unphysical: bool = False  # inertias are taken as they are, even those that no matter has

    def __post_init__(self) -> None:
        if numbers(self.gravity) is None or len(self.gravity) != 3:
            raise refuse(f"robot {self.name!r}", f"gravity = {shown(self.gravity)}", "3 finite numbers")
        _check_names(self)
        _check_tree(self)
        for body in self.bodies:
            check_joint(body.joint)
        check_loops(self)
        check_configurations(self)
        check_actuators(self)
        check_shapes(self)
        check_rotations(self)
        check_inertias(self)
        check_massless(self)

    @property
    def closed(self) -> bool:
        """Whether anything binds it beside the joints of its tree."""
        return bool(self.loops or self.constraints)

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
        d = reading.mapping(data, "robot", ("format", "name", "gravity", "bodies"), (*LISTS, *FLAGS))
        if d["format"] != FORMAT:
            raise refuse("robot", f"format = {shown(d['format'])}", repr(FORMAT))
        name = reading.name(d, "name", "robot")
        where = f"robot {name!r}"
        lists: dict[str, Any] = {
            key: tuple(map(part, reading.sequence(d, key, where) if key in d else ())) for key, part in LISTS.items()
        }
        flags: dict[str, Any] = {key: key in d and reading.flag(d, key, where) for key in FLAGS}
        return Mechanism(name, reading.vector(d, "gravity", where), **lists, **flags)

    def to_dict(self) -> dict[str, Any]:
        """The mechanism as plain data: lists, strings and floats; optional keys only where they are set."""
        d = {"format": FORMAT, "name": self.name, "gravity": list(self.gravity)}
        d |= {key: True for key in FLAGS if getattr(self, key)}
        d |= {"bodies": plain(self.bodies), "frames": plain(self.frames)}
        d["loops"] = [loops.plain_loop(x) for x in self.loops]
        if self.constraints:
            d["constraints"] = [loops.plain_constraint(x) for x in self.constraints]
        if self.configurations:
            d["configurations"] = [configurations.plain_configuration(x) for x in self.configurations]
        d |= {key: plain(getattr(self, key)) for key in ("actuators", "shapes") if getattr(self, key)}
        return d


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


__all__ = [
    "Body", "Configuration", "Constraint", "Coupling", "Frame", "Inertia", "Joint", "KnifeEdge", "Loop", "Mechanism",
    "PerFreedom", "Placement", "Rolling",
]  # fmt: skip
