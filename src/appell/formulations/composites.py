"""What hangs on a link, added up: its matter and the flow of it, in the link's axes and about its origin."""

from __future__ import annotations

from dataclasses import dataclass

from ..scalar import Scalar
from ..spatial import Pose, Twist, Wrench
from ..vec import Mat3, Sym3, Vec3, cross, mixed, outer, skew, square


@dataclass(frozen=True, slots=True)
class Matter:
    """Mass, first moment s = sum of m x and second moment J = sum of m x x' of bodies that move as one."""

    mass: Scalar = 0
    first: Vec3 = Vec3()
    second: Sym3 = Sym3()

    def __add__(self, o: Matter) -> Matter:
        return Matter(self.mass + o.mass, self.first + o.first, self.second + o.second)

    def __matmul__(self, t: Twist) -> Wrench:
        """What it takes to give its points x the velocity (or acceleration) t.linear + t.angular x x."""
        e, l, s = t.angular, t.linear, self.first
        return Wrench(self.second.inertia @ e + cross(s, l), l * self.mass + cross(e, s))

    def to_parent(self, X: Pose) -> Matter:
        """The same in the parent's axes, about the parent's origin."""
        r, s = X.r, X.R @ self.first
        second = X.R.congruence(self.second) + mixed(s, r) + square(r) * self.mass
        return Matter(self.mass, s + r * self.mass, second)


@dataclass(frozen=True, slots=True)
class Flow:
    """Momentum p = sum of m x. and its moments N = sum of m x. x', where x. is the velocity of a point x."""

    p: Vec3 = Vec3()
    N: Mat3 = Mat3()

    @staticmethod
    def of(matter: Matter, t: Twist) -> Flow:
        """Of rigid matter that moves with t."""
        w, v, s = t.angular, t.linear, matter.first
        return Flow(v * matter.mass + cross(w, s), skew(w) @ matter.second.matrix + outer(v, s))

    def __add__(self, o: Flow) -> Flow:
        return Flow(self.p + o.p, self.N + o.N)

    def swept(self, e: Vec3) -> Wrench:
        """The wrench of forces m e x x. on all points, as they arise in axes that turn with e."""
        return Wrench(e * self.N.trace - self.N @ e, cross(e, self.p))

    def against(self, t: Twist) -> Vec3:
        """h, such that h . e is the power of `swept(e)` in the motion t."""
        e = t.angular
        return e * self.N.trace - self.N.T @ e + cross(self.p, t.linear)

    def to_parent(self, X: Pose) -> Flow:
        """The same in the parent's axes, about the parent's origin."""
        p = X.R @ self.p
        return Flow(p, X.R.similarity(self.N) + outer(p, X.r))
