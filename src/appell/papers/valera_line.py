"""The straight line of valera2003, and the robot behind its cards driven along it.

Source: valera2003.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .. import zoo
from ..control.controller import Controller
from ..control.device import Timing
from ..control.drive import Log, drive
from ..control.feedback import tracking
from ..control.gains import Gains
from ..control.joint_path import JointPath
from ..control.space import Line, zyz
from ..control.tabled import Tabled
from ..show.charts import Chart, Panel
from .case import Agreement, Case, Table
from .puma_device import IN_MOTION, MOTORS, STATIC, STEP, device, geared, sensing
from .straight import Straight

Array = np.ndarray[Any, Any]
START, END = (0.6, 0.175, 0.250), (0.018, 0.757, 0.0)  # metres
SPEED = 0.1  # metres per second, from the first instant on
PERIOD = 4e-3  # s between samples, chosen
GAINS = Gains.of(20.0, 1.0, 4.0)
AWAY = 1.0  # s after which the start from rest is forgotten
OFF, LEFT = 1e-3, 0.1  # what is allowed: m beside the line, and of the largest torque that joints may be missed by
SHOWN = 5  # samples between two points of a chart


@cache
def straight() -> Straight:
    """The line of the paper, followed by its robot: the tool point is O6, with no tool."""
    attitude = zyz(*np.radians([45.0, 60.0, 90.0]))
    return Straight(zoo.load("puma560"), Line.at_speed(START, END, attitude, SPEED))


def driven() -> Case:
    """The robot behind its cards along the line, in all branches: the torques of Figure 4 as its motors give them."""
    logs = [along(path) for path in straight().branches]
    found = [compared(log, path) for log, path in zip(logs, straight().branches, strict=True)]
    rows = [(n, off, *map(float, np.sqrt(np.mean((given - told) ** 2, 0))))
            for n, (off, given, told) in enumerate(found, 1)]  # fmt: skip
    joints = tuple(f"joint {k}" for k in range(1, 7))
    share = max(float((np.sqrt(np.mean((given - told) ** 2, 0)) / MOTORS.limit).max()) for _, given, told in found)
    (_, given, told), t = found[0], logs[0].t[logs[0].t > AWAY][::SHOWN]
    panels = tuple(Panel(f"{j} [N m]", {"motor, less friction": given[::SHOWN, k], "model": told[::SHOWN, k]})
                   for k, j in enumerate(joints))  # fmt: skip
    return Case(
        "valera2003",
        "driven",
        "A PUMA behind its cards along a straight line, in all branches",
        f"From {AWAY:g} s on: torques as the motors give them, less the friction of motion, beside those of the model. "
        "The line wants a speed from its first instant on, which a robot at rest has to catch up with.",
        (Table("branches", ("branch", "off the line [m]", *(f"rms of {j} [N m]" for j in joints)), rows),),
        (Chart("torques", "Torques of branch 1", "time [s]", t, panels, height=1.8),),
        (
            Agreement("largest distance from the line, all branches [m]", 0.0, max(off for off, *_ in found), OFF),
            Agreement("torques beside the model's: rms by the largest that motors give", 0.0, share, LEFT),
        ),
        {"off": [off for off, *_ in found]},
    )


def along(path: JointPath) -> Log:
    """A run on the device; the law knows links and rotors, and nothing of friction."""
    law = tracking(geared(), GAINS, period=PERIOD, limit=MOTORS.limit)
    robot = device(path(0.0).q, timing=Timing(PERIOD, STEP))
    return drive(robot, Controller(law, Tabled(path, PERIOD), PERIOD), sensing(), MOTORS, path.t_end)


def compared(log: Log, path: JointPath) -> tuple[float, Array, Array]:
    """How far off the line the hand was; what the motors gave beyond friction; and what the model tells."""
    late = log.t > AWAY
    t = np.minimum(log.t[late], path.t_end)
    q, v, a = path(t)
    robot = geared()
    true, wanted = (robot.pose(x, path.tip)[..., :3, 3] for x in (log.true[late], q))
    off = np.linalg.norm(true - wanted, axis=-1)
    return float(off.max()), log.tau[late] - IN_MOTION * np.array(STATIC) * np.sign(v), robot.inverse_dynamics(q, v, a)
