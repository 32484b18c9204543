"""Independent coordinates of a mechanism: from their rates to all velocities, from all forces to theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..linalg import is_zero
from ..orthogonal import Column, Orthogonal, transposed
from ..scalar import Scalar
from .coordinates import row_of
from .equations import equations
from .still import ByPlace, Still
from .world import World


@dataclass(frozen=True)
class Chosen:
    """Coordinates of a mechanism: places of freedoms, or `Cut`, `Along` and the like; the tree's other freedoms, in a
    good order."""

    coordinates: tuple[Any, ...]
    others: tuple[int, ...]

    @property
    def rows(self) -> list[Any]:
        """The coordinates that are no freedoms of the tree."""
        return [x for x in self.coordinates if not isinstance(x, int)]


def bonds(robot, q, v, closures, chosen) -> list[tuple[Scalar, Mapping[int, Scalar]]]:
    """The equations and the coordinates' own rows: what no acceleration makes of each, and its coefficients."""
    world = World(robot)
    found: list[Any] = [(c, by) for *_, c, by in equations(world, q, v, closures)]
    return [*found, *(row_of(world, closures, x) for x in chosen.rows)]


@dataclass(frozen=True)
class Reduction:
    """v = K u, where u are the rates of independent coordinates: of freedoms i of the tree, or rows S v of their own.

    The equations A and the rows S make up W; its columns of the freedoms d that are no coordinates are independent.
    """

    own: tuple[Any, ...]  # for every coordinate the place of its freedom, or (the place of its row,)
    rows: Sequence[Mapping[int, Scalar]]
    columns: Orthogonal

    @staticmethod
    def of(robot, q, closures, chosen) -> Reduction:
        """At a configuration."""
        rows = [by for _, by in bonds(robot, q, Still(), closures, chosen)]
        first = iter(range(len(rows) - len(chosen.rows), len(rows)))
        own = tuple(x if isinstance(x, int) else (next(first),) for x in chosen.coordinates)
        return Reduction(own, rows, Orthogonal.of(transposed(rows, chosen.others), chosen.others))

    def motion(self, u: Sequence[Scalar], bias: Sequence[Scalar] | None = None) -> Column:
        """All velocities of rates u; or accelerations, given what changes without any.

            W_d v_d = [0; u_s] - W_i u_i - bias           (1)

        Source: wehage1982, where all coordinates are freedoms of the tree.
        """
        x: Column = {z: s for z, s in zip(self.own, u, strict=True) if isinstance(z, int)}
        wanted: Column = {}
        for n, row in enumerate(self.rows):
            wanted[n] = -sum(y * x[z] for z, y in row.items() if z in x and not (is_zero(y) or is_zero(x[z])))
            wanted[n] = wanted[n] if bias is None else wanted[n] - bias[n]
        for z, s in zip(self.own, u, strict=True):
            if not isinstance(z, int):
                wanted[z[0]] = wanted[z[0]] + s
        return x | self.columns.solve(wanted)  # (1)

    def forces(self, t: Mapping[int, Scalar]) -> list[Scalar]:
        """K' t: what the coordinates feel of forces on all freedoms of the tree.

            W_d' f = t_d,   K' t = [t_i - W_i' f; f_s]    (2)

        Source: nakamura1989, the forces of an opened tree taken to its motors.
        """
        f = self.columns.least(t)  # (2)
        felt = []
        for z in self.own:
            if isinstance(z, int):
                carried = (row[z] * f[n] for n, row in enumerate(self.rows) if n in f and not is_zero(row.get(z, 0)))
                felt.append(t[z] - sum(carried))
            else:
                felt.append(f[z[0]])
        return felt

    def basis(self) -> list[Column]:
        """The columns of K."""
        n = len(self.own)
        return [self.motion([int(j == k) for j in range(n)]) for k in range(n)]


def moving(robot, q, u, closures, chosen) -> tuple[Reduction, ByPlace, list[Scalar]]:
    """At rates u: the reduction, all velocities, and what equations and coordinates change by without accelerations."""
    K = Reduction.of(robot, q, closures, chosen)
    v = ByPlace(K.motion([u[k] for k in range(len(K.own))]))
    return K, v, [c for c, _ in bonds(robot, q, v, closures, chosen)]


def written(robot, numbers):
    """Numbers as an answer."""
    given = robot.table(len(numbers))
    for k, x in enumerate(numbers):
        given[k] = x
    return given
