"""Rotations as they come in files: nearly orthonormal matrices, nearly unit quaternions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from . import reading
from .reading import Rows, refuse, shown

if TYPE_CHECKING:
    from .mechanism import Mechanism, Placement

Quaternion = tuple[float, float, float, float]


def read_quaternion(data: Mapping[str, Any], where: str) -> Quaternion:
    """{"quaternion": [w, x, y, z]}, normalised with a warning; an error if its norm is outside 0.9 to 1.1."""
    d = reading.mapping(data, f"rotation in {where}", ("quaternion",))
    given: Quaternion = reading.vector(d, "quaternion", where, 4)
    norm = math.sqrt(sum(c * c for c in given))
    if not 0.9 <= norm <= 1.1:
        raise refuse(where, f"quaternion {shown(given)} of norm {norm:.6g}", "a norm of 1")
    if abs(norm - 1.0) <= 1e-12:
        return given
    warn(f"{where}: quaternion {shown(given)} of norm {norm:.9g} was normalised", stacklevel=2)
    w, x, y, z = given
    return (w / norm, x / norm, y / norm, z / norm)


def quaternion_rows(q: Quaternion) -> Rows:
    """The rotation matrix of a quaternion, R(q) / (q.q)."""
    w, x, y, z = q
    k = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        (1.0 - k * (y * y + z * z), k * (x * y - w * z), k * (x * z + w * y)),
        (k * (x * y + w * z), 1.0 - k * (x * x + z * z), k * (y * z - w * x)),
        (k * (x * z - w * y), k * (y * z + w * x), 1.0 - k * (x * x + y * y)),
    )


def check_rotations(mechanism: Mechanism) -> None:
    """Refuse a rotation that is off orthonormal by more than 1e-6, or left-handed."""
    placed = [(f"body {b.name!r}", b.placement) for b in mechanism.bodies]
    placed += [(f"frame {f.name!r}", f.placement) for f in mechanism.frames]
    placed += [(f"loop {x.name!r}", p) for x in mechanism.loops for p in (x.placement_a, x.placement_b)]
    placed += [(f"shape of body {x.body!r}", x.placement) for x in mechanism.shapes]
    R = stacked([p for _, p in placed])
    error = np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max(axis=(1, 2), initial=0.0)
    bad = ~(error <= 1e-6) | (np.linalg.det(R) < 0)
    finite = np.isfinite(np.array([p.position for _, p in placed], float).reshape(-1, 3)).all(axis=1)
    for k in np.flatnonzero(~finite)[:1]:
        where, placement = placed[k]
        raise refuse(f"placement of {where}", f"position = {placement.position}", "3 finite numbers")
    for k in np.flatnonzero(bad)[:1]:
        where, placement = placed[k]
        what = "left-handed" if error[k] <= 1e-6 else f"off orthonormal by {error[k]:.3g}"
        got = f"rotation {shown(placement.rotation)}, {what}"
        raise refuse(f"placement of {where}", got, "a rotation matrix")


def stacked(placements: list[Placement]) -> np.ndarray:
    """The rotation matrices of many placements, as given."""
    return np.array([p.rotation for p in placements], float).reshape(-1, 3, 3)


def orthonormal(R: np.ndarray) -> np.ndarray:
    """Nearly orthonormal matrices made so, by two steps of Newton's iteration; exact ones stay."""
    for _ in range(2):
        G = np.swapaxes(R, 1, 2) @ R
        off = np.abs(G - np.eye(3)).max(axis=(1, 2), initial=0.0) > 4e-16
        R = np.where(off[:, None, None], R @ (1.5 * np.eye(3) - 0.5 * G), R)
    return R
