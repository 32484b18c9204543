"""The joints' motion along a path in space: positions that solve each pose, exact velocities and accelerations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import AppellError
from .inverse_kinematics import SINGULAR, Postures, columns, inverse_kinematics, solver_for, tip
from .pursuit import Pursuit
from .trajectory import FrameTrajectory, Motion, within

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]

WHOLE, DENSE, UNABLE = 6, 1025, 1e-7  # freedoms of a frame; instants of a spline; of a velocity that is not had


@dataclass(frozen=True, eq=False)
class JointPath:
    """The joints' motion that brings a frame along a path in space, in the posture that is nearest to `near` at t = 0.

    Positions come from inverse kinematics at each instant, so they do not drift; velocities and accelerations from

        v = J^-1 V        a = J^-1 (A - dJ/dt v)

    which are exact. Fewer joints than six follow paths that they can; more of them go the shortest way, step by step,
    and what they do is a cubic spline through 1025 instants. A path that leaves the reach, or comes to a singularity,
    is an AppellError that says when.
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
        if len(self._columns) > WHOLE:
            return Motion(*(self._curve(np.clip(t, 0.0, self.t_end), order) for order in (0, 1, 2)))
        guess = _hermite(*self.guide, t.ravel())
        q = self._nearest(self._postures(t.ravel(), guess).q, guess)
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
        found = self._postures(t if self._branches else t[:1])
        q, v = np.empty((len(t), self.robot.nq)), np.empty((len(t), self.robot.nq))
        ahead = found.best[:1]
        for k, now in enumerate(np.split(np.arange(len(t)), len(t))):
            q[now] = self._nearest(found.q[now] if self._branches else self._postures(t[now], ahead).q, ahead)
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

    @cached_property
    def _branches(self) -> bool:
        """Whether all postures of a pose are known, or one has to be found from one that is near."""
        return not isinstance(solver_for(self.robot, self.tip), Pursuit)

    def _postures(self, t: Array, guess: Array | None = None) -> Postures:
        near = self.near if guess is None or self._branches else guess
        found = inverse_kinematics(self.robot, self.target(t).pose, self.tip, near)
        if not found.reached.all():
            k = int(np.argmin(found.reached))
            raise AppellError(f"at t = {t[k]:.6g} s {found.why_not(numbered=False)}")
        return found

    def _moving(self, q: Array, t: Array) -> Motion:
        """Velocities and accelerations of known positions."""
        robot, frame = self.robot, self.tip
        _, V, A = self.target(t)
        on = self._columns
        J = robot.jacobian(q, frame)[..., on]
        self._check(J, t)
        inverse = np.linalg.inv(J) if len(on) == WHOLE else np.linalg.pinv(J)
        v, a = np.zeros((len(t), robot.nv)), np.zeros((len(t), robot.nv))
        v[:, on] = (inverse @ V[..., None])[..., 0]
        swing = robot.jacobian_rate(q, v, frame) @ v[..., None]
        a[:, on] = (inverse @ (A[..., None] - swing))[..., 0]
        off = np.abs((J @ v[:, on, None])[..., 0] - V).max(-1)
        if (off > UNABLE * (1 + np.abs(V).max(-1))).any():
            k = int(np.argmax(off))
            text = f"{len(on)} joints cannot give frame {frame!r} the velocity that the path wants"
            raise AppellError(f"{text} at t = {t[k]:.6g} s")
        return Motion(q, v, a)

    @cached_property
    def _columns(self) -> list[int]:
        """The places in v of the joints that carry the frame."""
        return columns(self.robot, solver_for(self.robot, self.tip))

    @cached_property
    def _curve(self) -> Any:
        """What joints do of which there are more than the path needs."""
        from scipy.interpolate import CubicSpline

        t = np.linspace(0.0, self.t_end, DENSE)
        return CubicSpline(t, self._followed(t)[0])

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
