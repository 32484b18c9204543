"""Inverse kinematics by numbers, for what has no closed form: Levenberg's and Marquardt's method from many starts.

Lanes of poses go on together; each step is compiled. The damping is the residual's square, so that steps are short far
away and Newton's close by; joints stop at their limits, and start again from there only inwards.

Source: sugihara2011.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from ..formulations.kinematics import jacobian, pose
from ..formulations.table import Formulation, Question
from ..linalg import solve
from ..scalar import atan2, sqrt
from ..vec import Vec3, cross

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
STARTS, STEPS = 60, 50  # from how many places a pose is tried, and in how many steps
LANES = 64  # starts that go on together, for poses that are not found from where they began
SOLVED = 1e-11  # residual, in radians and in units of the reach
STRIDE = 1.5  # rad that a step takes at most
LEAST, NOTHING = 1e-13, 1e-30  # of the damping; of a square, so that its root has a slope
SCALAR = ("revolute", "prismatic", "helical")


def toward(robot, q, target, free, *, place, reach, slides, carriers):
    """A step of joints toward a pose: (step, slope of the squared residual, residual).

        e = [(p_d - p) / reach; angle axis of R_d R'],   (J W J' + (e' e / 2) 1) x = e,   step = W J' x

    `free` is 1 for joints that may move, W their diagonal; where these are fewer than six it is the same from the other
    side, (W J' J W + (e' e / 2) 1) step = W J' e.
    """
    T, J = pose(robot, q, place), jacobian(robot, q, place)
    unit = {z.index: reach if z.index in slides else 1.0 for z in robot.freedoms()}
    own = [z for z in robot.freedoms() if z.index in carriers]
    K = {(k, z.index): J[k, z] * (1 / reach if k < 3 else 1.0) * unit[z.index] for k in range(6) for z in own}
    e, angle = residual(T, target, reach)
    w = {z.index: free[z] for z in own}
    damping = sum(x * x for x in e) * 0.5 + LEAST
    g = {z: sum(K[k, z] * e[k] for k in range(6)) for z in w}
    if len(own) < 6:
        A = {(i, j): w[i] * w[j] * sum(K[k, i] * K[k, j] for k in range(6)) + (damping if i == j else 0)
             for i in w for j in w}  # fmt: skip
        step = solve(A, {z: w[z] * g[z] for z in w}, list(w))
    else:
        A = {(i, k): sum(K[i, z] * w[z] * K[k, z] for z in w) + (damping if i == k else 0)
             for i in range(6) for k in range(6)}  # fmt: skip
        x = solve(A, dict(enumerate(e)), range(6))
        step = {z: w[z] * sum(K[k, z] * x[k] for k in range(6)) for z in w}
    out, slope, left = robot.vector(), robot.vector(), robot.table(7)
    for z in robot.freedoms():
        out[z], slope[z] = (step[z.index] * unit[z.index], g[z.index]) if z in own else (0, 0)
    for k in range(6):
        left[k] = e[k]
    left[6] = angle  # which is not 0 half a turn away, where no axis is to be seen
    return out, slope, left


def residual(T, target, reach):
    """From a pose to another: the way in units of the reach, the turn as a vector, and its angle."""
    way = [(target[4 * i + 3] - T[i, 3]) * (1 / reach) for i in range(3)]
    axis, trace = Vec3(), -1
    for j in range(3):
        mine, wanted = Vec3(*(T[i, j] for i in range(3))), Vec3(*(target[4 * i + j] for i in range(3)))
        axis += cross(mine, wanted)
        trace = trace + mine @ wanted
    sine = sqrt(axis @ axis + NOTHING)
    angle = atan2(sine, trace)
    return [*way, *(axis * (angle / sine))], angle


@dataclass(frozen=True, eq=False)
class Pursuit:
    """What solves for a frame carried by any joints with coordinates of their own: one posture for each pose."""

    robot: Robot
    frame: str
    places: Array  # in q
    carriers: tuple[int, ...]  # the same joints in v
    turns: Array
    reach: float
    low: Array
    high: Array
    kept: bool = False  # whether postures must keep the limits

    hopeless = f"not to be had with this attitude, as far as {STARTS} starts tell"

    @staticmethod
    def of(robot: Robot, frame: str, low: Array, high: Array) -> Pursuit:
        """For a frame of an open robot."""
        tree = robot.tree
        links = [*tree.support(tree.frames[frame].link)][::-1]
        if robot.mechanism.closed:
            raise ModelError(f"robot {robot.name!r} has closed loops, wanted `platform_postures` or `assemble`")
        if not links or any(b.kind not in SCALAR for b in links):
            kinds = ", ".join(b.kind for b in links) or "nothing"
            raise ModelError(f"frame {frame!r} of robot {robot.name!r} is carried by {kinds}, wanted joints that turn "
                             "or slide")  # fmt: skip
        places = np.array([b.q_index for b in links])
        offsets = [float(np.linalg.norm([*b.offset])) for b in links]
        last = float(np.linalg.norm([*tree.frames[frame].r]))
        reach = sum(offsets[1:]) + last or 1.0
        turns = np.array([b.kind != "prismatic" for b in links])
        return Pursuit(robot, frame, places, tuple(b.v_index for b in links), turns, reach, low[places], high[places])

    @cached_property
    def within(self) -> Pursuit:
        """The same, with limits that must be kept."""
        other = replace(self, kept=True)
        other.__dict__["step"] = self.step  # compiled once
        return other

    @cached_property
    def step(self) -> Any:
        """The compiled step: (q, target, free) -> (step, slope, residual)."""
        from ..kernel.make import make

        robot, place = self.robot, self.robot.tree.frames[self.frame]
        slides = tuple(k for k, turns in zip(self.carriers, self.turns, strict=True) if not turns)
        text = partial(toward, place=place, reach=self.reach, slides=slides, carriers=self.carriers)
        outputs = (("step", ("nv",)), ("slope", ("nv",)), ("residual", (7,)))
        asks = Question(("q", "target", "free"), outputs, "a step toward a pose", sizes=(("target", 12),))
        return make(Formulation("links", "toward", text, "", rolls=False, asks=asks), robot.tree).callable

    def solve(self, pose: Array, free: Array) -> Array:
        """Postures (B, 1, joints) from starts (joints) or (B, joints), not a number where none was found."""
        target, found = pose[:, :3].reshape(len(pose), 12), np.full((len(pose), len(self.places)), np.nan)
        rng, start = np.random.default_rng(0), np.broadcast_to(free.reshape(-1, found.shape[1]), found.shape)
        low, high = self._room
        found[:] = self._pursued(target, start, np.arange(len(pose)))
        tried = 1
        while tried < STARTS and len(left := np.flatnonzero(np.isnan(found[:, 0]))):
            width = min(STARTS - tried, max(1, LANES // len(left)))  # starts of each at once
            x = rng.uniform(low, high, (width * len(left), len(low)))
            own = np.tile(np.arange(len(left)), width)
            found[left] = self._pursued(target[left[own]], x, own)
            tried += width
        return found[:, None]

    @cached_property
    def _room(self) -> tuple[Array, Array]:
        """Where starts are thrown."""
        wide = np.where(self.turns, np.pi, self.reach)
        low = np.where(np.isfinite(self.low), self.low, -wide)
        high = np.where(np.isfinite(self.high), self.high, wide)
        return np.minimum(low, high), high

    def _pursued(self, target: Array, x: Array, own: Array) -> Array:
        """Where starts lead to their poses, numbered by `own`; not a number for those that none leads to."""
        low, high = (self.low, self.high) if self.kept else (np.full(len(self.places), s * np.inf) for s in (-1, 1))
        on, out = list(self.carriers), np.full((own.max(initial=-1) + 1, x.shape[1]), np.nan)
        x = np.clip(x, low, high)
        q, free = np.tile(self.robot.neutral(), (len(x), 1)), np.ones((len(x), self.robot.nv))
        slope = np.zeros_like(x)
        for _ in range(STEPS):
            q[:, self.places] = x
            free[:, on] = ~(((x <= low) & (slope < 0)) | ((x >= high) & (slope > 0)))
            step, g, e = self.step(q, target, free)
            done = np.abs(e).max(1) < SOLVED
            if done.any():
                out[own[done]] = x[done]
                go = np.isnan(out[own, 0])
                if not go.any():
                    break
                own, x, target, q, free, step, g = (a[go] for a in (own, x, target, q, free, step, g))
            slope, step = g[:, on], step[:, on]
            far = np.abs(step / np.where(self.turns, 1.0, self.reach)).max(1, keepdims=True)
            x = np.clip(x + step * np.minimum(1.0, STRIDE / np.maximum(far, STRIDE)), low, high)
        return out

    def in_metres(self, q: Array) -> Array:
        """Slides in metres instead of units of the reach."""
        return q * np.where(self.turns, 1.0, self.reach)

    def scaled(self, J: Array) -> Array:
        """Jacobians with lengths in units of the reach."""
        return J / np.repeat([self.reach, 1.0], 3)[:, None] * self.in_metres(np.ones(len(self.places)))

    def margin(self, J: Array) -> Array:
        """The smallest over the largest singular value of Jacobians, so scaled."""
        s = np.linalg.svd(self.scaled(J), compute_uv=False)
        return s[..., -1] / s[..., 0]

    def missed_by(self, pose: Array) -> float:
        """How far the frame's origin stays from where one pose wants it, in metres."""
        from scipy.optimize import least_squares

        def off(x: Array) -> Array:
            q = self.robot.neutral()
            q[self.places] = x
            return self.robot.pose(q, self.frame)[:3, 3] - pose[:3, 3]

        starts = np.random.default_rng(0).uniform(*self._room, (12, len(self.places)))
        return min(float(np.linalg.norm(least_squares(off, x, xtol=1e-12).fun)) for x in starts)
