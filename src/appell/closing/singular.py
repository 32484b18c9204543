"""Where a driven mechanism is singular: what the motors cannot hold, and what they cannot move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..asking import numbers_of
from ..errors import ShapeError
from . import sparse
from .coordinates import freedom_names
from .mobility import generic, motions, rank
from .scaled import Scaled
from .transformation import rows

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
FEW = 0.05  # parts of a direction that are smaller, against the largest, are not told
TOLD = 12  # the most that are told in a line


@dataclass(frozen=True)
class Singularity:
    """How near a mechanism is to a configuration in which it moves otherwise, and with which velocity.

    `measure` is the singular value that vanishes there, against the largest; `direction` holds velocities by name.
    """

    kind: str
    measure: float
    direction: dict[str, float]

    def __str__(self) -> str:
        most = sorted(self.direction, key=lambda name: -abs(self.direction[name]))[:TOLD]
        along = ", ".join(f"{name} {x:+.3g}" for name, x in self.direction.items() if name in most)
        return f"{self.kind}: {self.measure:.2e} of regular, along {along or 'nothing'}"


def singularities(robot: Robot, q: Any, inputs: Any, outputs: Any) -> tuple[Singularity, ...]:
    """See `Robot.singularities`.

    Of motions v = N y, N orthonormal, the inputs see S N y and the outputs J N y. What the inputs do not see is a
    parallel singularity, what the outputs do not see beyond what they never see is a serial one.

    Source: gosselin1990, singularities of closed chains by inputs and outputs.
    """
    scaled = Scaled.of(robot)
    (q,) = numbers_of("singularities", q=q)
    if q.shape != (robot.nq,):
        raise ShapeError(f"singularities: q has shape {q.shape}, wanted ({robot.nq},)")
    if not np.isfinite(q).all():
        raise ShapeError(f"singularities: q is {q}, wanted finite numbers")
    here = scaled.at(q)[1]
    there, around = generic(scaled, q, scaled.equations(q)[1])
    around = scaled.at(there)[1]
    freedoms = robot.nv - rank(around)
    found = [loss(scaled, here, rank(around))] if scaled.closed else []
    N = motions(here)
    S = _unit(rows(robot, inputs) * scaled.measures)
    found.append(_seen("parallel", scaled, S @ N, N, min(freedoms, N.shape[1])))
    if outputs is not None:
        seen = rank(_outputs(scaled, there, outputs) @ motions(around))
        found.append(_seen("serial", scaled, _outputs(scaled, q, outputs) @ N, N, seen))
    return tuple(found)


def _outputs(scaled: Scaled, q: Array, outputs: Any) -> Array:
    """What the outputs see of velocities: the motion of a frame, or of joints."""
    if isinstance(outputs, str) and outputs in scaled.robot.tree.frames:
        J = scaled.robot.jacobian(q, outputs) * scaled.measures
        J[:3] /= scaled.size
        return J
    return _unit(rows(scaled.robot, outputs) * scaled.measures)


def _unit(S: Array) -> Array:
    size = np.linalg.norm(S, axis=-1, keepdims=True)
    return S / np.where(size > 0, size, 1.0)


def _seen(kind: str, scaled: Scaled, J: Array, N: Array, r: int) -> Singularity:
    """The motion that is seen least, of as many as are seen elsewhere."""
    _, s, Vt = np.linalg.svd(J)
    s = np.concatenate([s, np.zeros(max(0, N.shape[1] - len(s)))])
    if not r or not s[0] > 0:
        return Singularity(kind, 1.0 if not r else 0.0, {})
    return Singularity(kind, float(s[r - 1] / s[0]), told(scaled, N @ Vt[r - 1]))


def loss(scaled: Scaled, A: Any, r: int) -> Singularity:
    """The motion that equations of rank r all but allow."""
    if not r:
        return Singularity("constraint", 1.0, {})
    if sparse.is_sparse(A):
        rows = sparse.eliminated(A)
        measure, direction = sparse.smallest(A, rows.dependent)
        return Singularity("constraint", measure if rows.rank == r else 0.0, told(scaled, direction))
    _, s, Vt = np.linalg.svd(A)
    return Singularity("constraint", float(s[r - 1] / s[0]), told(scaled, Vt[r - 1]))


def told(scaled: Scaled, direction: Array) -> dict[str, float]:
    """A scaled velocity by names, its largest part 1; small parts left out."""
    largest = int(np.abs(direction).argmax())
    names, parts = freedom_names(scaled.robot.mechanism), direction / direction[largest]
    velocity = parts * scaled.measures / scaled.measures[largest]
    return {name: float(v) for name, x, v in zip(names, parts, velocity, strict=True) if abs(x) >= FEW}
