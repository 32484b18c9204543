"""Two joints that are to carry a point p to a point w: e1(q1) e2(q2) p = w.

What the first joint leaves as it was (a distance and a height for a turn, two coordinates for a slide) must agree
for e2(q2) p and for w. That gives two equations for q2, so one condition on p and w, and up to two solutions where
it holds. With a third joint behind, p moves on a circle or a line, and the condition becomes an equation for q3.

Source: pieper1968, who eliminates so for arms of turning joints whose last three axes meet; here of either kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ..errors import ModelError
from .screw import ONE, TINY, Array, Screw, both, square_root, turn, twice


class TwoJoints(Protocol):
    """The condition that is 0 where p can be carried to w, and the (q1, q2) that do it, in a new last axis."""

    def condition(self, p: Array, w: Array) -> Array: ...

    def solve(self, p: Array, w: Array, free: tuple[Any, Any]) -> tuple[Array, Array]: ...


def two_joints(first: Screw, second: Screw) -> TwoJoints:
    """The solution that fits the kinds of the joints; a ModelError where they move points along the same curves."""
    if first.turns and second.turns:
        return TwoTurns(first, second)
    if first.turns:
        return TurnThenSlide(first, second)
    return SlideThenTurn(TurnThenSlide(second, first)) if second.turns else TwoSlides(first, second)


@dataclass(frozen=True, eq=False)
class TwoTurns:
    """Both joints turn. Axes f, g across the second line: the first leans towards f, its distance is along g."""

    first: Screw
    second: Screw

    @cached_property
    def frame(self) -> tuple[Array, Array, float, float, float, Array, Array]:
        """f, g, the sine and cosine between the lines, their signed distance along g, and its ends."""
        u1, u2 = self.first.u, self.second.u
        cosine, across = float(u1 @ u2), np.cross(u1, u2)
        sine = float(np.linalg.norm(across))
        d = self.second.o - self.first.o
        if sine < TINY:
            gap = d - (d @ u2) * u2
            a = float(np.linalg.norm(gap))
            if a < TINY:
                raise ModelError("two joints turn about the same line, wanted two lines for a closed form")
            g = gap / a
            return np.cross(g, u2), g, 0.0, cosine, a, self.first.o, self.first.o + gap
        n = across / sine
        s1, s2 = (np.linalg.det(np.stack([d, u, across])) / sine**2 for u in (u2, u1))
        o1, o2 = self.first.o + s1 * u1, self.second.o + s2 * u2
        a = float(-n @ d)
        return (u1 - cosine * u2) / sine, -n, sine, cosine, a if abs(a) > TINY else 0.0, o1, o2

    def _known(self, p: Array, w: Array) -> tuple[Array, Array, Array, Array]:
        """p from the second line in the axes f, g, u2; its square; and the two invariants that w asks for."""
        f, g, _, _, a, o1, o2 = self.frame
        y, v = p - o2, w - o1
        square = np.sum(y * y, -1)
        return y @ np.stack([f, g, self.second.u], -1), square, v @ self.first.u, np.sum(v * v, -1) - a * a - square

    def condition(self, p: Array, w: Array) -> Array:
        """(along f)^2 + (along g)^2 - radius^2, as far as lines that are parallel or meet allow to know them."""
        _, _, sine, cosine, a, _, _ = self.frame
        y, square, height, k = self._known(p, w)
        height = height - cosine * y[..., 2]
        if not a:
            return k
        if not sine:
            return height
        return (2 * a * height) ** 2 + (sine * k) ** 2 - (2 * a * sine) ** 2 * (square - y[..., 2] ** 2)

    def solve(self, p: Array, w: Array, free: tuple[Any, Any]) -> tuple[Array, Array]:
        """One solution in general, and a second where the lines are parallel or meet: the other sign."""
        _, _, sine, cosine, a, o1, _ = self.frame
        y, _, height, k = self._known(p, w)
        radius = y[..., 0] ** 2 + y[..., 1] ** 2
        X = twice((height - cosine * y[..., 2]) / sine) if sine else None
        Y = twice(k / (2 * a)) if a else None
        if X is None:
            assert Y is not None
            X = both(square_root(radius - Y[..., 0] ** 2, radius))
        elif Y is None:
            Y = both(square_root(radius - X[..., 0] ** 2, radius))
        else:
            Y = Y + ONE  # both known: one solution
        q2 = np.arctan2(Y, X) - np.arctan2(y[..., 1], y[..., 0])[..., None]
        q2 = np.where((radius < TINY**2)[..., None], free[1], q2) + 0 * Y + 0 * X
        x = self.second(q2, p[..., None, :])
        return turn(self.first.u, x - o1, (w - o1)[..., None, :], free[0]), q2


@dataclass(frozen=True, eq=False)
class TurnThenSlide:
    """The first joint turns, the second slides."""

    first: Screw
    second: Screw

    @cached_property
    def cosine(self) -> float:
        """Between turn and slide; 0 where they are square."""
        cosine = float(self.first.u @ self.second.u)
        return cosine if abs(cosine) > TINY else 0.0

    def _known(self, p: Array, w: Array) -> tuple[Array, Array, Array]:
        """The height that is missing, half the slope of the distance, and the distance's surplus, all at q2 = 0."""
        y, v = p - self.first.o, w - self.first.o
        return (v - y) @ self.first.u, y @ self.second.u, np.sum(y * y, -1) - np.sum(v * v, -1)

    def condition(self, p: Array, w: Array) -> Array:
        height, slope, surplus = self._known(p, w)
        c = self.cosine
        return height**2 + 2 * c * slope * height + c * c * surplus if c else height

    def solve(self, p: Array, w: Array, free: tuple[Any, Any]) -> tuple[Array, Array]:
        height, slope, surplus = self._known(p, w)
        if self.cosine:
            q2 = (height / self.cosine)[..., None] + ONE
        else:
            q2 = both(square_root(slope**2 - surplus, slope**2 + np.abs(surplus))) - slope[..., None]
        x = self.second(q2, p[..., None, :])
        return turn(self.first.u, x - self.first.o, (w - self.first.o)[..., None, :], free[0]) + 0 * q2, q2


@dataclass(frozen=True, eq=False)
class SlideThenTurn:
    """The first joint slides, the second turns: the way back, from w to p, turns and then slides."""

    back: TurnThenSlide

    def condition(self, p: Array, w: Array) -> Array:
        return self.back.condition(w, p)

    def solve(self, p: Array, w: Array, free: tuple[Any, Any]) -> tuple[Array, Array]:
        q2, q1 = self.back.solve(w, p, (-free[1], -free[0]))
        return -q1, -q2


@dataclass(frozen=True, eq=False)
class TwoSlides:
    """Both joints slide."""

    first: Screw
    second: Screw

    @cached_property
    def normal(self) -> Array:
        normal = np.cross(self.first.u, self.second.u)
        if np.linalg.norm(normal) < TINY:
            raise ModelError("two joints slide along the same direction, wanted two for a closed form")
        return normal

    def condition(self, p: Array, w: Array) -> Array:
        return (w - p) @ self.normal

    def solve(self, p: Array, w: Array, free: tuple[Any, Any]) -> tuple[Array, Array]:
        q = (w - p) @ np.linalg.pinv(np.stack([self.first.u, self.second.u], -1)).T
        return q[..., :1] + ONE, q[..., 1:] + ONE
