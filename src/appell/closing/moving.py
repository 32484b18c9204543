"""Which freedoms move a closed mechanism, and which of its equations say something new: by rank, once per robot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from .mobility import dependent_rows, rank

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]


def independent_rows(A: Array) -> list[int]:
    """The rows that do not depend on those above them."""
    dependent = set(dependent_rows(A, rank(A)))
    return [k for k in range(len(A)) if k not in dependent]


def drives(robot: Robot, preferred: Iterable[int]) -> tuple[int, ...]:
    """Freedoms that move the mechanism, each by itself: those first that are preferred."""
    A, order = robot.regular.A, [*dict.fromkeys([*preferred, *range(robot.nv)])]
    free = independent_rows(np.vstack([A, np.eye(robot.nv)[order]]))
    return tuple(order[k - len(A)] for k in free if k >= len(A))


def check_drives(robot: Robot, driven: Sequence[int]) -> None:
    """Refuse drives that hold each other, and such as leave a freedom without."""
    A, name = robot.regular.A, robot.name
    held = rank(A)
    moved = rank(np.vstack([A, np.eye(robot.nv)[list(driven)]])) - held
    if not moved == len(driven) == robot.nv - held:
        raise ModelError(
            f"{len(driven)} drives move {moved} of the {robot.nv - held} freedoms of {name!r}, wanted one for each"
        )
