"""How near a closed mechanism is to a configuration in which its equations depend on each other as nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..linalg import FLOOR
from . import kernels
from .large import Large, large, large_of

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
WEIGHT = 1e10  # of the equations, in a direction that they bind well, against masses
NEAR = 5e5  # so many times more than elsewhere a freedom too many must be left: 1e-3 of the way to where all is well
LOOSE, UNBOUND = 1e-4, 1e-9  # of what binds a freedom alone: so little is left of it by the others, or next to nothing
PART = 0.1  # of a freedom: enough to look farther, not enough to give up
NOTHING = 1e-20  # of the equation that binds most: what binds not at all
SAMPLES = 0.3  # radians or metres about a configuration, where others are looked at


@dataclass(frozen=True)
class Closeness:
    """Whether a configuration is singular or next to it."""

    freedoms: Callable[..., Any]
    weights: Array
    mobility: int
    spare: float  # the part of a freedom that is left where all is well

    @staticmethod
    def about(robot: Robot, q: Array, v: Array, closed: Callable[..., Any]) -> Closeness | Looseness:
        """For the motions that begin at q; `closed` brings (q, v) to where the loops are closed."""
        seen = _beside(robot, q, v, closed)
        if large(robot):
            return Looseness(large_of(robot), min(_loose(large_of(robot), x, LOOSE) for x in seen))
        freedoms = kernels.freedoms(robot)
        size = np.mean([_sizes(robot, x) for x in seen], axis=0)
        binds = size > NOTHING * size.max()
        weights = np.where(binds, WEIGHT / np.where(binds, size, 1.0), 0.0)
        left = min(float(freedoms(x, weights)[0]) for x in seen)
        return Closeness(freedoms, weights, round(left), max(left - round(left), 1 / WEIGHT))

    def __call__(self, q: Array) -> bool:
        return self.left(q) > NEAR * self.spare

    def left(self, q: Array) -> float:
        """The part of a freedom too many that is left at q."""
        return self.freedoms(q, self.weights)[0] - self.mobility


@dataclass(frozen=True)
class Looseness:
    """The same for many loops: how many freedoms are hardly bound, more than the mechanism has elsewhere."""

    large: Large
    mobility: int

    def __call__(self, q: Array) -> bool:
        return _loose(self.large, q, LOOSE) > self.mobility

    def left(self, q: Array) -> float:
        """How many are not bound at all; a part of one where there is none."""
        return max(float(_loose(self.large, q, UNBOUND) - self.mobility), PART)


def _loose(large: Large, q: Array, least: float) -> int:
    pivots = large.pivots(q)
    return 0 if pivots is None else int((pivots < least).sum())


def _beside(robot: Robot, q: Array, v: Array, closed: Callable[..., Any]) -> list[Array]:
    """The configuration, and some that can be reached from it."""
    ways = np.random.default_rng(1).uniform(-1.0, 1.0, (4, len(v)))
    ways = np.concatenate([v[None], ways]) if v.any() else ways
    found, still = [q], np.zeros(len(v))
    for way in ways:
        along = closed(q, way / np.abs(way).max())[1]
        found += [closed(robot.integrate(q, along, far), still)[0] for far in (-SAMPLES, SAMPLES)]
    return found


def _sizes(robot: Robot, q: Array) -> Array:
    """How easily each equation gives way: the squares of its coefficients by masses."""
    A = kernels.equations(robot)(q, np.zeros(robot.nv))[1]
    masses = np.diag(robot.mass_matrix(q))
    return (A * A / (masses + masses.mean() * FLOOR)).sum(1)
