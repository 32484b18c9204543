"""Three-vectors, 3x3 matrices and rotations over any scalar. Immutable; `@` is the inner product."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, overload

from .scalar import Scalar, cos, sin


@dataclass(frozen=True, slots=True)
class Vec3:
    """A vector by its components."""

    x: Scalar = 0
    y: Scalar = 0
    z: Scalar = 0

    def __add__(self, v: Vec3) -> Vec3:
        return Vec3(self.x + v.x, self.y + v.y, self.z + v.z)

    def __sub__(self, v: Vec3) -> Vec3:
        return Vec3(self.x - v.x, self.y - v.y, self.z - v.z)

    def __neg__(self) -> Vec3:
        return Vec3(-self.x, -self.y, -self.z)

    def __mul__(self, s: Scalar) -> Vec3:
        return Vec3(self.x * s, self.y * s, self.z * s)

    def __matmul__(self, v: Vec3) -> Scalar:
        return self.x * v.x + self.y * v.y + self.z * v.z

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.x, self.y, self.z))


@dataclass(frozen=True, slots=True)
class Mat3:
    """A matrix by its rows."""

    r1: Vec3 = Vec3()
    r2: Vec3 = Vec3()
    r3: Vec3 = Vec3()

    def __add__(self, B: Mat3) -> Mat3:
        return Mat3(self.r1 + B.r1, self.r2 + B.r2, self.r3 + B.r3)

    def __sub__(self, B: Mat3) -> Mat3:
        return Mat3(self.r1 - B.r1, self.r2 - B.r2, self.r3 - B.r3)

    def __neg__(self) -> Mat3:
        return Mat3(-self.r1, -self.r2, -self.r3)

    def __mul__(self, s: Scalar) -> Mat3:
        return Mat3(self.r1 * s, self.r2 * s, self.r3 * s)

    @overload
    def __matmul__(self, B: Vec3) -> Vec3: ...
    @overload
    def __matmul__(self, B: Mat3) -> Mat3: ...
    def __matmul__(self, B: Any) -> Any:
        if isinstance(B, Vec3):
            return Vec3(self.r1 @ B, self.r2 @ B, self.r3 @ B)
        c = B.T
        return Mat3(*(Vec3(r @ c.r1, r @ c.r2, r @ c.r3) for r in self))

    def __iter__(self) -> Iterator[Vec3]:
        return iter((self.r1, self.r2, self.r3))

    @property
    def T(self) -> Mat3:
        a, b, c = self.r1, self.r2, self.r3
        return Mat3(Vec3(a.x, b.x, c.x), Vec3(a.y, b.y, c.y), Vec3(a.z, b.z, c.z))

    @property
    def trace(self) -> Scalar:
        return self.r1.x + self.r2.y + self.r3.z

    @property
    def cycled(self) -> Mat3:
        """The same in the axes y, z, x."""
        return Mat3(*(Vec3(r.y, r.z, r.x) for r in (self.r2, self.r3, self.r1)))

    @property
    def about_x(self) -> Turn | None:
        """The turn of a rotation that is structurally about x; right angles need none, as their products are free."""
        (a, b, c), (d, e, _), (f, g, _) = self
        known = all(type(x) is int for x in (a, b, c, d, f)) and (a, b, c, d, f) == (1, 0, 0, 0, 0)
        return Turn(e, g) if known and not _zero(e) and not _zero(g) else None

    def similarity(self, A: Mat3) -> Mat3:
        """B A B', column by column and row by row."""
        if (tilt := self.about_x) is not None:
            return tilt.similarity(A.cycled).cycled.cycled
        half = Mat3(*(self @ column for column in A.T))  # (B A)', as rows
        return Mat3(*(self @ row for row in half.T))

    def congruence(self, S: Sym3) -> Sym3:
        """A S A'."""
        if (tilt := self.about_x) is not None:
            return tilt.congruence(S.cycled).cycled.cycled
        B = Mat3(*(Vec3(S.x @ r, S.y @ r, S.z @ r) for r in self))  # rows of A S, as S is symmetric
        a, b, c = self.r1, self.r2, self.r3
        return Sym3(B.r1 @ a, B.r2 @ b, B.r3 @ c, B.r1 @ b, B.r1 @ c, B.r2 @ c)


