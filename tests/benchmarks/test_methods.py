"""Every formulation is timed beside the others, on the same states, after it was verified."""

from __future__ import annotations

import pytest

from appell.formulations.table import FORMULATIONS
from benchmarks import methods
from benchmarks.comparison import Options
from benchmarks.record import Result
from benchmarks.task import FD, M

pytestmark = pytest.mark.filterwarnings("ignore:.*radii of gyration")


@pytest.mark.slow
def test_all_rows_of_a_question_are_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pinocchio")
    monkeypatch.setattr(methods, "ROBOTS", ("puma",))
    monkeypatch.setattr(methods, "BASIC", (M, FD))
    result = Result("test", {})
    methods.compare_methods(Options(seconds=0.001, states=21, repeats=0), result)
    assert result.skipped == [] and result.measured == []
    wanted = [(f.computes, f.name) for q in (M, FD) for f in FORMULATIONS if f.computes == q]
    for kind, states in (("call", 1), ("batch", 21)):
        rows = [m for m in result.methods if m.kind == kind]
        assert [(m.question, m.contender) for m in rows] == wanted
        assert all(0 < m.best <= m.ns and m.states == states for m in rows)
