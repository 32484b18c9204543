"""All questions to one robot, all contenders in turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import measure, robots
from .peers import everyone
from .record import Measured, Result, mark, say
from .tables import duration
from .task import FD, ID, QUESTIONS, Contender, M, Skip, Task, answer_shape
from .truth import truth_for, wrong

GROWTH = (10, 30, 100, 300, 1000, 10_000, 100_000)
LONG = 40  # bodies above which batches are smaller
DERIVED = ("chain100",)  # beyond LONG derivatives are asked of this chain alone, as loops
ANSWERS = 128_000_000  # bytes that the answers of a batch may take: several contenders hold them at once
STATES_OF_LONG = 32_000  # bodies times states of a long chain's batch
KINDS = ("call", "batch")
WHOLE = 16  # states: batches fill vectors of up to 16 numbers, so that short ones are not all remainder


@dataclass(frozen=True)
class Options:
    """How long and how much to measure."""

    seconds: float = 0.5
    states: int = 10_000
    growth: tuple[int, ...] = GROWTH
    repeats: int = measure.REPEATS


def compare_robot(name: str, options: Options, result: Result) -> None:
    """Times of one call and of a batch, question by question, into the result."""
    data = robots.load(name)
    truth = truth_for(data)
    for question in questions_for(name, len(data["bodies"])):
        task = task_for(data, truth, question, options.states)
        skip = result.skipping(f"{name}, {question}")
        able = [c for c in everyone(task, skip) if verified(c, task, truth, skip)]
        for kind in KINDS:
            found = timed(name, task, kind, able, options)
            result.measured += found
            show(found)


def verified(contender: Contender, task: Task, truth: Any, skip: Skip) -> bool:
    """A wrong contender is named and not timed."""
    if fault := wrong(contender, task, truth):
        skip(contender.name, fault)
    return not fault


def questions_for(name: str, bodies: int) -> tuple[str, ...]:
    """Large chains: no derivatives; the mass matrix only while it fits in memory."""
    if name in robots.FILES:
        return (ID,)
    if bodies > 1000:
        return (ID, FD)
    return QUESTIONS if bodies <= LONG or name in DERIVED else (ID, M, FD)


def task_for(data: dict[str, Any], truth: Any, question: str, states: int) -> Task:
    """A state and a batch; for forward dynamics tau is what these accelerations need."""
    one, many = robots.state(data, 1, 1), robots.state(data, 2, states_for(data, question, states))
    if question == FD:
        one = (*one[:2], np.array([truth.rnea(*(x[0] for x in one))]))
        many = (*many[:2], np.array([truth.rnea(*row) for row in zip(*many)]))
    first = (one[0][0], one[1][0], one[2][0])
    return Task(data, question, first, many)


def states_for(data: dict[str, Any], question: str, states: int) -> int:
    """Fewer for long chains and where the answers would fill the memory."""
    bodies = len(data["bodies"])
    nv = bodies + 5 * any(b["joint"]["type"] == "free" for b in data["bodies"])
    room = ANSWERS // (8 * int(np.prod(answer_shape(question, nv))))
    fewer = min(room, STATES_OF_LONG // bodies if bodies > LONG else states)
    return states if fewer >= states else max(WHOLE, fewer // WHOLE * WHOLE)


def timed(name: str, task: Task, kind: str, able: list[Contender], options: Options) -> list[Measured]:
    """One comparison: all who can, in turn."""
    calls = {c.name: c.single if kind == "call" else c.batch for c in able}
    present = {who: call for who, call in calls.items() if call is not None}
    if not present:
        return []
    found = measure.compare(present, options.seconds, options.repeats)
    states = 1 if kind == "call" else task.states
    return [
        Measured(name, task.question, kind, who, t.median / states, t.best / states, states, found.share, found.tries)
        for who, t in found.times.items()
    ]


def show(found: list[Measured]) -> None:
    """One line of progress: times, and ratios to Appell where it took part."""
    if not found:
        return
    base, some = next((m for m in found if m.contender == "appell"), None), found[0]
    ratios = [f" ({m.ns / base.ns:.1f}x)" if base else "" for m in found]
    parts = [f"{m.contender} {duration(m.ns)}{ratio}" for m, ratio in zip(found, ratios)]
    how = "one call" if some.kind == "call" else f"batch of {some.states}"
    say(f"{some.question}, {how}: {', '.join(parts)}{'; ' * bool(mark(some.share))}{mark(some.share)}")
