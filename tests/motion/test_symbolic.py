"""Functions that are read with symbols: the same motion as by Python, at the speed of machine code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import appell
from appell.errors import ShapeError, SimulationError

from .test_events import thrown
from .test_simulate import pendulum

GAINS = np.array([[3.0, 0.5], [0.5, 2.0]])


def as_array(t: float, q: Any, v: Any) -> Any:
    return -GAINS @ q - 0.4 * v + np.sin(3 * t)


def as_list(t: float, q: Any, v: Any) -> Any:
    return [np.tanh(q[0]) * np.cos(t) - v[0] / 2, 1.0]


def mixed(t: float, q: Any, v: Any) -> Any:
    return np.array([1.0, 2.0]) * np.sqrt(1 + q[1] * q[1])


@pytest.mark.parametrize("law", [as_array, as_list, mixed])
def test_a_traced_law_drives_as_its_python_does(law: Any) -> None:
    robot, times = pendulum(2), np.linspace(0, 2, 9)
    options = {"rtol": 1e-11, "times": times}
    slow = appell.simulate(robot, [0.3, 0.4], [0.0, 0.1], 2.0, torque=law, **options)
    quick = appell.simulate(robot, [0.3, 0.4], [0.0, 0.1], 2.0, torque=appell.traced(law), **options)
    assert quick.ledger["torque"] == "a function, compiled" and quick.ledger["stages in"] == "machine code"
    assert slow.ledger["stages in"] == "Python" and quick.ledger["calls of laws"] == 0
    assert np.abs(quick.q - slow.q).max() < 1e-10 and np.abs(quick.tau - slow.tau).max() < 1e-9
    assert quick.ledger.drift < 1e-9


def test_what_cannot_be_read_runs_as_python_and_the_ledger_says_so() -> None:
    @appell.traced
    def law(t: float, q: Any, v: Any) -> Any:
        return [1.0 if q[0] > 0 else -1.0]

    run = appell.simulate(pendulum(), [0.3], [0.0], 0.1, torque=law)
    assert run.ledger["torque"].startswith("a Python function, which could not be compiled (")
    assert run.ledger["calls of laws"] > 10 and law(0.0, [2.0], [0.0]) == [1.0]


def test_a_traced_wrench() -> None:
    def wrench(t: float, q: Any, v: Any) -> Any:
        return [[0.0, 0.0, 0.0, 0.0, 0.0, 2 * np.sin(q[0])]]

    runs = [
        appell.simulate(pendulum(), [0.3], [0.0], 1.0, wrench=w, rtol=1e-11) for w in (wrench, appell.traced(wrench))
    ]
    assert runs[1].ledger["wrench"] == "a function, compiled"
    assert abs(runs[0].q[-1, 0] - runs[1].q[-1, 0]) < 1e-10
    assert abs(runs[0].ledger.wrenches[-1] - 2 * (np.cos(0.3) - np.cos(runs[0].q[-1, 0]))) < 1e-9


def test_a_traced_event_is_found_where_it_is() -> None:
    for function in (lambda t, q, v: q[0] - 4.99, appell.traced(lambda t, q, v: q[0] - 4.99)):
        run = thrown(appell.Event(function, "near the top"))
        w = np.sqrt(2 * 0.01 / 10)
        assert np.abs([e.t for e in run.events] - np.array([1 - w, 1 + w])).max() < 4e-14


def test_a_traced_law_of_the_wrong_size_is_said() -> None:
    with pytest.raises(ShapeError, match=r"torque at t = 0 has shape \(2,\), wanted \(1,\)"):
        appell.simulate(pendulum(), [0.3], [0.0], 1.0, torque=appell.traced(lambda t, q, v: [q[0], 1.0]))


def test_a_traced_law_that_is_no_number_stops() -> None:
    law = appell.traced(lambda t, q, v: [np.sqrt(0.5 - t) - 0 * q[0]])
    with pytest.raises(SimulationError, match=r"at t = 0\.4999") as caught:
        appell.simulate(pendulum(), [0.3], [0.0], 1.0, torque=law)
    assert 0.49 < caught.value.run.t[-1] <= 0.5
