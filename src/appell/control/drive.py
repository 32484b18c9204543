"""The loop of a PC: read, sense, decide, write; and what it leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import DataError, ShapeError
from ..robot import Robot
from .controller import Controller
from .driver import Driver
from .electronics import Motors
from .sensing import Sensing

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Log:
    """A row (n) for each sample: what was sensed, wanted (nan for joints that no reference tells of), and given.

    `true` are the positions of a simulated device, else nan. `hot` is the time at which a motor was too warm and the
    loop gave up.
    """

    robot: Robot
    t: Array
    q: Array
    v: Array
    wanted: Array
    tau: Array
    volts: Array
    true: Array
    hot: float | None = None

    @property
    def error(self) -> Array:
        """Wanted less true positions; of a robot that is not simulated, less those that were sensed."""
        return self.wanted - np.where(np.isnan(self.true), self.q, self.true)

    def columns(self) -> dict[str, Array]:
        """t, q and tau by names with units, as measurements for identification are read."""
        slides = [b.kind == "prismatic" for b in sorted(self.robot.tree.links, key=lambda b: b.v_index)]
        found = {"t [s]": self.t}
        for kind, values, (turn, slide) in (("q", self.q, ("rad", "m")), ("tau", self.tau, ("N m", "N"))):
            found |= {f"{kind}{k + 1} [{slide if s else turn}]": values[:, k] for k, s in enumerate(slides)}
        return found

    def csv(self) -> str:
        """The columns as text."""
        columns = self.columns()
        rows = (",".join(f"{x:.9g}" for x in row) for row in np.column_stack(list(columns.values())).tolist())
        return "\n".join([",".join(columns), *rows]) + "\n"


def drive(
    driver: Driver, controller: Controller, sensing: Sensing, motors: Motors, t_end: float, *,
    progress: Callable[[float], None] | None = None,
) -> Log:  # fmt: skip
    """Runs a controller on a robot, true or simulated, for a time from its first sample on; then all volts are 0.

    Volts are 0 as well as soon as a motor is too warm, or anything goes wrong. `progress` is told the time, ten times
    a second of it.
    """
    if abs(controller.period / driver.period - 1) > 1e-9:
        raise ShapeError(f"a controller of {controller.period:g} s for samples of {driver.period:g} s, wanted the same")
    robot, rows, hot, begin = controller.law.robot, [], None, None
    nothing = np.zeros(robot.nv)
    try:
        for k in range(round(t_end / driver.period) + 1):
            m = driver.read()
            begin = m.t if begin is None else begin
            t = min(m.t - begin, t_end)
            if m.hot.any():
                hot = t
                break
            q, v = sensing(m)
            tau = controller(t, q, v)
            volts = motors.voltage(tau)
            driver.write(volts)
            rows.append((t, q, v, _wanted(controller), motors.force(volts), volts, _true(driver, robot)))
            if progress and k % max(1, round(0.1 / driver.period)) == 0:
                progress(t)
    finally:
        driver.write(nothing)
    if not rows:
        raise DataError("a motor is too warm before the first sample, wanted a robot that has cooled")
    t, q, v, wanted, tau, volts, true = map(np.array, zip(*rows, strict=True))
    return Log(robot, t, q, v, wanted, tau, volts, true, hot)


def _wanted(controller: Controller) -> Array:
    """The positions that a reference of joints asked for last."""
    law, out = controller.law, np.full(controller.law.robot.nv, np.nan)
    if law.inputs[0][0] == "q_d":
        out[list(law.axes)] = controller.inputs[0]
    return out


def _true(driver: Any, robot: Robot) -> Array:
    q = getattr(driver, "q", None)
    return np.full(robot.nv, np.nan) if q is None else q.copy()
