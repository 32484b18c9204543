"""Inverse dynamics for the motors that a mechanism has; what is left to its loops they carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..linalg import LEAST, WEIGHT, Bound, is_zero
from .coordinates import columns_of
from .equations import equations
from .reduction import Chosen, Reduction, written
from .still import Still
from .world import World


@dataclass(frozen=True)
class Drive:
    """Motors at freedoms, each with its price; as coordinates, if there are as many as the mechanism has freedoms."""

    motors: tuple[Any, ...]  # places of freedoms, or `Cut`
    prices: tuple[float, ...]
    chosen: Chosen | None
    weight: float = WEIGHT  # of the loops' equations against the motors


def inverse_dynamics(robot, q, v, a, page, closures, drive):
    """The forces of motors that bring about a motion which keeps the loops closed.

        t = M a + h                                (1)
        K' B tau = K' t, the sum of price tau^2 least    (2)

    where v = K u are the motions that loops allow, and B tau what motors do to the freedoms of the tree. Where there
    are as many motors as freedoms, their own rates are u, and K' B is 1.

    Source: nakamura1989, with fewer and with more motors than freedoms.
    """
    t = page(robot, q, v, a, closures)  # (1)
    free = {z.index: t[z] for z in robot.freedoms()}
    if drive.chosen:
        return written(robot, Reduction.of(robot, q, closures, drive.chosen).forces(free))  # (2)
    return written(robot, _shared(robot, q, free, closures, drive))


def _shared(robot, q, t, closures, drive):
    """By tau = B' x / price, B tau + A' f = t, A x = 0: no motor has to be left out, wherever the mechanism stands."""
    columns = list(columns_of(robot, q, closures, drive.motors))
    M = Sharing(columns, drive.prices, drive.weight)
    rows = [by for *_, by in equations(World(robot), q, Still(), closures)]
    x, _ = Bound.weighed(M, rows, M.weights(rows), list(t)).solve(t, [0] * len(rows))
    return [
        sum(y * x[z] for z, y in column.items() if not is_zero(y)) * (1 / price)
        for column, price in zip(columns, drive.prices, strict=True)
    ]


class Sharing:
    """The matrix B B' / price."""

    def __init__(self, columns, prices, weight):
        self.columns, self.prices, self.weight = columns, prices, weight

    def __getitem__(self, at):
        pairs = ((c.get(at[0], 0), c.get(at[1], 0), p) for c, p in zip(self.columns, self.prices, strict=True))
        return sum(x * y * (1 / p) for x, y, p in pairs if not (is_zero(x) or is_zero(y)))

    def weights(self, rows):
        """Of the equations, all alike: most of this matrix is zero, so what they would meet in it tells nothing."""
        mean = sum(self[z, z] for column in self.columns for z in column) * (self.weight / len(self.columns))
        sizes = [sum(x * x for x in row.values()) for row in rows]
        least = sum(sizes) * LEAST
        return [mean / (size + least) for size in sizes]


def actuator_map(robot, q, closures, motors):
    """B(q), such that motors with forces u do B u to the freedoms of the tree."""
    B = robot.table("nv", len(motors))
    for k, column in enumerate(columns_of(robot, q, closures, motors)):
        for z, x in column.items():
            B[z, k] = x
    return B
