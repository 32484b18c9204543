"""Closed mechanisms in time: loops stay closed, energy is kept, singular configurations are passed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from closing.closed_robots import KINDS, G, ladder, tied, turned

import appell
from appell.closing import kernels
from appell.errors import ModelError, SimulationError


def violation(run: Any) -> float:
    """How far loops and their rates are ever from closed."""
    g, A, _ = kernels.equations(run.robot)(run.q, run.v)
    return max(np.abs(g).max(), np.abs(np.einsum("tmn,tn->tm", A, run.v)).max())


@pytest.mark.parametrize("n", (1, 2))
@pytest.mark.parametrize("rtol", (1e-8, 1e-11))
def test_a_ladder_passes_through_the_line_of_all_its_bars(n, rtol):
    """It moves as one pendulum does, also where it could fold."""
    robot = ladder(n)
    run = appell.simulate(robot, *turned(robot, np.pi / 2, -1.0), 4.0, rtol=rtol)
    inertia, weight = (n + 1) / 3 + n, (n + 1) / 2 + n
    angle, rate = run.q[:, 0], run.v[:, 0]
    energy = 0.5 * inertia * rate**2 + weight * G * np.sin(angle)
    assert np.ptp(angle) > 2 * np.pi  # more than twice through it
    np.testing.assert_allclose(energy, energy[0], atol=30 * rtol * np.abs(energy).max())
    np.testing.assert_allclose(run.q, np.outer(angle, turned(robot, 1.0, 0.0)[0]), atol=1e-9)
    assert violation(run) < 1e-13
    crossed = np.floor(angle[-1] / np.pi), 0.0  # it falls through the line at 0, -pi, ...
    assert [e.name for e in run.events] == ["singular configuration of the loops"] * round(crossed[1] - crossed[0])
    for k, event in enumerate(run.events):
        assert event.q[0] == pytest.approx(-k * np.pi, abs=1e-6)


def test_it_may_start_in_that_line():
    robot = ladder(1)
    run = appell.simulate(robot, *turned(robot, 0.0, 3.0), 1.0)
    assert np.abs(run.q @ [1, 1, 0]).max() < 1e-9
    assert run.ledger.drift < 1e-9
    with pytest.raises(SimulationError, match="rests where its loops are singular and several motions begin"):
        appell.simulate(robot, *turned(robot, 0.0, 0.0), 1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_any_loop_stays_closed_and_conserves_energy(kind):
    robot, q = tied(kind, 11, floating=True)
    v = np.random.default_rng(2).normal(size=robot.nv)
    A = kernels.equations(robot)(q, v)[1]
    v -= np.linalg.pinv(A) @ A @ v
    run = appell.simulate(robot, q, v, 1.0)
    assert violation(run) < 1e-13 * max(1.0, np.abs(run.v).max())
    assert run.ledger.drift < 1e-9


def test_a_start_that_is_open_is_refused_and_one_that_would_open_is_changed():
    robot = ladder(1)
    q, v = turned(robot, 1.0, 1.0)
    with pytest.raises(ModelError, match=r"loop equation 'pin1: position y' is open by 0.158 at the start; robot.ass"):
        appell.simulate(robot, q + np.array([0.1, 0.0, 0.0]), v, 1.0)
    with pytest.warns(UserWarning, match="v0 would open loop equation 'pin1: position .' at"):
        run = appell.simulate(robot, q, [1.0, 0.0, 0.0], 0.1)
    assert violation(run) < 1e-13


def test_torques_do_work_on_closed_mechanisms():
    robot = ladder(1)
    run = appell.simulate(robot, *turned(robot, 1.0, 0.0), 1.0, torque=[5.0, 0.0, 0.0])
    assert run.ledger.actuators[-1] == pytest.approx(5.0 * (run.q[-1, 0] - 1.0), rel=1e-9)
    assert run.ledger.drift < 1e-9


@pytest.mark.parametrize("push", (0.0, 0.5))
def test_a_delta_falls_through_the_poses_in_which_its_platform_could_turn(push):
    """Wherever all its bars are parallel; few steps do, although the smallest velocities are but rounding there."""
    robot = appell.load("delta")
    q = robot.assemble().q
    K = robot.velocity_transformation(q, ["motor1", "motor2", "motor3"])
    run = appell.simulate(robot, q, K @ [push, -push, 0.3 * push], 2.0)
    assert len(run.events) >= 3
    assert violation(run) < 1e-12
    assert run.ledger.drift < 1e-9
    assert run.ledger["steps"] < 600
    assert np.abs(run.q[:, 4:7]).max() < 1e-9  # it does not turn


@pytest.mark.slow
def test_a_mechanism_that_flies_apart_is_not_taken_for_a_singular_one():
    """Its joints slide on for hundreds of metres, and its equations bind less and less, everywhere alike."""
    robot, q = tied("planar", 1, n=5)
    v = np.random.default_rng(1).normal(size=robot.nv)
    A = kernels.equations(robot)(q, v)[1]
    run = appell.simulate(robot, q, v - np.linalg.pinv(A) @ A @ v, 12.0)
    assert np.abs(run.q[-1]).max() > 100.0 and run.ledger.drift < 1e-9
    assert violation(run) < 1e-11
