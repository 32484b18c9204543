"""A path as it lies in a file: TOML that names a trajectory of joints or of a frame, how it is controlled, on what.

    kind = "spline"                         # ramps, uniform, cycloid, trapezoid, minimum_jerk; line, circle
    times = [0.0, 1.0, 2.0]                 # of spline and ramps, with `points`; others have `start`, `end`, `duration`
    points = [[0, 0], [30, 20], [0, 0]]
    angles = "deg"

A line has `start`, `end` and `attitude` (angles zyz) and, if it turns, `attitude_end`; a circle `centre`, `start`,
`axis`, `attitude`, and `angle`, or it goes once round. Both have `duration` or `speed`, a `profile` (a kind above that
has a duration; by default a trapezoid), a `frame`, and `near`, the posture to begin from.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DataError, unknown
from ..robot import Robot
from .joint_path import JointPath
from .ramps import Cycloid, MinimumJerk, Trapezoid, Uniform
from .space import Circle, Line, zyz
from .splines import Ramps, Spline
from .trajectory import FrameTrajectory, Trajectory

Array = np.ndarray[Any, Any]
TURN = np.pi / 180
PROFILES = {"uniform": Uniform, "cycloid": Cycloid, "trapezoid": Trapezoid, "minimum_jerk": MinimumJerk}
THROUGH = {"spline": Spline, "ramps": Ramps}
KEYS: dict[str, tuple[str, ...]] = dict.fromkeys(PROFILES, ("start", "end", "duration"))
KEYS |= dict.fromkeys(THROUGH, ("times", "points"))
SPACE = ("attitude", "attitude_end", "duration", "speed", "profile", "frame", "near")
KEYS |= {"line": ("start", "end", *SPACE), "circle": ("centre", "start", "axis", "angle", *SPACE)}
COMMON = ("kind", "angles", "hold", "control", "device")


@dataclass(frozen=True, eq=False)
class PathFile:
    """What a file says: a motion of the joints, the frame's where there is one, and tables for others to read."""

    joints: Trajectory
    space: FrameTrajectory | None = None
    frame: str | None = None
    hold: float = 0.0
    control: Mapping[str, Any] = field(default_factory=dict)
    device: Mapping[str, Any] = field(default_factory=dict)


def read_path(robot: Robot, place: Any) -> PathFile:
    """A path for a robot, from a TOML file."""
    name = str(place)
    try:
        data = tomllib.loads(Path(os.fspath(place)).read_bytes().decode())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DataError(f"{name!r} cannot be read as a path: {error}") from None
    return path_of(robot, data, name)


def path_of(robot: Robot, data: Mapping[str, Any], source: str = "path") -> PathFile:
    """A path for a robot, from plain data."""
    if robot.mechanism.closed:
        raise DataError(f"{source}: robot {robot.name!r} has closed loops, wanted an open chain or a tree for a path")
    kind = data.get("kind")
    if kind not in KEYS:
        raise unknown(f"kind of path in {source}", kind, KEYS)
    if strange := set(data) - {*COMMON, *KEYS[kind]}:
        raise unknown(f"entry of {source}", min(strange), (*COMMON, *KEYS[kind]))
    given = _Given(robot, data, source)
    hold = given.number("hold", 0.0)
    tables = {key: given.table(key) for key in ("control", "device")}
    if kind in ("line", "circle"):
        space = given.line() if kind == "line" else given.circle()
        near = given.joints("near", given.unit) if "near" in data else None
        path = JointPath(robot, space, near, data.get("frame"))
        return PathFile(path, space, path.tip, hold, **tables)
    if kind in THROUGH:
        motion = THROUGH[kind](given.numbers("times"), given.joints("points", given.unit, rows=True))
    else:
        ends = (given.joints(key, given.unit) for key in ("start", "end"))
        motion = PROFILES[kind](*ends, given.number("duration"))
    return PathFile(motion, None, None, hold, **tables)


