"""Joints that stand somewhere: where what they carry is, and the same joints with coordinates that count from there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..model.joints import unit
from ..model.mechanism import Joint, Placement
from ..model.reading import Vector
from .turns import HERE, axis_rows, carried, quaternion_rows, transposed, turned

Z: Vector = (0.0, 0.0, 1.0)


def moved(joint: Joint, placement: Placement, q: Sequence[float] | Any) -> tuple[Placement, Joint]:
    """Where a joint's body stands in its parent at q, and the joint that moves it on from there."""
    q = [float(x) for x in q]
    if not any(q) or (joint.type in ("ball", "free") and not any(q[:-4]) and not any(q[-3:])):
        return carried(placement, HERE), joint
    if joint.type in ("ball", "free"):
        w, x, y, z = q[-4:]
        at: Vector = (q[0], q[1], q[2]) if joint.type == "free" else HERE.position
        return carried(placement, Placement(at, quaternion_rows((w, x, y, z)))), joint
    if joint.type == "universal":
        first, second = axis_rows(joint.axis or Z, q[0]), axis_rows(joint.axis2 or Z, q[1])
        there = carried(Placement(rotation=first), Placement(rotation=second))
        return carried(placement, there), replace(joint, axis=turned(transposed(second), unit(joint.axis or Z)))
    return carried(placement, _by(joint, q[0])), joint


def _by(joint: Joint, q: float) -> Placement:
    """The motion of a joint of one freedom."""
    axis = unit(joint.axis or Z)
    turn = HERE.rotation if joint.type == "prismatic" else axis_rows(axis, q)
    along = {"prismatic": q, "helical": q * (joint.pitch or 0.0)}.get(joint.type, 0.0)
    return Placement(tuple(along * x for x in axis), turn)  # type: ignore[arg-type]


def open_by(joint: Joint, seen: Placement) -> tuple[float, tuple[float, ...]]:
    """How far two frames are apart for a joint between them, and the coordinates that bring them nearest."""
    if joint.type in ("ball", "fixed"):
        return max(_length(seen.position), 0.0 if joint.type == "ball" else _angle(seen)), ()
    if joint.type == "universal":
        a, b = unit(joint.axis or Z), unit(joint.axis2 or Z)
        return abs(_dot(a, turned(seen.rotation, b)) - _dot(a, b)) + _length(seen.position), (0.0, 0.0)
    axis = unit(joint.axis or Z)
    along, R = _dot(axis, seen.position), seen.rotation
    turn = (R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1])
    trace = R[0][0] + R[1][1] + R[2][2]
    angle = math.atan2(_dot(axis, turn), trace - 1.0)
    q = along if joint.type == "prismatic" else angle
    there = _by(joint, q)
    left = carried(Placement(rotation=transposed(there.rotation)), Placement(rotation=R))
    gap = _length(tuple(x - y for x, y in zip(seen.position, there.position, strict=True)))  # type: ignore[arg-type]
    return max(gap, _angle(left)), (q,)


def _angle(at: Placement) -> float:
    """About the angle of a rotation, as long as it is small."""
    return max(
        abs(x - y)
        for row, other in zip(at.rotation, HERE.rotation, strict=True)
        for x, y in zip(row, other, strict=True)
    )


def _dot(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def _length(a: Vector) -> float:
    return math.sqrt(_dot(a, a))
