"""Closed mechanisms in the benchmarks: the truth holds their loops, all who are timed agree with it."""

from __future__ import annotations

import numpy as np
import pytest

from appell.closing import kernels
from benchmarks.record import Ladder, Looped, Result
from benchmarks.task import FD, ID

STATES = 5


@pytest.fixture(scope="module")
def five_bar() -> object:
    """The five-bar in a few states."""
    pytest.importorskip("pinocchio")
    from benchmarks.closed_robots import closed

    return closed("five_bar", STATES)


def test_states_are_on_the_loops(five_bar):
    _, A, c = kernels.equations(five_bar.robot)(five_bar.q, five_bar.v)
    assert np.abs(np.einsum("tmn,tn->tm", A, five_bar.v)).max() < 1e-12
    assert np.abs(np.einsum("tmn,tn->tm", A, five_bar.a) + c).max() < 1e-11


@pytest.mark.parametrize("question", (ID, FD))
def test_everybody_gives_the_same_answers(five_bar, question):
    pytest.importorskip("mujoco")
    from benchmarks.closed import verified
    from benchmarks.closed_peers import everyone

    left_out = []
    skip = lambda who, why: left_out.append((who, why))  # noqa: E731
    found = [verified(c, five_bar, question, skip) for c in everyone(five_bar, question, lambda *_: None)]
    assert left_out == []
    errors = {c.name: error for c, error in filter(None, found)}
    assert set(errors) == {"appell", "appell reduced", "pinocchio"} | ({"mujoco"} if question == FD else set())
    assert max(error for name, error in errors.items() if name != "mujoco") < 1e-12


def test_the_page_and_the_goals_know_them():
    from benchmarks.goals import verdicts
    from benchmarks.report import markdown

    at = {"cpu": "abacus", "cores": 2, "system": "Linux", "load": 0.1, "date": "", "versions": {"python": "3.11"}}
    result = Result("canned", at)
    for who, ns in (("appell", 150.0), ("pinocchio", 1900.0)):
        result.looped.append(Looped("five_bar", FD, "call", who, ns, 1e-15, 1, 1.0))
    result.ladders += [Ladder(n, 1e3 * n, 4, 1e-12, 1e-11, 1.0) for n in (100, 1000)]
    page = markdown(result)
    assert "| five_bar | 150 ns (1e-15) | 1.9 us (1e-15) |" in page
    assert "| 1000 | 4 | 1 ms | 1e-12 rad | 1e-11 |" in page
    reached = {v.what: v.reached for v in verdicts(result) if v.reached}
    assert reached["five_bar, loops closed, forward dynamics, one call"] == "150 ns"
    assert reached["ladders of four-bars, a step of 1000 by one of 100"] == "10x"
