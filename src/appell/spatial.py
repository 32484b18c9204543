"""Pairs of vectors that travel together: twists, wrenches, poses, articulated inertias."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from .scalar import Scalar
from .vec import IDENTITY, Mat3, Rot, Sym3, Turn, Vec3, cross, outer, skew


@dataclass(frozen=True, slots=True)
class Twist:
    """Angular and linear part of a motion, the linear one at the body's origin."""

    angular: Vec3 = Vec3()
    linear: Vec3 = Vec3()

    def __add__(self, t: Twist) -> Twist:
        return Twist(self.angular + t.angular, self.linear + t.linear)

    def __mul__(self, s: Scalar) -> Twist:
        return Twist(self.angular * s, self.linear * s)

    def split(self, s: Twist) -> tuple[Scalar, Twist]:
        """(x, rest), such that s x + rest is the twist, and rest has nothing along the unit axis of freedom s."""
        if _absent(s.angular):
            return s.linear @ self.linear, Twist(self.angular, _off(self.linear, s.linear))
        x = s.angular @ self.angular
        return x, Twist(_off(self.angular, s.angular), self.linear + s.linear * -x)


@dataclass(frozen=True, slots=True)
class Wrench:
    """Moment about the body's origin, and force."""

    moment: Vec3 = Vec3()
    force: Vec3 = Vec3()

    def __add__(self, w: Wrench) -> Wrench:
        return Wrench(self.moment + w.moment, self.force + w.force)

    def __sub__(self, w: Wrench) -> Wrench:
        return Wrench(self.moment - w.moment, self.force - w.force)

    def __mul__(self, s: Scalar) -> Wrench:
        return Wrench(self.moment * s, self.force * s)

    def __matmul__(self, t: Twist) -> Scalar:
        """Power."""
        return self.moment @ t.angular + self.force @ t.linear


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a frame stands in another: `x_other = R x + r`."""

    R: Rot = Rot(IDENTITY, Turn())
    r: Vec3 = Vec3()

    def to_parent(self, w: Wrench) -> Wrench:
        """The same wrench in the parent's axes, about the parent's origin."""
        force = self.R @ w.force
        return Wrench(self.R @ w.moment + cross(self.r, force), force)

    def from_parent(self, t: Twist) -> Twist:
        """The parent's twist in the frame's own axes, at its own origin."""
        return Twist(self.R.T @ t.angular, self.R.T @ (t.linear + cross(t.angular, self.r)))


@dataclass(frozen=True, slots=True)
class Articulated:
    """A symmetric 6x6 inertia in blocks: force = A a + H dw, moment = H' a + C dw."""

    A: Sym3 = Sym3()
    H: Mat3 = Mat3()
    C: Sym3 = Sym3()

    @staticmethod
    def of_body(mass: Scalar, first: Vec3, second: Sym3) -> Articulated:
        """Of a rigid body: mass, first and second moment about its origin."""
        return Articulated(Sym3(mass, mass, mass), -skew(first), second.inertia)

    def __add__(self, o: Articulated) -> Articulated:
        return Articulated(self.A + o.A, self.H + o.H, self.C + o.C)

    def __matmul__(self, t: Twist) -> Wrench:
        return Wrench(self.H.T @ t.linear + self.C @ t.angular, self.A @ t.linear + self.H @ t.angular)

    def through(self, s: Twist, rotor: Scalar) -> tuple[Wrench, Scalar, Articulated]:
        """Of a free joint s: psi = I s d, d = 1 / (s . I s + rotor), and what is felt through it, I - psi psi' / d."""
        u = self @ s
        d = 1 / (u @ s + rotor)
        psi = _dual(u * d, s) if type(rotor) is int and rotor == 0 else u * d
        return psi, d, self.without(s, u, psi, rotor)

    def without(self, s: Twist, u: Wrench, psi: Wrench, rotor: Scalar) -> Articulated:
        """I - psi u', with u = I s and psi = u / (s . u + rotor): what is felt through a free joint.

        The result annihilates s; where s is a unit axis and no rotor stiffens the joint, whole rows are zero.
        """
        rest = self.less(psi, u)
        return rest._annihilated(s) if type(rotor) is int and rotor == 0 else rest

    def less(self, psi: Wrench, u: Wrench) -> Articulated:
        """I - psi u', for a psi along u."""
        A, H = self.A - square_of(psi.force, u.force), self.H - outer(psi.force, u.moment)
        return Articulated(A, H, self.C - square_of(psi.moment, u.moment))

    def _annihilated(self, s: Twist) -> Articulated:
        """The rows of unit axis s put to structural zero, which they are."""
        if _absent(s.linear):
            keep = Vec3(*(1 - x for x in s.angular))
            H = Mat3(*(_off(row, s.angular) for row in self.H))
            return Articulated(self.A, H, masked(self.C, keep))
        if _absent(s.angular):
            keep = Vec3(*(1 - x for x in s.linear))
            H = Mat3(*(row * k for row, k in zip(self.H, keep, strict=True)))
            return Articulated(masked(self.A, keep), H, self.C)
        return self

    def to_parent(self, X: Pose) -> Articulated:
        """The same inertia in the parent's axes, about the parent's origin."""
        A, H, C = X.R.congruence(self.A), X.R.similarity(self.H), X.R.congruence(self.C)
        K = H - A.matrix @ skew(X.r)
        return Articulated(A, K, C + _shift(X.r, H, K))