@dataclass(frozen=True, eq=False)
class _Given:
    """Entries, each checked as it is taken."""

    robot: Robot
    data: Mapping[str, Any]
    source: str

    @property
    def unit(self) -> float:
        """Of angles."""
        name = self.data.get("angles", "rad")
        if name not in ("rad", "deg"):
            raise DataError(f"{self.source}: angles are in {name!r}, wanted 'rad' or 'deg'")
        return TURN if name == "deg" else 1.0

    def number(self, key: str, default: float | None = None) -> float:
        """One number, not below 0."""
        x = self.data.get(key, default)
        if isinstance(x, bool) or not isinstance(x, (int, float)) or not 0 <= x < np.inf:
            raise DataError(f"{self.source}: {key} is {x!r}, wanted a number, 0 or more")
        return float(x)

    def numbers(self, key: str, shape: tuple[int, ...] | None = None) -> Array:
        """An array of numbers."""
        try:
            x = np.asarray(self.data[key], float)
        except KeyError:
            raise DataError(f"{self.source} has no {key!r}, which a {self.data['kind']} needs") from None
        except (TypeError, ValueError):
            raise DataError(f"{self.source}: {key} is no array of numbers") from None
        if not np.isfinite(x).all() or (shape is not None and x.shape != shape):
            wanted = "finite numbers" if shape is None else f"{shape} finite numbers"
            raise DataError(f"{self.source}: {key} has shape {x.shape}, wanted {wanted}")
        return x

    def joints(self, key: str, unit: float, rows: bool = False) -> Array:
        """Coordinates of all joints, turns in the unit of angles."""
        x, n = self.numbers(key), self.robot.nq
        if x.shape[-1:] != (n,) or x.ndim != (2 if rows else 1):
            wanted = f"(k, {n})" if rows else f"({n},)"
            raise DataError(f"{self.source}: {key} has shape {x.shape}, wanted {wanted} for robot {self.robot.name!r}")
        slides = {b.q_index for b in self.robot.tree.links if b.kind == "prismatic"}
        return x * np.array([1.0 if k in slides else unit for k in range(n)])

    def table(self, key: str) -> Mapping[str, Any]:
        """A table of the file, or an empty one."""
        found = self.data.get(key, {})
        if not isinstance(found, Mapping):
            raise DataError(f"{self.source}: {key} is {found!r}, wanted a table")
        return found

    def line(self) -> Line:
        """A straight line."""
        start, end = (self.numbers(key, (3,)) for key in ("start", "end"))
        return Line(start, end, self._attitudes(), self._along(float(np.linalg.norm(end - start))))

    def circle(self) -> Circle:
        """An arc."""
        centre, start, axis = (self.numbers(key, (3,)) for key in ("centre", "start", "axis"))
        angle = float(self.numbers("angle", ()) * self.unit) if "angle" in self.data else 2 * np.pi
        probe = Circle(centre, start, axis, np.eye(3), Uniform(0.0, 1.0, 1.0), angle)
        return Circle(centre, start, axis, self._attitudes(), self._along(probe.length), angle)

    def _attitudes(self) -> Array | list[Array]:
        found = [zyz(*(self.numbers(key, (3,)) * self.unit)) for key in ("attitude", "attitude_end")
                 if key == "attitude" or key in self.data]  # fmt: skip
        return found[0] if len(found) == 1 else found

    def _along(self, length: float) -> Trajectory:
        """How the way is shared out over the time."""
        profile = self.data.get("profile", "trapezoid")
        if profile not in PROFILES:
            raise unknown(f"profile in {self.source}", profile, PROFILES)
        if ("duration" in self.data) == ("speed" in self.data):
            raise DataError(f"{self.source}: wanted either a duration or a speed")
        time = self.number("duration") if "duration" in self.data else length / max(self.number("speed"), 1e-12)
        return PROFILES[profile](0.0, 1.0, time)
