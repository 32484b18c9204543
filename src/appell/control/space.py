"""Ways of a frame in space: straight lines and circles, with an attitude that stays, or turns along with the way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import ShapeError
from .ramps import Uniform
from .screw import crossed, rotation
from .trajectory import Array, FrameMotion, Trajectory


@dataclass(frozen=True, eq=False)
class Line:
    """A straight line in space; `along` says when which part of the way is done.

    `attitude` is a rotation, which stays, or a pair of them: then the frame turns about one axis from the first to the
    second, as it goes.
    """

    start: Any
    end: Any
    attitude: Any
    along: Trajectory

    @staticmethod
    def at_speed(start: Any, end: Any, attitude: Any, speed: float) -> Line:
        """At constant speed, from the first instant on."""
        length = float(np.linalg.norm(np.subtract(end, start)))
        if not speed > 0 or not length > 0:
            raise ShapeError(f"a line of {length:.6g} m at {speed:.6g} m/s, wanted a length and a speed above 0")
        return Line(start, end, attitude, Uniform(0.0, 1.0, length / speed))

    @property
    def t_end(self) -> float:
        return self.along.t_end

    @property
    def length(self) -> float:
        """The way from start to end."""
        return float(np.linalg.norm(np.subtract(self.end, self.start)))

    @cached_property
    def _turning(self) -> Turning:
        return Turning.of(self.attitude)

    def __call__(self, t: Any) -> FrameMotion:
        p0, way = np.asarray(self.start, float), np.subtract(self.end, self.start)
        s, ds, dds = self.along(t)
        place = p0 + s[..., None] * way
        return _moving(place, ds[..., None] * way, dds[..., None] * way, self._turning, (s, ds, dds))


@dataclass(frozen=True, eq=False)
class Circle:
    """An arc about a centre from a point on, by an angle about an axis; `along` and `attitude` as of a line.

    With `carried` the attitude, one rotation, is that at the start, and turns with the arc.
    """

    centre: Any
    start: Any
    axis: Any
    attitude: Any
    along: Trajectory
    angle: float = 2 * np.pi
    carried: bool = False

    def __post_init__(self) -> None:
        if not np.linalg.norm(np.asarray(self.axis, float)) > 1e-9 or not self.radius > 1e-12:
            raise ShapeError(
                f"a circle about {self.axis} from {self.start}, wanted an axis, and a start that is off it"
            )

    @cached_property
    def _axis(self) -> Array:
        u = np.asarray(self.axis, float)
        return u / np.linalg.norm(u)

    @cached_property
    def _arm(self) -> Array:
        return np.subtract(self.start, self.centre)

    @property
    def radius(self) -> float:
        """How far the way is from the axis."""
        return float(np.linalg.norm(self._arm - (self._arm @ self._axis) * self._axis))

    @property
    def t_end(self) -> float:
        return self.along.t_end

    @property
    def length(self) -> float:
        """The way from start to end."""
        return abs(self.angle) * self.radius

    @cached_property
    def _turning(self) -> Turning:
        if not self.carried:
            return Turning.of(self.attitude)
        return Turning(np.asarray(self.attitude, float), self.angle * self._axis)

    def __call__(self, t: Any) -> FrameMotion:
        s, ds, dds = self.along(t)
        u, angle = self._axis, self.angle
        r = (rotation(u, angle * s) @ self._arm[:, None])[..., 0]
        across = crossed(u, r)  # du/dangle x r
        rate, swing = (angle * ds)[..., None], (angle * dds)[..., None]
        place = np.asarray(self.centre, float) + r
        turned = swing * across + rate**2 * crossed(u, across)
        return _moving(place, rate * across, turned, self._turning, (s, ds, dds))


@dataclass(frozen=True, eq=False)
class Turning:
    """An attitude R(s) = exp(s [turn x]) R(0) over a way s from 0 to 1; `turn` in world axes."""

    first: Array
    turn: Array

    @staticmethod
    def of(attitude: Any) -> Turning:
        """One attitude, or from one to another by the shortest turn."""
        R = np.asarray(attitude, float)
        if R.shape not in ((3, 3), (2, 3, 3)) or np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max() > 1e-6:
            raise ShapeError(f"attitude of shape {R.shape}, wanted a rotation (3, 3) or two of them")
        return Turning(R, np.zeros(3)) if R.ndim == 2 else Turning(R[0], _logarithm(R[1] @ R[0].T))

    def __call__(self, s: Array) -> Array:
        angle = float(np.linalg.norm(self.turn))
        if not angle:
            return np.broadcast_to(self.first, (*np.shape(s), 3, 3))
        return rotation(self.turn / angle, angle * np.asarray(s)) @ self.first


def _logarithm(R: Array) -> Array:
    """The vector of a turn."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(R).as_rotvec()


def _moving(p: Array, v: Array, a: Array, turning: Turning, way: tuple[Array, Array, Array]) -> FrameMotion:
    """A frame at p with a turning attitude: a turn about one axis of the world."""
    s, ds, dds = way
    pose = np.zeros((*s.shape, 4, 4))
    pose[..., :3, :3], pose[..., :3, 3], pose[..., 3, 3] = turning(s), p, 1.0
    w, dw = np.multiply.outer(ds, turning.turn), np.multiply.outer(dds, turning.turn)
    return FrameMotion(pose, np.concatenate([v, w], -1), np.concatenate([a, dw], -1))


def zyz(a: float, b: float, c: float) -> Array:
    """The rotation Rz(a) Ry(b) Rz(c), in radians."""

    def z(x: float) -> Array:
        return np.array([[np.cos(x), -np.sin(x), 0.0], [np.sin(x), np.cos(x), 0.0], [0.0, 0.0, 1.0]])

    return z(a) @ np.array([[np.cos(b), 0.0, np.sin(b)], [0.0, 1.0, 0.0], [-np.sin(b), 0.0, np.cos(b)]]) @ z(c)
