"""The kinds of joints: how wide their q and v are, what they need, which primitive joints they are made of.

The order of coordinates: cylindrical (angle, displacement); universal about `axis`, then `axis2`; planar
(along e1, along e2, angle about n), translations first; ball: the quaternion w x y z, v in body axes;
free: (position in the joint frame, quaternion), v = (linear, angular) in body axes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ..errors import ModelError, unknown
from .reading import Rows, Vector, refuse, shown
from .tree import FREEDOMS, POSITIONS, Kind, Resistance

if TYPE_CHECKING:
    from .mechanism import Joint

EYE: Rows = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
NOT_NEGATIVE = ("damping", "coulomb", "smoothing", "rotor_inertia")
DRIVES = ("effort_limit", "velocity_limit")
RESISTANCES = ("damping", "coulomb", "smoothing", "rotor_inertia", "gear", "stiffness", "rest", "preload")
SPRINGS = ("stiffness", "rest", "preload")


@dataclass(frozen=True)
class JointType:
    """One row of the table: a chain of primitive joints, and the data that it needs."""

    chain: tuple[Kind, ...]
    needs: tuple[str, ...] = ("axis",)

    @property
    def positions(self) -> int:
        return sum(POSITIONS[k] for k in self.chain)

    @property
    def freedoms(self) -> int:
        return sum(FREEDOMS[k] for k in self.chain)

    @property
    def is_scalar(self) -> bool:
        """Whether every freedom has a coordinate of its own."""
        return self.positions == self.freedoms


TYPES: dict[str, JointType] = {
    "fixed": JointType((), needs=()),
    "revolute": JointType(("revolute",)),
    "prismatic": JointType(("prismatic",)),
    "helical": JointType(("helical",), needs=("axis", "pitch")),
    "cylindrical": JointType(("revolute", "prismatic")),
    "universal": JointType(("revolute", "revolute"), needs=("axis", "axis2")),
    "planar": JointType(("prismatic", "prismatic", "revolute")),
    "ball": JointType(("ball",), needs=()),
    "free": JointType(("free",), needs=()),
}
WIDTHS = {name: (t.positions, t.freedoms) for name, t in TYPES.items()}


class Primitive(NamedTuple):
    """A joint that the formulations know, along z of its link, whose axes in the body's are C's columns."""

    kind: Kind
    C: Rows = EYE
    pitch: float = 0.0


def joint_type(joint: Joint) -> JointType:
    """The row of a joint's type."""
    try:
        return TYPES[joint.type]
    except (KeyError, TypeError):
        raise ModelError(f"joint {joint.name!r}: {unknown('joint type', joint.type, TYPES)}") from None


def unit(v: Vector) -> Vector:
    """The direction of a vector; one of the coordinate axes comes out exact."""
    scale = max(map(abs, v))
    x, y, z = (c / scale for c in v)
    n = math.sqrt(x * x + y * y + z * z)
    return (x / n + 0.0, y / n + 0.0, z / n + 0.0)


def basis(direction: Vector) -> Rows:
    """The rotation with columns (e1, e2, n).

    For n = +-x, +-y, +-z a signed permutation: e1 = y, z, x for x, y, z and y, z, x for -x, -y, -z as well;
    otherwise e1 is the coordinate axis least aligned with n (the first of equals) crossed with n, normalised.
    """
    n = unit(direction)
    size = [abs(c) for c in n]
    if max(size) == 1.0:
        e1 = EYE[(size.index(1.0) + 1) % 3]
    else:
        e1 = unit(_cross(EYE[size.index(min(size))], n))
    return _columns(e1, _cross(n, e1), n)


def _cross(u: Vector, v: Vector) -> Vector:
    return (
        u[1] * v[2] - u[2] * v[1] + 0.0,
        u[2] * v[0] - u[0] * v[2] + 0.0,
        u[0] * v[1] - u[1] * v[0] + 0.0,
    )


def _columns(a: Vector, b: Vector, c: Vector) -> Rows:
    return tuple(zip(a, b, c, strict=True))  # type: ignore[return-value]


def opened(joint: Joint) -> tuple[Primitive, ...]:
    """The chain of primitive joints, from the parent outwards; nothing for a fixed joint."""
    return _opened(joint.type, joint.axis, joint.axis2, joint.pitch)


