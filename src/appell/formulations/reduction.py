"""Independent coordinates of a closed mechanism: from their rates to all velocities, from all forces to theirs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..linalg import is_zero
from ..orthogonal import Column, Orthogonal, transposed
from ..scalar import Scalar
from .cut_freedom import cut_freedoms
from .equations import equations, resolved
from .world import World


@dataclass(frozen=True)
class Cut:
    """A freedom of a joint that closes a loop."""

    closure: int
    freedom: int


@dataclass(frozen=True)
class Chosen:
    """Coordinates of a mechanism, places of freedoms or `Cut`; and the other freedoms of its tree, in a good order."""

    coordinates: tuple[Any, ...]
    others: tuple[int, ...]


@dataclass(frozen=True)
class Reduction:
    """v = K u, where u are the rates of independent coordinates: of freedoms i of the tree, or rows S v of their own.

    The equations A and the rows S make up W; its columns of the freedoms d that are no coordinates are independent.
    """

    chosen: Chosen
    rows: Sequence[Mapping[int, Scalar]]
    biases: Sequence[Scalar]
    own: tuple[Any, ...]  # for every coordinate its freedom, or the place of its row
    columns: Orthogonal

    @staticmethod
    def of(robot, q, v, closures, chosen) -> Reduction:
        """At a state."""
        world = World(robot)
        found = [(c, by) for *_, c, by in equations(world, q, v, closures)]
        own = []
        for x in chosen.coordinates:
            own.append(("row", len(found)) if isinstance(x, Cut) else x)
            if isinstance(x, Cut):
                found.append(freedom_of(world, closures, x))
        rows = [by for _, by in found]
        columns = Orthogonal.of(transposed(rows, chosen.others), chosen.others)
        return Reduction(chosen, rows, [c for c, _ in found], tuple(own), columns)

    def motion(self, u: Sequence[Scalar], biases: Sequence[Scalar] | None = None) -> Column:
        """All velocities of rates u; or accelerations, given what changes without any.

            W_d v_d = [0; u_s] - W_i u_i - bias           (1)

        Source: wehage1982, where all coordinates are freedoms of the tree.
        """
        x: Column = {z: s for z, s in zip(self.own, u, strict=True) if not isinstance(z, tuple)}
        wanted: Column = {}
        for n, row in enumerate(self.rows):
            known = sum(y * x[z] for z, y in row.items() if z in x and not (is_zero(y) or is_zero(x[z])))
            wanted[n] = -known if biases is None else -known - biases[n]
        for z, s in zip(self.own, u, strict=True):
            if isinstance(z, tuple):
                wanted[z[1]] = wanted[z[1]] + s
        return x | self.columns.solve(wanted)  # (1)

    def forces(self, t: Mapping[int, Scalar]) -> list[Scalar]:
        """K' t: what the coordinates feel of forces on all freedoms of the tree.

            W_d' f = t_d,   K' t = [t_i - W_i' f; f_s]    (2)

        Source: nakamura1989, the forces of an opened tree taken to its motors.
        """
        f = self.columns.least(t)  # (2)
        felt = []
        for z in self.own:
            carried = sum(row[z] * f[n] for n, row in enumerate(self.rows) if z in row and n in f)
            felt.append(f[z[1]] if isinstance(z, tuple) else t[z] - carried)
        return felt


def freedom_of(world, closures, cut) -> tuple[Scalar, dict[int, Scalar]]:
    """How a freedom of a cut joint moves, once the world is known: what changes without accelerations, and its row."""
    closure = closures[cut.closure]
    x = world.o[closure.b.link] + world.arm(closure.b)
    _, _, c, by = next(resolved(world, closure, x, [cut_freedoms(world, closure)[cut.freedom]]))
    return c, by


def columns_of(robot, q, closures, coordinates) -> Iterator[dict[int, Scalar]]:
    """What a unit force on each coordinate is on the freedoms of the tree."""
    world = World(robot)
    for _ in world.outward(q):
        pass
    for x in coordinates:
        yield freedom_of(world, closures, x)[1] if isinstance(x, Cut) else {x: 1}
