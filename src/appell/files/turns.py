"""Rotations as robot files write them: angles, quaternions, axes; all as the rows of a matrix.

Right angles are exact: a turn by the double nearest to a multiple of pi/2 is a signed permutation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..model.joints import EYE, basis, unit
from ..model.mechanism import Placement
from ..model.reading import Rows, Vector
from ..model.rotation import quaternion_rows

QUARTERS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
NO_TURN: Vector = (0.0, 0.0, 0.0)


def cosine_sine(angle: float) -> tuple[float, float]:
    """(cos, sin), exact for multiples of a right angle."""
    quarters = round(angle / (0.5 * math.pi))
    if abs(angle - quarters * 0.5 * math.pi) <= 1e-15 * max(1, abs(quarters)):
        return QUARTERS[quarters % 4]
    return math.cos(angle), math.sin(angle)


def about(axis: int, angle: float) -> Rows:
    """The turn about a coordinate axis."""
    c, s = cosine_sine(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = [[0.0] * 3 for _ in range(3)]
    R[axis][axis], R[i][i], R[i][j], R[j][i], R[j][j] = 1.0, c, -s, s, c
    return (tuple(R[0]), tuple(R[1]), tuple(R[2]))  # type: ignore[return-value]


def product(A: Rows, B: Rows) -> Rows:
    """A B."""
    if A == EYE:
        return B
    if B == EYE:
        return A
    b0, b1, b2 = B
    return tuple(  # type: ignore[return-value]
        tuple(x * b0[k] + y * b1[k] + z * b2[k] + 0.0 for k in range(3)) for x, y, z in A
    )


def transposed(A: Rows) -> Rows:
    """A'."""
    return tuple(zip(*A, strict=True))  # type: ignore[return-value]


def turned(A: Rows, x: Vector) -> Vector:
    """A x."""
    return tuple(a * x[0] + b * x[1] + c * x[2] + 0.0 for a, b, c in A)  # type: ignore[return-value]


def plus(x: Vector, y: Vector) -> Vector:
    """x + y."""
    return (x[0] + y[0], x[1] + y[1], x[2] + y[2])


def rpy_rows(rpy: Vector) -> Rows:
    """Turns about the fixed axes x, y, z, in this order: Rz(yaw) Ry(pitch) Rx(roll)."""
    if rpy == NO_TURN:
        return EYE
    return product(about(2, rpy[2]), product(about(1, rpy[1]), about(0, rpy[0])))


def rows_rpy(R: Rows) -> Vector:
    """Angles with rpy_rows(angles) = R, to round-off also where the pitch is a right angle."""
    if R == EYE:
        return NO_TURN
    yaw = math.atan2(R[1][0], R[0][0]) if math.hypot(R[0][0], R[1][0]) > 1e-15 else 0.0
    pitch = math.atan2(-R[2][0], math.hypot(R[0][0], R[1][0]))
    c, s = cosine_sine(yaw)
    roll = math.atan2(s * R[0][2] - c * R[1][2], c * R[1][1] - s * R[0][1])
    return (roll + 0.0, pitch + 0.0, yaw + 0.0)


def euler_rows(angles: Sequence[float], sequence: str) -> Rows:
    """Turns in a sequence of axes: xyz carried along, XYZ fixed, as MJCF's eulerseq."""
    R = EYE
    for letter, angle in zip(sequence, angles, strict=True):
        turn = about("xyz".index(letter.lower()), angle)
        R = product(R, turn) if letter.islower() else product(turn, R)
    return R


def axis_rows(axis: Vector, angle: float) -> Rows:
    """The turn about any axis."""
    B = basis(axis)
    return product(product(B, about(2, angle)), transposed(B))


def exact(R: Rows) -> Rows:
    """A rotation; one by right angles to the last bits becomes the signed permutation that is meant."""
    whole = tuple(tuple(float(round(x)) + 0.0 for x in row) for row in R)
    near = all(abs(x - y) <= 5e-16 for x, y in zip(sum(R, ()), sum(whole, ()), strict=True))
    return whole if near else R  # type: ignore[return-value]


def unit_quaternion(q: Sequence[float]) -> tuple[float, float, float, float]:
    """The quaternion made of length 1."""
    n = math.sqrt(sum(c * c for c in q))
    w, x, y, z = (c / n for c in q)
    return (w, x, y, z)


def rows_quaternion(R: Rows) -> tuple[float, float, float, float]:
    """w x y z with w >= 0, from its largest component."""
    (a, b, c), (d, e, f), (g, h, i) = R
    four = (1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i)
    k = max(range(4), key=four.__getitem__)
    half = (
        (four[0], h - f, c - g, d - b),
        (h - f, four[1], d + b, g + c),
        (c - g, d + b, four[2], h + f),
        (d - b, g + c, h + f, four[3]),
    )[k]
    q = unit_quaternion(half)
    return q if q[0] >= 0 else (-q[0], -q[1], -q[2], -q[3])


def frame_of(x: Vector, y: Vector) -> Rows:
    """The rotation whose first axis is along x and whose second is y made normal to it."""
    x = unit(x)
    along = sum(a * b for a, b in zip(x, y, strict=True))
    y = unit((y[0] - along * x[0], y[1] - along * x[1], y[2] - along * x[2]))
    z = (x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0])
    return tuple(zip(x, y, z, strict=True))  # type: ignore[return-value]


def turn_between(a: Vector, b: Vector) -> Rows:
    """The shortest turn that takes the unit vector a to b."""
    cross = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    sine, cosine = math.hypot(*cross), sum(x * y for x, y in zip(a, b, strict=True))
    if sine > 0:
        return axis_rows(cross, math.atan2(sine, cosine))
    return EYE if cosine > 0 else axis_rows(transposed(basis(a))[0], math.pi)


# -- placements ---------------------------------------------------------------------------------------------------


def carried(outer: Placement, inner: Placement) -> Placement:
    """Where a frame stands that is placed in another: outer inner."""
    if outer == HERE:
        return inner
    position = plus(outer.position, turned(outer.rotation, inner.position))
    return Placement(position, product(outer.rotation, inner.rotation))


def seen_from(outer: Placement, inner: Placement) -> Placement:
    """Where a frame stands in another, both placed in a third: outer^-1 inner."""
    back = transposed(outer.rotation)
    away = tuple(a - b for a, b in zip(inner.position, outer.position, strict=True))
    return Placement(turned(back, away), product(back, inner.rotation))  # type: ignore[arg-type]


HERE = Placement()

__all__ = [
    "HERE", "about", "axis_rows", "carried", "euler_rows", "frame_of", "plus", "product", "quaternion_rows",
    "rows_quaternion", "rows_rpy", "rpy_rows", "seen_from", "transposed", "turn_between", "turned", "unit_quaternion",
]  # fmt: skip
