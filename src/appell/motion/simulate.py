"""A robot in time: smooth motion until something happens, what that leaves behind, and on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import AppellError, Interrupted, SimulationError
from . import start
from .integrate import Dop853, StepFailure
from .laws import law
from .rate import WORKS, Rate
from .record import Record
from .run import Run

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]


def simulate(
    robot: Robot,
    q0: Any,
    v0: Any,
    t_end: float,
    *,
    t0: float = 0.0,
    torque: Any = None,
    wrench: Any = None,
    rtol: float = 1e-9,
    atol: float = 1e-12,
    times: Any = None,
    method: str | None = None,
    max_step: float | None = None,
    strict: bool = True,
) -> Run:
    """The motion from (q0, v0) at t0 to t_end.

    `torque` is an array, a function (t, q, v) -> tau, a controller with a `period` and such a call, which is sampled
    and held, or a table (times, values, "held" | "linear" | "spline"); `wrench` likewise, one row of force and moment
    per body. `times` says at which times there shall be rows; else every step has one. `strict=False` returns a motion
    that could not be followed to its end instead of raising; its ledger says why.
    """
    tolerances = start.tolerances(rtol, atol, max_step)
    begin, end, wanted = start.times(t0, t_end, times)
    q, v = start.state(robot, q0, v0)
    drive = law("torque", torque, (robot.nv,), begin, end)
    push = None if wrench is None else law("wrench", wrench, (robot.n, 6), begin, end)
    rate = Rate(robot, drive, push, method)
    facts = {"rtol": tolerances.rtol, "atol": tolerances.atol, "method": rate.method, "integrator": "dop853"}
    record = Record(robot, rate, wanted, facts)
    state = np.concatenate([q, v, np.zeros(WORKS)])
    record.start(begin, state)
    try:
        _follow(record, rate, begin, state, end, tolerances)
    except (StepFailure, AppellError) as failure:
        return _ended(record, f"stopped: {failure}.", SimulationError, failure if strict else None)
    except KeyboardInterrupt as stop:
        return _ended(record, f"interrupted at t = {record.rows[-1][0]:.15g}.", Interrupted, stop if strict else None)
    return record.run(f"reached t = {end:.15g}.")


def _follow(record: Record, rate: Rate, t: float, y: Array, end: float, tolerances: start.Tolerances) -> None:
    """Smooth motion until the end; steps end where a law is not smooth."""
    laws = [x for x in (rate.torque, rate.wrench) if x is not None]
    stepper: Dop853 | None = None
    while t < end:
        q, v, _ = rate.split(y)
        for x in laws:
            x.begin(t, q, v)
        stop = min(end, *(x.next_stop(t) for x in laws))
        if stepper is None:
            stepper = Dop853(rate, t, y, tolerances, record.counts)
        else:
            stepper.restart(t, y)
        while stepper.t < stop:
            steps = stepper.advance(stop)
            record.moved(steps, stepper.y)
        t, y = stepper.t, stepper.y


def _ended(record: Record, outcome: str, kind: Any, cause: BaseException | None) -> Run:
    """The run up to where it had to end: returned, or carried by an error."""
    run = record.run(outcome)
    if cause is None:
        return run
    error = kind(f"simulate {outcome}")
    error.run = run
    raise error from cause
