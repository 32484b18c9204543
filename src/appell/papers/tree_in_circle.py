"""The tree-type robot of shafei2018 in flight inside a circle: where it starts, what it strikes, where its points are.

Source: shafei2018, section 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from math import pi, sqrt
from typing import Any

import numpy as np

from .. import zoo
from ..errors import ShapeError
from ..motion.impacts import Impact
from ..motion.run import Run
from ..motion.simulate import simulate
from ..motion.walls import Circle
from ..robot import Robot

Array = np.ndarray[Any, Any]
POINTS = tuple(f"O{k}" for k in range(1, 12))
LINKS = ((1, 2), (2, 3), (3, 4), (4, 5), (3, 6), (6, 7), (7, 8), (6, 9), (6, 10), (10, 11))  # from which O to which
ANGLES = (pi / 6, pi / 6, -2 * pi / 3, pi / 6, pi / 6, -2 * pi / 3, pi / 3, 0.0, 2 * pi / 3, -pi / 3)  # q1 to q10
X1 = -(1 + sqrt(3)) / 2  # of O1 at the start, in both directions; printed as -1.366, which is not symmetric
RADIUS = 2.5  # of the wall, a circle about the origin: not in the text, but all of Table 3 follows from it
ROUND_OFF = 1e-3  # a step's tolerance for angles and metres near zero, beside the relative one
LEAST = 1e-3  # of the energy scale: below, a start has no energy to speak of


@dataclass(frozen=True)
class Row:
    """One column of Table 3: when, which points, and what each of them gets."""

    t: float
    points: tuple[str, ...]
    attack_angle: float  # degrees
    change: float  # of the normal velocity, metres per second
    impulse: float  # newton seconds


PRINTED = (
    Row(0.3851, ("O1", "O5"), 33.12, 6.32, 5.26),
    Row(0.5698, ("O2", "O4"), 25.38, 8.62, 31.42),
    Row(1.01, ("O8", "O11"), 36.87, 8.64, 4.12),
    Row(1.082, ("O3",), 0.0, 12.48, 57.46),
    Row(1.387, ("O1", "O5"), 34.108, 30.14, 15.96),
)
PRINTED_ENERGY = 18.66
# Computed by two other ways, which share nothing with this one (see the errata).
REFERENCE = (
    Row(0.385191984462, ("O1", "O5"), 33.12108190, 6.32951233, 5.26442647),
    Row(0.569731448675, ("O2", "O4"), 25.41167159, 8.61942045, 31.43572058),
    Row(1.010620427238, ("O8", "O11"), 36.61455424, 8.65006464, 4.12907354),
    Row(1.082274684350, ("O3",), 0.0, 12.46700319, 57.36834954),
    Row(1.387334045794, ("O1", "O5"), 33.70391953, 30.27920050, 15.90648657),
)
REFERENCE_ENERGY = 18.6578723666


@dataclass(frozen=True, eq=False)
class Flight:
    """The motion from rest, with all that may be varied."""

    t_end: float = 1.5
    restitution: float = 1.0
    x1: float = X1
    gap_tolerance: float = 1e-9
    rtol: float = 1e-13
    method: str = "gibbs_appell_tree"

    def __post_init__(self) -> None:
        if not self.t_end > 0:
            raise ShapeError(f"t_end is {self.t_end:g} s, wanted a time above 0")

    @property
    def robot(self) -> Robot:
        """Ten rods, the first on a base that moves in the plane."""
        return _tree()

    @property
    def start(self) -> Array:
        """(X1, X2, q1, ..., q10)."""
        return np.array([self.x1, self.x1, *ANGLES])

    @cached_property
    def run(self) -> Run:
        """As far as it can be followed."""
        return simulate(
            *(self.robot, self.start, np.zeros(self.robot.nv), self.t_end),
            walls=Circle(RADIUS), points=POINTS, restitution=self.restitution, gap_tolerance=self.gap_tolerance,
            rtol=self.rtol, atol=ROUND_OFF * self.rtol, method=self.method, strict=False,
        )  # fmt: skip

    @property
    def impacts(self) -> list[Impact]:
        """All of them, in time."""
        return self.run.impacts

    @property
    def energy(self) -> float:
        """At the start, in joules."""
        return float(self.run.ledger.energy[0])

    @property
    def drift(self) -> float:
        """The largest energy that came from nowhere, relative to that at the start."""
        ledger = self.run.ledger
        scale = max(abs(self.energy), LEAST * float(ledger.kinetic.max()), np.finfo(float).tiny)
        return float(np.abs(ledger.balance).max()) / scale

    def positions(self, q: Array) -> Array:
        """Where O1 to O11 are, (..., 11, 2)."""
        return np.stack([self.robot.pose(q, name)[..., :2, 3] for name in POINTS], -2)

    def velocities(self, q: Array, v: Array) -> Array:
        """How O1 to O11 move, (..., 11, 2)."""
        return np.stack([self.robot.velocity(q, v, name)[..., :2] for name in POINTS], -2)

    def matches(self, k: int, row: Row) -> bool:
        """Whether all impacts up to the k-th are of the same points as in a table, of which this is the row."""
        return k < len(self.impacts) and set(row.points) == set(self.impacts[k].points)


@cache
def _tree() -> Robot:
    """One for all flights, so that its kernels are found at once."""
    return zoo.load("shafei_tree")
