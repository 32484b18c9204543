"""Joint positions that bring a frame to a pose: all of them where there is a closed form, else one, by numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..errors import AppellError, ModelError, ShapeError, unknown
from ..kernel.arrays import numbers
from ..model.rotation import orthonormal
from .pursuit import Pursuit
from .spherical_arm import POSTURES, spherical_arm

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
EXACT = 1e-8  # what a posture may miss its pose by, in radians and in units of the reach
SHARP, BLUNT, STEPS = 1e-13, 1e-4, 3  # what is left alone, what may still be mended, and in how many steps
SINGULAR = 1e-6  # margin below which a posture counts as singular
WHOLE = 2 * np.pi


class Solver(Protocol):
    """What solves for a frame of a robot, once it is known what carries it."""

    @property
    def places(self) -> Array:
        """Where the joints that carry the frame stand in q."""
        ...

    @property
    def turns(self) -> Array:
        """Which of them turn."""
        ...

    @property
    def reach(self) -> float:
        """The unit of length, in metres."""
        ...

    @property
    def hopeless(self) -> str:
        """What is to be said of a pose that is near enough and yet has no posture."""
        ...

    def solve(self, pose: Array, free: Array) -> Array:
        """Postures (B, k, joints) for poses (B, 4, 4), not a number where there is none."""
        ...

    def in_metres(self, q: Array) -> Array:
        """Slides in metres instead of units of the reach."""
        ...

    def scaled(self, J: Array) -> Array:
        """Jacobians of these joints with lengths in units of the reach."""
        ...

    def margin(self, J: Array) -> Array:
        """How far Jacobians are from singular, 0 to 1."""
        ...

    def missed_by(self, pose: Array) -> float:
        """How far a pose is out of reach, in metres."""
        ...


@dataclass(frozen=True, eq=False)
class Postures:
    """The postures that reach one pose or a batch: q (..., k, nq), the nearest first, not a number where there are
    fewer; of one pose only those that there are."""

    robot: Robot
    frame: str
    pose: Array
    q: Array
    solver: Solver

    @cached_property
    def reached(self) -> Array:
        """Whether any posture reaches the pose, for each pose."""
        return np.asarray(~np.isnan(self.q).any(-1).all(-1))

    @cached_property
    def margin(self) -> Array:
        """How far each posture is from a singularity, from 0, where a direction of motion is lost, to 1."""
        J = self.robot.jacobian(np.nan_to_num(self.q), self.frame)[..., columns(self.robot, self.solver)]
        return np.where(np.isnan(self.q).any(-1), np.nan, self.solver.margin(J))

    @property
    def singular(self) -> Array:
        """Whether each posture is singular, to rounding."""
        return self.margin < SINGULAR

    @property
    def best(self) -> Array:
        """The nearest posture for each pose; an AppellError where there is none."""
        if np.all(self.reached):
            return self.q[..., 0, :]
        raise AppellError(self.why_not())

    def why_not(self, numbered: bool = True) -> str:
        """What keeps the first pose that is not reached from being reached; in a batch, with its number."""
        index = np.argwhere(~np.atleast_1d(self.reached))[0]
        pose = self.pose[tuple(index)] if self.pose.ndim > 2 else self.pose
        which = f" number {', '.join(map(str, index))}" if self.pose.ndim > 2 and numbered else ""
        at = ", ".join(f"{x:.6g}" for x in pose[:3, 3])
        missed = self.solver.missed_by(pose)
        if missed > EXACT * self.solver.reach:
            why = f"out of reach by {missed:.3g} m"
        elif np.isnan(self.solver.solve(pose[None], np.zeros(len(self.solver.places)))).any(-1).all():
            why = self.solver.hopeless
        else:
            why = "beyond the joints' limits"
        return f"pose{which} of frame {self.frame!r} at ({at}) is {why}, wanted one that {self.robot.name!r} reaches"


def inverse_kinematics(
    robot: Robot, pose: Any, frame: str | None = None, near: Any = None, *, within_limits: bool = False
) -> Postures:
    """Every posture in which a frame stands at a pose (..., 4, 4) of the world; `frame` is "tool" or the only tip.

    Arms of six joints with a spherical wrist are solved in closed form: up to eight postures, sorted by their
    distance from `near` (by default neutral), each turn the one nearest to it. All others are solved by numbers: one
    posture, found from `near` (one, or one for each pose) or, if that leads nowhere, from starts thrown at random, the
    same ones every time. Joints that do not carry the frame stay where `near` has them. `within_limits` keeps what the
    joints' limits allow.
    """
    frame = tip(robot) if frame is None else frame
    if frame not in robot.tree.frames:
        raise unknown("frame", frame, robot.tree.frames)
    solver, poses = solver_for(robot, frame), _poses(pose)
    if isinstance(solver, Pursuit) and within_limits:
        solver = solver.within
    flat = poses.reshape(-1, 4, 4)
    near = _start(robot, near, len(flat) if isinstance(solver, Pursuit) else 0)
    begin = near[..., solver.places]
    if isinstance(solver, Pursuit):
        found = solver.solve(flat, begin, near)
        solver = replace(solver, rest=near.reshape(-1, robot.nq)[0]) if near.size else solver
    else:
        found = solver.solve(flat, begin)
    q = _whole_turns(robot, solver, found, begin, within_limits)
    full = np.broadcast_to(near, (*q.shape[:2], robot.nq)).copy()
    full[..., solver.places] = q
    full = _sorted(_true(robot, solver, frame, flat, full), near)
    full = full.reshape(*poses.shape[:-2], *full.shape[1:])
    return Postures(robot, frame, poses, full[~np.isnan(full).any(-1)] if poses.ndim == 2 else full, solver)


@lru_cache(32)
def solver_for(robot: Robot, frame: str) -> Solver:
    """What solves for a frame of a robot: the closed form, where there is one."""
    try:
        return spherical_arm(robot, frame)
    except ModelError:
        low, high = limits(robot)
        return Pursuit.of(robot, frame, np.array(low), np.array(high))


def tip(robot: Robot) -> str:
    """The frame that is meant where none is named."""
    if "tool" in robot.tree.frames:
        return "tool"
    tips = {b.name for b in robot.bodies} - {b.parent for b in robot.bodies}
    if len(tips) != 1:
        raise ModelError(f"robot {robot.name!r} has {len(tips)} tips and no frame 'tool', wanted frame=, a name")
    return tips.pop()


def columns(robot: Robot, solver: Solver) -> list[int]:
    """The places in v of the joints that carry the frame."""
    at = {b.q_index: b.v_index for b in robot.tree.links}
    return [at[k] for k in solver.places.tolist()]


def _start(robot: Robot, near: Any, rows: int) -> Array:
    """Where to begin: one configuration, or where there may be rows (rows, 1, nq)."""
    q = robot.neutral() if near is None else numbers("inverse_kinematics", "near", near).astype(float)
    if rows and q.ndim > 1 and q.shape[-1] == robot.nq and q.size == rows * robot.nq and np.isfinite(q).all():
        return q.reshape(rows, 1, robot.nq)
    if q.shape != (robot.nq,) or not np.isfinite(q).all():
        raise ShapeError(f"inverse_kinematics: near has shape {q.shape}, wanted ({robot.nq},) finite numbers")
    return q


def _poses(pose: Any) -> Array:
    T = numbers("inverse_kinematics", "pose", pose).astype(float)
    if T.shape[-2:] != (4, 4):
        raise ShapeError(f"inverse_kinematics: pose has shape {T.shape}, wanted (..., 4, 4)")
    R = T[..., :3, :3]
    off = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(initial=0.0) if np.isfinite(T).all() else np.inf
    if not off < 1e-6 or (np.linalg.det(R) < 0).any():
        raise ShapeError("inverse_kinematics: pose is no rotation and translation, wanted R' R = 1 and finite numbers")
    T[..., :3, :3] = orthonormal(R.reshape(-1, 3, 3)).reshape(R.shape)
    return T


def _whole_turns(robot: Robot, solver: Solver, q: Array, near: Array, within_limits: bool) -> Array:
    """Angles nearest to where they were, or nearest within the limits, not a number where these allow none."""
    q = np.where(solver.turns, near + np.mod(q - near + np.pi, WHOLE) - np.pi, q)
    if not within_limits:
        return q
    low, high = (np.array(x)[solver.places] for x in limits(robot))
    finite = np.where(np.isfinite(low), low, q)
    least = np.where(solver.turns, finite + np.mod(q - finite, WHOLE), q)
    most = np.where(np.isfinite(high), np.floor((high - least) / WHOLE + 1e-12), np.inf)
    wanted = np.where(solver.turns & np.isfinite(low), np.clip(np.round((near - least) / WHOLE), 0, most), 0)
    q = least + WHOLE * wanted
    slack = 1e-9 * (1 + np.abs(q))
    return np.where(((q >= low - slack) & (q <= high + slack)).all(-1, keepdims=True), q, np.nan)


def limits(robot: Robot) -> tuple[list[float], list[float]]:
    """The lowest and the highest q; infinite where nothing is said."""
    low, high = [-np.inf] * robot.nq, [np.inf] * robot.nq
    for body, start in zip(robot.bodies, robot.mechanism.q_starts, strict=False):
        given = body.joint.limits
        for k, (a, b) in enumerate(() if given is None else given if isinstance(given[0], tuple) else (given,)):
            low[start + k], high[start + k] = a, b
    return low, high


def _true(robot: Robot, solver: Solver, frame: str, pose: Array, q: Array) -> Array:
    """The postures that do reach the pose, sharpened where a polynomial cost digits; what does not is struck out."""
    for _ in range(STEPS):
        off = _off(solver, robot.pose(np.nan_to_num(q), frame), pose[:, None])
        size = np.abs(off).max(-1)
        blunt = (size > SHARP) & (size < BLUNT)
        if not blunt.any():
            break
        on = columns(robot, solver)
        J = solver.scaled(robot.jacobian(q[blunt], frame)[..., on])
        step = solver.in_metres(np.einsum("bij,bj->bi", np.linalg.pinv(J, 1e-9), off[blunt]))
        rows = q[blunt]
        rows[:, solver.places] -= step
        q[blunt] = rows
    off = _off(solver, robot.pose(np.nan_to_num(q), frame), pose[:, None])
    return np.where((np.abs(off).max(-1) < EXACT)[..., None], q, np.nan)


def _off(solver: Solver, T: Array, wanted: Array) -> Array:
    """How far poses are from wanted ones: ways in units of the reach, then half the axial vector of what is turned."""
    R = T[..., :3, :3] @ np.swapaxes(wanted[..., :3, :3], -1, -2)
    turned = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], -1) / 2
    upright = np.trace(R, axis1=-2, axis2=-1)[..., None] > 0  # else it is turned by more than a right angle
    return np.concatenate([(T - wanted)[..., :3, 3] / solver.reach, np.where(upright, turned, 1.0)], -1)


def _sorted(q: Array, near: Array) -> Array:
    """Nearest first, those that are not last; no more than there can be."""
    far = np.nan_to_num(np.linalg.norm(q - near, axis=-1), nan=np.inf)
    order = np.argsort(far, axis=-1, kind="stable")[:, :POSTURES]
    return np.take_along_axis(q, order[..., None], 1)
