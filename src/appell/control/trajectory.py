"""Motions given in advance: each is asked for (q, v, a) at an instant, or at an array of them.

`Uniform` and `Cycloid` move joints, or anything that is a vector; a `Line` moves a frame in space, and a `JointPath`
the joints that bring the frame along it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from ..errors import AppellError, ShapeError
from .inverse_kinematics import SINGULAR, Postures, columns, inverse_kinematics, solver_for, tip

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]


class Motion(NamedTuple):
    """Positions, velocities and accelerations: (..., n) for instants (...)."""

    q: Array
    v: Array
    a: Array


class Trajectory(Protocol):
    """What has a motion from 0 to t_end."""

    @property
    def t_end(self) -> float: ...

    def __call__(self, t: Any) -> Motion: ...


@dataclass(frozen=True, eq=False)
class Ramp:
    """From one vector to another in a straight line."""

    start: Any
    end: Any
    t_end: float

    def __post_init__(self) -> None:
        if not 0 < self.t_end < np.inf:
            raise ShapeError(f"trajectory: t_end is {self.t_end!r}, wanted a time above 0")

    def _moved(self, s: Array, ds: Array, dds: Array) -> Motion:
        q0 = np.asarray(self.start, float)
        way = np.asarray(self.end, float) - q0
        return Motion(q0 + np.multiply.outer(s, way), np.multiply.outer(ds, way), np.multiply.outer(dds, way))


class Uniform(Ramp):
    """At constant speed from the first instant to the last."""

    def __call__(self, t: Any) -> Motion:
        s = within(t, self.t_end) / self.t_end
        return self._moved(s, np.full_like(s, 1 / self.t_end), np.zeros_like(s))


class Cycloid(Ramp):
    """From rest to rest, without a jump of the acceleration; at rest before and after.

    Source: saha2010, (22).
    """

    def __call__(self, t: Any) -> Motion:
        w = 2 * np.pi / self.t_end
        t = np.clip(np.asarray(t, float), 0.0, self.t_end)
        s, ds, dds = w * t - np.sin(w * t), w * (1 - np.cos(w * t)), w * w * np.sin(w * t)
        return self._moved(*(x / (2 * np.pi) for x in (s, ds, dds)))


class FrameMotion(NamedTuple):
    """A frame's pose (..., 4, 4); its velocity and acceleration (..., 6), linear then angular, in world axes."""

    pose: Array
    velocity: Array
    acceleration: Array


class FrameTrajectory(Protocol):
    """What has a motion of a frame from 0 to t_end."""

    @property
    def t_end(self) -> float: ...

    def __call__(self, t: Any) -> FrameMotion: ...


@dataclass(frozen=True, eq=False)
class Line:
    """A straight line in space with constant attitude; `along` says when which part of the way is done."""

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

    def __call__(self, t: Any) -> FrameMotion:
        p0, way = np.asarray(self.start, float), np.subtract(self.end, self.start)
        s, ds, dds = self.along(t)
        pose = np.zeros((*s.shape, 4, 4))
        pose[..., :3, :3], pose[..., :3, 3], pose[..., 3, 3] = self.attitude, p0 + s[..., None] * way, 1.0
        twist = np.concatenate([way, np.zeros(3)])
        return FrameMotion(pose, ds[..., None] * twist, dds[..., None] * twist)


def zyz(a: float, b: float, c: float) -> Array:
    """The rotation Rz(a) Ry(b) Rz(c), in radians."""

    def z(x: float) -> Array:
        return np.array([[np.cos(x), -np.sin(x), 0.0], [np.sin(x), np.cos(x), 0.0], [0.0, 0.0, 1.0]])

    return z(a) @ np.array([[np.cos(b), 0.0, np.sin(b)], [0.0, 1.0, 0.0], [-np.sin(b), 0.0, np.cos(b)]]) @ z(c)


def within(t: Any, t_end: float) -> Array:
    """Instants that a trajectory has; a ShapeError for others."""
    t = np.asarray(t, float)
    slack = 1e-9 * t_end
    if not ((t >= -slack) & (t <= t_end + slack)).all():
        raise ShapeError(f"trajectory: asked for t from {t.min():.6g} to {t.max():.6g}, wanted 0 to {t_end:.6g}")
    return t


