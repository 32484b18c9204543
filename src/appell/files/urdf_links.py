"""The links of a URDF: inertias with turned frames, visual and collision geometry, colours."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..model.mechanism import Inertia, Placement
from ..model.reading import Rows
from ..model.shapes import Shape
from .geometry import Color, References, made, primitive
from .matter import Matter
from .matter import placed as turned_matter
from .turns import quaternion_rows, rpy_rows
from .xml import Element

ENTRIES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


@dataclass
class Geometry:
    """The shapes of a robot while it is read; colours may be named before they are known."""

    refer: References
    shapes: list[Shape] = field(default_factory=list)
    named: dict[int, str] = field(default_factory=dict)  # number of a shape -> its material
    colors: dict[str, Color] = field(default_factory=dict)

    def all(self) -> tuple[Shape, ...]:
        """The shapes, each with its colour."""
        for k, material in self.named.items():
            if material in self.colors:
                self.shapes[k] = replace(self.shapes[k], color=self.colors[material])
        return tuple(self.shapes)

    def material(self, e: Element) -> str:
        """The name of a material, whose colour is kept if it is given."""
        name, color = e.word("name", ""), e.one("color")
        if color is not None:
            self.colors[name] = color.vector("rgba", n=4)
        return name

    def add(self, body: str, e: Element, role: str) -> None:
        """The shape of a <visual> or a <collision>."""
        placement, name = origin(e), e.word("name", "")
        what = primitive(e.the("geometry"), self.refer)
        material = e.one("material")
        if material is not None:
            self.named[len(self.shapes)] = self.material(material)
        self.shapes.append(made(body, role, placement, what, name, None))


def origin(e: Element, tag: str = "origin") -> Placement:
    """Where an element stands; at the origin if it does not say."""
    at = e.one(tag)
    return Placement() if at is None else placed(at)


def placed(e: Element) -> Placement:
    """The placement in an element's attributes."""
    xyz = e.vector("xyz", (0.0, 0.0, 0.0))
    if "quat_xyzw" not in e.attributes:
        return Placement(xyz, rpy_rows(e.vector("rpy", (0.0, 0.0, 0.0))))
    if "rpy" in e.attributes:
        raise e.refuse("both rpy and quat_xyzw", "one of them")
    return Placement(xyz, _quaternion_rows(e, e.vector("quat_xyzw", n=4)))


def _quaternion_rows(e: Element, xyzw: tuple[float, float, float, float]) -> Rows:
    """The rotation of a quaternion with w last."""
    x, y, z, w = xyzw
    if not 0.81 <= w * w + x * x + y * y + z * z <= 1.21:
        raise e.refuse(f"quat_xyzw = {xyzw}", "a quaternion of length 1")
    return quaternion_rows((w, x, y, z))


def matter(e: Element) -> Matter | None:
    """Mass, centre and inertia of a link; None where it has no <inertial>."""
    given = e.one("inertial")
    if given is None:
        return None
    at, mass, moments = origin(given), given.the("mass"), given.the("inertia")
    inertia = Inertia(*(moments.number(key) for key in ENTRIES))
    return turned_matter(at, Matter(mass.number("value"), inertia=inertia))
