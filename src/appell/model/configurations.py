"""Configurations that carry names: where a mechanism is at home, and the other ways in which it may be assembled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, unknown
from . import reading
from .joints import WIDTHS
from .parts import PerFreedom
from .reading import refuse, shown

if TYPE_CHECKING:
    from .mechanism import Mechanism


@dataclass(frozen=True)
class Configuration:
    """Coordinates of joints by name; a joint that is not named stands at neutral.

    Where loops have to be closed the coordinates are near a closed configuration, from which it is found.
    """

    name: str
    joints: tuple[tuple[str, PerFreedom], ...] = ()


def configuration(data: Any) -> Configuration:
    """A configuration from plain data."""
    where = f"configuration {shown(data.get('name'))}" if isinstance(data, Mapping) else "configuration"
    d = reading.mapping(data, where, ("name", "joints"))
    if not isinstance(d["joints"], Mapping):
        raise refuse(where, f"joints = {shown(d['joints'])}", "coordinates by names of joints")
    joints = tuple((str(key), reading.one_or_many(d["joints"], key, where)) for key in d["joints"])
    return Configuration(reading.name(d, "name", where), joints)


def plain_configuration(given: Configuration) -> dict[str, Any]:
    """A configuration as plain data."""
    return {"name": given.name, "joints": {k: list(x) if isinstance(x, tuple) else x for k, x in given.joints}}


def check_configurations(mechanism: Mechanism) -> None:
    """Refuse a configuration of joints that are not there, or with too few or too many numbers."""
    names: set[str] = set()
    kinds = {b.joint.name: b.joint.type for b in mechanism.bodies}
    for given in mechanism.configurations:
        where = f"configuration {given.name!r}"
        if given.name in names:
            raise refuse(where, "a name that is taken", "a name of its own")
        names.add(given.name)
        for joint, values in given.joints:
            if joint not in kinds:
                raise ModelError(f"{where}: {unknown('joint', joint, kinds)}")
            got, wanted = len(values) if isinstance(values, tuple) else 1, WIDTHS[kinds[joint]][0]
            if got != wanted:
                raise refuse(where, f"{got} number(s) for joint {joint!r}", f"{wanted}")
            if wanted in (4, 7) and not any(values[-4:]):  # type: ignore[index]
                raise refuse(where, f"the quaternion {shown(values)} of joint {joint!r}", "one that is not zero")
