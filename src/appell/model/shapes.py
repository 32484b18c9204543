"""Geometry on bodies, as plain data for those who draw it: primitives, and meshes by reference.

It has no mass, and stands on its body by `placement`. The numbers of `size` are

    type       size
    box        lengths along x, y, z
    sphere     radius
    cylinder   radius, length along z
    capsule    radius, length along z of its cylinder
    ellipsoid  half axes
    plane      lengths along x, y, the normal is z; 0 is without end
    mesh       none: `file` is the reference as it was written, `scale` along its axes

The axis of cylinders and capsules is z, and they are centred.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, unknown
from . import parts, reading
from .parts import Placement
from .reading import Vector, refuse, shown

if TYPE_CHECKING:
    from .mechanism import Mechanism

SIZES = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2, "ellipsoid": 3, "plane": 2, "mesh": 0}
ROLES = ("visual", "collision", "both")


@dataclass(frozen=True)
class Shape:
    """One piece of geometry, fixed on a body."""

    body: str
    type: str
    placement: Placement
    size: tuple[float, ...] = ()
    role: str = "both"
    name: str | None = None
    color: tuple[float, float, float, float] | None = None  # red green blue alpha, 0 to 1
    file: str | None = None
    scale: Vector | None = None


def shape(data: Any) -> Shape:
    """A shape from plain data."""
    where = f"shape of body {shown(data.get('body'))}" if isinstance(data, Mapping) else "shape"
    d = reading.mapping(data, where, ("body", "type"), ("placement", *_READ))
    read = {key: _READ[key](d, key, where) for key in d if key != "placement"}
    return Shape(placement=parts.placement(d.get("placement", {}), where), **read)


def _size(data: Mapping[str, Any], key: str, where: str) -> tuple[float, ...]:
    got = reading.numbers(data[key])
    if got is None:
        raise refuse(where, f"{key} = {shown(data[key])}", "a list of finite numbers")
    return got


def _color(data: Mapping[str, Any], key: str, where: str) -> Any:
    return reading.vector(data, key, where, 4)


_READ: dict[str, Callable[[Mapping[str, Any], str, str], Any]] = {
    **dict.fromkeys(("body", "type", "role", "name", "file"), reading.name),
    "size": _size,
    "color": _color,
    "scale": reading.vector,
}


def check_shapes(mechanism: Mechanism) -> None:
    """Refuse a shape on a body that is not there, or of a size that is none."""
    for given in mechanism.shapes:
        where = f"shape of body {shown(given.body)}"
        if given.body not in mechanism.index:
            raise ModelError(f"{where}: {unknown('body', given.body, mechanism.index)}")
        if given.type not in SIZES:
            raise ModelError(f"{where}: {unknown('type', given.type, SIZES)}")
        if given.role not in ROLES:
            raise ModelError(f"{where}: {unknown('role', given.role, ROLES)}")
        if len(given.size) != SIZES[given.type] or not all(x >= 0 for x in given.size):
            wanted = f"{SIZES[given.type]} numbers that are not negative"
            raise refuse(where, f"size = {shown(given.size)} of a {given.type}", wanted)
        if (given.file is None) == (given.type == "mesh"):
            raise refuse(
                where, f"file = {shown(given.file)} of a {given.type}", "a file of a mesh, and of nothing else"
            )
