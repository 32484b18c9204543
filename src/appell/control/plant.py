"""A robot in time under forces that are held: compiled, of fixed step, with friction that lets joints stick.

Within a step the dry friction is a constant, the one that fits the velocities at its end: against them where a joint
slides, and what brings it to rest where it can. So a joint that sticks stands still exactly, and nothing chatters; a
motion without dry friction is of order 4, one with it of order 1 where a joint stops or breaks loose.
"""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np

from ..errors import ModelError
from ..formulations.articulated_body import articulated_body
from ..formulations.resistance import forward
from ..formulations.still import ByPlace
from ..formulations.table import Formulation, Question
from ..motion.dry import dry, rate_of, sliding, slippery
from ..motion.fixed import RungeKutta4
from ..motion.integrate import Counts
from ..motion.laws import Constant
from ..motion.rate import WORKS
from ..robot import Robot
from .gains import numbers

Array = np.ndarray[Any, Any]
LONGEST = 1e-3  # seconds of a step
STAGES = ((0.0, 1 / 6), (0.5, 1 / 3), (0.5, 1 / 3), (1.0, 1 / 6))  # how far, and which share, of the slopes
MOVES = forward(articulated_body)


def runge_kutta(robot, q, v, tau, h):
    """Positions and velocities after a time h: the classical method of order 4."""
    after, rates, slopes = (robot.vector(), robot.vector()), [(0, 0)] * robot.tree.nv, []
    for far, _ in STAGES:
        x = {z.index: q[z.position] + far * h[0] * rates[z.index][0] for z in robot.freedoms()}
        u = {z.index: v[z] + far * h[0] * rates[z.index][1] for z in robot.freedoms()}
        a = MOVES(robot, ByPlace(x), ByPlace(u), tau)
        rates = [(u[z.index], a[z]) for z in robot.freedoms()]
        slopes.append(rates)
    for z in robot.freedoms():
        for out, was, k in ((after[0], q[z.position], 0), (after[1], v[z], 1)):
            out[z] = was + h[0] * sum(share * s[z.index][k] for (_, share), s in zip(STAGES, slopes, strict=True))
    return after


STEP = Formulation(
    "articulated_body", "step", runge_kutta, "featherstone1983", rolls=False,
    asks=Question(("q", "v", "tau", "h"), (("q1", ("nv",)), ("v1", ("nv",))), "a step in time", sizes=(("h", 1),)),
)  # fmt: skip


def plant_of(robot: Robot, static: Any = None) -> Plant | TiedPlant:
    """How a robot moves, closed or not."""
    return TiedPlant(robot, static) if robot.mechanism.closed else Plant(robot, static)


class TiedPlant:
    """How a closed mechanism moves: loops are closed after every step, of order 4; its dry friction is smoothed."""

    def __init__(self, robot: Robot, static: Any = None) -> None:
        if robot.nq != robot.nv or static is not None:
            text = "joints with coordinates, and no static friction where loops are closed"
            raise ModelError(f"robot {robot.name!r}: a device wants {text}")
        self.robot, self.law, self.begun = robot, Constant(np.zeros(robot.nv), "held"), False
        self.rate = rate_of(robot, self.law, None, None)
        self.stepper = RungeKutta4(self.rate, LONGEST, Counts())

    def moved(self, q: Array, v: Array, tau: Array, time: float) -> tuple[Array, Array]:
        """Where the robot is, and how fast, after a time under these forces."""
        if not self.begun:
            (q, v), self.begun = self.rate.begin(q, v), True
        self.law.value[:] = tau
        self.stepper.restart(0.0, np.concatenate([q, v, np.zeros(WORKS)]))
        while self.stepper.t < time:
            self.stepper.advance(time)
        q, v, _ = self.rate.split(self.stepper.y)
        return q.copy(), v.copy()


class Plant:
    """How an open robot moves; `static` is what friction holds at rest, by default what it is in motion."""

    def __init__(self, robot: Robot, static: Any = None) -> None:
        from ..kernel.make import make

        if robot.nq != robot.nv:
            raise ModelError(f"robot {robot.name!r} has a quaternion in q: a device wants joints with coordinates")
        self.robot, self.sliding = robot, dry(robot)
        self.static = self.sliding if static is None else np.array(numbers("static friction", static, robot.nv))
        if (self.static < self.sliding).any():
            k = int(np.argmax(self.static < self.sliding))
            low, high = self.static[k], self.sliding[k]
            raise ModelError(f"static friction of joint {k + 1} is {low:g}, wanted {high:g}, that of motion, at least")
        self.rubs = np.flatnonzero(self.static)
        smooth = slippery(robot)
        self.step = make(STEP, smooth.light_tree).callable
        self.accelerations, self.inverse = smooth.kernel("forward_dynamics"), smooth.kernel("inverse_mass_matrix")
        self.h = np.zeros(1)

    def moved(self, q: Array, v: Array, tau: Array, time: float) -> tuple[Array, Array]:
        """Where the robot is, and how fast, after a time under these forces."""
        count = max(1, ceil(time / LONGEST * (1 - 1e-9)))
        self.h[0] = time / count
        for _ in range(count):
            q, v = self._rubbed(q, v, tau) if len(self.rubs) else self.step(q, v, tau, self.h)
        return q, v

    def _rubbed(self, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
        """A step with dry friction."""
        on, h = self.rubs, self.h[0]
        still, f = v[on] == 0, np.zeros(len(v))
        ways, f[on] = self._friction(q, v, tau, still, h)
        q1, v1 = self.step(q, v, tau + f, self.h)
        stuck = ways == 0
        v1[on[stuck]] = 0.0
        q1[on[stuck & still]] = q[on[stuck & still]]
        return q1, v1

    def _friction(self, q: Array, v: Array, tau: Array, still: Array, h: float) -> tuple[Array, Array]:
        """Which way each joint slides at the end of a step, 0 for those that stick; and the friction."""
        on, W, a = self.rubs, self.inverse(q), self.accelerations(q, v, tau) + v / h
        if len(on) < len(v):
            W, a = W[np.ix_(on, on)], a[on]
        ways = np.sign(v[on])
        f = -self.sliding[on] * ways
        if ways.all() and ((a + W @ f) * ways > 0).all():  # as most of the time: all go on as they did
            return ways, f
        ways = sliding(W, a, np.where(still, self.static[on], self.sliding[on]), ways)
        f, stuck = -self.sliding[on] * ways, ways == 0
        if stuck.any():
            left = a[stuck] + W[np.ix_(stuck, ~stuck)] @ f[~stuck]
            f[stuck] = -np.linalg.solve(W[np.ix_(stuck, stuck)], left)
        return ways, f
