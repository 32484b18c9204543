"""Arms of six joints whose last three turn about axes through one point: every posture, in closed form.

The first three joints carry that point, the wrist's centre, to where the pose wants it; the last three turn the hand.
Whether an arm is of this kind is seen from its axes, wherever they stand: no name and no table is asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from ..formulations.world import World
from ..model.walk import Walk
from .screw import TINY, Array, Screw, both, crossed, meeting_point, rotated, rotation, turn
from .two_joints import TwoJoints, two_joints

if TYPE_CHECKING:
    from ..robot import Robot

POSTURES = 8  # at most: four of the arm, two of the wrist
ON_THE_CIRCLE = 1e-6  # roots of a unit's size but for this are angles; a double root is found to half the digits


@dataclass(frozen=True, eq=False)
class SphericalArm:
    """Six joints in the world at q = 0, lengths in units of `reach`, and the frame that they carry."""

    screws: tuple[Screw, ...]
    centre: Array  # of the wrist, at q = 0
    home: Array  # the frame's pose at q = 0, in metres
    reach: float
    pair: TwoJoints
    places: Array  # of the joints in q

    def solve(self, pose: Array, free: Array) -> Array:
        """All postures (B, k, 6) for poses (B, 4, 4), not a number where there is none; where a joint may stand
        as it likes it stands as in `free` (6,)."""
        turned, w = self._wanted(pose)
        q3 = self.third(w)
        p, w = self.screws[2](q3, self.centre), w[:, None, :]
        q1, q2 = self.pair.solve(p, w, (free[0], free[1]))
        arm = np.stack(np.broadcast_arrays(q1, q2, q3[..., None]), -1).reshape(len(pose), 2 * q3.shape[-1], 3)
        hand = self._hand(self._left_to_turn(arm, turned), free[3:])
        q = np.concatenate([np.broadcast_to(arm[..., None, :], (*hand.shape[:-1], 3)), hand], -1)
        return self.in_metres(q.reshape(len(pose), 2 * arm.shape[1], 6))

    def _wanted(self, pose: Array) -> tuple[Array, Array]:
        """How poses (..., 4, 4) turn the hand from where it was at q = 0, and where they put the wrist's centre."""
        turned = pose[..., :3, :3] @ self.home[:3, :3].T
        return turned, turned @ (self.centre - self.home[:3, 3] / self.reach) + pose[..., :3, 3] / self.reach

    def third(self, w: Array) -> Array:
        """q3 (B, k) by the condition that the other two joints pose, a polynomial in it or in exp(i q3)."""
        c = self._coefficients(w)[..., self._kept]
        roots = _roots(c)
        if not self.screws[2].turns:
            return np.where(np.abs(roots.imag) < ON_THE_CIRCLE * (1 + np.abs(roots)), _polished(c, roots.real), np.nan)
        q = _polished_angle(c, np.angle(roots))
        return np.where(np.abs(np.abs(roots) - 1) < ON_THE_CIRCLE, q, np.nan)

    def _coefficients(self, w: Array) -> Array:
        """The five coefficients, highest first: from five samples of the condition, which has no more."""
        k = np.arange(5.0)
        at = 2 * np.pi * k / 5 if self.screws[2].turns else k - 2
        basis = np.exp(1j * np.outer(at, k[::-1] - 2)) if self.screws[2].turns else np.vander(at)
        samples = self.pair.condition(self.screws[2](at, self.centre), w[:, None, :])
        return np.linalg.solve(basis, samples[..., None])[..., 0]

    @cached_property
    def _kept(self) -> slice:
        """Which of the coefficients are not always 0; the highest depends on the arm alone, not on the pose."""
        w = np.random.default_rng(0).normal(size=(16, 3))
        size = np.abs(self._coefficients(w)).max(0)
        first = int(np.argmax(size > 1e-11 * size.max()))
        if first == (2 if self.screws[2].turns else 4) or not size.max():
            raise ModelError("the third joint does not help to reach a point, wanted one that does for a closed form")
        return slice(first, 5 - first) if self.screws[2].turns else slice(first, 5)

    def _left_to_turn(self, arm: Array, turned: Array) -> Array:
        """What the wrist has to turn after the arm: matrices (B, k, 3, 3)."""
        left = np.broadcast_to(turned[:, None], (*arm.shape, 3))
        for k in range(3):
            if self.screws[k].turns:
                left = np.swapaxes(rotation(self.screws[k].u, arm[..., k]), -1, -2) @ left
        return left

    def _hand(self, left: Array, free: Array) -> Array:
        """The two (q4, q5, q6) that turn so: (B, k, 2, 3)."""
        u4, u5, u6 = (s.u for s in self.screws[3:])
        d = left @ u6
        middle = float(u4 @ u5) * float(u5 @ u6)
        side4, side6 = u4 - (u4 @ u5) * u5, u6 - (u5 @ u6) * u5
        radius = float(np.linalg.norm(side4) * np.linalg.norm(side6))
        swing = self._swing(d @ u4, np.linalg.norm(crossed(u4, d), axis=-1), middle, radius)
        q5 = both(swing) - turn(u5, side4, side6)
        q4 = turn(u4, rotated(u5, q5, u6), d[..., None, :], free[0])
        x = np.cross(u6, u5)
        y = rotated(u5, -q5, rotated(u4, -q4, np.broadcast_to((left @ x)[..., None, :], (*q4.shape, 3))))
        return np.stack([q4, q5, turn(u6, x, y)], -1)

    @staticmethod
    def _swing(cosine: Array, sine: Array, middle: float, radius: float) -> Array:
        """The angle between the outer axes of the wrist seen along the middle one; exact near 0 for square wrists."""
        if abs(middle) < TINY and abs(radius - 1) < TINY:
            return np.arctan2(sine, cosine)
        x = (cosine - middle) / radius
        return np.arccos(np.where(np.abs(x) < 1 + TINY, np.clip(x, -1, 1), np.nan))

    hopeless = "turned as the wrist cannot turn"

    @property
    def turns(self) -> Array:
        """Which of the joints turn, so that whole turns are the same posture."""
        return np.array([s.turns for s in self.screws])

    def in_metres(self, q: Array) -> Array:
        """Slides in metres instead of units of the reach."""
        return q * np.where(self.turns, 1.0, self.reach)

    def scaled(self, J: Array) -> Array:
        """Jacobians (..., 6, 6) with lengths in units of the reach."""
        return J / np.repeat([self.reach, 1.0], 3)[:, None] * self.in_metres(np.ones(6))

    def margin(self, J: Array) -> Array:
        """The smallest over the largest singular value of Jacobians, so scaled."""
        s = np.linalg.svd(self.scaled(J), compute_uv=False)
        return s[..., -1] / s[..., 0]

    def missed_by(self, pose: Array) -> float:
        """How far the wrist's centre stays from where one pose wants it, in metres."""
        from scipy.optimize import least_squares

        _, w = self._wanted(pose)

        def off(q: Array) -> Array:
            x = self.centre
            for screw, z in zip(self.screws[2::-1], q[::-1], strict=True):
                x = screw(np.asarray(z), x)
            return x - w

        starts = np.random.default_rng(0).uniform(-np.pi, np.pi, (12, 3))
        return self.reach * min(float(np.linalg.norm(least_squares(off, q, xtol=1e-12).fun)) for q in starts)


