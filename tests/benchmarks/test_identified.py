"""What the benchmark says of identification, on fewer samples."""

from __future__ import annotations

import pytest

from benchmarks import identification
from benchmarks.goals import goals
from benchmarks.record import Identified, Result
from benchmarks.report import markdown
from benchmarks.run import main


def test_blocks_are_as_many_samples_as_asked() -> None:
    assert [len(b.q) for b in identification.blocks(25_000)] == [10_000, 10_000, 5_000]


def test_a_million_samples_are_far_from_the_goal() -> None:
    found = identification._reduce(50_000)
    assert found["seconds"] < 2.0
    assert found["memory"] is None or found["memory"] < 600e6  # of a process that runs tests


def test_goals_and_page_have_what_was_found() -> None:
    result = Result("canned", {"cpu": "abacus", "cores": 1, "system": "-", "load": None, "date": "-", "versions": {}})
    result.identified.append(Identified(identification.COVERED, 96.0, "%", 1.0))
    result.identified.append(Identified(identification.PEAK, 600.0, "MB", 1.0))
    read = {g.what: g.read(result) for g in goals() if g.read(result) is not None}
    assert sorted(read.values()) == [(1.5, 1.0), (600.0, 1.0)]
    assert "## Identification" in markdown(result) and "| 600 MB |" in markdown(result)


def test_there_is_a_part_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "identification" in capsys.readouterr().out
