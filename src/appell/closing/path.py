"""Along a path of coordinates that are held: where all others stand, and how far the mechanism can go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..asking import numbers_of
from ..errors import AssemblyError, ShapeError
from .assemble import assemble, held, positions_of
from .coordinates import freedom_names
from .curve import Curve, Turn
from .newton import closed
from .scaled import Scaled
from .search import led
from .singular import Singularity, told

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False)
class Reach:
    """How far a mechanism went towards a target: all the way (`part` = 1), or to where the path leaves the workspace.

    `q` is closed. At the boundary `singularity` holds the motion that is left while what was led stands still.
    """

    part: float
    q: Array
    singularity: Singularity | None

    @property
    def whole(self) -> bool:
        """Whether the target was reached."""
        return self.part == 1.0

    def __str__(self) -> str:
        if self.whole:
            return "reached"
        return f"the workspace ends after {self.part:.12g} of the way; {self.singularity}"


def positions(robot: Robot, coordinates: Any, guess: Any, branch: Any) -> Array:
    """See `Robot.positions`."""
    path = _rows(robot, coordinates)
    count = max(len(x) for x in path.values())
    at = [{name: x[k] for name, x in path.items()} for k in range(count)]
    first = assemble(robot, guess, at[0], branch, TOLERANCE)
    scaled, out = Scaled.of(robot), np.empty((count, robot.nq))
    out[0] = q = np.asarray(first)
    for k in range(1, count):
        free, target = held(robot, q, at[k])
        there, done = led(scaled, q, target, free, TOLERANCE)
        if done < 1:
            raise AssemblyError(_stopped(robot, free, k, done))
        out[k] = q = there.q
    return out


def _stopped(robot: Robot, free: Array, k: int, done: float) -> str:
    names = [n for n, x in zip(freedom_names(robot.mechanism), free, strict=True) if not x]
    return (
        f"{robot.name!r} cannot follow {', '.join(names)} from row {k - 1} to row {k}: it stops after {done:.3g} "
        "of the way, wanted a path in the workspace; `reach` finds its end"
    )


def _rows(robot: Robot, coordinates: Any) -> dict[str, Array]:
    """The path of each coordinate as rows of its joint's numbers, all equally many."""
    if not isinstance(coordinates, Mapping) or not coordinates:
        raise ShapeError(f"positions: coordinates are {coordinates!r}, wanted arrays by names of joints")
    found: dict[str, Array] = {}
    for name, given in coordinates.items():
        (x,), wide = numbers_of("positions", **{str(name): given}), len(positions_of(robot, name))
        x = x[:, None] if x.ndim == 1 and wide == 1 else x
        if x.ndim != 2 or x.shape[1] != wide or not len(x):
            raise ShapeError(f"positions: {name} has shape {x.shape}, wanted (rows, {wide})")
        found[name] = x.astype(float)
    if len({len(x) for x in found.values()}) > 1:
        raise ShapeError(f"positions: {', '.join(f'{n} has {len(x)} rows' for n, x in found.items())}, wanted as many")
    return found


def reach(robot: Robot, target: Any, guess: Any, branch: Any) -> Reach:
    """See `Robot.reach`."""
    if not isinstance(target, Mapping) or not target:
        raise ShapeError(f"reach: target is {target!r}, wanted coordinates by names of joints")
    start = assemble(robot, guess, None, branch, TOLERANCE)
    scaled, q = Scaled.of(robot), np.array(start)
    free, wanted = held(robot, q, target)
    way = np.where(free, 0.0, robot.difference(q, wanted) / scaled.measures)
    if not way.any():
        return Reach(1.0, q, None)
    end = Curve(scaled, free, way).followed(q)
    if not isinstance(end, Turn):
        exact = closed(scaled, _placed(scaled, end, wanted, free), free)
        return Reach(1.0, exact.q, None)
    _, A = scaled.at(end.q)
    s, Vt = np.linalg.svd(A[scaled.binds][:, free])[1:]
    motion = np.zeros(robot.nv)
    motion[free] = Vt[-1]
    measure = 0.0 if len(s) < Vt.shape[0] else float(s[-1] / s[0])
    return Reach(end.part, end.q, Singularity("parallel", measure, told(scaled, motion)))


def _placed(scaled: Scaled, q: Array, wanted: Array, free: Array) -> Array:
    from .search import held_places

    return np.where(held_places(scaled, ~free), wanted, q)
