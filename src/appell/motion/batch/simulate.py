"""Many motions of one robot at once: other starts, other forces, other parameters in every lane."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import Interrupted, SimulationError
from .. import start
from .asked import check_robot, checked_gap, lanes_meant, own_of, restitution_of, scheme_of, states_of
from .blocks import Block, follow_all, together
from .fleet import Fleet
from .run import BatchRun

if TYPE_CHECKING:
    from ...robot import Robot

Array = np.ndarray[Any, Any]
ABREAST = 2048  # lanes that go on together


def simulate_batch(
    robot: Robot,
    q0: Any,
    v0: Any,
    t_end: float,
    *,
    t0: float = 0.0,
    torque: Any = None,
    walls: Any = (),
    points: Any = None,
    pairs: Any = (),
    stops: Any = False,
    restitution: Any = 1.0,
    gap_tolerance: float = 1e-6,
    rtol: float = 1e-6,
    atol: float = 1e-9,
    times: Any = None,
    parameters: Mapping[str, Any] | None = None,
    method: str | None = None,
    integrator: str = "dop853",
    step: float | None = None,
    threads: int = 1,
) -> BatchRun:
    """The motions from (q0, v0), rows of B lanes, or one row for all, from t0 to t_end.

    Every lane goes on by its own steps: as long as rtol and atol allow, or of one length, `step`, which "rk4" needs.
    `torque` is an array, (nv,) or (B, nv), or a function (t, q, v, lanes) -> (k, nv) of k lanes at once, each with its
    own time. Gaps that close are found in each lane; there Newton's law acts on all contacts within the gap tolerance,
    without friction; `restitution` is a number, one per lane, or by pairs. A contact that is pressed and would rise
    less than a thousandth of the gap tolerance rests until it is pressed no more. `parameters` are numbers per lane
    by name, as `Robot.parameters` has them. The rows of the result are at `times`, or at the start and the end. A
    lane that fails stops alone; the result says why.
    """
    check_robot(robot)
    begin, end, wanted = start.times(t0, t_end, times)
    rows = np.array([begin, end]) if wanted is None else wanted
    scheme = scheme_of(integrator, step, start.tolerances(rtol, atol, None))
    lifted = {name: np.asarray(x, float) for name, x in (parameters or {}).items()}
    count = lanes_meant(robot, q0, v0, torque, restitution, lifted)
    q, v = states_of(robot, q0, v0, count)
    own = own_of(robot, torque, lifted, count)
    fleet = Fleet.of(robot, walls, points, pairs, stops, tuple(lifted), torque if callable(torque) else None, method)
    given_back = restitution_of(fleet.contacts, restitution, count)
    gap = checked_gap(gap_tolerance)
    parts = [slice(a, min(a + ABREAST, count)) for a in range(0, count, ABREAST)]
    blocks = [Block.of(fleet, scheme, rows, begin, q[k], v[k], own.of(k), given_back, gap) for k in parts]
    failure, seconds = follow_all(blocks, threads)
    facts = {**scheme.facts, "method": fleet.method, "gap_tolerance": gap, "threads": threads, "seconds": seconds}
    run = together(fleet, rows, blocks, own, facts)
    if failure is None:
        return run
    kind = Interrupted if isinstance(failure, KeyboardInterrupt) else SimulationError
    error = kind(f"simulate_batch stopped: {failure}" if str(failure) else "simulate_batch was interrupted")
    error.run = run
    raise error from failure
