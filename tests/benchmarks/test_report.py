"""The page, the goals and the command, from a canned result."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import run, startup
from benchmarks.goals import goals, verdicts
from benchmarks.record import Grown, Measured, Result, Started, Written
from benchmarks.report import goal_table, markdown
from benchmarks.tables import duration, three
from benchmarks.task import FD, ID, M

HOME = Path(__file__).resolve().parents[2]
AT = {"cpu": "abacus", "cores": 2, "system": "Linux", "load": 0.1, "date": "2025-01-01", "versions": {"python": "3.11"}}


def canned() -> Result:
    """PUMA 10 times faster than Pinocchio; a growth table that misses one goal; one disturbed comparison."""
    result = Result("canned", AT)
    for who, ns in (("appell", 100.0), ("appell out=", 80.0), ("pinocchio", 1000.0), ("casadi C", 120.0)):
        result.measured.append(Measured("puma", ID, "call", who, ns, ns, 1, 0.99, 1))
    result.measured.append(Measured("chain1000", FD, "call", "appell", 70e3, 70e3, 1, 0.5, 4))
    for who, ns in (("articulated_body", 200.0), ("denoc", 250.0), ("kane", 800.0)):
        result.methods.append(Measured("7r", FD, "call", who, ns, ns, 1, 0.99, 1))
    for n, ns in ((10, 40.0), (100, 5.0), (1000, 4.0), (100_000, 8.0)):
        result.grown.append(Grown(n, ID, "batch", ns, 16, 544 * n, 1.0))
    result.written += [Written("humanoid", who, 16, 300.0, rate, 1.0) for who, rate in ((M, 36.0), ("fill", 57.0))]
    result.started.append(Started(startup.COLD, 0.1, 1.0))
    result.skip("casadi", "chain300, inverse_dynamics", "too long")
    result.skip("casadi", "chain1000, inverse_dynamics", "too long")
    return result


def cells(table: str) -> list[list[str]]:
    """The rows of a markdown table below its head."""
    return [[c.strip() for c in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def test_goals_are_read_from_what_was_measured() -> None:
    found = {row[0]: row[1:] for row in cells(goal_table(canned(), measured_only=True))}
    bare = "puma, inverse dynamics, bare kernel,"
    assert found[f"{bare} new array"] == ["pin.rnea", "at least 8x", "10x", "1.25", "yes"]
    assert found[f"{bare} out="][1:] == ["at least 2x", "1.5x", "0.75", "**no**"]
    assert found["chain of 1000, forward dynamics, one call"][1:] == [
        "at most 90 us",
        "70 us",
        "1.29",
        "yes (disturbed)",
    ]
    batch = "rolled chains, inverse dynamics, batch, n = 100 to 100 000:"
    assert found[f"{batch} per body and state"][2:] == ["8 ns", "1.25", "yes"]
    assert found[f"{batch} slowest by fastest"][2:] == ["2x", "0.75", "**no**"]
    assert found["chain of 100 000, inverse dynamics: scratch"][2:] == ["54.4 MB", "3.68", "yes"]
    apart = "7r, forward dynamics, DeNOC and articulated bodies, one call: slower by faster"
    assert found[apart][1:] == ["at most 1.3x", "1.25x", "1.04", "yes"]
    assert found[startup.COLD][2:] == ["100 ms", "3.00", "yes"]
    assert found["humanoid, mass matrix, batch: GB/s"][2:] == ["16 states 36.0 GB/s, `fill` 57.0", "", "stated"]


def test_a_goal_of_two_formulations_wants_both() -> None:
    result = canned()
    del result.methods[1]
    assert "DeNOC" not in goal_table(result, measured_only=True)


def test_every_goal_stands_in_the_table_once() -> None:
    rows = cells(goal_table(Result("empty", AT)))
    assert len({row[0] for row in rows}) == len(rows) == len(list(goals())) + 2
    assert all(len(row) == 6 and row[3] == "not measured" for row in rows)
    assert all(v.met is None for v in verdicts(Result("empty", AT)))


def test_a_growth_table_cut_short_says_nothing_of_its_goals() -> None:
    result = canned()
    del result.grown[-1]
    assert "slowest by fastest" not in goal_table(result, measured_only=True)


def test_the_page_tells_times_ratios_growth_start_and_what_was_left_out() -> None:
    page = markdown(canned())
    assert "| puma | 100 ns | 80 ns (0.8x) | 1 us (10.0x) | 120 ns (1.2x) |" in page
    assert "| chain1000 (disturbed, 50% of the core) | 70 us |" in page
    assert "in 1 of 3 comparisons" in page and "Interrupted" not in page
    assert "| 100000 | inverse dynamics | 16 | 8.00 | 54.40 MB |" in page
    assert "| formulation | 7r, one call |" in page and "| denoc | 250 ns (1.2x) |" in page
    assert "| articulated_body | 200 ns |" in page
    assert "* casadi: too long (chain300, inverse dynamics; chain1000, inverse dynamics)." in page


@pytest.mark.parametrize("ns, told", ((0.5, "0.5 ns"), (123.4, "123 ns"), (999.6, "1000 ns"), (25e6, "25 ms")))
def test_durations_have_three_figures_and_a_unit(ns: float, told: str) -> None:
    assert duration(ns) == told
    assert three(1234.5) == "1234"


def test_ctrl_c_keeps_what_was_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def part(name: str, options: object, result: Result) -> None:
        if name == "7r":
            raise KeyboardInterrupt
        result.measured += canned().measured[:1]

    monkeypatch.setattr(run, "measure_part", part)
    monkeypatch.setattr(run.measure, "pin_to_core", lambda: None)
    data, page = tmp_path / "new" / "bench.json", tmp_path / "page.md"
    given = ["--only", "puma", "--only", "7r", "--only", "humanoid", "--json", str(data), "--markdown", str(page)]
    assert run.main(given) == 130
    kept = json.loads(data.read_text())
    assert kept["interrupted"] and [m["robot"] for m in kept["measured"]] == ["puma"]
    assert "**Interrupted:**" in page.read_text()


@pytest.mark.slow
def test_a_quick_run_measures_and_writes(tmp_path: Path) -> None:
    data, page = tmp_path / "bench.json", tmp_path / "page.md"
    command = [sys.executable, "-m", "benchmarks.run", "--quick", "--json", str(data), "--markdown", str(page)]
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    result = json.loads(data.read_text())
    assert not [s for s in result["skipped"] if "WRONG" in s["why"]]
    assert {m["robot"] for m in result["measured"]} == {"puma", "7r"}
    assert len(result["grown"]) == 20 and len(result["written"]) == 8 and result["started"]
    assert page.read_text().startswith("# Benchmarks")