@dataclass(frozen=True, eq=False)
class JointPath:
    """The joints' motion that brings a frame along a path in space, in the posture that is nearest to `near` at t = 0.

    Positions come from inverse kinematics at each instant, so they do not drift; velocities and accelerations from

        v = J^-1 V        a = J^-1 (A - dJ/dt v)

    which are exact. A path that leaves the reach, or comes to a singularity, is an AppellError that says when.
    """

    robot: Robot
    target: FrameTrajectory
    near: Any = None
    frame: str | None = None

    @property
    def t_end(self) -> float:
        return self.target.t_end

    @cached_property
    def tip(self) -> str:
        """The frame that moves."""
        return self.frame or tip(self.robot)

    def __call__(self, t: Any) -> Motion:
        t = within(t, self.t_end)
        guess = _hermite(*self.guide, t.ravel())
        q = self._nearest(self._postures(t.ravel()).q, guess)
        return Motion(*(x.reshape(*t.shape, x.shape[-1]) for x in self._moving(q, t.ravel())))

    @cached_property
    def turning(self) -> Array:
        """Which coordinates are angles, and may differ by whole turns."""
        solver = solver_for(self.robot, self.tip)
        out = np.zeros(self.robot.nq, bool)
        out[solver.places] = solver.turns
        return out

    @cached_property
    def guide(self) -> tuple[Array, Array, Array]:
        """(t, q, v) along the branch, close enough together that no other branch can be taken for it."""
        for count in (65, 257, 1025, 4097):
            t = np.linspace(0.0, self.t_end, count)
            q, v = self._followed(t)
            if np.abs(np.diff(q, axis=0)).max(initial=0.0) < 0.1:
                return t, q, v
        k = int(np.argmax(np.abs(np.diff(q, axis=0)).max(-1)))
        raise AppellError(f"the path of frame {self.tip!r} leaps at t = {t[k]:.6g} s: a singularity in the way")

    def _followed(self, t: Array) -> tuple[Array, Array]:
        """The branch at instants one after another, each the nearest to where the one before was going."""
        found = self._postures(t)
        q, v = np.empty((len(t), self.robot.nq)), np.empty((len(t), self.robot.nq))
        ahead = found.best[:1]
        for k, now in enumerate(np.split(np.arange(len(t)), len(t))):
            q[now] = self._nearest(found.q[now], ahead)
            v[now] = self._moving(q[now], t[now]).v @ self._rates.T
            ahead = q[now] + v[now] * (t[min(k + 1, len(t) - 1)] - t[k])
        return q, v

    @cached_property
    def _rates(self) -> Array:
        """dq/dt from v: ones where an arm's coordinate is the integral of a velocity, zeros for what stands still."""
        solver = solver_for(self.robot, self.tip)
        out = np.zeros((self.robot.nq, self.robot.nv))
        out[solver.places, columns(self.robot, solver)] = 1.0
        return out

    def _nearest(self, q: Array, to: Array) -> Array:
        """Of postures (B, k, nq) those nearest to (B, nq), angles unwound."""
        k = np.nanargmin(_distance(self.turning, q, to[:, None]), -1)
        return _unwound(self.turning, np.take_along_axis(q, k[:, None, None], 1)[:, 0], to)

    def _postures(self, t: Array) -> Postures:
        found = inverse_kinematics(self.robot, self.target(t).pose, self.tip, self.near)
        if not found.reached.all():
            k = int(np.argmin(found.reached))
            raise AppellError(f"at t = {t[k]:.6g} s {found.why_not()}")
        return found

    def _moving(self, q: Array, t: Array) -> Motion:
        """Velocities and accelerations of known positions."""
        robot, frame = self.robot, self.tip
        _, V, A = self.target(t)
        on = columns(robot, solver_for(robot, frame))
        J = robot.jacobian(q, frame)[..., on]
        self._check(J, t)
        v, a = np.zeros((len(t), robot.nv)), np.zeros((len(t), robot.nv))
        v[:, on] = np.linalg.solve(J, V[..., None])[..., 0]
        swing = robot.jacobian_rate(q, v, frame) @ v[..., None]
        a[:, on] = np.linalg.solve(J, A[..., None] - swing)[..., 0]
        return Motion(q, v, a)

    def _check(self, J: Array, t: Array) -> None:
        """No instant may be singular."""
        margin = solver_for(self.robot, self.tip).margin(J)
        if (margin < SINGULAR).any():
            raise AppellError(f"the path of frame {self.tip!r} is singular at t = {t[np.argmin(margin)]:.6g} s")


def _distance(turning: Array, q: Array, to: Array) -> Array:
    """How far postures are apart, whole turns left out."""
    return np.linalg.norm(np.where(turning, np.arcsin(np.sin((q - to) / 2)) * 2, q - to), axis=-1)


def _unwound(turning: Array, q: Array, to: Array) -> Array:
    """A posture's angles nearest to given ones."""
    return np.where(turning, q - 2 * np.pi * np.round((q - to) / (2 * np.pi)), q)


def _hermite(t: Array, q: Array, v: Array, at: Array) -> Array:
    """Cubics through positions and velocities."""
    from scipy.interpolate import CubicHermiteSpline

    return CubicHermiteSpline(t, q, v)(at)
