"""Denavit-Hartenberg tables of serial robots: frames along the joints' axes and the common normals between them.

The robot at zero gives every axis; frame by frame the four numbers follow. Parallel axes leave the normal open: it is
taken through the frame before. What a table cannot say stands in `base` and `tool`, so it always fits; `residual` is
how far its robot is from the given one, in metres and entries of rotations, over some random configurations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from ..errors import ModelError, unknown
from ..model.dh import from_dh
from ..model.joints import basis
from ..model.mechanism import Mechanism, Placement
from ..model.reading import Vector, refuse
from .matter import Matter, placed
from .serial import Link, serial
from .standing import moved
from .turns import HERE, carried, exact, plus, seen_from

Convention = Literal["standard", "modified"]
Line = tuple[Vector, Vector]  # a point, a direction
PARALLEL = 1e-12  # sine of the angle between axes that have no normal of their own
ON = 1e-12  # metres: a point that is on a line


@dataclass(frozen=True)
class DHTable:
    """Rows (a, alpha, d, theta, type), and all else that `appell.from_dh` takes."""

    name: str
    convention: Convention
    rows: tuple[tuple[float, float, float, float, str], ...]
    base: Placement
    tool: Placement
    gravity: Vector
    matters: tuple[Matter, ...]  # in the frames of the rows
    bodies: tuple[str, ...]
    joints: tuple[tuple[str, dict[str, Any]], ...]
    residual: float = 0.0

    def options(self) -> dict[str, Any]:
        """The arguments of `appell.from_dh` that make the robot again."""
        head = {"rows": self.rows, "convention": self.convention, "name": self.name, "gravity": self.gravity}
        ends = {"base": _matrix(self.base), "tool": _matrix(self.tool)}
        weights = {"masses": [x.mass for x in self.matters], "coms": [x.com for x in self.matters]}
        names = {"body_names": self.bodies, "joint_names": [name for name, _ in self.joints]}
        inertias = {"inertias": [vars(x.inertia) for x in self.matters]}
        return {**head, **ends, **weights, **inertias, **names, "joints": [more for _, more in self.joints]}

    def mechanism(self) -> Mechanism:
        """The robot of the table."""
        return from_dh(**self.options())

    def __str__(self) -> str:
        head = f"{self.name}, {self.convention} Denavit-Hartenberg parameters, residual {self.residual:.1e}"
        lines = [f"{'joint':<24}{'type':<10}{'a [m]':>12}{'alpha [deg]':>13}{'d [m]':>12}{'theta [deg]':>13}"]
        for (name, _), (a, alpha, d, theta, kind) in zip(self.joints, self.rows, strict=True):
            numbers = f"{a:>12.6g}{math.degrees(alpha):>13.6g}{d:>12.6g}{math.degrees(theta):>13.6g}"
            lines.append(f"{name:<24}{kind:<10}{numbers}")
        ends = [f"{what}: not the identity" for what in ("base", "tool") if not _is_here(getattr(self, what))]
        return "\n".join([head, *lines, *ends])


def to_dh(mechanism: Mechanism, convention: Convention = "standard", tool: str | None = None) -> DHTable:
    """The table of a serial robot of revolute and prismatic joints, in either convention."""
    if convention not in ("standard", "modified"):
        raise ModelError(f"robot {mechanism.name!r}: {unknown('convention', convention, ('standard', 'modified'))}")
    links, end = serial(mechanism, tool, "a Denavit-Hartenberg table")
    for x in links:
        if x.joint.type == "helical":
            raise refuse(f"robot {mechanism.name!r}", f"the helical joint {x.joint.name!r}", "what a row can say")
    frames = (_standard if convention == "standard" else _modified)(links)
    rows = tuple(
        (*_row(seen_from(a, b), convention), x.joint.type) for a, b, x in zip(frames, frames[1:], links, strict=False)
    )
    matters = tuple(placed(seen_from(frame, x.pose), x.matter) for frame, x in zip(frames[1:], links, strict=True))
    joints = tuple((x.joint.name, x.more) for x in links)
    found = DHTable(
        mechanism.name, convention, rows, frames[0], seen_from(frames[-1], end), mechanism.gravity, matters,
        tuple(x.name for x in links), joints,
    )  # fmt: skip
    return replace(found, residual=_residual(mechanism, found, end))


# -- frames -------------------------------------------------------------------------------------------------------


def _standard(links: Sequence[Link]) -> list[Placement]:
    """Frames 0 to n: z of frame i along joint i + 1, x along the normal from the axis before."""
    if not links:
        return [HERE]
    frames = [HERE if _is_on(HERE, _line(links[0])) else _stand(_line(links[0]), HERE)]
    for a, b in pairwise(links):
        _, foot, x = _normal(_line(a), _line(b), frames[-1])
        frames.append(_frame(foot, x, b.axis))
    return [*frames, frames[-1]]


def _modified(links: Sequence[Link]) -> list[Placement]:
    """Frames 0 to n: z of frame i along joint i, x along the normal to the axis behind it."""
    if not links:
        return [HERE]
    first = _line(links[0])
    frames = [HERE if _meets(HERE, first) else _stand(first, HERE)]
    x = _axis(frames[0], 0)
    foot = _normal((frames[0].position, _axis(frames[0], 2)), first, frames[0])[1]
    for a, b in pairwise(links):
        start, foot, x = _normal(_line(a), _line(b), frames[-1])
        frames.append(_frame(start, x, a.axis))
    return [*frames, _frame(foot, x, links[-1].axis)]


def _normal(a: Line, b: Line, near: Placement) -> tuple[Vector, Vector, Vector]:
    """The common normal of two axes: where it stands on each, and its direction; a frame decides where it is open."""
    (p, z), (r, w) = a, b
    across, off, x = _cross(z, w), _minus(r, p), _axis(near, 0)
    sine = _norm(across)
    if sine < PARALLEL:
        start = plus(p, _times(_dot(_minus(near.position, p), z), z))
        foot = plus(r, _times(_dot(_minus(start, r), w), w))
        away = _minus(foot, start)
        along = away if _norm(away) > ON else _minus(x, _times(_dot(x, z), z))
        along = along if _norm(along) > 1e-6 or _norm(away) > ON else _axis(Placement(rotation=basis(z)), 0)
        return start, foot, _times(1 / _norm(along), along)
    start = plus(p, _times(_dot(_cross(off, w), across) / sine**2, z))
    foot = plus(r, _times(_dot(_cross(off, z), across) / sine**2, w))
    across = _times(1 / sine, across)
    away = _dot(off, across)
    sign = away if abs(away) > ON else _dot(x, across) if abs(_dot(x, across)) > 1e-9 else 1.0
    return start, foot, _times(math.copysign(1.0, sign), across)


def _is_on(frame: Placement, line: Line) -> bool:
    """Whether a frame has its z along a line, to round-off."""
    z = _axis(frame, 2)
    return (
        _dot(z, line[1]) > 0 and max(_norm(_cross(z, line[1])), _norm(_cross(_minus(line[0], frame.position), z))) < ON
    )


def _meets(frame: Placement, line: Line) -> bool:
    """Whether the x of a frame is a normal to a line, to round-off."""
    x, (point, z) = _axis(frame, 0), line
    return max(abs(_dot(x, z)), abs(_dot(_minus(point, frame.position), _cross(x, z)))) < ON


def _stand(line: Line, before: Placement) -> Placement:
    """A frame with z on a line: at the point that is nearest to a frame, x as near to its x as it can be."""
    point, z = line
    x = _axis(before, 0)
    x = _minus(x, _times(_dot(x, z), z))
    x = x if _norm(x) > 1e-6 else _axis(Placement(rotation=basis(z)), 0)
    return _frame(plus(point, _times(_dot(_minus(before.position, point), z), z)), _times(1 / _norm(x), x), z)


def _row(at: Placement, convention: Convention) -> tuple[float, float, float, float]:
    """(a, alpha, d, theta) of one frame in the one before."""
    (R, (x, y, z)) = at.rotation, at.position
    if convention == "standard":
        theta, alpha = math.atan2(R[1][0], R[0][0]), math.atan2(R[2][1], R[2][2])
        return (x * math.cos(theta) + y * math.sin(theta), alpha + 0.0, z + 0.0, theta + 0.0)
    alpha, theta = math.atan2(-R[1][2], R[2][2]), math.atan2(-R[0][1], R[0][0])
    return (x + 0.0, alpha + 0.0, -y * math.sin(alpha) + z * math.cos(alpha) + 0.0, theta + 0.0)


def _residual(mechanism: Mechanism, table: DHTable, end: Placement) -> float:
    """How far the robot of a table stands from the given one, at most, over some configurations."""
    rng, worst, other = np.random.default_rng(0), 0.0, serial(table.mechanism(), "tool", "")
    given = serial(mechanism, None, "")[0], end
    for _ in range(8):
        q = rng.uniform(-math.pi, math.pi, len(table.rows))
        a, b = _tip(*given, q), _tip(*other, q)
        worst = max(worst, float(np.abs(a - b).max()))
    return worst


def _tip(links: Sequence[Link], end: Placement, q: Any) -> Any:
    """The pose of the tool, by the product of exponentials."""
    T = np.eye(4)
    for x, angle in zip(links, q, strict=True):
        T = T @ _matrix(motion(x, float(angle)))
    return T @ _matrix(end)


def motion(link: Link, q: float) -> Placement:
    """The displacement of all that a joint carries, seen from the base."""
    alone = replace(link.joint, axis=link.axis, limits=None)
    at = Placement(link.pose.position)
    return carried(moved(alone, at, [q])[0], seen_from(at, HERE))


# -- vectors ------------------------------------------------------------------------------------------------------


def _axis(at: Placement, k: int) -> Vector:
    """One of the axes of a frame."""
    return tuple(row[k] for row in at.rotation)  # type: ignore[return-value]


def _line(link: Link) -> Line:
    return link.pose.position, link.axis


def _frame(origin: Vector, x: Vector, z: Vector) -> Placement:
    y = _cross(z, x)
    return Placement(origin, exact(tuple(zip(x, y, z, strict=True))))  # type: ignore[arg-type]


def _matrix(at: Placement) -> Any:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = at.rotation, at.position
    return T


def _is_here(at: Placement) -> bool:
    return at.position == HERE.position and at.rotation == HERE.rotation


def _minus(a: Vector, b: Vector) -> Vector:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def _times(k: float, a: Vector) -> Vector:
    return (k * a[0] + 0.0, k * a[1] + 0.0, k * a[2] + 0.0)


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _norm(a: Vector) -> float:
    return math.sqrt(_dot(a, a))
