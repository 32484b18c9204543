"""Dry friction whose sign is exact: each such joint slides one way or the other, or sticks, until that changes.

While a joint slides its friction is a constant against it; while it sticks, whatever keeps it still. So the motion
is smooth between the instants at which a joint stops or breaks loose, and these are events.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from ..model.joints import per_freedom
from ..robot import Robot
from .events import After, Met
from .rate import Rate, taken
from .tied import Tied

if TYPE_CHECKING:
    from .laws import Law

Array = np.ndarray[Any, Any]
TRIES = 10_000


def rate_of(robot: Robot, torque: Law, wrench: Law | None, method: str | None) -> Rate:
    """The right-hand side of a robot's motion, with dry friction if it has any."""
    sizes = dry(robot)
    if robot.mechanism.closed:
        if sizes.any():
            text = "has loops and, in its joints, dry friction without smoothing"
            raise ModelError(f"robot {robot.name!r} {text}; wanted the speed over which it turns round, `smoothing`")
        return Tied(robot, torque, wrench, method)
    return Rubbed(robot, torque, wrench, method, sizes) if sizes.any() else Rate(robot, torque, wrench, method)


class Rubbed(Rate):
    """A right-hand side whose dry joints slide or stick as `dry` says."""

    def __init__(self, robot: Robot, torque: Law, wrench: Law | None, method: str | None, sizes: Array) -> None:
        super().__init__(slippery(robot), torque, wrench, method)
        self.dry: Dry = Dry(self, sizes)

    def bound(self, y: Array, dy: Array) -> Callable[[float], Any]:
        """A function of time that reads y and writes dy, always the same arrays."""
        q, v, _ = self.split(y)
        dq, a, power = self.split(dy)
        accelerations, slopes, torque, wrench, dry = self.accelerations, self.rates, self.torque, self.wrench, self.dry

        def rubbed(t: float) -> None:
            tau = torque.at(t, q, v)
            pushed = () if wrench is None else (wrench.at(t, q, v),)
            f = dry.forces(q, v, tau, *pushed)
            accelerations(q, v, tau + f, *(taken(accelerations, w) for w in pushed), out=a)
            slopes(q, v, tau, *(taken(slopes, w) for w in pushed), out=(dq, power))
            a[dry.still] = 0.0
            power[2] -= f @ v

        return rubbed


class Dry:
    """The joints with dry friction: which way each slides, 0 for those that stick; a `Watch` of when that changes."""

    def __init__(self, rate: Rubbed, sizes: Array) -> None:
        self.rate, self.which = rate, np.flatnonzero(sizes)
        self.sizes, self.ways = sizes[self.which], np.zeros(len(self.which))
        self.inverse = rate.robot.kernel("inverse_mass_matrix")
        self.loose: dict[int, float] = {}  # those that break loose now, and which way

    @property
    def still(self) -> Array:
        """Places in v of the joints that stick."""
        return self.which[self.ways == 0]

    def forces(self, q: Array, v: Array, tau: Array, *pushed: Array) -> Array:
        """Friction on all joints, at one state or at many."""
        f, S = np.zeros(v.shape), self.still
        f[..., self.which] = -self.sizes * self.ways
        if len(S):
            a = self.rate.accelerations(q, v, tau + f, *pushed)
            W = self.inverse(q)[..., S[:, None], S]
            f[..., S] = -np.linalg.solve(W, a[..., S, None])[..., 0]
        return f

    def decide(self, t: float, q: Array, v: Array) -> None:
        """Who slides and who sticks from now on, among those that stand still."""
        self.ways = np.sign(v[self.which])
        standing = np.flatnonzero(self.ways == 0)
        Z, f = self.which[standing], np.zeros(len(v))
        f[self.which] = -self.sizes * self.ways
        tau, *pushed = (law.at(t, q, v) for law in self.rate.laws)
        a, W = self.rate.accelerations(q, v, tau + f, *pushed)[Z], self.inverse(q)[np.ix_(Z, Z)]
        guess = np.array([self.loose.get(int(k), 0.0) for k in standing])
        self.loose = {}
        self.ways[standing] = sliding(W, a, self.sizes[standing], guess)

    # -- as a watch ---------------------------------------------------------------------------------------------

    @property
    def directions(self) -> Array:
        return np.full(len(self.which), -1)

    def values(self, t: Array, q: Array, v: Array) -> Array:
        """Positive while all stays as it is: how fast each slides its way; how much more friction could hold."""
        f = self.forces(q, v, *(law.along(t, q, v) for law in self.rate.laws))[:, self.which]
        return np.where(self.ways != 0, v[:, self.which] * self.ways, self.sizes - np.abs(f))

    def sides(self, t: float, q: Array, v: Array) -> Array:
        return np.ones(len(self.which))

    def meet(self, met: Met) -> After:
        """A joint stops, or breaks loose."""
        v = met.v.copy()
        f = self.forces(met.q, met.v, *(law.at(met.t, met.q, met.v) for law in self.rate.laws))[self.which]
        for k in met.which:
            if self.ways[k]:
                v[self.which[k]] = 0.0
            else:
                self.loose[k] = -float(np.sign(f[k]))
        return After(v=v, phase=met.phase)


def sliding(W: Array, a: Array, sizes: Array, ways: Array) -> Array:
    """Which way each of some joints at rest begins to slide, 0 for those that stick.

    With friction f they get the accelerations a + W f. What sticks has none, and |f| is at most its size; what slides
    has f = -size way, and accelerates its way. W is positive definite, so there is one answer, and exchanging always
    the first that is wrong leads there.

    Source: murty1974, least index; here with two bounds.
    """
    ways, small = ways.copy(), 1e-12 * (np.abs(a).max(initial=0.0) + (np.abs(W) @ sizes).max(initial=0.0))
    for _ in range(TRIES):
        f, stuck = -sizes * ways, ways == 0
        f[stuck] = -np.linalg.solve(W[np.ix_(stuck, stuck)], a[stuck] + W[np.ix_(stuck, ~stuck)] @ f[~stuck])
        wrong = np.where(stuck, np.abs(f) > sizes * (1 + 1e-12), (a + W @ f) * ways < -small)
        if not wrong.any():
            break
        k = int(np.argmax(wrong))
        ways[k] = -np.sign(f[k]) if stuck[k] else 0.0
    return ways


def dry(robot: Robot) -> Array:
    """The dry friction of every freedom that is not smoothed."""
    sizes = np.zeros(robot.nv)
    for body, start in zip(robot.bodies, robot.mechanism.v_starts, strict=False):
        dry, smooth = (np.array(per_freedom(body.joint, key)) for key in ("coulomb", "smoothing"))
        sizes[start : start + len(dry)] = np.where(smooth == 0, dry, 0.0)
    return sizes


def slippery(robot: Robot) -> Robot:
    """The robot without the dry friction that is not smoothed."""
    key = ("without dry friction",)
    if key not in robot._kernels:
        bodies = []
        for body in robot.bodies:
            dry, smooth = (per_freedom(body.joint, key) for key in ("coulomb", "smoothing"))
            left = tuple(c if s else 0.0 for c, s in zip(dry, smooth, strict=True))
            coulomb = None if not any(left) else left[0] if len(left) == 1 else left
            bodies.append(replace(body, joint=replace(body.joint, coulomb=coulomb)))
        robot._kernels[key] = Robot(replace(robot.mechanism, bodies=tuple(bodies)))
    return robot._kernels[key]