def _shift(r: Vec3, H: Mat3, K: Mat3) -> Sym3:
    """What a shift of the origin by r, which turns H into K, adds to C: D K - H' D, with D v = r x v."""
    (x, y, z), (h1, h2, h3), (k1, k2, k3) = r, H, K
    return Sym3(
        y * (h3.x + k3.x) - z * (h2.x + k2.x),
        z * (h1.y + k1.y) - x * (h3.y + k3.y),
        x * (h2.z + k2.z) - y * (h1.z + k1.z),
        y * k3.y - x * h3.x + z * (h1.x - k2.y),
        x * h2.x - z * k2.z + y * (k3.z - h1.x),
        z * k1.z - y * h1.y + x * (h2.y - k3.z),
    )


def _dual(psi: Wrench, s: Twist) -> Wrench:
    """A wrench of power 1 along s, with a structural 1 where s is a unit axis alone."""
    if _absent(s.linear):
        return Wrench(_off(psi.moment, s.angular) + s.angular, psi.force)
    if _absent(s.angular):
        return Wrench(psi.moment, _off(psi.force, s.linear) + s.linear)
    return psi


def _off(v: Vec3, axis: Vec3) -> Vec3:
    """A vector without its component along x, y or z."""
    return Vec3(*(c * (1 - k) for c, k in zip(v, axis, strict=True)))


def _absent(v: Vec3) -> bool:
    """Whether a vector is structurally zero."""
    return all(type(x) is int and x == 0 for x in v)


def square_of(ud: Vec3, u: Vec3) -> Sym3:
    """u u' d, from u d and u."""
    return Sym3(ud.x * u.x, ud.y * u.y, ud.z * u.z, ud.x * u.y, ud.x * u.z, ud.y * u.z)


def masked(S: Sym3, keep: Vec3) -> Sym3:
    """S with the rows and columns put to zero where keep is structural 0."""
    x, y, z = keep
    return Sym3(S.xx * x, S.yy * y, S.zz * z, S.xy * x * y, S.xz * x * z, S.yz * y * z)


def leaves(value: Any) -> Iterator[Scalar]:
    """The scalars of a vector, matrix or pair, in order."""
    if hasattr(value, "__dataclass_fields__"):
        for f in fields(value):
            yield from leaves(getattr(value, f.name))
    else:
        yield value


def rebuild(kind: type | None, scalars: Iterator[Scalar]) -> Any:
    """The value of a kind from its scalars; a bare scalar where kind is None."""
    if kind is None:
        return next(scalars)
    return kind(*(rebuild(type(f.default) if f.default != 0 else None, scalars) for f in fields(kind)))


def width(kind: type | None) -> int:
    """How many scalars a kind holds."""
    return 1 if kind is None else sum(1 for _ in leaves(kind()))
