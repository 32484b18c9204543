"""A controller and a device from tables of plain data, as a path's file has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import DataError, unknown
from ..robot import Robot
from .block import Block
from .controller import Controller
from .device import Device, Timing
from .electronics import Encoders, Motors, Potentiometers
from .feedback import pd_with_gravity, point_to_point, tracking
from .gains import Gains, of_model
from .path_file import PathFile
from .sensing import Sensing
from .tabled import Tabled
from .task_space import task_tracking
from .trajectory import FrameMotion, Held

Array = np.ndarray[Any, Any]
CONTROLLERS = ("tracking", "point_to_point", "pd_with_gravity", "task_tracking")
CONTROL: dict[str, Any] = {"bandwidth": 10.0, "damping": 1.0, "integral": 0.0, "kp": None, "kd": None, "ki": 0.0,
                           "period": 1e-3, "cutoff": 200.0}  # fmt: skip
ENCODERS: dict[str, Any] = {"lines": 10**7, "gear": 1.0, "index": 0.0}
POTENTIOMETERS: dict[str, Any] = {"low": -7.0, "high": 7.0, "noise": 0.0}
MOTORS: dict[str, Any] = {"force_per_volt": None, "volts": 10.0, "bits": None, "forever": np.inf, "cooling": 600.0}
TIMING: dict[str, Any] = {"delay": 0.0, "jitter": 0.0}
OTHER: dict[str, Any] = {"static": None, "seed": 0}
SINGLE = ("period", "cutoff", "volts", "bits", "seed", "delay", "jitter")
DEVICE = ENCODERS | POTENTIOMETERS | MOTORS | TIMING | OTHER


def control_of(path: PathFile) -> dict[str, Any]:
    """The table `control` with what it leaves out."""
    return taken("control", path.control, CONTROL)


def device_of(robot: Robot, path: PathFile) -> tuple[Device, Sensing, Motors]:
    """The simulated robot at the start of a path, by the table `device`; without one there is nothing wrong with it."""
    given, period = taken("device", path.device, DEVICE), control_of(path)["period"]
    encoders = Encoders(**{k: given[k] for k in ENCODERS})
    potentiometers = Potentiometers(**{k: given[k] for k in POTENTIOMETERS}, bits=12 if given["noise"] else None)
    motors = Motors(**{k: given[k] for k in MOTORS} | {"force_per_volt": _per_volt(robot, given)})
    timing = Timing(period, given["delay"], given["jitter"])
    device = Device(
        robot, path.joints(0.0).q, encoders, potentiometers, motors, timing, static=given["static"], seed=given["seed"]
    )  # fmt: skip
    return device, Sensing(encoders, potentiometers, control_of(path)["cutoff"]), motors


def controller_of(robot: Robot, path: PathFile, name: str, limit: Any) -> Controller:
    """A law by its name, with what it is to follow."""
    if name not in CONTROLLERS:
        raise unknown("controller", name, CONTROLLERS)
    given = control_of(path)
    gains = Gains.of(given["bandwidth"], given["damping"], given["integral"])
    if given["kp"] is not None:
        gains = Gains(given["kp"], given["kd"] or 0.0, given["ki"])
    elif name == "pd_with_gravity":
        raise DataError("pd_with_gravity wants kp and kd in the table control, in N m/rad and N m s/rad")
    period, end = given["period"], path.joints(path.joints.t_end).q
    way = Held(Tabled(path.joints, min(period, path.joints.t_end)))
    laws: dict[str, Callable[[], tuple[Block, Any]]] = {
        "tracking": lambda: (tracking(robot, gains, period=period, limit=limit), way),
        "point_to_point": lambda: (point_to_point(robot, gains, limit=limit), end),
        "pd_with_gravity": lambda: (pd_with_gravity(robot, gains, limit=limit), way),
        "task_tracking": lambda: (task_tracking(robot, gains, path.frame, limit=limit), _in_space(path)),
    }
    law, reference = laws[name]()
    return Controller(law, reference, period)


def taken(what: str, given: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """A table over its defaults, all of it numbers or lists of them."""
    for key, value in given.items():
        if key not in known:
            raise unknown(f"entry of the table {what}", key, known)
        listed = value if isinstance(value, list) else [value]
        if not listed or any(isinstance(x, bool) or not isinstance(x, (int, float)) or x != x for x in listed):
            raise DataError(f"table {what}: {key} is {value!r}, wanted a number or a list of them")
        if key in SINGLE and isinstance(value, list):
            raise DataError(f"table {what}: {key} is {value!r}, wanted one number")
    return {**known, **given}


def _per_volt(robot: Robot, given: Mapping[str, Any]) -> Any:
    if given["force_per_volt"] is not None:
        return given["force_per_volt"]
    most = of_model(robot, "effort_limit")
    return np.where(np.isfinite(most), most, 1e6) / given["volts"]


def _in_space(path: PathFile) -> Any:
    """The frame's motion, which rests after its end."""
    space = path.space
    if space is None:
        raise DataError("task_tracking wants a path in space, a line or a circle, got one of joints")

    def at(t: float) -> FrameMotion:
        pose, v, a = space(min(t, space.t_end))
        going = t <= space.t_end
        return FrameMotion(pose, v * going, a * going)

    return at
