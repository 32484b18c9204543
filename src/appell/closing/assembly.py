"""A mechanism with its loops closed, and what can be said of it there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .coordinates import freedom_names
from .mobility import Mobility, dependent_rows, generic, independent_freedoms, rank
from .scaled import Scaled
from .singular import Singularity, loss

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Assembly:
    """A closed configuration `q` of a robot; NumPy takes it for q.

    `residual` is the largest that is left of any equation. `redundant` names the equations that say nothing the
    others do not say, here and around; `independent` names coordinates that tell all others. `singularity` is the
    nearest loss of rank.
    """

    robot: Robot
    q: Array
    residual: float
    mobility: Mobility
    redundant: tuple[str, ...]
    independent: tuple[str, ...]
    singularity: Singularity
    equations: int

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.q, dtype=dtype) if copy is not False else np.asarray(self.q, dtype=dtype)

    @property
    def singular(self) -> bool:
        """Whether it can move here in more ways than around."""
        return self.mobility.here > self.mobility.generic

    def report(self) -> str:
        """All of it in words."""
        m, s = self.mobility, self.singularity
        lines = [
            f"{self.robot.name}: {self.robot.nv} freedoms of joints, {self.equations} equations",
            f"closed to {self.residual:.1e}",
            f"mobility {m.generic} by rank, {m.gruebler} by counting (Gruebler)",
            f"independent coordinates: {listed(self.independent)}",
            f"redundant equations: {listed(self.redundant)}",
        ]
        if self.singular:
            lines.append(f"singular here, where it has {m.here} freedoms: {s}")
        elif self.equations:
            lines.append(f"nearest singularity: {s}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.report()


def assembly(scaled: Scaled, q: Array) -> Assembly:
    """What can be said of a closed configuration."""
    robot = scaled.robot
    g, A = scaled.equations(q)
    _, around = generic(scaled, q, A)
    r, names = rank(around), freedom_names(robot.mechanism)
    mobility = Mobility(robot.nv - len(scaled.names), robot.nv - rank(A), robot.nv - r)
    base = A if rank(A) == r else around
    q = q.copy()
    q.flags.writeable = False
    return Assembly(
        robot, q, float(np.abs(g * scaled.units)[scaled.binds].max(initial=0.0)), mobility,
        tuple(scaled.names[k] for k in dependent_rows(around, r)),
        tuple(names[k] for k in independent_freedoms(base, r)),
        loss(scaled, A, r), len(scaled.names),
    )  # fmt: skip


def listed(names: Sequence[str], most: int = 24) -> str:
    """Names in a sentence, not too many."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more or "none"
