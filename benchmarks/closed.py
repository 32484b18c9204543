"""Closed mechanisms: forces of motors, accelerations with the loops closed; and ladders of more and more loops."""

from __future__ import annotations

from time import perf_counter

import numpy as np

import appell

from . import measure
from .closed_peers import everyone
from .closed_robots import MOTORS, Closed, closed
from .comparison import KINDS, Options
from .measure import Share
from .record import Ladder, Looped, Result, mark, say
from .tables import duration
from .task import FD, ID, Contender, Skip
from .truth import CLOSE, relative

SOFT = 1e-2  # what MuJoCo may be off by, whose equalities give way
RUNGS, START = (10, 100, 1000), (np.pi / 2, -1.0)  # four-bars side by side; their angle and its rate
TIMES, TRIES = (0.05, 1.5), 3  # seconds of motion, through the line of all bars; the best of so many counts


def close_loops(options: Options, result: Result) -> None:
    """Every mechanism and question, everybody in turn; then the ladders."""
    for name in MOTORS:
        task = closed(name, options.states)
        for question in (ID, FD):
            skip = result.skipping(f"{name}, {question}")
            able = [pair for c in everyone(task, question, skip) if (pair := verified(c, task, question, skip))]
            for kind in KINDS:
                _timed(task, question, kind, able, options, result)
    for n in RUNGS if options.repeats > 1 else RUNGS[:2]:
        _climb(n, result)


def verified(contender: Contender, task: Closed, question: str, skip: Skip) -> tuple[Contender, float] | None:
    """Who answers well, and how far off; who does not is named and not timed."""
    wanted = task.wanted(question)
    pairs = (contender.answer, wanted[0]), (contender.batch_answer, wanted)
    error = max(relative(answer(), right) for answer, right in pairs if answer)
    if error <= (SOFT if contender.name == "mujoco" else CLOSE):
        return contender, error
    skip(contender.name, f"WRONG: error {error:.1e}")
    return None


def _timed(
    task: Closed, question: str, kind: str, able: list[tuple[Contender, float]], options: Options, result: Result
) -> None:  # fmt: skip
    calls = {c.name: c.single if kind == "call" else c.batch for c, _ in able}
    found = measure.compare({k: x for k, x in calls.items() if x}, options.seconds, options.repeats)
    states, errors = 1 if kind == "call" else len(task.q), {c.name: error for c, error in able}
    rows = [Looped(task.name, question, kind, who, t.median / states, errors[who], states, found.share)
            for who, t in found.times.items()]  # fmt: skip
    result.looped += rows
    told = ", ".join(f"{r.who} {duration(r.ns)}, off by {r.error:.0e}" for r in rows)
    say(f"{task.name}, {question}, {kind}: {told} {mark(found.share)}".rstrip())


def _climb(n: int, result: Result) -> None:
    """n four-bars side by side: time for a step of the integrator, without what is done once per motion."""
    from tests.closing.closed_robots import ladder, turned

    robot = ladder(n)
    start, level = turned(robot, *START), turned(robot, 1.0, 0.0)[0]
    seconds, runs, had = dict.fromkeys(TIMES, np.inf), {}, 0.0
    for _ in range(TRIES):
        for end in TIMES:
            began = perf_counter()
            with Share() as share:
                runs[end] = appell.simulate(robot, *start, end)
            seconds[end], had = min(seconds[end], perf_counter() - began), max(had, share.value)
    steps = [int(runs[end].ledger["steps"]) for end in TIMES]
    ns, run = 1e9 * (seconds[TIMES[1]] - seconds[TIMES[0]]) / (steps[1] - steps[0]), runs[TIMES[1]]
    off = float(np.abs(run.q - np.outer(run.q[:, 0], level)).max())
    result.ladders.append(Ladder(n, ns, steps[1], off, run.ledger.drift, had))
    say(f"ladder of {n}: {duration(ns)} a step, off by {off:.0e} {mark(had)}".rstrip())
