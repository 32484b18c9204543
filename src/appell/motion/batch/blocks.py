"""Blocks of lanes: made, followed on several threads, stopped if need be, and put together again."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, fields
from threading import Event
from time import perf_counter
from typing import Any

import numpy as np

from ...asking import Identity
from ...errors import AppellError
from ...kernel.arrays import workers
from ..ledger import versions
from ..record import model_hash
from .asked import Scheme
from .fleet import Fleet, Own
from .follow import Follow
from .lanes import INTERRUPTED, RUNNING, Lanes, Rows
from .run import BatchRun
from .steps import Stages
from .touching import Striking, Touching

Array = np.ndarray[Any, Any]
PATIENCE = 0.1  # seconds between two looks at Ctrl-C, which some systems do not tell a thread that waits


@dataclass
class Block:
    """Lanes that go on together, and what was found of them."""

    lanes: Lanes
    rows: Rows
    stages: Stages
    touching: Touching | None
    follow: Follow

    @staticmethod
    def of(
        fleet: Fleet, scheme: Scheme, times: Array, t: float, q: Array, v: Array, own: Own, e: Array, gap: float
    ) -> Block:  # fmt: skip
        """Some lanes at their start."""
        stages = Stages(fleet, scheme.tableau, 0.0 if scheme.step else scheme.rtol, scheme.atol)
        touching = Touching(fleet, e, gap) if fleet.m else None
        y = np.concatenate([q, v, np.zeros((len(q), fleet.size - fleet.counted))], 1)
        lanes, rows = Lanes.at(t, y, own, fleet.m), Rows(times, len(q), fleet.size)
        return Block(lanes, rows, stages, touching, Follow(fleet, stages, touching, lanes, rows, scheme.step))


def follow_all(blocks: Sequence[Block], threads: int) -> tuple[BaseException | None, float]:
    """Follows all to their ends, or until Ctrl-C or a mistake stops them: that, and the seconds it took.

    The work is not done on the thread that Ctrl-C interrupts, so every lane is whole when it stops.
    """
    stop, failure, began = Event(), None, perf_counter()
    with ThreadPoolExecutor(workers("simulate_batch", threads)) as pool:
        jobs = [pool.submit(block.follow.until_the_end, stop.is_set) for block in blocks]
        try:
            failure = _first_failure(jobs)
        except KeyboardInterrupt as interrupt:
            failure = interrupt
        stop.set()
    for block in blocks:
        block.lanes.status[block.lanes.status == RUNNING] = INTERRUPTED
    if failure is not None and not isinstance(failure, (KeyboardInterrupt, AppellError)):
        raise failure
    return failure, perf_counter() - began


def _first_failure(jobs: Sequence[Future[None]]) -> BaseException | None:
    left: Any = jobs
    while left:
        done, left = wait(left, PATIENCE, FIRST_EXCEPTION)
        for job in done:
            if job.exception() is not None:
                return job.exception()
    return None


def together(fleet: Fleet, t: Array, blocks: Sequence[Block], own: Own, facts: dict[str, Any]) -> BatchRun:
    """All blocks as one result."""
    y, lost = (np.concatenate([getattr(b.rows, name) for b in blocks]) for name in ("y", "lost"))
    q, v, work = fleet.split(y)
    energy = np.stack([fleet.energy(q[:, k].copy(), v[:, k].copy(), own) for k in range(len(t))], 1)
    struck = [row for b in blocks if b.touching for row in b.touching.rows]
    impacts = {f.name: _column(struck, f.name) for f in fields(Striking)}
    ends = (("status", "status"), ("stopped", "t"), ("struck", "struck"), ("steps", "steps"))
    of_lanes = {name: np.concatenate([getattr(b.lanes, field) for b in blocks]) for name, field in ends}
    model = model_hash(Identity(fleet.robot.mechanism, fleet.robot.identity))
    evaluations = sum(b.stages.evaluations for b in blocks)
    facts = {"evaluations": evaluations, **facts, "model": model, "versions": versions()}
    names, arrays = fleet.contacts.names, (q.copy(), v.copy(), energy, work.copy(), lost)
    return BatchRun(fleet.robot, t, *arrays, impacts, names, **of_lanes, facts=facts)


def _column(struck: Sequence[Striking], name: str) -> Array:
    """One number of all impacts."""
    none = np.zeros(0, int if name in ("lane", "contact") else float)
    return np.concatenate([none, *(getattr(s, name) for s in struck)])
