"""The integrator: its table, its order, its dense output; in Python and in machine code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.few import few

import appell
from appell import Robot
from appell.errors import SimulationError
from appell.motion import dop853_table as table
from appell.motion.integrate import Adaptive, Counts, Dop853, Tolerances
from appell.motion.laws import law
from appell.motion.machine import Machine, serves
from appell.motion.rate import WORKS, Rate

from .test_simulate import pendulum


def test_the_table_is_that_of_scipy() -> None:
    theirs = pytest.importorskip("scipy.integrate._ivp.dop853_coefficients")
    for name in ("A", "B", "C", "E3", "E5", "D"):
        assert np.array_equal(getattr(table, name), getattr(theirs, name))


@pytest.mark.parametrize("power", range(1, 9))
def test_the_weights_integrate_powers(power: int) -> None:
    exact = 1 / power
    assert abs(table.B @ table.C[: table.STAGES] ** (power - 1) - exact) < 1e-14


def made(kind: type[Any], robot: Robot, torque: Any = None, wrench: Any = None, rtol: float = 1e-10) -> Adaptive:
    """An integrator at a random state."""
    push = None if wrench is None else law("wrench", wrench, (robot.n, 6), 0.0, 9.0)
    rate = Rate(robot, law("torque", torque, (robot.nv,), 0.0, 9.0), push)
    q, v = robot.random_state(7)
    y = np.concatenate([q, v, np.zeros(WORKS)])
    for x in rate.laws:
        x.begin(0.0, q, v)
    stepper = kind(rate, Tolerances(rtol, 1e-12), Counts())
    stepper.restart(0.0, y)
    return stepper


ROBOTS = {
    "panda": lambda: appell.load("panda"),
    "quadruped": lambda: appell.load("quadruped"),  # a free base: quaternions
    "mixed": lambda: appell.zoo.tree(12, 3, joints="mixed"),
    "pendulum": pendulum,
    "rolled": lambda: appell.zoo.chain(60),
}


@pytest.mark.parametrize("pushed", [False, True])
@pytest.mark.parametrize("name", few(ROBOTS, "panda"))
def test_machine_code_makes_the_same_steps(name: str, pushed: bool, rng: np.random.Generator) -> None:
    robot = ROBOTS[name]()
    t = np.linspace(0.0, 9.0, 4)
    forces = (t, 0.1 * rng.normal(size=(4, robot.nv)), "spline")
    wrench = 0.1 * rng.normal(size=(robot.n, 6)) if pushed else None
    a, b = made(Machine, robot, forces, wrench), made(Dop853, robot, forces, wrench)
    assert serves(a.rate)
    b.h = a.h
    slopes = np.abs(a.slope - b.slope).max() / np.abs(b.slope).max()
    assert slopes < 1e-14
    for stepper in (a, b):
        stepper.ahead = 2
    one, two = a.advance(5.0), b.advance(5.0)
    assert np.abs(one.h / two.h - 1).max() < 1e-2  # which follow errors, and these are small differences
    size = np.abs(two.F).max()
    assert np.abs(one.F[0] * (two.h[0] / one.h[0]) - two.F[0])[:3].max() < 1e-2 * size
    b.back(two[:1])
    b.landing(two[:1], float(one.t[1]))
    assert np.abs(b.y - one.y[1]).max() < 1e-12 * max(1.0, np.abs(one.y[1]).max())


def error(kind: type[Any], robot: Robot, steps: int) -> tuple[float, float]:
    """How far a robot is off after some equal steps; and between steps."""
    truth = appell.simulate(robot, *robot.random_state(7), 0.4, rtol=1e-13, atol=1e-14)
    stepper, worst = made(kind, robot, rtol=0.9), 0.0
    stepper.ahead = 1
    for k in range(steps):
        stepper.h = 0.4 / steps
        row = stepper.advance(0.4 * (k + 1) / steps)
        middle = float(row.t[0] + 0.37 * row.h[0])
        q = row.at(np.array([middle]))[0, : robot.nq]
        worst = max(worst, float(np.abs(robot.difference(q, truth(middle)[0])).max()))
    return float(np.abs(robot.difference(stepper.y[: robot.nq], truth.q[-1])).max()), worst


@pytest.mark.parametrize("free", [False, True], ids=["pendulum", "free base"])
@pytest.mark.parametrize("kind", [Dop853, Machine])
def test_errors_shrink_with_the_eighth_power_and_between_steps_too(kind: type[Any], free: bool) -> None:
    robot, steps = (appell.zoo.tree(3, 2, floating=True), 6) if free else (pendulum(2), 8)
    coarse, fine = error(kind, robot, steps), error(kind, robot, 2 * steps)
    assert np.log2(coarse[0] / fine[0]) > 7.2
    assert np.log2(coarse[1] / fine[1]) > 6.5


def test_unit_quaternions_cost_no_digit() -> None:
    """Scaled at the end of every step or not at all, a turning body takes the same steps to the same place."""
    robot = appell.zoo.tree(3, 2, floating=True)
    kept, left = made(Dop853, robot), made(Dop853, robot)
    left.rate.settle = lambda t, y, dy: None  # type: ignore[method-assign]
    for stepper in (kept, left):
        while stepper.t < 2.0:
            stepper.advance(2.0)
    nq = robot.nq
    assert kept.counts.steps == left.counts.steps > 20
    assert np.abs(robot.difference(kept.y[:nq], left.y[:nq])).max() < 1e-12
    assert abs(np.linalg.norm(kept.y[3:7]) - 1) < 2e-16


@pytest.mark.parametrize("rtol", [1e-4, 1e-7, 1e-10])
def test_the_error_follows_the_tolerance(rtol: float) -> None:
    robot = pendulum(2)
    exact = appell.simulate(robot, [1.0, 2.0], [0.3, -0.4], 2.0, rtol=1e-13, atol=1e-14)
    run = appell.simulate(robot, [1.0, 2.0], [0.3, -0.4], 2.0, rtol=rtol, atol=rtol)
    assert np.abs(run.q[-1] - exact.q[-1]).max() < 300 * rtol


def test_a_motion_that_runs_away_is_followed_as_far_as_it_goes() -> None:
    """a = v^2: v = 1 / (1 - t) has no value at 1."""
    robot = appell.Robot.from_dict(
        {"format": "appell-robot/1", "name": "slide", "gravity": [0, 0, 0], "bodies": [
            {"name": "b", "parent": "base", "joint": {"name": "s", "type": "prismatic", "axis": [1, 0, 0]}, "mass": 1.0,
             "com": [0, 0, 0], "inertia": dict.fromkeys(("ixx", "iyy", "izz"), 1.0)
             | dict.fromkeys(("ixy", "ixz", "iyz"), 0.0)}]}
    )  # fmt: skip
    with pytest.raises(SimulationError, match="the step size vanished at t = ") as caught:
        appell.simulate(robot, [0.0], [1.0], 2.0, torque=lambda t, q, v: v * v)
    run = caught.value.run
    assert abs(run.t[-1] - 1) < 1e-6 and np.abs(run.v[:, 0] * (1 - run.t) - 1)[run.t < 0.99].max() < 1e-6
    kept = appell.simulate(robot, [0.0], [1.0], 2.0, torque=lambda t, q, v: v * v, strict=False)
    assert kept.ledger.outcome.startswith("stopped: the step size vanished")
