"""Configurations on the loops in which a mechanism shows its rank: where choices are made that hold for all motion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .closures import closures_of, holonomic
from .errors import ModelError
from .formulations import closed
from .formulations.still import Still
from .model import manifold
from .model.mechanism import Mechanism
from .model.tree import Tree
from .model.walk import Coordinates, Walk

Array = np.ndarray[Any, Any]
ENOUGH, TRIES, STEPS, LONGEST = 3, 30, 60, 0.5  # configurations; starts; steps of each, and their length
CLOSED, NOTHING = 1e-11, 1e-8  # what is left of open loops; what counts as zero against the largest number


@dataclass(frozen=True)
class Regular:
    """A configuration, the coefficients A of the equations there, and the motions N that they leave, orthonormal."""

    q: Array
    A: Array

    @cached_property
    def _svd(self) -> tuple[Array, Array]:
        _, s, Vt = np.linalg.svd(self.A) if len(self.A) else (0, np.zeros(0), np.eye(self.A.shape[1]))
        return s, Vt

    @property
    def rank(self) -> int:
        """How many equations are independent."""
        return rank_of(self._svd[0])

    @property
    def freedoms(self) -> Array:
        """N, one column for each freedom of the mechanism."""
        return self._svd[1][self.rank :].T

    @property
    def distance(self) -> float:
        """How far the rank is from being less."""
        s = self._svd[0]
        return float(s[self.rank - 1] / s[0]) if self.rank else 1.0


def rank_of(singular_values: Array) -> int:
    """How many are not zero."""
    s = np.asarray(singular_values)
    return int((s > NOTHING * s.max(initial=0.0)).sum())


def regulars(mechanism: Mechanism, tree: Tree) -> tuple[Regular, ...]:
    """A few configurations on the loops, of highest rank, the farthest from losing it first; always the same."""
    found: list[Regular] = []
    for q in _starts(mechanism):
        if (there := _closed(mechanism, tree, q)) is not None:
            found.append(there)
        if len(found) == ENOUGH:
            break
    if not found:
        where = f"loops of {mechanism.name!r}"
        raise ModelError(f"{where}: none of {TRIES} starts leads to where they close, wanted loops that can")
    highest = max(x.rank for x in found)
    return tuple(sorted((x for x in found if x.rank == highest), key=lambda x: -x.distance))


def _starts(mechanism: Mechanism) -> Iterator[Array]:
    yield from (manifold.configuration(mechanism, c.name) for c in mechanism.configurations[:1])
    yield from (manifold.random_state(mechanism, seed)[0] for seed in range(TRIES - 2))
    yield manifold.neutral(mechanism)


def _closed(mechanism: Mechanism, tree: Tree, q: Array) -> Regular | None:
    """The nearest configuration on the loops, by Gauss and Newton."""
    binds, closures = holonomic(mechanism), closures_of(mechanism, tree)
    for _ in range(STEPS):
        g, A = _equations(tree, q, closures, len(binds))
        if np.abs(g).max(initial=0.0) < CLOSED:
            return Regular(q, A)
        step = -np.linalg.lstsq(A[binds], g[binds], rcond=1e-7)[0]
        q = manifold.integrate(mechanism, q, step * min(1.0, LONGEST / max(np.abs(step).max(), LONGEST)))
    return None


def _equations(tree: Tree, q: Array, closures: Any, m: int) -> tuple[Array, Array]:
    """g and A, by the text read plainly."""
    g, A, _ = closed.constraints(Walk(tree), Coordinates(q.tolist()), Still(), closures)
    rows = [[A[k, z] for z in range(tree.nv)] for k in range(m)]
    return np.array([float(g[k]) for k in range(m)]), np.array(rows, float).reshape(m, tree.nv)
