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
from ..formulations.still import ByPlace
from ..formulations.table import Formulation, Question
from ..linalg import solve
from ..scalar import atan2, between, sign, sqrt
from ..vec import Vec3, cross

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
STARTS, STEPS = 60, 50  # from how many places a pose is tried, and in how many steps
LANES = 64  # starts that go on together, for poses that are not found from where they began
SOLVED = 1e-11  # residual, in radians and in units of the reach
STRIDE, TOUCH = 1.5, 1e-12  # rad that a step takes at most, and that a joint at its limit is away from it
AT_ONCE = 4  # steps of one call
LEAST, NOTHING, HUGE = 1e-13, 1e-30, 1e12  # of the damping; of a square, so that its root has a slope; no limit
SCALAR = ("revolute", "prismatic", "helical")


def search(robot, q, target, *, place, reach, slides, places, low, high):
    """Joints after some steps toward a pose, and what is then left of the way: (q, residual).

        e = [(p_d - p) / reach; angle axis of R_d R'],   (J W J' + (e' e / 2) 1) x = e,   step = W J' x

    W is 1 for joints that may move, 0 for those that are at a limit and would go beyond; where joints are fewer than
    six it is the same from the other side, (W J' J W + (e' e / 2) 1) step = W J' e.
    """
    own = [z for z in robot.freedoms() if z.position in places]
    unit = {z.position: reach if z.position in slides else 1.0 for z in own}
    rest, x = {k: q[k] for k in range(robot.tree.nq)}, {z.position: q[z.position] for z in own}
    for _ in range(AT_ONCE):
        at = ByPlace(rest | x)
        T, J = pose(robot, at, place), jacobian(robot, at, place)
        K = {(k, z.position): J[k, z] * (1 / reach if k < 3 else 1.0) * unit[z.position] for k in range(6) for z in own}
        step = stepped(K, residual(T, target, reach)[0], x, low, high)
        size = between(sum(s * s for s in step.values()), STRIDE * STRIDE, HUGE)
        scale = STRIDE / sqrt(size)
        x = {k: kept(x[k] + scale * step[k] * unit[k], low[k], high[k]) for k in x}
    out, left = robot.table(len(places)), robot.table(7)
    for n, k in enumerate(places):
        out[n] = x[k]
    e, angle = residual(pose(robot, ByPlace(rest | x), place), target, reach)
    for k, value in enumerate((*e, angle)):  # the angle is not 0 half a turn away, where no axis is to be seen
        left[k] = value
    return out, left


def stepped(K, e, x, low, high):
    """A step of each joint, in radians and units of the reach."""
    damping = sum(y * y for y in e) * 0.5 + LEAST
    g = {z: sum(K[k, z] * e[k] for k in range(6)) for z in x}
    w = {z: 1 - stuck(low[z], x[z], -g[z]) - stuck(x[z], high[z], g[z]) for z in x}
    if len(x) < 6:
        A = {(i, j): w[i] * w[j] * sum(K[k, i] * K[k, j] for k in range(6)) + (damping if i == j else 0)
             for i in x for j in x}  # fmt: skip
        return solve(A, {z: w[z] * g[z] for z in x}, list(x))
    A = {(i, k): sum(K[i, z] * w[z] * K[k, z] for z in x) + (damping if i == k else 0)
         for i in range(6) for k in range(6)}  # fmt: skip
    y = solve(A, dict(enumerate(e)), range(6))
    return {z: w[z] * sum(K[k, z] * y[k] for k in range(6)) for z in x}


def stuck(a, b, push):
    """1 where b is a limit of a, or a of b, and what pushes would pass it; 0 where there is no limit."""
    if a is None or b is None:
        return 0
    return (1 + sign(a - b + TOUCH)) * (1 + sign(push)) * 0.25


