"""A SCARA with encoders, 12-bit converters, friction that sticks, and a PC's loop: what integral action is good for."""

import numpy as np

import appell
from appell.control import (
    Controller,
    Device,
    Encoders,
    Gains,
    MinimumJerk,
    Motors,
    Potentiometers,
    Sensing,
    Timing,
    drive,
    tracking,
)

PERIOD = 1e-3  # s
START, GOAL = np.array([0.3, 0.9, 0.05, 0.2]), np.array([0.8, 0.3, 0.12, 1.0])
DRY, STATIC = (1.0, 0.5, 2.0, 0.01), (1.2, 0.6, 2.5, 0.012)  # N m, N

believed = appell.load("scara")  # what the controller knows; the robot itself has dry friction as well
data = believed.to_dict()
for body, dry in zip(data["bodies"], DRY):
    body["joint"]["coulomb"] = dry
robot = appell.Robot.from_dict(data)
encoders = Encoders(lines=500, gear=[50.0, 50.0, 900.0, 50.0], index=[0.3, 1.0, 2.0, 0.1])
pots = Potentiometers(low=[-3.2, -3.2, -0.1, -3.2], high=[3.2, 3.2, 0.3, 3.2], noise=1e-3)
motors = Motors(force_per_volt=[8.0, 4.0, 15.0, 0.5])
path = MinimumJerk(START, GOAL, 0.8)

left = {}
for name, integral in (("without", 0.0), ("with", 4.0)):
    device = Device(robot, START, encoders, pots, motors, Timing(PERIOD, delay=2e-4), static=STATIC)
    law = tracking(believed, Gains.of(12.0, 1.0, integral), period=PERIOD, limit=motors.limit)
    log = drive(device, Controller(law, path, PERIOD), Sensing(encoders, pots), motors, 2.5)
    left[name] = np.abs(log.error[-200:]).max(axis=0)
    print(f"{name:>8} integral action, left at the end:", " ".join(f"{x:.1e}" for x in left[name]))

assert (left["with"] < 0.3 * left["without"]).all()
