"""Drives, as plain data: which joint, through which gear, and what they may be asked for. None moves by itself.

A motor of gear N that is asked for u gives the joint N u. A position drive gives N (kp (u - x) - kv dx/dt), a
velocity drive N kv (u - dx/dt), where x is N times the joint's coordinate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, unknown
from . import reading
from .reading import refuse, shown

if TYPE_CHECKING:
    from .mechanism import Mechanism

KINDS = ("motor", "position", "velocity")
Range = tuple[float, float]


@dataclass(frozen=True)
class Actuator:
    """A drive on one joint."""

    name: str
    joint: str
    type: str = "motor"
    gear: float | tuple[float, ...] = 1.0
    kp: float | None = None
    kv: float | None = None
    control_range: Range | None = None
    force_range: Range | None = None


def actuator(data: Any) -> Actuator:
    """An actuator from plain data."""
    where = f"actuator {shown(data.get('name'))}" if isinstance(data, Mapping) else "actuator"
    d = reading.mapping(data, where, ("name", "joint"), [f.name for f in fields(Actuator)])
    return Actuator(**{key: _READ[key](d, key, where) for key in d})


_READ: dict[str, Callable[[Mapping[str, Any], str, str], Any]] = {
    **dict.fromkeys(("name", "joint", "type"), reading.name),
    **dict.fromkeys(("kp", "kv"), reading.number),
    **dict.fromkeys(("control_range", "force_range"), reading.ranges),
    "gear": reading.one_or_many,
}


def check_actuators(mechanism: Mechanism) -> None:
    """Refuse a drive of a joint that is not there, or of a kind that is none."""
    names: set[str] = set()
    joints = {b.joint.name for b in mechanism.bodies} | {x.joint.name for x in mechanism.loops}
    for given in mechanism.actuators:
        where = f"actuator {given.name!r}"
        if given.name in names:
            raise refuse(where, "a name that is taken", "a name of its own")
        names.add(given.name)
        if given.joint not in joints:
            raise ModelError(f"{where}: {unknown('joint', given.joint, joints)}")
        if given.type not in KINDS:
            raise ModelError(f"{where}: {unknown('type', given.type, KINDS)}")