def kept(x, low, high):
    """Within limits, where there are any."""
    if low is None and high is None:
        return x
    return between(x, -HUGE if low is None else low, HUGE if high is None else high)


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
    """What solves for a frame carried by any joints with coordinates of their own: one posture for each pose.

    Other joints that carry it, as a floating base, stay where they are.
    """

    robot: Robot
    frame: str
    places: Array  # in q
    turns: Array
    reach: float
    low: Array
    high: Array
    kept: bool = False  # whether postures must keep the limits
    rest: Array | None = None  # where joints stand that do not move; by default neutral

    hopeless = f"not to be had with this attitude, as far as {STARTS} starts tell"

    @staticmethod
    def of(robot: Robot, frame: str, low: Array, high: Array) -> Pursuit:
        """For a frame of an open robot."""
        tree = robot.tree
        links = [*tree.support(tree.frames[frame].link)][::-1]
        if robot.mechanism.closed:
            raise ModelError(f"robot {robot.name!r} has closed loops, wanted `platform_postures` or `assemble`")
        kinds = ", ".join(b.kind for b in links) or "nothing"
        links = [b for b in links if b.kind in SCALAR]
        if not links:
            raise ModelError(f"frame {frame!r} of robot {robot.name!r} is carried by {kinds}, wanted joints that turn "
                             "or slide")  # fmt: skip
        places = np.array([b.q_index for b in links])
        offsets = [float(np.linalg.norm([*b.offset])) for b in links]
        last = float(np.linalg.norm([*tree.frames[frame].r]))
        reach = sum(offsets[1:]) + last or 1.0
        turns = np.array([b.kind != "prismatic" for b in links])
        return Pursuit(robot, frame, places, turns, reach, low[places], high[places])

    @property
    def standing(self) -> Array:
        """Where joints stand that do not move."""
        return self.robot.neutral() if self.rest is None else self.rest

    @cached_property
    def within(self) -> Pursuit:
        """The same, with limits that must be kept."""
        return replace(self, kept=True)

    @cached_property
    def search(self) -> Any:
        """The compiled steps: (q, target) -> (joints, residual)."""
        from ..kernel.make import make

        robot, places = self.robot, tuple(self.places.tolist())
        slides = {k for k, turns in zip(places, self.turns, strict=True) if not turns}
        bounds = ({k: x if self.kept and np.isfinite(x) else None for k, x in zip(places, side.tolist(), strict=True)}
                  for side in (self.low, self.high))  # fmt: skip
        low, high = bounds
        text = partial(search, place=robot.tree.frames[self.frame], reach=self.reach, slides=slides, places=places,
                       low=low, high=high)  # fmt: skip
        outputs = (("joints", (len(places),)), ("residual", (7,)))
        asks = Question(("q", "target"), outputs, "steps toward a pose", sizes=(("target", 12),))
        return make(Formulation("links", "search", text, "", rolls=False, asks=asks), robot.tree).callable

    def solve(self, pose: Array, free: Array, rest: Array | None = None) -> Array:
        """Postures (B, 1, joints) from starts (joints) or (B, joints), not a number where none was found.

        `rest` is where all joints stand, (nq) or (B, nq), of which these move.
        """
        rest = (self.standing if rest is None else rest).reshape(-1, self.robot.nq)
        rest = np.broadcast_to(rest, (len(pose), self.robot.nq))
        target, found = pose[:, :3].reshape(len(pose), 12), np.full((len(pose), len(self.places)), np.nan)
        rng, start = np.random.default_rng(0), np.broadcast_to(free.reshape(-1, found.shape[1]), found.shape)
        low, high = self._room
        found[:] = self._pursued(target, start, rest, np.arange(len(pose)))
        tried = 1
        while tried < STARTS and len(left := np.flatnonzero(np.isnan(found[:, 0]))):
            width = min(STARTS - tried, max(1, LANES // len(left)))  # starts of each at once
            x = rng.uniform(low, high, (width * len(left), len(low)))
            own = np.tile(np.arange(len(left)), width)
            found[left] = self._pursued(target[left[own]], x, rest[left[own]], own)
            tried += width
        return found[:, None]

    @cached_property
    def _room(self) -> tuple[Array, Array]:
        """Where starts are thrown."""
        wide = np.where(self.turns, np.pi, self.reach)
        low = np.where(np.isfinite(self.low), self.low, -wide)
        high = np.where(np.isfinite(self.high), self.high, wide)
        return np.minimum(low, high), high

    def _pursued(self, target: Array, x: Array, rest: Array, own: Array) -> Array:
        """Where starts lead to their poses, numbered by `own`; not a number for those that none leads to."""
        out = np.full((own.max(initial=-1) + 1, x.shape[1]), np.nan)
        q = rest.copy()
        q[:, self.places] = np.clip(x, self.low, self.high) if self.kept else x
        for _ in range(STEPS // AT_ONCE):
            x, e = self.search(q, target)
            done = np.abs(e).max(1) < SOLVED
            if done.any():
                out[own[done]] = x[done]
                go = np.isnan(out[own, 0])
                if not go.any():
                    break
                own, x, target, q = own[go], x[go], target[go], q[go]
            q[:, self.places] = x
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
            q = self.standing.copy()
            q[self.places] = x
            return self.robot.pose(q, self.frame)[:3, 3] - pose[:3, 3]

        starts = np.random.default_rng(0).uniform(*self._room, (12, len(self.places)))
        return min(float(np.linalg.norm(least_squares(off, x, xtol=1e-12).fun)) for x in starts)
