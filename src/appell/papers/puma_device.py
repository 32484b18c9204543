"""The PUMA of valera2003 behind its cards, to be driven: a simulated device, and what a PC needs beside it.

From the paper: potentiometers of 0 to 5 V, encoders of 200 and 250 lines, outputs of +-10 V, the time of a control
step. Gears, rotors, the largest torques and those of break-away are armstrong1986's; all else is chosen.

Source: valera2003, armstrong1986.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .. import zoo
from ..control.device import Device, Timing
from ..control.electronics import Encoders, Motors, Potentiometers
from ..control.sensing import Sensing
from ..robot import Robot

LINES = (200, 200, 250, 250, 250, 250)
GEAR = (62.61, 107.36, 53.69, 76.01, 71.91, 76.73)
LARGEST = (97.6, 186.4, 89.4, 24.2, 20.1, 21.3)  # N m, at 10 V
STATIC = (6.3, 5.5, 2.6, 1.3, 1.0, 1.2)  # N m, where a joint breaks away
ROTORS = (1.14, 4.71, 0.83, 0.2, 0.179, 0.193)  # kg m^2, of motors and drives, felt at the joint
IN_MOTION = 0.8  # of that remains, chosen
INDEX = (0.4, 2.1, 5.0, 1.3, 3.6, 0.9)  # rad of the shaft, chosen
REACH, NOISE = 3.6, 2e-3  # rad to either side, and V, of the potentiometers; chosen
FOREVER = 0.6  # of the largest torque a motor bears for ever; chosen
PERIOD, STEP = 1e-3, 0.225e-3  # s between samples, chosen, and s for a control step on a Pentium 150

ENCODERS = Encoders(LINES, GEAR, INDEX)
POTENTIOMETERS = Potentiometers(-REACH, REACH, NOISE)
MOTORS = Motors(np.array(LARGEST) / 10.0, forever=FOREVER * np.array(LARGEST))
TIMING = Timing(PERIOD, STEP, 0.02e-3)


def geared(robot: Robot | None = None) -> Robot:
    """A PUMA, by default the paper's, with the rotors of its motors: what a controller may well know."""
    robot = robot or zoo.load("puma560")
    bodies = (replace(b, joint=replace(b.joint, rotor_inertia=x)) for b, x in zip(robot.bodies, ROTORS, strict=True))
    return Robot(replace(robot.mechanism, bodies=tuple(bodies)))


def rubbing(robot: Robot | None = None) -> Robot:
    """The same with the dry friction of its joints: the robot itself."""
    robot = geared(robot)
    joints = zip(robot.bodies, STATIC, strict=True)
    bodies = tuple(replace(b, joint=replace(b.joint, coulomb=IN_MOTION * most)) for b, most in joints)
    return Robot(replace(robot.mechanism, bodies=bodies))


def device(q: Any, robot: Robot | None = None, seed: int = 0, **options: Any) -> Device:
    """The simulated robot, switched on at q; options are those of `Device`, or other cards."""
    cards: dict[str, Any] = {"encoders": ENCODERS, "potentiometers": POTENTIOMETERS, "motors": MOTORS, "timing": TIMING}
    given: dict[str, Any] = {**cards, "static": STATIC, **options}
    return Device(rubbing() if robot is None else robot, q, seed=seed, **given)


def sensing() -> Sensing:
    """What a PC makes of its measurements."""
    return Sensing(ENCODERS, POTENTIOMETERS)
