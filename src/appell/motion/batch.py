"""Many motions of one robot at once: other starts, other forces, other parameters in every lane."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ShapeError, unknown
from ..kernel.arrays import numbers, workers
from ..model.manifold import quaternions
from . import start
from .batch_contact import Striking, Touching
from .batch_fleet import Fleet, Own
from .batch_follow import RUNNING, Follow, Lanes, Rows
from .batch_run import BatchRun
from .batch_steps import TABLEAUS, Stages
from .contact import Contacts, contacts_of
from .surfaces import of_pairs

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
ABREAST = 2048  # lanes that go on together


def simulate_batch(
    robot: Robot,
    q0: Any,
    v0: Any,
    t_end: float,
    *,
    t0: float = 0.0,
    step: float | None = None,
    integrator: str = "dop853",
    rtol: float = 1e-6,
    atol: float = 1e-9,
    torque: Any = None,
    walls: Any = (),
    points: Any = None,
    pairs: Any = (),
    stops: Any = False,
    restitution: Any = 1.0,
    gap_tolerance: float = 1e-9,
    rest_height: float = 1e-8,
    times: Any = None,
    parameters: Mapping[str, Any] | None = None,
    method: str | None = None,
    threads: int = 1,
) -> BatchRun:
    """The motions from (q0, v0), rows of B lanes, or one row for all, from t0 to t_end.

    Every lane goes on by its own steps: of the length `step`, or as long as rtol and atol allow. `torque` is an array
    (nv,) or (B, nv), or a function (t, q, v, lanes) -> (k, nv) of k lanes at once, each with its own time. Gaps that
    close are found in each lane; there Newton's law acts on all contacts within the gap tolerance, without friction;
    `restitution` is a number, one per lane, or by pairs. A contact that would rise no more than `rest_height` while
    it is pressed comes to rest until it is pressed no more. `parameters` are numbers per lane by name, as
    "link3.mass". The rows of the result are at `times`, or at the start and the end. A lane that fails stops alone.
    """
    begin, end, wanted = start.times(t0, t_end, times)
    rows = np.array([begin, end]) if wanted is None else wanted
    tableau, size = _scheme(integrator, step)
    limits = start.tolerances(rtol, atol, None)
    workers("simulate_batch", threads)
    names = tuple(parameters or ())
    lifted = tuple(numbers("simulate_batch", name, (parameters or {})[name]).astype(float) for name in names)
    forces = None if callable(torque) else numbers("simulate_batch", "torque", 0.0 if torque is None else torque)
    count = _lanes(robot, q0, v0, lifted, restitution, forces)
    q, v = _states(robot, q0, v0, count)
    contacts = contacts_of(robot, walls, points, pairs, stops)
    own = _own(robot, count, names, lifted, forces)
    fleet = Fleet(robot, contacts, names, torque if callable(torque) else None, method)
    e = _restitution(contacts, restitution, count)

    def part(a: int) -> tuple[Lanes, Rows, list[Striking], int]:
        which = slice(a, min(a + ABREAST, count))
        touching = Touching(fleet, e, gap_tolerance, rest_height) if len(contacts) else None
        stages = Stages(fleet, tableau, 0.0 if size else limits.rtol, limits.atol)
        lanes = _block(fleet, begin, q[which], v[which], own.of(which), len(contacts))
        found = Rows(rows, len(lanes.t), fleet.size)
        Follow(fleet, stages, touching, lanes, found, size).until_the_end()
        return lanes, found, touching.rows if touching else [], stages.evaluations

    began = perf_counter()
    parts = _spread(part, range(0, count, ABREAST), threads)
    facts = {
        "integrator": integrator, "step": size, "rtol": None if size else limits.rtol, "method": fleet.method,
        "evaluations": sum(p[3] for p in parts), "seconds": perf_counter() - began, "threads": threads,
    }  # fmt: skip
    return _run(fleet, rows, parts, own, facts)


def _scheme(integrator: str, step: Any) -> tuple[Any, float | None]:
    if integrator not in TABLEAUS:
        raise unknown("integrator", integrator, TABLEAUS)
    tableau = TABLEAUS[integrator]
    if step is None:
        if tableau.errors is None:
            raise ShapeError(f"simulate_batch: {integrator} knows nothing of its error, wanted a step with it")
        return tableau, None
    if not (isinstance(step, (int, float)) and 0 < step < np.inf):
        raise ShapeError(f"simulate_batch: step is {step!r}, wanted a positive time")
    return tableau, float(step)


def _lanes(robot: Robot, q0: Any, v0: Any, lifted: Sequence[Array], restitution: Any, forces: Array | None) -> int:
    """How many lanes are meant."""
    per_lane = [] if isinstance(restitution, Mapping) else [numbers("simulate_batch", "restitution", restitution)]
    two = [numbers("simulate_batch", name, x) for name, x in (("q0", q0), ("v0", v0))]
    if forces is not None:
        two.append(forces)
    counts = [len(x) for x in two if x.ndim == 2] + [len(x) for x in (*lifted, *per_lane) if x.ndim == 1]
    wide = {n for n in counts if n != 1}
    if len(wide) > 1:
        raise ShapeError(f"simulate_batch: lanes do not fit together, got {sorted(wide)} of them, wanted one number")
    return wide.pop() if wide else 1


def _states(robot: Robot, q0: Any, v0: Any, count: int) -> tuple[Array, Array]:
    """Rows of q0 with unit quaternions, and of v0."""
    found = []
    for name, x, n in (("q0", q0, robot.nq), ("v0", v0, robot.nv)):
        rows = numbers("simulate_batch", name, x).astype(float)
        if rows.shape not in ((n,), (1, n), (count, n)):
            raise ShapeError(f"simulate_batch: {name} has shape {rows.shape}, wanted ({count}, {n})")
        found.append(np.broadcast_to(rows, (count, n)).copy())
    q, v = found
    for k in quaternions(robot.mechanism):
        norm = np.linalg.norm(q[:, k : k + 4], axis=1, keepdims=True)
        if (np.abs(norm - 1) > start.FAR).any():
            lane = int(np.argmax(np.abs(norm - 1)))
            length = f"{norm[lane, 0]:.6g}"
            raise ShapeError(f"simulate_batch: q0 of lane {lane} has a quaternion of length {length}, wanted 1")
        q[:, k : k + 4] /= norm
    return q, v


def _own(robot: Robot, count: int, names: Sequence[str], lifted: Sequence[Array], forces: Array | None) -> Own:
    """What lanes have of their own."""
    for name, x in zip(names, lifted, strict=True):
        if x.shape not in ((), (1,), (count,)):
            raise ShapeError(f"simulate_batch: parameter {name!r} has shape {x.shape}, wanted ({count},)")
    several = (np.stack([np.broadcast_to(x, (count,)) for x in lifted], 1),) if names else ()
    if forces is not None and forces.shape not in ((), (robot.nv,), (1, robot.nv), (count, robot.nv)):
        raise ShapeError(f"simulate_batch: torque has shape {forces.shape}, wanted ({count}, {robot.nv})")
    rows = None if forces is None else np.broadcast_to(forces.astype(float), (count, robot.nv)).copy()
    return Own(np.arange(count), rows, several)


def _restitution(contacts: Contacts, given: Any, count: int) -> Array:
    """Of every lane and contact."""
    if isinstance(given, Mapping) or np.ndim(given) == 0:
        row = of_pairs(contacts, "restitution", given, lambda x: 0.0 <= x <= 1.0, "a number from 0 to 1")
        return np.broadcast_to(row, (count, len(contacts)))
    e = np.asarray(given, float)
    if e.shape not in ((1,), (count,)) or not ((e >= 0) & (e <= 1)).all():
        raise ShapeError(f"simulate_batch: restitution of shape {e.shape} is not {count} numbers from 0 to 1")
    return np.broadcast_to(e[:, None], (count, len(contacts)))


def _block(fleet: Fleet, t: float, q: Array, v: Array, own: Own, m: int) -> Lanes:
    """Lanes at the start."""
    k = len(q)
    y = np.concatenate([q, v, np.zeros((k, fleet.size - fleet.counted))], 1)
    contacts = {name: np.zeros((k, m)) for name in ("rate", "held", "f", "slack")}
    counts = {name: np.zeros(k, int) for name in ("row", "struck", "steps", "events")}
    rest = {"h": np.zeros(k), "lost": np.zeros(k), "since": np.full(k, -np.inf), "status": np.full(k, RUNNING)}
    return Lanes(own, np.full(k, t), y, np.zeros_like(y), g=np.ones((k, m)), **contacts, **counts, **rest)


def _spread(part: Callable[[int], Any], starts: Sequence[int], threads: int) -> list[Any]:
    """Blocks of lanes over threads."""
    from concurrent.futures import ThreadPoolExecutor

    count = workers("simulate_batch", threads)
    if count < 2 or len(starts) < 2:
        return [part(a) for a in starts]
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(part, starts))


def _run(fleet: Fleet, t: Array, parts: Sequence[Any], own: Own, facts: dict[str, Any]) -> BatchRun:
    """All blocks as one result."""
    y, lost = (np.concatenate([getattr(p[1], name) for p in parts]) for name in ("y", "lost"))
    q, v, work = fleet.split(y)
    energy = np.full(lost.shape, np.nan)
    for k in range(len(t)):
        energy[:, k] = fleet.energy(q[:, k].copy(), v[:, k].copy(), own)
    struck = [row for p in parts for row in p[2]]
    impacts = {f.name: _column(struck, f.name) for f in fields(Striking)}
    ends = (("status", "status"), ("stopped", "t"), ("struck", "struck"), ("steps", "steps"))
    of_lanes = {name: np.concatenate([getattr(p[0], field) for p in parts]) for name, field in ends}
    names = fleet.contacts.names
    return BatchRun(
        fleet.robot, t, q.copy(), v.copy(), energy, work.copy(), lost, impacts, names, **of_lanes, facts=facts
    )


def _column(struck: Sequence[Striking], name: str) -> Array:
    """One number of all impacts."""
    none = np.zeros(0, int if name in ("lane", "contact") else float)
    return np.concatenate([none, *(getattr(s, name) for s in struck)])
