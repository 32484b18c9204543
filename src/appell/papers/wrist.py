"""The Agile Wrist of abedloo2014 along its trajectory: all joints from the platform, and a robot under its motors.

Source: abedloo2014, section IV.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from math import atan2
from typing import Any

import numpy as np

from .. import zoo
from ..closing.driven import Driven
from ..closing.spherical import SphericalRobot
from ..control.trajectory import Motion
from ..motion.run import Run
from ..motion.simulate import simulate
from ..robot import Robot

Array = np.ndarray[Any, Any]
AMPLITUDES, RATES = np.radians([10.0, 30.0, 20.0]), np.pi * np.array([1.0, 0.5, 1.5])  # a and b of (52)
PERIOD = 4.0  # seconds, after which (52) comes back
MOTORS, ELBOWS = ("theta1", "theta2", "theta3"), ("psi1", "psi2", "psi3")
MODES = {"+": "plus", "-": "minus"}  # by the sign of theta at home
STIFF, DAMPED = 100.0, 1.0  # the gains of the motors' law, N m/rad and N m s/rad


def waves(t: Any) -> Motion:
    """(52): the platform's angles q1, q2, q3, and how they change."""
    at = np.multiply.outer(np.asarray(t, float), RATES)
    a, b = AMPLITUDES, RATES
    return Motion(a * np.sin(at), a * b * np.cos(at), -a * b * b * np.sin(at))


@dataclass(frozen=True, eq=False)
class Wrist:
    """The robot in one of its two assembly modes."""

    mode: str

    @cached_property
    def robot(self) -> Robot:
        """From the zoo."""
        return _robot()

    @cached_property
    def home(self) -> Array:
        """q with the platform's axes those of the base."""
        return self.robot.assemble(branch=MODES[self.mode]).q

    @cached_property
    def platform(self) -> SphericalRobot:
        """In the platform's angles, by the paper's closed form."""
        return self.robot.spherical(self.home, "zyx", MOTORS)

    @cached_property
    def legs(self) -> Driven:
        """In all joints, leg by leg."""
        return self.robot.driven_by(MOTORS, "denoc_parallel")

    @property
    def places(self) -> list[int]:
        """Where theta 1 to 3 and psi 1 to 3 stand in q, v and tau."""
        names = [b.joint.name for b in self.robot.bodies]
        return [names.index(name) for name in (*MOTORS, *ELBOWS)]

    def hinges(self, motion: Motion) -> Motion:
        """theta 1 to 3, psi 1 to 3, (..., 6), by the paper's kinematics."""
        order = [self.platform.hinges.index(name) for name in (*MOTORS, *ELBOWS)]
        return Motion(*(x[..., order] for x in self.platform.joints(*motion)))

    def whole(self, motion: Motion) -> Motion:
        """All joints of the model, the platform's own at the end of leg 1 too."""
        robot, found = self.robot, self.hinges(motion)
        q, v, a = (np.zeros((*x.shape[:-1], robot.nv)) for x in found)
        for whole, part in zip((q, v, a), found, strict=True):
            whole[..., self.places] = part
        q[..., robot.mechanism.index["platform"]] = self._own(q, motion.q)
        _, v, a = self.legs.inverse_dynamics(q, v, a)
        return Motion(q, v, a)

    def _own(self, q: Array, x: Array) -> Array:
        """The angle of the platform's own joint, with all others as in q and the platform turned by x."""
        joint = self.robot.bodies[self.robot.mechanism.index["platform"]]
        fixed, axis = np.array(joint.placement.rotation), np.array(joint.joint.axis)
        R = self.robot.pose(q, "distal1")[..., :3, :3] @ fixed
        turned = np.swapaxes(R, -1, -2) @ attitude(x)
        axial = np.stack([turned[..., i, j] - turned[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0))], -1)
        return np.arctan2(axial @ axis, np.trace(turned, axis1=-2, axis2=-1) - 1)

    # -- the verification loop --------------------------------------------------------------------------------

    def simulated(self, t_end: float, rtol: float = 1e-10) -> Run:
        """The model moved by its motors alone, each led along (52) by a stiff law of its own."""
        start, places = self.whole(waves(0.0)), self.places[:3]
        turns, rows = self.platform.turns, [self.platform.hinges.index(name) for name in MOTORS]
        tau = np.zeros(self.robot.nv)

        def law(t: float, q: Array, v: Array) -> Array:
            wanted = turns(*waves(t))
            for k, row in zip(places, rows, strict=True):
                c, s, rate, _ = wanted[row].tolist()
                tau[k] = STIFF * (atan2(s, c) - q[k]) + DAMPED * (rate - v[k])
            return tau.copy()

        return simulate(self.robot, start.q, start.v, t_end, torque=law, rtol=rtol, times=np.linspace(0, t_end, 201))

    def seen(self, q: Array, v: Array, a: Array) -> Motion:
        """The platform's angles and how they change, from the motion of all joints."""
        R = self.robot.pose(q, "platform")[..., :3, :3]
        x = np.stack([np.arctan2(R[..., 1, 0], R[..., 0, 0]), -np.arcsin(R[..., 2, 0]),
                      np.arctan2(R[..., 2, 1], R[..., 2, 2])], -1)  # fmt: skip
        E = euler_rates(x)
        dx = np.linalg.solve(E, self.robot.velocity(q, v, "platform")[..., 3:, None])[..., 0]
        turned = self.robot.acceleration(q, v, a, "platform")[..., 3:] - euler_bends(x, dx)
        return Motion(x, dx, np.linalg.solve(E, turned[..., None])[..., 0])


@cache
def _robot() -> Robot:
    return zoo.load("agile_wrist")


@cache
def wrist(mode: str) -> Wrist:
    """One for all cases, so that its kernels are found at once."""
    return Wrist(mode)


def attitude(x: Array) -> Array:
    """(25): Rz(q1) Ry(q2) Rx(q3)."""
    (a, b, c), (s, t, u) = np.moveaxis(np.cos(x), -1, 0), np.moveaxis(np.sin(x), -1, 0)
    rows = ((a * b, a * t * u - s * c, a * t * c + s * u), (s * b, s * t * u + a * c, s * t * c - a * u),
            (-t, b * u, b * c))  # fmt: skip
    return np.stack([np.stack(row, -1) for row in rows], -2)


def euler_rates(x: Array) -> Array:
    """E of (26)."""
    (a, b, _), (s, t, _) = np.moveaxis(np.cos(x), -1, 0), np.moveaxis(np.sin(x), -1, 0)
    o = np.zeros_like(a)
    return np.stack([np.stack(row, -1) for row in ((o, -s, a * b), (o, a, s * b), (o + 1, o, -t))], -2)


def euler_bends(x: Array, dx: Array) -> Array:
    """dE dx of (26)."""
    (a, b, _), (s, t, _) = np.moveaxis(np.cos(x), -1, 0), np.moveaxis(np.sin(x), -1, 0)
    u, v, w = np.moveaxis(dx, -1, 0)
    x1 = -a * u * v - (s * b * u + a * t * v) * w
    x2 = -s * u * v + (a * b * u - s * t * v) * w
    return np.stack([x1, x2, -b * v * w], -1)
