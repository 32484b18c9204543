"""Rolled kernels over longer and longer chains: time per body and state, one call and a batch, and scratch.

All lengths take turns in one comparison, so that nothing but the length differs between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import appell

from . import measure, robots
from .comparison import Options
from .measure import Call
from .record import Grown, Result, mark, say
from .tables import memory
from .task import FD, ID, Array
from .truth import OtherText, relative

BODIES = 1_000_000  # bodies times states of a batch
ROUNDING = 1e-10  # relative to the largest entry
KINDS = ("one", "batch")


@dataclass(frozen=True)
class Case:
    """A call that was verified, ready to be timed."""

    n: int
    question: str
    kind: str
    states: int
    call: Call
    scratch: int


def grow(options: Options, result: Result) -> None:
    """The growth table."""
    cases = [case for n in options.growth for case in _cases(n, options.states, result)]
    for question in (ID, FD):
        for kind in KINDS:
            _measure([c for c in cases if (c.question, c.kind) == (question, kind)], options, result)


def _cases(n: int, most: int, result: Result) -> Iterator[Case]:
    """Both questions to a chain."""
    data = robots.load(f"chain{n}")
    data["bodies"][0]["mass"] *= 1.01  # not the robot compared with peers: its kernels hold no scratch yet
    robot = appell.Robot.from_dict(data)
    q, v, a = robots.state(data, 3, max(16, min(most, BODIES // n)))
    other = OtherText(robot).rnea
    tau = other(q, v, a)
    yield from _verified(robot, ID, (q, v, a), lambda given: relative(given, tau), result)
    yield from _verified(robot, FD, (q, v, tau), lambda given: relative(other(q, v, given), tau), result)


def _verified(
    robot: appell.Robot, question: str, rows: tuple[Array, ...], judge: Callable[[Array], float], result: Result
) -> Iterator[Case]:
    """One state and a batch; a wrong kernel is named and not timed."""
    f, one = robot.kernel(question, unroll=False), tuple(x[0] for x in rows)
    scratch, given = _scratch(f, rows), f(*rows)
    fault = float(np.max([judge(given), relative(f(*one), given[0])]))
    if not fault <= ROUNDING:
        result.skip("appell", f"growth, {question}, n = {robot.n}", f"WRONG: error {fault:.1e}")
        return
    say(f"{question}, n = {robot.n}: verified, error {fault:.0e}")
    yield Case(robot.n, question, "one", 1, _filling(f, one), scratch)
    yield Case(robot.n, question, "batch", len(given), _filling(f, rows), scratch)


def _scratch(f: Any, rows: tuple[Array, ...]) -> int:
    """What the first call on one state and the first on a batch take together: a kernel keeps its scratch."""
    one, out = [x[0] for x in rows], np.empty_like(rows[1])
    return measure.peak_memory(lambda: (f(*one, out=out[0]), f(*rows, out=out)))


def _filling(f: Any, rows: tuple[Array, ...]) -> Call:
    return Call("f(q, v, x, out=out)", dict(zip("fqvx", (f, *rows))) | {"out": np.empty_like(rows[1])})


def _measure(cases: list[Case], options: Options, result: Result) -> None:
    """All lengths in turn."""
    found = measure.compare({str(c.n): c.call for c in cases}, options.seconds / 2, options.repeats)
    for c in cases:
        ns = found.times[str(c.n)].median / c.states / c.n
        result.grown.append(Grown(c.n, c.question, c.kind, ns, c.states, c.scratch, found.share))
        scratch = f"scratch {memory(c.scratch)}"
        say(f"{c.question}, n = {c.n}, {c.states} states: {ns:.2f} ns per body, {scratch} {mark(found.share)}".rstrip())
