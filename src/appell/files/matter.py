"""What solid primitives weigh, and how the masses of several make one body."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..model.mechanism import Inertia, Placement
from ..model.reading import Rows, Vector
from .turns import EYE, plus, product, transposed, turned

Moments = tuple[float, float, float]


@dataclass(frozen=True)
class Matter:
    """Mass, mass centre, and the inertia about it, in a body's axes."""

    mass: float = 0.0
    com: Vector = (0.0, 0.0, 0.0)
    inertia: Inertia = Inertia()


def turned_inertia(R: Rows, i: Inertia) -> Inertia:
    """The inertia tensor R I R', of one given in axes that are R's columns."""
    if R == EYE:
        return i
    I = ((i.ixx, i.ixy, i.ixz), (i.ixy, i.iyy, i.iyz), (i.ixz, i.iyz, i.izz))
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = product(product(R, I), transposed(R))
    return Inertia(xx, yy, zz, xy, xz, yz)


def placed(at: Placement, matter: Matter) -> Matter:
    """Matter given in a frame of the body, seen from the body."""
    com = plus(at.position, turned(at.rotation, matter.com))
    return Matter(matter.mass, com, turned_inertia(at.rotation, matter.inertia))


def together(parts: Sequence[Matter]) -> Matter:
    """Several pieces of one body."""
    heavy = [x for x in parts if x.mass > 0]
    if len(heavy) < 2:
        return heavy[0] if heavy else Matter()
    mass = _sum(x.mass for x in heavy)
    com: Vector = tuple(_sum(x.mass * x.com[k] for x in heavy) / mass for k in range(3))  # type: ignore[assignment]
    shifted = [_shifted(x, com) for x in heavy]
    return Matter(mass, com, Inertia(*(_sum(entries) for entries in zip(*shifted, strict=True))))


def _sum(values: Iterable[float]) -> float:
    """The sum, to round-off; no number if it is beyond all numbers, which bodies are refused for."""
    values = list(values)
    try:
        return math.fsum(values)
    except (OverflowError, ValueError):
        return math.nan


def _shifted(x: Matter, to: Vector) -> tuple[float, ...]:
    """The entries of the inertia about a point."""
    a, b, c = (p - q for p, q in zip(x.com, to, strict=True))
    i, m = x.inertia, x.mass
    return (
        i.ixx + m * (b * b + c * c), i.iyy + m * (a * a + c * c), i.izz + m * (a * a + b * b),
        i.ixy - m * a * b, i.ixz - m * a * c, i.iyz - m * b * c,
    )  # fmt: skip


# -- solids: volume and principal moments per unit of mass, from the sizes that a shape has ----------------------------


def _box(size: Sequence[float]) -> tuple[float, Moments]:
    x, y, z = size
    return x * y * z, ((y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12)


def _sphere(size: Sequence[float]) -> tuple[float, Moments]:
    (r,) = size
    about = 0.4 * r * r
    return 4 / 3 * math.pi * r * r * r, (about, about, about)


def _cylinder(size: Sequence[float]) -> tuple[float, Moments]:
    r, h = size
    across = (3 * r * r + h * h) / 12
    return math.pi * r * r * h, (across, across, 0.5 * r * r)


def _capsule(size: Sequence[float]) -> tuple[float, Moments]:
    """A cylinder between the halves of a sphere."""
    r, h = size
    ball = 4 * r / (4 * r + 3 * h) if r else 0.0  # the share of the mass
    middle, caps = 1 - ball, 0.4 * r * r
    across = middle * (3 * r * r + h * h) / 12 + ball * (caps + h * (3 * r + 2 * h) / 8)
    return math.pi * r * r * (h + 4 / 3 * r), (across, across, middle * 0.5 * r * r + ball * caps)


def _ellipsoid(size: Sequence[float]) -> tuple[float, Moments]:
    a, b, c = size
    return 4 / 3 * math.pi * a * b * c, ((b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5)


SOLIDS: dict[str, Callable[[Sequence[float]], tuple[float, Moments]]] = {
    "box": _box,
    "sphere": _sphere,
    "cylinder": _cylinder,
    "capsule": _capsule,
    "ellipsoid": _ellipsoid,
}


def solid(kind: str, size: Sequence[float], mass: float | None, density: float) -> Matter:
    """A homogeneous primitive about its own centre: of a mass, or of a density."""
    volume, moments = SOLIDS[kind](size)
    m = volume * density if mass is None else mass
    return Matter(m, inertia=Inertia(*(m * x for x in moments)))
