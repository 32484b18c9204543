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

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
NOTHING = 1e-8  # what counts as zero, against the largest number


def coefficients(robot: Robot) -> Array:
    """A of the equations A v = 0, where the mechanism is like everywhere around."""
    closures, m = closures_of(robot.mechanism, robot.tree), len(names_of(robot.mechanism))
    q = Coordinates(robot.random_state(1)[0].tolist())
    _, A, _ = constraints(Walk(robot.tree), q, Still(), closures)
    return np.array([[A[k, z] for z in range(robot.nv)] for k in range(m)], float).reshape(m, robot.nv)


def rank(A: Array) -> int:
    """How many rows are independent."""
    s = np.linalg.svd(A, compute_uv=False) if A.size else np.zeros(0)
    return int((s > NOTHING * s.max(initial=0.0)).sum())


def new_rows(A: Array, before: Array | None = None) -> list[int]:
    """The rows that do not depend on those above them, or on some that come before all."""
    scale = np.abs(A).max(initial=0.0)
    Q = np.linalg.svd(before)[2][: rank(before)] if before is not None and before.size else np.zeros((0, A.shape[1]))
    found = []
    for k, row in enumerate(A):
        left = row - Q.T @ (Q @ row)
        left -= Q.T @ (Q @ left)
        size = float(np.linalg.norm(left))
        if size > 1e-6 * max(float(np.linalg.norm(row)), NOTHING * scale):
            Q, found = np.vstack([Q, left / size]), [*found, k]
    return found


def drives(robot: Robot, preferred: Iterable[int]) -> tuple[int, ...]:
    """Freedoms that move the mechanism, each by itself: those first that are preferred."""
    order = [*dict.fromkeys([*preferred, *range(robot.nv)])]
    return tuple(order[k] for k in new_rows(np.eye(robot.nv)[order], coefficients(robot)))


def check_drives(robot: Robot, driven: Sequence[int]) -> None:
    """Refuse drives that hold each other, and such as leave a freedom without."""
    A, name = coefficients(robot), robot.name
    held = rank(A)
    moved = rank(np.vstack([A, np.eye(robot.nv)[list(driven)]])) - held
    if not moved == len(driven) == robot.nv - held:
        raise ModelError(
            f"{len(driven)} drives move {moved} of the {robot.nv - held} freedoms of {name!r}, wanted one for each"
        )
