"""A joint as what it does to points of the world: a turn about a fixed line, or a slide along one.

In these terms q1, q2, ... carry a point x of the last body to e1(q1) e2(q2) ... x, where each line stands where it
stood at q = 0. Arrays of points are (..., 3), of angles and ways (...).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
ONE = np.array([0.0, np.nan])  # added to two solutions leaves the first
TINY = 1e-10  # of a length in units of the arm, or of a sine: what is meant to be 0


@dataclass(frozen=True, eq=False)
class Screw:
    """A revolute or a prismatic joint: its line through o along the unit vector u."""

    turns: bool
    u: Array
    o: Array

    def __call__(self, q: Array, x: Array) -> Array:
        """The point x after the joint has moved by q."""
        if not self.turns:
            return x + q[..., None] * self.u
        return self.o + rotated(self.u, q, x - self.o)


def rotated(u: Array, q: Array, x: Array) -> Array:
    """The vector x turned about the unit vector u."""
    along = (x @ u)[..., None] * u
    return along + np.cos(q)[..., None] * (x - along) + np.sin(q)[..., None] * crossed(u, x)


def crossed(u: Array, x: Array) -> Array:
    """One vector u x many x: ten times faster than NumPy's product, which is for many by many."""
    a, b, c = u.tolist()
    return x @ np.array([[0.0, c, -b], [-c, 0.0, a], [b, -a, 0.0]])


def rotation(u: Array, q: Array) -> Array:
    """The matrix of a turn about the unit vector u."""
    return np.swapaxes(rotated(u, np.asarray(q)[..., None], np.eye(3)), -1, -2)


def turn(u: Array, x: Array, y: Array, free: Any = 0.0) -> Array:
    """The angle about u from the vector x to y; `free` where one of them has no direction across u."""
    x, y = (z - (z @ u)[..., None] * u for z in (x, y))
    angle = np.arctan2(np.sum(crossed(u, x) * y, -1), np.sum(x * y, -1))
    short = np.minimum(np.linalg.norm(x, axis=-1), np.linalg.norm(y, axis=-1)) < TINY
    return np.where(short, free, angle)


def meeting_point(screws: list[Screw]) -> tuple[Array, float]:
    """The point nearest to the lines of some joints, and how far it is from the farthest of them."""
    across = [np.eye(3) - np.outer(s.u, s.u) for s in screws]
    feet = [P @ s.o for P, s in zip(across, screws, strict=True)]
    x = np.linalg.lstsq(np.concatenate(across), np.concatenate(feet), None)[0]
    return x, max(float(np.linalg.norm(P @ x - foot)) for P, foot in zip(across, feet, strict=True))


def both(root: Array) -> Array:
    """The two signs of something, in a new last axis."""
    return np.stack([root, -root], -1)


def twice(x: Array) -> Array:
    """Something twice, in a new last axis."""
    return np.stack([x, x], -1)


def square_root(x: Array, scale: Array | float) -> Array:
    """The root of x; 0 where x is below 0 by rounding only, and not a number where it is farther below."""
    return np.sqrt(np.where(x < 0, np.where(x < -TINY * scale, np.nan, 0.0), x))
