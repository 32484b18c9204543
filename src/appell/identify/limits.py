"""What a motion must keep to: of joints position, speed, acceleration and force; of frames a box in space."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..control.gains import of_model as drive_limits
from ..control.inverse_kinematics import limits as of_model
from ..errors import DataError, unknown
from ..robot import Robot
from .table import TURN

Array = np.ndarray[Any, Any]
KEYS = ("position", "speed", "acceleration", "force")


@dataclass(frozen=True)
class Box:
    """Where a frame's origin may be, in the world: corner to corner."""

    frame: str
    low: tuple[float, float, float]
    high: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Limits:
    """For every joint, infinite where nothing is said, and boxes for frames."""

    low: Array
    high: Array
    speed: Array
    acceleration: Array
    force: Array
    boxes: tuple[Box, ...] = ()

    @staticmethod
    def of(
        robot: Robot, speed: Any = None, acceleration: Any = np.inf, force: Any = None, position: Any = None,
        boxes: Sequence[Box] = (),
    ) -> Limits:  # fmt: skip
        """One number for all joints, or one for each; speeds, forces and positions by default the model's own."""
        _check(robot)
        speed = drive_limits(robot, "velocity_limit") if speed is None else speed
        force = drive_limits(robot, "effort_limit") if force is None else force
        low, high = of_model(robot) if position is None else np.asarray(position, float).T
        rates = [np.broadcast_to(np.asarray(x, float), (robot.nv,)) for x in (speed, acceleration, force)]
        bounds = np.asarray(low, float), np.asarray(high, float)
        return checked(robot, Limits(*bounds, rates[0], rates[1], rates[2], tuple(boxes)))

    @property
    def middle(self) -> tuple[Array, Array]:
        """The middle of the positions, half their room: two turns from where there is one limit, endless without."""
        low, high = (np.where(np.isfinite(x), x, 0.0) for x in (self.low, self.high))
        below, above = np.isfinite(self.low), np.isfinite(self.high)
        low, high = np.where(below, low, high - 4 * np.pi), np.where(above, high, low + 4 * np.pi)
        return np.where(below | above, (low + high) / 2, 0.0), np.where(below | above, (high - low) / 2, np.inf)

    @staticmethod
    def read(robot: Robot, path: Any) -> Limits:
        """From a TOML file: `[joints.NAME]`, or `all`, with position = [low, high], speed, acceleration, force, in SI
        units or, of turning joints, after `angles = "deg"` in degrees; `[[boxes]]` with frame, low, high. What is not
        said is the model's."""
        try:
            text = Path(os.fspath(path)).read_bytes().decode()
            return from_mapping(robot, tomllib.loads(text), str(path))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise DataError(f"{str(path)!r} cannot be read as limits: {error}") from None


def from_mapping(robot: Robot, data: Mapping[str, Any], source: str = "limits") -> Limits:
    """Limits from plain data; see `Limits.read`."""
    _check(robot)
    if strange := set(data) - {"joints", "boxes", "angles"}:
        raise unknown(f"entry of {source}", min(strange), ("joints", "boxes", "angles"))
    unit = {"rad": 1.0, "deg": TURN}.get(data.get("angles", "rad"))
    if unit is None:
        raise DataError(f"{source}: angles are in {data['angles']!r}, wanted 'rad' or 'deg'")
    low, high = (np.array(x, float) for x in of_model(robot))
    own = Limits.of(robot)
    rates = {key: getattr(own, key).copy() for key in KEYS[1:]}
    joints = data.get("joints", {})
    if not isinstance(joints, Mapping):
        raise DataError(f"{source}: joints is {joints!r}, wanted a table for each joint, or for all")
    for name, given in joints.items():
        for j in _joints(robot, name, source):
            _take(given, f"{source}: joints.{name}", j, _unit(robot, j, unit), (low, high), rates)
    boxes = tuple(_box(robot, b, source) for b in data.get("boxes", ()))
    speed, acceleration, force = rates.values()
    return checked(robot, Limits(low, high, speed, acceleration, force, boxes))


def _check(robot: Robot) -> None:
    if robot.nq != robot.nv:
        raise DataError(f"robot {robot.name!r} has a quaternion in q, wanted joints with coordinates of their own")


def _joints(robot: Robot, name: str, source: str) -> list[int]:
    """The places in v that a name stands for."""
    starts = robot.mechanism.v_starts
    places = {n: range(a, b) for body, a, b in zip(robot.bodies, starts, starts[1:], strict=False)
              for n in (body.name, body.joint.name)}  # fmt: skip
    if name == "all":
        return list(range(robot.nv))
    if name not in places:
        raise unknown(f"joint in {source}", name, ["all", *places])
    return list(places[name])


def _unit(robot: Robot, j: int, unit: float) -> float:
    link = next(b for b in robot.tree.links if b.v_index == j)
    return 1.0 if link.kind == "prismatic" else unit


def _take(given: Any, where: str, j: int, unit: float, position: tuple[Array, Array], rates: dict[str, Array]) -> None:
    if not isinstance(given, Mapping):
        raise DataError(f"{where} is {given!r}, wanted a table with {', '.join(KEYS)}")
    for key, value in given.items():
        if key not in KEYS:
            raise unknown(f"limit in {where}", key, KEYS)
        wanted = 2 if key == "position" else 1
        numbers = np.atleast_1d(np.asarray(value, float)) if _numeric(value) else np.zeros(0)
        if numbers.shape != (wanted,):
            raise DataError(f"{where}: {key} is {value!r}, wanted {'[low, high]' if wanted == 2 else 'a number'}")
        if key == "position":
            position[0][j], position[1][j] = numbers * unit
        else:
            rates[key][j] = numbers[0] * (1.0 if key == "force" else unit)


def _numeric(value: Any) -> bool:
    rows = value if isinstance(value, list) else [value]
    return all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in rows)


def _box(robot: Robot, given: Any, source: str) -> Box:
    if not isinstance(given, Mapping) or set(given) != {"frame", "low", "high"}:
        raise DataError(f"{source}: a box is {given!r}, wanted frame, low and high")
    corners = [given[k] for k in ("low", "high")]
    if not all(isinstance(c, list) and len(c) == 3 and _numeric(c) for c in corners):
        raise DataError(f"{source}: a box of frame {given['frame']!r} wants three numbers as low and as high")
    (a, b, c), (d, e, f) = corners
    return Box(given["frame"], (float(a), float(b), float(c)), (float(d), float(e), float(f)))


def checked(robot: Robot, limits: Limits) -> Limits:
    """The limits, if they leave room."""
    for name, x in (("speed", limits.speed), ("acceleration", limits.acceleration), ("force", limits.force)):
        if not (x > 0).all():
            raise DataError(f"limits: {name} is {x}, wanted numbers above 0")
    if not (limits.low < limits.high).all():
        j = int(np.argmin(limits.low < limits.high))
        text = f"from {limits.low[j]:g} to {limits.high[j]:g}"
        raise DataError(f"limits: joint {j + 1} may be {text}, wanted low < high")
    for box in limits.boxes:
        if box.frame not in robot.tree.frames:
            raise unknown("frame in limits", box.frame, robot.tree.frames)
        if not all(a < b for a, b in zip(box.low, box.high, strict=True)):
            raise DataError(
                f"limits: the box of frame {box.frame!r} is from {box.low} to {box.high}, wanted low < high"
            )
    return limits
