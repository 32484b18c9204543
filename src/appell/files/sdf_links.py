"""The links of an SDF: what they weigh and what they look like; numbers stand in elements of their own."""

from __future__ import annotations

from typing import Any

from ..model.mechanism import Inertia, Placement
from ..model.shapes import Shape
from .geometry import Color, References, made
from .matter import Matter, placed
from .sdf_frames import Frames, pose
from .turns import carried, turn_between
from .xml import Element

ENTRIES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
ABSENT = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)  # by the format
SIZES = {"sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius", "length")}


def matter(e: Element, frames: Frames, scope: str, link: str) -> Matter:
    """Mass, centre and inertia of a link; what is not told is 1 kg, and 1 kg m^2 about each axis."""
    given = e.one("inertial")
    if given is None:
        return Matter(1.0, inertia=Inertia(*ABSENT))
    if given.word("auto", "false") in ("true", "1"):
        raise given.refuse("an inertia that its shapes should tell", "numbers, or a file in which they were worked out")
    at, relative = pose(given)
    if relative and scope + relative != link:
        at = carried(frames.between(link, scope + relative), at)
    mass, tensor = given.one("mass"), given.one("inertia")
    entries = ABSENT if tensor is None else tuple(_entry(tensor, *x) for x in zip(ENTRIES, ABSENT, strict=True))
    return placed(at, Matter(1.0 if mass is None else mass.content_number(), inertia=Inertia(*entries)))


def _entry(e: Element, key: str, absent: float) -> float:
    found = e.one(key)
    return absent if found is None else found.content_number()


def shape(e: Element, body: str, frames: Frames, scope: str, link: str, refer: References) -> Shape | None:
    """The shape of a <visual> or a <collision>; None for what is not known here."""
    at, relative = pose(e)
    if relative:
        at = carried(frames.between(link, scope + relative), at)
    geometry, name = e.the("geometry"), e.word("name", "")
    found = _primitive(geometry, refer)
    if found is None:
        return None
    what, turn = found
    return made(body, e.tag, carried(at, turn), what, name, _color(e))


def _primitive(e: Element, refer: References) -> tuple[dict[str, Any], Placement] | None:
    """Type and size, and how the shape stands in its own frame."""
    for kind, keys in SIZES.items():
        x = e.one(kind)
        if x is not None:
            return {"type": kind, "size": tuple(_length(x.the(key)) for key in keys)}, Placement()
    box, round_, plane, mesh = (e.one(kind) for kind in ("box", "ellipsoid", "plane", "mesh"))
    if box is not None:
        return {"type": "box", "size": _lengths(box.the("size"), 3)}, Placement()
    if round_ is not None:
        return {"type": "ellipsoid", "size": _lengths(round_.the("radii"), 3)}, Placement()
    if plane is not None:
        normal, size = plane.one("normal"), plane.one("size")
        up = (0.0, 0.0, 1.0) if normal is None else normal.content_vector(3)
        length = sum(x * x for x in up) ** 0.5
        if normal is not None and not length > 1e-9:
            raise normal.refuse("a normal of no direction", "one")
        turn = turn_between((0.0, 0.0, 1.0), tuple(x / length for x in up))  # type: ignore[arg-type]
        ends = (1.0, 1.0) if size is None else _lengths(size, 2)
        return {"type": "plane", "size": ends}, Placement(rotation=turn)
    if mesh is not None:
        scale = mesh.one("scale")
        told = {} if scale is None else {"scale": scale.content_vector(3)}
        uri = mesh.the("uri")
        return {"type": "mesh", "file": refer.check(uri, uri.content() or "mesh"), **told}, Placement()
    return None


def _length(e: Element) -> float:
    return _lengths(e, 1)[0]


def _lengths(e: Element, n: int) -> tuple[float, ...]:
    found = e.content_vector(n)
    if min(found) < 0:
        raise e.refuse(f"{found}", "lengths that are not negative")
    return found


def _color(e: Element) -> Color | None:
    """The diffuse colour."""
    material = e.child("material")
    if material is None or material.child("diffuse") is None:
        return None
    rgba = e.the("material").the("diffuse")
    text = rgba.text.split()
    return (*rgba.content_vector(3), 1.0) if len(text) == 3 else rgba.content_vector(4)  # type: ignore[return-value]
