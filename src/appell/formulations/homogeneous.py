"""4x4 matrices of motion: homogeneous transformations and what comes of them by derivatives and moments."""

from __future__ import annotations

from dataclasses import dataclass

from ..scalar import Scalar
from ..spatial import Pose, Twist, Wrench
from ..vec import Mat3, Vec3, cross, outer
from .composites import Matter


@dataclass(frozen=True, slots=True)
class Homogeneous:
    """A 4x4 matrix by its upper three rows, [A, a]; below stands 0 0 0 1 in a transformation, else zero.

    What it is multiplied by are 4x4 matrices, too:

        pose [R, r; 0, 1],   twist [[e x], l; 0, 0],   pseudo-inertia of matter [J, s; s', m],
        wrench [N, f; 0, 0], with N the upper half of [n x], so that its trace with a twist's transpose is power
    """

    A: Mat3 = Mat3()
    a: Vec3 = Vec3()

    def __add__(self, B: Homogeneous) -> Homogeneous:
        return Homogeneous(self.A + B.A, self.a + B.a)

    def __sub__(self, B: Homogeneous) -> Homogeneous:
        return Homogeneous(self.A - B.A, self.a - B.a)

    def __matmul__(self, B: Pose | Twist | Wrench | Matter) -> Homogeneous:
        """The product; that with a pseudo-inertia is for matrices whose last row is zero."""
        if isinstance(B, Pose):
            return Homogeneous(Mat3(*(B.R.T @ row for row in self.A)), self.A @ B.r + self.a)
        if isinstance(B, Twist):
            return Homogeneous(Mat3(*(cross(row, B.angular) for row in self.A)), self.A @ B.linear)
        if isinstance(B, Wrench):
            return Homogeneous(Mat3(*(_upper(row, B.moment) for row in self.A)), self.A @ B.force)
        rows = Mat3(*(B.second @ row for row in self.A))  # A J, as J is symmetric
        return Homogeneous(rows + outer(self.a, B.first), self.A @ B.first + self.a * B.mass)

    def to_parent(self, X: Pose) -> Homogeneous:
        """The product with the transpose of a pose, for matrices whose last row is zero."""
        return Homogeneous(Mat3(*(X.R @ row for row in self.A)) + outer(self.a, X.r), self.a)

    def trace(self, B: Homogeneous) -> Scalar:
        """tr(self B')."""
        rows = zip((*self.A, self.a), (*B.A, B.a), strict=True)
        (x, y, z, t) = (u @ v for u, v in rows)
        return x + y + z + t


def _upper(row: Vec3, n: Vec3) -> Vec3:
    """A row times the upper half of [n x]."""
    return Vec3(0, -(row.x * n.z), row.x * n.y - row.y * n.x)
