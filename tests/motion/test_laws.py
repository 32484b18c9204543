"""What drives a motion: constants, tables, functions, controllers that sample; wrenches; and what they cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import appell
from appell.errors import Interrupted, ShapeError, SimulationError

from .test_events import ball
from .test_simulate import pendulum


def lifted(torque: Any, t_end: float = 2.0, **options: Any) -> appell.Run:
    """A mass of 1 kg on a vertical slide, from rest at 0, gravity 10 m/s^2."""
    return appell.simulate(ball(), [0.0], [0.0], t_end, torque=torque, **options)


def test_a_constant_force() -> None:
    run = lifted([13.0])
    assert abs(run.q[-1, 0] - 6.0) < 1e-13 and abs(run.ledger.actuators[-1] - 78.0) < 1e-11
    assert run.ledger.drift < 1e-14 and (run.tau == 13.0).all()


def test_a_function_of_time_and_state() -> None:
    """Critically damped about 0 against gravity: q = -10 (1 - (1 + t) exp(-t))."""
    run = lifted(lambda t, q, v: -q - 2 * v, t_end=5.0, rtol=1e-12)
    assert np.abs(run.q[:, 0] + 10 * (1 - (1 + run.t) * np.exp(-run.t))).max() < 1e-10
    assert run.ledger["torque"] == "a Python function" and run.ledger["calls of laws"] > 100
    assert run.ledger["seconds"] > run.ledger["seconds in laws"] > 0


@pytest.mark.parametrize(
    ("between", "end"), [("held", 0.5 * 5 + 1.5 * 15), ("linear", None), ("spline", None)], ids=lambda x: str(x)
)
def test_a_table_in_time(between: str, end: float | None) -> None:
    t, values = np.array([0.0, 0.5, 1.0, 2.0]), np.array([[5.0], [15.0], [15.0], [8.0]])
    run = lifted((t, values, between), rtol=1e-11)
    momentum = {  # the force's integral, less 20 for gravity
        "held": 0.5 * 5 + 1.5 * 15,
        "linear": 0.5 * 10 + 0.5 * 15 + 11.5,
        "spline": _spline_integral(t, values[:, 0]),
    }[between]
    assert abs(run.v[-1, 0] - (momentum - 20.0)) < 1e-10
    assert set(t) <= set(run.t)
    assert end is None or end == momentum
    assert np.abs(np.interp(t, run.t, run.tau[:, 0])[1] - 15.0) < 1e-12


def _spline_integral(t: Any, y: Any) -> float:
    from scipy.interpolate import CubicSpline

    return float(CubicSpline(t, y).integrate(t[0], t[-1]))


class Sampling:
    """A proportional controller that looks a hundred times a second."""

    period = 0.01

    def __init__(self) -> None:
        self.seen: list[tuple[float, float, float]] = []

    def __call__(self, t: float, q: Any, v: Any) -> Any:
        self.seen.append((t, q[0], v[0]))
        return [10.0 - 4.0 * (q[0] - 1.0) - 3.0 * v[0]]


def test_a_controller_that_samples() -> None:
    """Between samples the force is held, so the motion is the exact discrete one."""
    law = Sampling()
    run = lifted(law, t_end=1.005, rtol=1e-12)
    assert np.abs([t for t, *_ in law.seen] - np.arange(101) * 0.01).max() < 1e-12
    q, v, h = 0.0, 0.0, 0.01
    for k, (_, seen_q, seen_v) in enumerate(law.seen):
        assert abs(seen_q - q) < 1e-12 and abs(seen_v - v) < 1e-12
        a = -4.0 * (q - 1.0) - 3.0 * v
        h = 0.01 if k < 100 else 0.005
        q, v = q + h * v + h * h / 2 * a, v + h * a
    assert abs(run.q[-1, 0] - q) < 1e-12 and run.ledger["calls of laws"] == 101
    assert run.ledger.drift < 1e-13


def test_rows_of_a_sampled_run_have_the_force_of_their_time() -> None:
    run = lifted(Sampling(), t_end=0.1, times=[0.0, 0.0149, 0.015, 0.0151])
    assert run.tau[0] == 14.0 and run.tau[1] == run.tau[2] == run.tau[3] != 14.0


def test_a_wrench_moves_as_the_forces_it_stands_for() -> None:
    robot = pendulum(2)
    wrench = np.array([[0.0, 0, 0, 0, 0, 2.0], [0, 0, 0, 0, 0, 3.0]])  # moments about z
    pushed = appell.simulate(robot, [0.3, 0.4], [0.0, 0.0], 1.0, wrench=wrench, rtol=1e-12)
    driven = appell.simulate(robot, [0.3, 0.4], [0.0, 0.0], 1.0, torque=[5.0, 3.0], rtol=1e-12)
    assert np.abs(pushed.q[-1] - driven.q[-1]).max() < 1e-11
    assert abs(pushed.ledger.wrenches[-1] - driven.ledger.actuators[-1]) < 1e-10
    asked = appell.simulate(robot, [0.3, 0.4], [0.0, 0.0], 1.0, wrench=lambda t, q, v: wrench, rtol=1e-12)
    assert np.abs(pushed.q[-1] - asked.q[-1]).max() < 1e-11


def test_the_balance_holds_with_damping_friction_springs_and_drives() -> None:
    robot = pendulum(2, damping=0.3, coulomb=0.2, smoothing=0.05, stiffness=2.0, rest=0.1)
    law = lambda t, q, v: np.array([3 * np.sin(5 * t), -q[1]])  # noqa: E731
    run = appell.simulate(robot, [0.5, -0.5], [1.0, 2.0], 3.0, torque=law, rtol=1e-10)
    assert run.ledger.friction[-1] > 1.0 and (np.diff(run.ledger.friction) >= 0).all()
    assert run.ledger.drift < 1e-8
    rough = appell.simulate(robot, [0.5, -0.5], [1.0, 2.0], 3.0, torque=law, rtol=1e-5)
    assert run.ledger.drift < rough.ledger.drift < 1e-3


def test_damping_alone_follows_its_closed_form() -> None:
    data = ball().to_dict()
    data["gravity"] = [0.0, 0.0, 0.0]
    data["bodies"][0]["joint"]["damping"] = 0.5
    run = appell.simulate(appell.Robot.from_dict(data), [0.0], [2.0], 3.0, rtol=1e-12)
    assert abs(run.v[-1, 0] - 2 * np.exp(-1.5)) < 1e-11
    assert abs(run.ledger.friction[-1] - 2 * (1 - np.exp(-3.0))) < 1e-11


BAD = [
    ([1.0, 2.0], ShapeError, r"torque has shape \(2,\), wanted \(1,\)"),
    ([np.nan], ShapeError, r"torque is \[nan\], wanted finite numbers"),
    ("strong", ShapeError, r"torque is 'strong', wanted \(1,\) numbers"),
    (lambda t, q, v: None if t > 0.5 else [0.0], SimulationError, r"torque at t = 0\.\d+ "),
    (
        lambda t, q, v: [np.nan] if t > 0.5 else [0.0],
        SimulationError,
        r"torque at t = 0\.\d+ is \[nan\], wanted finite",
    ),
    (([0, 1], [[1.0], [2.0]], "linear"), ShapeError, "the table is for t = 0 to 1, wanted 0 to 2 at least"),
    (([0, 2], [[1.0], [2.0]], "quadratic"), ShapeError, "'quadratic', wanted one of held, linear, spline"),
    (([0, 2, 1], [[1.0]] * 3, "held"), ShapeError, "do not rise"),
    (([0, 2], [[1.0, 2.0]] * 2, "held"), ShapeError, r"values has shape \(2, 2\), wanted \(2, 1\)"),
]


@pytest.mark.parametrize(("torque", "kind", "words"), BAD, ids=range(len(BAD)))
def test_bad_laws_are_said(torque: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words):
        lifted(torque)


def test_what_was_found_before_a_bad_value_is_kept() -> None:
    run = lifted(lambda t, q, v: [np.nan] if t > 0.5 else [0.0], strict=False, max_step=0.1)
    assert 0.3 < run.t[-1] <= 0.5 and run.ledger.outcome.startswith("stopped: torque at t = 0.5")
    assert abs(run.q[-1, 0] + 5 * run.t[-1] ** 2) < 1e-12


def test_a_bad_period_is_said() -> None:
    law = Sampling()
    law.period = -1.0
    with pytest.raises(ShapeError, match="the controller's period is -1.0, wanted a positive time"):
        lifted(law)


def interrupting(t: float, q: Any, v: Any) -> Any:
    if t > 1.0:
        raise KeyboardInterrupt
    return [0.0]


def test_an_interrupted_run_is_kept() -> None:
    with pytest.raises(Interrupted) as caught:
        lifted(interrupting, max_step=0.1)
    run = caught.value.run
    assert 0.8 < run.t[-1] <= 1.0 and "interrupted at t = " in run.ledger.outcome
    assert isinstance(caught.value, KeyboardInterrupt)
    assert 0.8 < lifted(interrupting, max_step=0.1, strict=False).t[-1] <= 1.0


def test_what_a_users_function_raises_is_told_with_its_time_and_the_run_is_kept() -> None:
    def law(t: float, q: Any, v: Any) -> Any:
        return [10.0] if t < 0.5 else int("late")

    with pytest.raises(SimulationError, match=r"torque at t = 0.\d+ raised ValueError: invalid literal") as told:
        lifted(law, rtol=1e-4)
    assert 0.0 < told.value.run.t[-1] < 0.8
    watch = appell.Event(lambda t, q, v: [][1], "broken")
    with pytest.raises(SimulationError, match="event 'broken' at t = 0 raised IndexError"):
        lifted([0.0], events=[watch])


def test_a_table_that_is_not_finite_names_the_row() -> None:
    with pytest.raises(ShapeError, match="values is nan in row 1"):
        lifted(([0.0, 0.5, 2.0], [[0.0], [np.nan], [0.0]], "linear"))
