"""The stopwatch: turns, shares, repeats, fresh processes."""

from __future__ import annotations

import pytest

from benchmarks import measure, startup
from benchmarks.measure import Call, Timing


def test_more_work_takes_more_time() -> None:
    calls = {str(n): Call(f"for _ in range({n}): pass") for n in (100, 1000)}
    found = measure.timings(calls, 0.01)
    assert 2 < found["1000"].median / found["100"].median < 50
    assert all(t.best <= t.median for t in found.values())


@pytest.mark.parametrize(
    "shares, tries, kept", (((0.99,), 1, 0), ((0.5, 0.8, 0.97), 3, 2), ((0.6, 0.9, 0.5, 0.7), 4, 1))
)
def test_a_disturbed_comparison_is_made_again(
    monkeypatch: pytest.MonkeyPatch, shares: tuple[float, ...], tries: int, kept: int
) -> None:
    left, rounds = iter(shares), iter(range(9))
    monkeypatch.setattr(measure.Share, "__exit__", lambda self, *_: setattr(self, "value", next(left)))
    monkeypatch.setattr(measure, "timings", lambda *_: {"f": Timing(0.0, float(next(rounds)))})
    found = measure.compare({"f": Call("pass")}, 0.0)
    assert (found.tries, found.share, found.times["f"].median) == (tries, shares[kept], kept)


def test_a_sleeping_process_has_little_of_its_core() -> None:
    with measure.Share() as share:
        __import__("time").sleep(0.05)
    assert share.value < 0.5


def test_scratch_is_what_a_call_asks_for() -> None:
    size = 3_000_000
    assert size <= measure.peak_memory(lambda: bytearray(size)) < size + 100_000


def test_fresh_processes_keep_bytecode_and_tell_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    before = "import sys, time; assert not sys.dont_write_bytecode"
    row = startup._run(startup.Fresh("sleep", before, "time.sleep(0.05)"), {})
    assert row.what == "sleep" and 0.05 <= row.seconds < 5 and row.share < 0.5


@pytest.mark.slow
def test_a_build_from_cache_finds_what_the_cold_one_left() -> None:
    cold, warm = startup._builds(1, {})
    assert (cold.what, warm.what) == (startup.COLD, startup.WARM)
    assert 0 < warm.seconds < cold.seconds
