"""Fair timing: contenders take turns in short blocks, in one process, on one core."""

from __future__ import annotations

import gc
import os
import random
import statistics
import time
import timeit
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

BLOCK = 2e-3  # seconds: long enough for the clock, short enough to share any disturbance
FEWEST = 5  # blocks of each contender, unless they take so long that PATIENCE (seconds) ends: then 2
PATIENCE = 2.0
UNDISTURBED = 0.95  # share of the core below which other processes spoil medians
REPEATS = 3  # of a comparison that was disturbed


@dataclass(frozen=True)
class Call:
    """A statement to time with the names it uses; no lambda in between, which would cost 30 ns."""

    statement: str
    names: Mapping[str, Any] = field(default_factory=dict)

    def timer(self) -> timeit.Timer:
        return timeit.Timer(self.statement, globals=dict(self.names))


@dataclass(frozen=True)
class Timing:
    """Nanoseconds per call: the best block and the median block."""

    best: float
    median: float


def pin_to_core(core: int | None = None) -> int | None:
    """Keep this process on one core where the system allows it; the core's number or None."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    allowed = sorted(os.sched_getaffinity(0))
    core = allowed[-1] if core is None else core
    os.sched_setaffinity(0, {core})
    return core


def timings(contenders: Mapping[str, Call], seconds: float = 1.0) -> dict[str, Timing]:
    """Time all contenders in turn until `seconds` per contender are spent."""
    timers = {name: call.timer() for name, call in contenders.items()}
    counts = {name: _block_size(t) for name, t in timers.items()}
    blocks: dict[str, list[float]] = {name: [] for name in timers}
    end = time.perf_counter() + seconds * len(timers)
    gc.collect()
    rounds = 0 if timers else FEWEST
    order, turn = random.Random(0), list(timers)
    while (now := time.perf_counter()) < end or rounds < (FEWEST if now < end + PATIENCE else 2):
        rounds += 1
        order.shuffle(turn)  # a fixed order keeps step with the system's time slices, and one contender pays
        for name in turn:
            blocks[name].append(timers[name].timeit(counts[name]) / counts[name] * 1e9)
    return {name: Timing(min(b), statistics.median(b)) for name, b in blocks.items()}


class Share:
    """How much of its core this process had: `with Share() as share: ...`, then `share.value`."""

    value = 1.0

    def __enter__(self) -> Share:
        self._start = time.process_time(), time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        used, passed = time.process_time() - self._start[0], time.perf_counter() - self._start[1]
        self.value = min(1.0, used / max(passed, 1e-9))


@dataclass(frozen=True)
class Comparison:
    """Times of all contenders, and the share of the core that was ours meanwhile."""

    times: dict[str, Timing]
    share: float
    tries: int


def compare(contenders: Mapping[str, Call], seconds: float, repeats: int = REPEATS) -> Comparison:
    """Times in turn; a comparison that others disturbed is made again, and the least disturbed one counts."""
    best, tries = Comparison({}, -1.0, 0), 0
    while tries <= repeats and best.share < UNDISTURBED:
        tries += 1
        with Share() as share:
            times = timings(contenders, seconds)
        if share.value > best.share:
            best = Comparison(times, share.value, tries)
    return replace(best, tries=tries)


def _block_size(timer: timeit.Timer) -> int:
    """Calls per block of about BLOCK seconds; the first call of all (caches, pages) is left out."""
    timer.timeit(1)
    number, spent = 1, timer.timeit(1)
    while spent < BLOCK / 4:
        number *= 4
        spent = timer.timeit(number)
    return max(1, round(number * BLOCK / spent))


def peak_memory(call: Callable[[], Any]) -> int:
    """Bytes that a call had from Python's allocators at most; compiled kernels have no other."""
    gc.collect()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