@dataclass(frozen=True, slots=True)
class Sym3:
    """A symmetric matrix by its six entries."""

    xx: Scalar = 0
    yy: Scalar = 0
    zz: Scalar = 0
    xy: Scalar = 0
    xz: Scalar = 0
    yz: Scalar = 0

    @property
    def x(self) -> Vec3:
        return Vec3(self.xx, self.xy, self.xz)

    @property
    def y(self) -> Vec3:
        return Vec3(self.xy, self.yy, self.yz)

    @property
    def z(self) -> Vec3:
        return Vec3(self.xz, self.yz, self.zz)

    @property
    def cycled(self) -> Sym3:
        """The same in the axes y, z, x."""
        return Sym3(self.yy, self.zz, self.xx, self.yz, self.xy, self.xz)

    @property
    def trace(self) -> Scalar:
        return self.xx + self.yy + self.zz

    def __add__(self, B: Sym3) -> Sym3:
        return Sym3(*(a + b for a, b in zip(self, B, strict=True)))

    def __sub__(self, B: Sym3) -> Sym3:
        return Sym3(*(a - b for a, b in zip(self, B, strict=True)))

    def __mul__(self, s: Scalar) -> Sym3:
        return Sym3(*(a * s for a in self))

    def __matmul__(self, v: Vec3) -> Vec3:
        return Vec3(self.x @ v, self.y @ v, self.z @ v)

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.xx, self.yy, self.zz, self.xy, self.xz, self.yz))

    @property
    def matrix(self) -> Mat3:
        return Mat3(self.x, self.y, self.z)

    @property
    def inertia(self) -> Sym3:
        """The inertia tensor of second moment J: tr(J) 1 - J."""
        xx, yy, zz, xy, xz, yz = self
        return Sym3(yy + zz, zz + xx, xx + yy, -xy, -xz, -yz)


@dataclass(frozen=True, slots=True)
class Turn:
    """A rotation about z, by the cosine and sine of its angle: 4 products and 2 sums per vector."""

    c: Scalar = 1
    s: Scalar = 0

    def __matmul__(self, v: Vec3) -> Vec3:
        return Vec3(self.c * v.x - self.s * v.y, self.s * v.x + self.c * v.y, v.z)

    @property
    def T(self) -> Turn:
        return Turn(self.c, -self.s)

    def congruence(self, S: Sym3) -> Sym3:
        """Rz S Rz', with cos^2 = 1 - sin^2 used once: 10 products and 8 sums."""
        c, s = self.c, self.s
        cs, ss = c * s, s * s
        d = S.xx - S.yy
        t = ss * d + (cs + cs) * S.xy
        xy = cs * d + (1 - (ss + ss)) * S.xy
        return Sym3(S.xx - t, S.yy + t, S.zz, xy, c * S.xz - s * S.yz, s * S.xz + c * S.yz)

    def similarity(self, A: Mat3) -> Mat3:
        """Rz A Rz': as the skew part of A's first two axes does not turn, 14 products and 12 sums."""
        (a, b, x), (d, e, y), (f, g, z) = A
        cs, ss = self.c * self.s, self.s * self.s
        u, v = a - e, b + d
        t, k = ss * u + cs * v, cs * u - ss * v
        x, y, _ = self @ Vec3(x, y)
        f, g, _ = self @ Vec3(f, g)
        return Mat3(Vec3(a - t, b + k, x), Vec3(d + k, e + t, y), Vec3(f, g, z))


@dataclass(frozen=True, slots=True)
class Rot:
    """A rotation in two factors, `fixed @ turn`: never multiplied out, as that would cost more."""

    fixed: Mat3
    turn: Turn | Mat3

    def __matmul__(self, v: Vec3) -> Vec3:
        return self.fixed @ (self.turn @ v)

    @property
    def T(self) -> RotT:
        return RotT(self)

    def congruence(self, S: Sym3) -> Sym3:
        """R S R'."""
        return self.fixed.congruence(self.turn.congruence(S))

    def similarity(self, A: Mat3) -> Mat3:
        """R A R'."""
        return self.fixed.similarity(self.turn.similarity(A))

    @property
    def matrix(self) -> Mat3:
        columns = (self @ Vec3(1, 0, 0), self @ Vec3(0, 1, 0), self @ Vec3(0, 0, 1))
        return Mat3(*columns).T


