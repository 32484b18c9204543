"""A robot in time: smooth motion until something happens, what that leaves behind, and on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import AppellError, Interrupted, SimulationError
from . import start
from .dry import rate_of
from .events import Phase, watches
from .follow import Follow
from .integrate import StepFailure
from .integrators import maker, quick
from .rate import WORKS
from .record import Record
from .run import Run
from .surfaces import encounter_of
from .symbolic import driving, watched

if TYPE_CHECKING:
    from ..robot import Robot
    from .encounter import Encounter

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
    events: Any = (),
    walls: Any = (),
    points: Any = None,
    pairs: Any = (),
    stops: Any = False,
    restitution: Any = 1.0,
    friction: Any = 0.0,
    impact_law: str = "newton",
    gap_tolerance: float = 1e-9,
    rtol: float = 1e-10,
    atol: float = 1e-12,
    times: Any = None,
    method: str | None = None,
    max_step: float | None = None,
    integrator: str = "dop853",
    step: float | None = None,
    strict: bool = True,
) -> Run:
    """The motion from (q0, v0) at t0 to t_end.

    `torque` is an array, a function (t, q, v) -> tau, a controller with a `period` and such a call, which is sampled
    and held, or a table (times, values, "held" | "linear" | "spline"); `wrench` likewise, one row of force and moment
    per body; functions marked with `appell.traced` are compiled. `events` are functions (t, q, v) -> number, or
    `Event`s, whose zeros are found. `times` says at which times there shall be rows; else every step has one.
    `integrator` is "dop853", which finds its steps by `rtol` and `atol`, or with a fixed `step` "rk4" or, for long
    runs without walls, "symplectic". `strict=False` returns a motion that could not be followed to its end instead of
    raising; its ledger says why.
    """
    tolerances = start.tolerances(rtol, atol, max_step)
    begin, end, wanted = start.times(t0, t_end, times)
    q, v = start.state(robot, q0, v0)
    drive = driving(robot, "torque", torque, (robot.nv,), begin, end)
    push = None if wrench is None else driving(robot, "wrench", wrench, (robot.n, 6), begin, end)
    rate = rate_of(robot, drive, push, method)
    q, v = rate.begin(q, v)
    tolerances = rate.reachable(tolerances)
    others = (*watched(robot, watches(events)), *([rate.dry] if rate.dry else ()))
    bounds = encounter_of(
        robot, rate, others, walls, points, pairs, stops, restitution, friction, impact_law, gap_tolerance
    )
    make = maker(integrator, step, tolerances)
    accuracy = {"rtol": tolerances.rtol, "atol": tolerances.atol} if step is None else {"step": step}
    facts = {"integrator": integrator, "stages in": "machine code" if quick(rate) else "Python", **accuracy}
    facts |= {"method": rate.method, "points": bounds.contacts.points if bounds else []}
    record = Record(robot, rate, wanted, facts)
    state = np.concatenate([q, v, np.zeros(WORKS)])
    record.start(begin, state)
    try:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # of steps that are too bold, and refused
            phase, state = (Phase(rate, others), state) if bounds is None else _met(bounds, record, begin, state)
            sentence = Follow(record, phase, begin, state, make).until(end)
    except (StepFailure, AppellError) as failure:
        return _ended(record, f"stopped: {failure}.", SimulationError, failure if strict else None)
    except KeyboardInterrupt as stop:
        return _ended(record, f"interrupted at t = {record.rows[-1][0]:.15g}.", Interrupted, stop if strict else None)
    return record.run(sentence or f"reached t = {end:.15g}.")


def _met(bounds: Encounter, record: Record, t: float, state: Array) -> tuple[Phase, Array]:
    """What touches at the start strikes or rests: how it goes on, and from where."""
    q, v, work = record.rate.split(state)
    after = bounds.begin(t, q.copy(), v.copy())
    record.impacts += after.impacts
    then = np.concatenate([after.q, after.v, work])  # type: ignore[list-item]
    if after.impacts:
        record.jumped(t, state, then)
    return after.phase or Phase(record.rate), then


def _ended(record: Record, outcome: str, kind: Any, cause: BaseException | None) -> Run:
    """The run up to where it had to end: returned, or carried by an error."""
    run = record.run(outcome)
    if cause is None:
        return run
    error = kind(f"simulate {outcome}")
    error.run = run
    raise error from cause
