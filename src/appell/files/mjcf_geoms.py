"""The geoms of an MJCF: what they weigh, and what they look like."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from ..model.mechanism import Placement
from ..model.reading import Vector
from ..model.shapes import Shape
from .geometry import References
from .matter import SOLIDS, Matter, placed, solid
from .mjcf_options import YES_NO, Defaults, Options, settle, words
from .turns import carried, turn_between
from .xml import Element

SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3, "plane": 3}
LONG = ("capsule", "cylinder", "box", "ellipsoid")
WEIGHTLESS = ("plane", "hfield")
KNOWN = words("name class type size fromto pos quat axisangle euler xyaxes zaxis mass density mesh material rgba")
KNOWN |= words("group contype conaffinity shellinertia")
DENSITY = 1000.0
UNSEEN = 3  # from this group on viewers hide geoms until they are asked


@dataclass(frozen=True)
class Mesh:
    """A mesh of <asset>: a reference, and its scale."""

    file: str
    scale: Vector | None = None


@dataclass(frozen=True)
class Geom:
    """A geom as it was read; `matter` is None where only its mesh could tell it."""

    element: Element
    matter: Matter | None
    shape: Shape | None
    group: float = 0.0


@dataclass
class Assets:
    """Meshes and materials by name."""

    options: Options
    refer: References
    meshes: dict[str, Mesh] = field(default_factory=dict)
    colors: dict[str, Any] = field(default_factory=dict)

    def read(self, block: Element, defaults: Defaults) -> None:
        """The meshes and materials of an <asset>."""
        for e in block.all("material"):
            m = defaults.merged(e, "main")
            name = m.word("name", "")
            self.colors[name] = m.vector("rgba", (1.0, 1.0, 1.0, 1.0), n=4)
            settle(e, m)
        for e in block.all("mesh"):
            m = defaults.merged(e, "main")
            file = m.word("file", None)
            name = m.word("name", PurePosixPath((file or "").replace("\\", "/")).stem)
            scale = m.vector("scale", (1.0, 1.0, 1.0))
            if file is not None:
                reference = self._reference(e, file)
                self.meshes[name] = Mesh(reference, None if scale == (1.0, 1.0, 1.0) else scale)
                settle(e, m)

    def _reference(self, e: Element, file: str) -> str:
        """The file of a mesh, from the folder of the model."""
        file = file.replace("\\", "/")
        if self.options.strip:
            file = PurePosixPath(file).name
        folder = self.options.mesh_folder.replace("\\", "/")
        joined = file if not folder or PurePosixPath(file).is_absolute() else f"{folder.rstrip('/')}/{file}"
        return self.refer.check(e, joined)


def geom(e: Element, body: str, frame: Placement, assets: Assets) -> Geom:
    """A <geom>, with its defaults in it, on a body; `frame` stands between the two."""
    kind, name = e.word("type", "sphere"), e.word("name", "")
    at, size = carried(frame, assets.options.place(e)), e.numbers("size", ())
    group, mesh = e.number("group", 0.0), e.word("mesh", None)
    mass, density = e.number("mass", None), e.number("density", DENSITY)
    shell, ends = e.choice("shellinertia", YES_NO, False), e.vector("fromto", None, n=6)
    if (mass is not None and mass < 0) or density < 0:
        raise e.refuse(f"mass = {mass}, density = {density}", "numbers that are not negative")
    if ends is not None:
        at, size = _between(e, kind, size, ends, frame)
    look = _look(e, group, assets)
    if kind in SOLIDS and mesh is None:
        full = _full(e, kind, size)
        matter = None if shell and mass != 0 else placed(at, solid(kind, full, mass, density))
        return Geom(e, matter, Shape(body, kind, at, full, name=name or None, **look), group)
    light = kind in WEIGHTLESS or mass == 0 or (mass is None and density == 0)
    matter = Matter() if light else None
    if kind == "plane":
        return Geom(e, matter, Shape(body, "plane", at, _full(e, kind, size)[:2], name=name or None, **look), group)
    if kind == "mesh" and mesh is not None:
        if mesh not in assets.meshes:
            return Geom(e, matter, None, group)
        found = assets.meshes[mesh]
        return Geom(
            e, matter, Shape(body, "mesh", at, (), name=name or None, file=found.file, scale=found.scale, **look), group
        )
    if kind not in (*SOLIDS, "mesh", "hfield", "sdf"):
        raise e.refuse(f"type = {kind!r}", f"one of {', '.join(SIZES)}, mesh, hfield, sdf")
    return Geom(e, matter, None, group)


def _look(e: Element, group: float, assets: Assets) -> dict[str, Any]:
    """Colour, and whether it is only seen or also met."""
    color, material = e.vector("rgba", None, n=4), e.word("material", None)
    if color is None and material is not None:
        color = assets.colors.get(material)
    if not any((e.number("contype", 1.0), e.number("conaffinity", 1.0))):
        return {"color": color, "role": "visual"}
    return {"color": color, "role": "both" if group < UNSEEN else "collision"}


def _full(e: Element, kind: str, size: tuple[float, ...]) -> tuple[float, ...]:
    """Whole lengths from the half ones of the file; radii stay."""
    if len(size) < SIZES[kind]:
        raise e.refuse(f"size = {size} of a {kind}", f"{SIZES[kind]} numbers")
    size = size[: SIZES[kind]]
    if (not all(x > 0 for x in size) and kind != "plane") or min(size) < 0:
        raise e.refuse(f"size = {size} of a {kind}", "numbers above 0")
    if kind in ("box", "plane"):
        return tuple(2 * x for x in size)
    return (size[0], 2 * size[1]) if kind in ("capsule", "cylinder") else size


def _between(e: Element, kind: str, size: Any, ends: Any, frame: Placement) -> tuple[Placement, tuple[float, ...]]:
    """Placement and half sizes of what reaches from one point to another."""
    if kind not in LONG:
        raise e.refuse(f"fromto of a {kind}", f"one of {', '.join(LONG)}")
    a, b = ends[:3], ends[3:]
    along = tuple(x - y for x, y in zip(a, b, strict=True))
    length = math.sqrt(sum(x * x for x in along))
    if length < 1e-14 or not size:
        raise e.refuse(f"fromto of length {length} and {len(size)} sizes", "a length, and a radius")
    middle: Vector = tuple(0.5 * (x + y) for x, y in zip(a, b, strict=True))  # type: ignore[assignment]
    turn = turn_between((0.0, 0.0, 1.0), tuple(x / length for x in along))  # type: ignore[arg-type]
    half = (size[0], 0.5 * length) if kind in ("capsule", "cylinder") else (size[0], size[0], 0.5 * length)
    return carried(frame, Placement(middle, turn)), half


def weighing(geoms: list[Geom], options: Options) -> list[Geom]:
    """The geoms that count for the inertia of their body."""
    low, high = options.groups
    return [x for x in geoms if low <= x.group <= high]
