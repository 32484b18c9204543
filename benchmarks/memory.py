"""Batches of mass matrices of floating trees: bound by memory, as `fill` of the same array shows."""

from __future__ import annotations

from typing import Any

import numpy as np

import appell

from . import measure, robots
from .comparison import Options, states_for
from .measure import Call
from .record import Result, Written, mark, say
from .task import Array, M
from .truth import CLOSE, reference, relative, truth_for

FLOATING = ("quadruped", "humanoid")
IN_CACHE = 256 * 1024  # bytes of answers that stay in the second cache
FILL = "out.fill(1.0)"


def write_matrices(options: Options, result: Result) -> None:
    """A small batch that stays in cache and a large one, each beside `fill`."""
    for name in FLOATING:
        data = robots.load(name)
        nv = appell.Robot.from_dict(data).nv
        small = max(16, IN_CACHE // (64 * nv * nv) * 8)
        for states in (small, states_for(data, M, options.states)):
            _measure(name, data, states, options, result)


def _measure(name: str, data: dict[str, Any], states: int, options: Options, result: Result) -> None:
    f, q = appell.Robot.from_dict(data).kernel(M), robots.state(data, 4, states)[0]
    out = f(q)
    error = _error(data, q, out)
    if not error <= CLOSE:
        result.skip("appell", f"{name}, {M}, {states} states", f"WRONG: error {error:.1e}")
        return
    calls = {M: Call("f(q, out=out)", {"f": f, "q": q, "out": out}), "fill": Call(FILL, {"out": np.empty_like(out)})}
    found = measure.compare(calls, options.seconds / 2, options.repeats)
    for who, t in found.times.items():
        row = Written(name, who, states, t.median / states, out.nbytes / t.median, found.share)
        result.written.append(row)
        say(f"{name}, {states} states, {who}: {row.ns:.0f} ns, {row.rate:.1f} GB/s {mark(row.share)}".rstrip())


def _error(data: dict[str, Any], q: Array, out: Array) -> float:
    """Of the first and the last matrix of a batch."""
    truth, none = truth_for(data), np.zeros(0)
    return float(np.max([relative(out[i], reference(truth, M, q[i], none, none)) for i in (0, -1)]))
