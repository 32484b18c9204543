"""From a wrong model to a good one and back to the robot: excite, measure, identify, control; before and after.

The robot is a simulated PUMA behind its cards: encoders that count, converters, a delay, dry friction that sticks.
"""

import warnings

import numpy as np

import appell
from appell.control import Controller, Fourier, Gains, drive, tracking
from appell.identify import Limits, consistent, estimate, excite, measurements, validate
from appell.papers import puma_device as cards

warnings.filterwarnings("ignore", message=".*radii of gyration")  # the PUMA's are as published


def told(robot: appell.Robot, factors: list[float], **joint: float) -> appell.Robot:
    """The robot with other masses, and something more in its joints."""
    data = robot.to_dict()
    for body, k in zip(data["bodies"], factors, strict=True):
        body["mass"] *= k
        body["inertia"] = {name: x * k for name, x in body["inertia"].items()}
        body["joint"] |= joint
    return appell.Robot.from_dict(data)


real = told(cards.rubbing(), [1.0] * 6, damping=3.0)  # which nobody knows
model = told(cards.geared(), [1.3, 0.75, 1.35, 0.7, 1.3, 0.8])  # masses as guessed, and no friction at all


def driven(known: appell.Robot, motion: Fourier, seconds: float):
    """The real robot, controlled by what is known of it."""
    controller = Controller(tracking(known, Gains.of(bandwidth=8.0)), motion, cards.PERIOD)
    return drive(cards.device(motion(0.0).q, real), controller, cards.sensing(), cards.MOTORS, seconds)


# a motion that shows the parameters, within limits
room = np.tile([-1.5, 1.5], (6, 1))
limits = Limits.of(model, speed=1.0, acceleration=3.0, force=0.7 * np.array(cards.LARGEST), position=room)
groups = ("moments", "rotor", "friction")
motion = excite(model, limits, *groups, period=10.0, samples=60, steps=40, starts=1)
print(*motion.notes, sep="\n")

# measured: what the PC has seen and sent; a command is held for a period, and comes late by a step of control
log = driven(model, motion.trajectory, seconds=12.0)
data = measurements(model, log.columns(), delay=cards.PERIOD / 2 + cards.STEP)
found = estimate(model, data, *groups)
print("", *found.notes, sep="\n")
rub = {n: x for n, x in zip(found.base.names, found.values, strict=True) if n.endswith("coulomb")}
print("dry friction [N m]:", ", ".join(f"{x:.2f}" for x in rub.values()))

better = consistent(found).robot  # masses that matter can have; better.save("identified.toml") keeps them

# another motion, by the model before, the one found, and the truth
task = Fourier(np.full(6, 0.2), *np.random.default_rng(5).normal(size=(2, 6, 4)) * 0.25, period=8.0)
logs = {name: driven(robot, task, 8.0) for name, robot in (("guessed", model), ("found", better), ("true", real))}
print("\nmean error [mrad] of joint  1 to 6")
error = {name: 1e3 * np.sqrt(np.mean(run.error[1000:] ** 2, axis=0)) for name, run in logs.items()}
for name, mean in error.items():
    print(f"{name:<8} model: {'  '.join(f'{x:7.2f}' for x in mean)}")
assert (error["guessed"] > 5 * error["found"]).all()

held = measurements(model, logs["found"].columns(), delay=cards.PERIOD / 2 + cards.STEP)
print("\nmean force [N m] that each model leaves unexplained on that motion")
for name, robot in (("guessed", model), ("found", better)):
    print(f"{name:<8} model: {'  '.join(f'{x:7.2f}' for x in validate(robot, held).rms)}")
