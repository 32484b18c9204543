"""Which freedoms move a closed mechanism, and which of its equations say something new: by rank, once per robot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..closures import closures_of, names_of
from ..errors import ModelError
from ..formulations.closed import constraints
from ..formulations.still import Still
from ..model.walk import Coordinates, Walk
from .mobility import dependent_rows, motions, rank

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
ENOUGH = 0.2  # of what a freedom can tell of motion at most, for one that is preferred
NOTHING = 1e-8  # what counts as zero, against the largest number
LOOKS = 2  # configurations beside the regular one, as coefficients may vanish in one


def independent_rows(A: Array) -> list[int]:
    """The rows that do not depend on those above them."""
    dependent = set(dependent_rows(A, rank(A)))
    return [k for k in range(len(A)) if k not in dependent]


def drives(robot: Robot, preferred: Iterable[int]) -> tuple[int, ...]:
    """Freedoms that tell all motion, those first that are preferred, as long as they tell enough of it."""
    left, order = motions(robot.regular.A), [*dict.fromkeys([*preferred, *range(robot.nv)])]
    found: list[int] = []
    for enough in (ENOUGH, 0.0):
        for k in order:
            size = np.linalg.norm(left[k])
            if len(found) < left.shape[1] and size > max(enough * np.linalg.norm(left, axis=1).max(), NOTHING):
                along = left[k] / size
                left, found = left - np.outer(left @ along, along), [*found, k]
    return tuple(found)


def pattern(robot: Robot) -> list[set[int]]:
    """The freedoms that every equation knows, in whatever configuration."""
    closures, m = closures_of(robot.mechanism, robot.tree), len(names_of(robot.mechanism))
    known = [np.abs(robot.regular.A)]
    for seed in range(LOOKS):
        q = Coordinates(robot.random_state(seed)[0].tolist())
        _, A, _ = constraints(Walk(robot.tree), q, Still(), closures)
        known.append(np.abs([[A[k, z] for z in range(robot.nv)] for k in range(m)], dtype=float).reshape(m, robot.nv))
    return [{z for z in range(robot.nv) if any(A[k, z] > NOTHING * A.max() for A in known)} for k in range(m)]


def check_drives(robot: Robot, driven: Sequence[int]) -> None:
    """Refuse drives that hold each other, and such as leave a freedom without."""
    A, name = robot.regular.A, robot.name
    held = rank(A)
    if held == robot.nv:
        raise ModelError(f"{name!r} has no freedom left by its loops, wanted one that drives can move")
    moved = rank(np.vstack([A, np.eye(robot.nv)[list(driven)]])) - held
    if not moved == len(driven) == robot.nv - held:
        raise ModelError(
            f"{len(driven)} drives move {moved} of the {robot.nv - held} freedoms of {name!r}, wanted one for each"
        )