def spherical_arm(robot: Robot, frame: str) -> SphericalArm:
    """The arm that carries a frame; a ModelError where it is of another kind."""
    tree = robot.tree
    links = [*tree.support(tree.frames[frame].link)][::-1]
    if len(links) != 6 or any(b.kind not in ("revolute", "prismatic") for b in links):
        kinds = ", ".join(b.kind for b in links) or "nothing"
        raise _other(robot, frame, f"is carried by {len(links)} joints ({kinds})", "six that turn or slide")
    world = World(Walk(tree))
    for _ in world.outward(robot.neutral().tolist()):
        pass
    u = [np.array([*(world.R[b.index].T.r3)], float) for b in links]
    o = [np.array([*world.o[b.index]], float) for b in links]
    home = robot.pose(robot.neutral(), frame)
    reach = sum(float(np.linalg.norm(b - a)) for a, b in zip(o, [*o[1:], home[:3, 3]], strict=True))
    screws = tuple(Screw(b.kind == "revolute", x, p / (reach or 1.0)) for b, x, p in zip(links, u, o, strict=True))
    centre, off = meeting_point([*screws[3:]])
    if off > 1e-9 or not all(s.turns for s in screws[3:]):
        raise _other(robot, frame, "has a wrist whose axes do not meet", "three that turn about axes through one point")
    if min(np.linalg.norm(np.cross(screws[k].u, screws[k + 1].u)) for k in (3, 4)) < 1e-9:
        raise _other(robot, frame, "has a wrist with two axes in line", "three that turn it in space")
    try:
        pair = two_joints(screws[0], screws[1])
    except ModelError as error:
        raise ModelError(f"frame {frame!r} of robot {robot.name!r}: {error}") from None
    arm = SphericalArm(screws, centre, home, reach, pair, np.array([b.q_index for b in links]))
    assert arm._kept
    return arm


def _other(robot: Robot, frame: str, got: str, wanted: str) -> ModelError:
    return ModelError(f"no closed form: frame {frame!r} of robot {robot.name!r} {got}, wanted {wanted}")


def _roots(c: Array) -> Array:
    """All roots of polynomials (B, d + 1), highest coefficient first: eigenvalues of their companions."""
    d = c.shape[-1] - 1
    companion = np.zeros((*c.shape[:-1], d, d), c.dtype)
    companion[..., 1:, :-1] = np.eye(d - 1)
    companion[..., 0, :] = -c[..., 1:] / c[..., :1]
    return np.linalg.eigvals(companion)


def _polished(c: Array, x: Array) -> Array:
    """Roots of real polynomials after two steps of Newton's, which stay where the slope is lost."""
    powers = np.arange(c.shape[-1])[::-1]
    slopes = c[..., :-1] * powers[:-1]
    for _ in range(2):
        x = x - _step(_value(c, x), _value(slopes, x), c)
    return x


def _polished_angle(c: Array, q: Array) -> Array:
    """Angles q with sum c_k exp(i k q) = 0, likewise; k falls from m to -m."""
    k = 1j * (np.arange(c.shape[-1])[::-1] - c.shape[-1] // 2)
    for _ in range(2):
        wave = c[:, None, :] * np.exp(k * q[..., None])
        q = q - _step(wave.sum(-1).real, (wave @ k).real, c)
    return q


def _value(c: Array, x: Array) -> Array:
    total = np.zeros_like(x)
    for k in range(c.shape[-1]):
        total = total * x + c[:, None, k]
    return total


def _step(value: Array, slope: Array, c: Array) -> Array:
    flat = np.abs(slope) < 1e-7 * np.abs(c).max(-1, keepdims=True)
    step: Any = value / np.where(flat, 1.0, slope)
    return np.where(flat, 0.0, np.clip(step, -1e-3, 1e-3))
