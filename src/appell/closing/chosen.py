"""Independent coordinates by name, and whether they are independent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..actuation import chosen_of, idle_joints, named, shown
from ..errors import ModelError, ShapeError, unknown
from ..formulations.coordinates import Along, Angle, Mixed
from ..formulations.reduction import Chosen
from ..regular import NOTHING, Regular, rank_of

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
PARTS = {part: (part[-1], part.startswith("w")) for part in ("x", "y", "z", "wx", "wy", "wz")}


def chosen_coordinates(robot: Robot, given: Any) -> tuple[tuple[str, ...], Chosen]:
    """The names of coordinates, one each, and what they are, if they tell how a mechanism moves and no more."""
    listed = [given] if isinstance(given, str) else given
    if _is_names(listed):
        found = [pair for name in listed for pair in _by_name(robot, name)]
    else:
        found = _sums(robot, listed)
    names, coordinates = tuple(name for name, _ in found), tuple(x for _, x in found)
    at, pushed = shown(robot, coordinates)
    _check(robot, names, at, pushed)
    return names, chosen_of(at, coordinates)


def _is_names(listed: Any) -> bool:
    return isinstance(listed, Sequence) and len(listed) > 0 and all(isinstance(x, str) for x in listed)


def _by_name(robot: Robot, name: str) -> list[tuple[str, Any]]:
    """A joint's freedoms, or what is behind the last dot of a frame's name."""
    joints = named(robot.mechanism)
    if name in joints:
        own = joints[name]
        return [(name if len(own) == 1 else f"{name}[{k}]", x) for k, x in enumerate(own)]
    frame, _, part = name.rpartition(".")
    frames = robot.light_tree.frames
    if frame not in frames:
        raise unknown("joint or frame", frame or name, [*joints, *frames])
    if part in PARTS:
        return [(name, Along(frames[frame], *PARTS[part]))]
    if len(part) == 3 and set(part) <= set("xyz") and part[0] != part[1] != part[2]:
        return [(f"{name}[{k}]", Angle(frames[frame], part, k)) for k in range(3)]
    raise ModelError(f"coordinate {name!r}: got {part!r}, wanted one of {', '.join(PARTS)}, or three axes as zyx")


def _sums(robot: Robot, given: Any) -> list[tuple[str, Any]]:
    """Rows of a matrix S, of which u = S v."""
    try:
        S = np.asarray(given, float)
    except (TypeError, ValueError):
        raise ShapeError(f"coordinates are {given!r}, wanted names, or a matrix (n, {robot.nv})") from None
    if S.ndim != 2 or S.shape[1] != robot.nv or not len(S) or not np.isfinite(S).all():
        raise ShapeError(f"coordinates have shape {S.shape}, wanted names, or finite numbers (n, {robot.nv})")
    return [(f"u[{k}]", Mixed(tuple((z, x) for z, x in enumerate(row) if x))) for k, row in enumerate(S.tolist())]


def _check(robot: Robot, names: Sequence[str], at: Regular, moved: Array) -> None:
    """Refuse coordinates that depend on each other, or leave a freedom untold."""
    _, s, Vt = np.linalg.svd(moved)
    rank, count = rank_of(s), moved.shape[0]
    if rank < len(names):
        bound = [name for name, y in zip(names, np.abs(Vt[rank:]).max(axis=0), strict=True) if y > NOTHING]
        if still := [name for name, x in zip(names, moved.T, strict=True) if np.abs(x).max(initial=0.0) < NOTHING]:
            held = f"does not move, whatever {robot.name!r} does"
            raise ModelError(f"coordinate {still[0]!r} {held}: it has {count} freedom(s), wanted a coordinate of them")
        raise ModelError(f"coordinates {_listed(bound)} depend on each other, wanted independent ones")
    if rank < count:
        idle = _listed(idle_joints(robot, at, moved))
        got = f"coordinates {_listed(names)} are {rank} of the {count} freedoms of {robot.name!r}"
        raise ModelError(f"{got}, wanted all: with them held, {idle} can still move")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))
