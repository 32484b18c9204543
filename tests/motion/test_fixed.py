"""Integrators of fixed step: their order, and what they do to energy and momentum in the long run."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.few import few

import appell
from appell.errors import AppellError, ShapeError, SimulationError

from .test_simulate import pendulum, top

ROBOTS = {
    "a double pendulum": (lambda: pendulum(2), 0.004),
    "a free top": (top, 0.02),
    "a tree on a free base": (lambda: appell.zoo.tree(4, 2, floating=True), 0.02),
    "ball joints": (lambda: appell.zoo.tree(6, 8, joints="mixed"), 0.004),
}


@pytest.mark.parametrize("name", few(ROBOTS, "a double pendulum", "a free top"))
@pytest.mark.parametrize("integrator", ["rk4", "symplectic"])
def test_order_four(name: str, integrator: str) -> None:
    build, step = ROBOTS[name]
    robot = build()
    q, v = robot.random_state(3)
    t = np.linspace(0.0, 0.2, 3)
    exact = appell.simulate(robot, q, v, 0.2, rtol=1e-13, atol=1e-14, times=t)
    runs = [appell.simulate(robot, q, v, 0.2, integrator=integrator, step=h) for h in (step, step / 2)]
    errors = [np.abs(robot.difference(run.q[-1], exact.q[-1])).max() for run in runs]
    assert 3.8 < np.log2(errors[0] / errors[1]) < 4.5


@pytest.mark.slow
def test_forces_reach_the_symplectic_one() -> None:
    robot = appell.zoo.tree(4, 2, floating=True)
    q, v = robot.random_state(3)
    drive = {"torque": np.linspace(0.1, 0.5, robot.nv), "wrench": 0.2 * np.ones((robot.n, 6))}
    exact = appell.simulate(robot, q, v, 0.2, rtol=1e-12, **drive)
    runs = [appell.simulate(robot, q, v, 0.2, integrator="symplectic", step=h, **drive) for h in (0.005, 0.0025)]
    errors = [np.abs(robot.difference(run.q[-1], exact.q[-1])).max() for run in runs]
    assert 3.8 < np.log2(errors[0] / errors[1]) < 4.2
    for name in ("actuators", "wrenches"):
        works = [getattr(run.ledger, name)[-1] for run in (*runs, exact)]
        assert abs(works[1] - works[2]) < 1e-5 * abs(works[2]) and abs(works[2]) > 1e-2


@pytest.mark.slow
def test_energy_in_the_long_run() -> None:
    """Of a pendulum over a thousand swings: one keeps its error, the other piles it up."""

    def worst(integrator: str) -> tuple[float, float]:
        run = appell.simulate(pendulum(), [-0.2], [0.0], 400.0, integrator=integrator, step=0.1)
        half = len(run) // 2
        return np.abs(run.ledger.balance[:half]).max(), np.abs(run.ledger.balance[half:]).max()

    first, second = worst("symplectic")
    assert second < 1.05 * first
    first, second = worst("rk4")
    assert second > 1.8 * first


def test_invariants_of_a_free_body_stay_at_round_off() -> None:
    robot = top()
    q, v = robot.random_state(1)
    run = appell.simulate(robot, q, v, 20.0, integrator="symplectic", step=0.1)
    momentum = robot.momentum(run.q, run.v)
    assert np.abs(momentum - momentum[0]).max() < 1e-12 * np.abs(momentum).max()
    rough = appell.simulate(robot, q, v, 20.0, integrator="rk4", step=0.1)
    momentum = robot.momentum(rough.q, rough.v)
    assert np.abs(momentum - momentum[0]).max() > 1e-6


def test_a_step_is_no_longer_than_asked_for_and_ends_at_the_end() -> None:
    run = appell.simulate(pendulum(), [0.0], [0.0], 1.0, integrator="rk4", step=0.3)
    assert np.abs(np.diff(run.t) - 0.25).max() < 1e-15 and run.t[-1] == 1.0


def test_what_cannot_be_is_said() -> None:
    with pytest.raises(ShapeError, match="step is None, wanted a positive time for the fixed steps of rk4"):
        appell.simulate(pendulum(), [0.0], [0.0], 1.0, integrator="rk4")
    with pytest.raises(ShapeError, match=r"step is 0.1, wanted none"):
        appell.simulate(pendulum(), [0.0], [0.0], 1.0, step=0.1)
    with pytest.raises(AppellError, match="unknown integrator 'rk45'"):
        appell.simulate(pendulum(), [0.0], [0.0], 1.0, integrator="rk45")
    with pytest.raises(SimulationError, match="do not settle at t = "):
        appell.simulate(pendulum(2), [0.0, 0.0], [30.0, -50.0], 1.0, integrator="symplectic", step=0.5)
