"""Visual and collision geometry of URDF and SDF elements, as shapes; references to meshes are checked, not opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import ModelError
from ..model.mechanism import Placement
from ..model.shapes import Shape
from .places import Roots
from .xml import Element

Color = tuple[float, float, float, float]


@dataclass
class References:
    """The references of one file: checked once each; packages that are in no root are remembered."""

    roots: Roots
    wanted: bool = True  # whether geometry is read at all
    known: set[str] = field(default_factory=set)
    lost: dict[str, int] = field(default_factory=dict)  # package -> first line

    def check(self, e: Element, reference: str) -> str:
        """The reference as it stands, if it leads nowhere it should not."""
        if reference in self.known or not self.wanted:
            return reference
        try:
            if self.roots.find(reference) is None:
                self.lost.setdefault(reference.split("://")[-1].split("/")[0], e.line)
        except ModelError as error:
            raise ModelError(f"{e.where}: {error}") from None
        self.known.add(reference)
        return reference


def primitive(e: Element, refer: References) -> dict[str, Any]:
    """Type and size of what a URDF <geometry> holds."""
    found = e.children[:1]
    if not found:
        raise e.refuse("nothing in it", "a shape")
    inner = e.the(found[0].tag)
    if inner.tag not in READ:
        raise inner.refuse(f"<{inner.tag}>", f"one of {', '.join(READ)}")
    return {"type": inner.tag, **READ[inner.tag](inner, refer)}


def _mesh(e: Element, refer: References) -> dict[str, Any]:
    scale = e.vector("scale", None)
    return {
        "file": refer.check(e, e.label("filename")),
        **({} if scale in (None, (1.0, 1.0, 1.0)) else {"scale": scale}),
    }


def length(e: Element, key: str) -> float:
    """A length: not negative."""
    value = e.number(key)
    if value < 0:
        raise e.refuse(f"{key} = {value}", "a length that is not negative")
    return value


def _box(e: Element, _: References) -> dict[str, Any]:
    size = e.vector("size")
    if min(size) < 0:
        raise e.refuse(f"size = {size}", "lengths that are not negative")
    return {"size": size}


READ: Mapping[str, Callable[[Element, References], dict[str, Any]]] = {
    "box": _box,
    "sphere": lambda e, _: {"size": (length(e, "radius"),)},
    "cylinder": lambda e, _: {"size": (length(e, "radius"), length(e, "length"))},
    "capsule": lambda e, _: {"size": (length(e, "radius"), length(e, "length"))},
    "mesh": _mesh,
}


def made(body: str, role: str, placement: Placement, what: dict[str, Any], name: str, color: Color | None) -> Shape:
    """A shape of what was read."""
    return Shape(body=body, placement=placement, role=role, name=name or None, color=color, **what)