@lru_cache(maxsize=1024)
def _opened(kind: str, axis: Vector, axis2: Vector, pitch: float) -> tuple[Primitive, ...]:
    chain = TYPES[kind].chain
    if kind in ("fixed", "ball", "free"):
        return tuple(Primitive(k) for k in chain)
    C = basis(axis)
    if kind == "universal":
        return (Primitive("revolute", C), Primitive("revolute", basis(axis2)))
    if kind == "planar":  # the same three axes, each in turn as z
        e1, e2, n = zip(*C, strict=True)
        turned = (_columns(e2, n, e1), _columns(n, e1, e2), C)
        return tuple(Primitive(k, T) for k, T in zip(chain, turned, strict=True))
    return tuple(Primitive(k, C, pitch or 0.0) for k in chain)


def resistances(joint: Joint) -> tuple[Resistance, ...]:
    """What each freedom meets in its joint; nothing if the joint is ideal."""
    if all(getattr(joint, key) is None for key in RESISTANCES):
        return ()
    damping, coulomb, smoothing, rotor, gear, *spring = (per_freedom(joint, k) for k in RESISTANCES)
    felt = tuple(r * g * g for r, g in zip(rotor, gear, strict=True))
    return tuple(map(Resistance, felt, damping, coulomb, smoothing, *spring))


def per_freedom(joint: Joint, key: str) -> tuple[float, ...]:
    """One of the joint's constants, for each of its freedoms."""
    given, n = getattr(joint, key), WIDTHS[joint.type][1]
    if isinstance(given, tuple):
        return given
    absent = 1.0 if key == "gear" else 0.0
    return ((absent if given is None else given),) * n


def check_joint(joint: Joint) -> None:
    """Refuse a joint that cannot be: an axis of no direction, a negative friction, a spring on a ball."""
    kind, where = joint_type(joint), f"joint {joint.name!r}"
    for key in kind.needs:
        if getattr(joint, key) is None:
            raise refuse(where, f"no {key!r}", f"one, as a {joint.type} joint needs it")
    for key in ("axis", "axis2"):
        _check_axis(where, key, getattr(joint, key))
    if joint.type == "universal":
        _check_crossing(joint, where)
    if any(getattr(joint, key) is not None for key in (*RESISTANCES, *DRIVES)):
        _check_resistances(joint, kind, where)
    if joint.limits is not None:
        _check_limits(joint, kind, where)


def _check_axis(where: str, key: str, axis: Vector | None) -> None:
    if axis is None:
        return
    length = math.sqrt(sum(c * c for c in axis))
    if not 1e-9 < length < math.inf:
        raise refuse(where, f"{key} = {shown(axis)}", "a direction, which a vector of length 0 is not")
    if abs(length - 1.0) > 1e-6:
        from warnings import warn

        warn(f"{where}: {key} {shown(axis)} has length {length:.6g}; its direction is taken", stacklevel=2)


def _check_crossing(joint: Joint, where: str) -> None:
    between = _cross(unit(joint.axis), unit(joint.axis2))  # type: ignore[arg-type]
    if max(map(abs, between)) < 1e-6:
        raise refuse(where, f"axis2 = {shown(joint.axis2)} along axis", "two axes that differ")


def _check_resistances(joint: Joint, kind: JointType, where: str) -> None:
    for key in (*RESISTANCES, *DRIVES):
        given = getattr(joint, key)
        if given is None:
            continue
        if not kind.freedoms:
            raise refuse(where, f"{key} = {given}", "none, as a fixed joint does not move")
        if key in SPRINGS and not kind.is_scalar:
            raise refuse(where, f"{key} = {given}", f"none, as a {joint.type} joint has no scalar coordinate")
        if isinstance(given, tuple) and len(given) != kind.freedoms:
            raise refuse(where, f"{len(given)} values of {key}", f"one number, or {kind.freedoms}")
        if key in RESISTANCES and not all(map(math.isfinite, per_freedom(joint, key))):
            raise refuse(where, f"{key} = {given}", "a finite number")
        if key in (*NOT_NEGATIVE, *DRIVES) and not min(per_freedom(joint, key)) >= 0:
            raise refuse(where, f"{key} = {given}", "a number that is not negative")


def _check_limits(joint: Joint, kind: JointType, where: str) -> None:
    limits = joint.limits or ()
    pairs = 1 if limits and not isinstance(limits[0], tuple) else len(limits)
    wanted = kind.positions if kind.is_scalar else 0
    if pairs != wanted:
        raise refuse(where, f"{pairs} pair(s) of limits", f"{wanted} for a {joint.type} joint")