@dataclass(frozen=True, slots=True)
class RotT:
    """The transpose of a rotation, as a view."""

    of: Rot

    def __matmul__(self, v: Vec3) -> Vec3:
        return self.of.turn.T @ (self.of.fixed.T @ v)


@dataclass(frozen=True, slots=True)
class Quat:
    """A quaternion w + x i + y j + z k; any nonzero one stands for the rotation of its direction."""

    w: Scalar = 1
    x: Scalar = 0
    y: Scalar = 0
    z: Scalar = 0

    @property
    def matrix(self) -> Mat3:
        """R(q) / (q.q): exact for every nonzero q, so no kernel needs to check a norm."""
        w, x, y, z = self.w, self.x, self.y, self.z
        k = 2.0 / (w * w + x * x + y * y + z * z)
        kx, ky, kz = k * x, k * y, k * z
        xx, yy, zz, xy, xz, yz = kx * x, ky * y, kz * z, kx * y, kx * z, ky * z
        wx, wy, wz = w * kx, w * ky, w * kz
        return Mat3(
            Vec3(1 - (yy + zz), xy - wz, xz + wy),
            Vec3(xy + wz, 1 - (xx + zz), yz - wx),
            Vec3(xz - wy, yz + wx, 1 - (xx + yy)),
        )


IDENTITY = Mat3(Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1))


def cross(u: Vec3, v: Vec3) -> Vec3:
    """u x v."""
    return Vec3(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x)


def skew(u: Vec3) -> Mat3:
    """The matrix of u x."""
    return Mat3(Vec3(0, -u.z, u.y), Vec3(u.z, 0, -u.x), Vec3(-u.y, u.x, 0))


def outer(u: Vec3, v: Vec3) -> Mat3:
    """u v'."""
    return Mat3(v * u.x, v * u.y, v * u.z)


def square(u: Vec3) -> Sym3:
    """u u'."""
    return Sym3(u.x * u.x, u.y * u.y, u.z * u.z, u.x * u.y, u.x * u.z, u.y * u.z)


def mixed(u: Vec3, v: Vec3) -> Sym3:
    """u v' + v u'."""
    x, y, z = u.x * v.x, u.y * v.y, u.z * v.z
    return Sym3(x + x, y + y, z + z, u.x * v.y + u.y * v.x, u.x * v.z + u.z * v.x, u.y * v.z + u.z * v.y)


def omega(w: Vec3, dw: Vec3) -> Mat3:
    """[dw x] + [w x][w x]: takes a point of the body to its acceleration relative to the origin."""
    xx, yy, zz = w.x * w.x, w.y * w.y, w.z * w.z
    xy, yz, zx = w.x * w.y, w.y * w.z, w.z * w.x
    return Mat3(
        Vec3(-(yy + zz), xy - dw.z, zx + dw.y),
        Vec3(xy + dw.z, -(zz + xx), yz - dw.x),
        Vec3(zx - dw.y, yz + dw.x, -(xx + yy)),
    )


def axial(A: Mat3, J: Sym3) -> Vec3:
    """The axial vector of A J - (A J)': the moment, sum of rho x A rho, of second moment J."""
    (_, a12, a13), (a21, _, a23), (a31, a32, _) = A
    xx, yy, zz, xy, xz, yz = J
    return Vec3(
        a31 * xy - a21 * xz + a32 * yy - a23 * zz + (A.r3.z - A.r2.y) * yz,
        a12 * yz - a32 * xy + a13 * zz - a31 * xx + (A.r1.x - A.r3.z) * xz,
        a23 * xz - a13 * yz + a21 * xx - a12 * yy + (A.r2.y - A.r1.x) * xy,
    )


def _zero(x: Scalar) -> bool:
    return type(x) is int and x == 0


def turn(angle: Scalar) -> Turn:
    """The rotation about z by an angle."""
    return Turn(cos(angle), sin(angle))
