"""Laws for closed mechanisms in the coordinates of their motors: exact error dynamics, limits, what they ask for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import appell
from appell.control import Block, Controller, Gains, MinimumJerk, continuous, pd_with_gravity, point_to_point, tracking
from appell.errors import ModelError, ShapeError, UnknownName

BAR, MOTORS = appell.load("five_bar"), ["shoulder1", "shoulder2"]
LEGS = [f"leg{k}" for k in range(1, 7)]

EACH = pytest.mark.parametrize(
    ("name", "motors"), [("five_bar", MOTORS), pytest.param("stewart", LEGS, marks=pytest.mark.slow)]
)


def at(law: Block, q: Any) -> Any:
    """The motors' coordinates."""
    assert law.rest is not None
    return law.rest(q)[0]


@EACH
def test_forces_are_those_of_the_motion_that_is_wanted(name: str, motors: list[str]):
    robot = appell.load(name)
    law, reduced, q = tracking(robot, Gains(100.0, 20.0), actuators=motors), robot.reduced(motors), robot.assemble().q
    u = np.linspace(0.1, 0.4, len(motors))
    v, wanted = reduced.velocities(q, u), at(law, q) + 0.02
    (tau,), _ = law(q, v, wanted, 0 * u, 0.3 * u, state=law.start)
    du = 0.3 * u + 20 * (0 * u - u) + 100 * 0.02
    a = reduced.accelerations(q, u, du)
    np.testing.assert_allclose(tau[tau != 0], robot.inverse_dynamics(q, v, a, actuators=motors), atol=1e-11)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, tau), a, atol=1e-7)


def test_errors_of_the_motors_fall_as_the_law_says():
    t, q0 = np.linspace(0, 1, 11), BAR.assemble().q
    law = point_to_point(BAR, Gains(100.0, 20.0), actuators=MOTORS)
    goal = at(law, q0) + np.array([0.2, -0.15])
    run = appell.simulate(BAR, q0, np.zeros(4), 1.0, torque=continuous(law, goal), times=t)
    exact = np.multiply.outer((1 + 10 * t) * np.exp(-10 * t), [0.2, -0.15])
    np.testing.assert_allclose(goal - at(law, run.q), exact, atol=1e-8)


@EACH
def test_a_motion_of_the_motors_is_followed(name: str, motors: list[str]):
    robot = appell.load(name)
    law, q0 = tracking(robot, Gains(400.0, 40.0), actuators=motors), robot.assemble().q
    way = MinimumJerk(at(law, q0), at(law, q0) + 0.1 * np.linspace(-1, 1, len(motors)), 0.3)
    run = appell.simulate(
        robot, q0, np.zeros(robot.nv), 0.3, torque=continuous(law, way), times=[0.0, 0.15, 0.3], rtol=1e-8
    )  # fmt: skip
    np.testing.assert_allclose(at(law, run.q), way(run.t).q, atol=1e-6)


def test_an_integral_takes_away_what_a_heavier_robot_leaves_and_limits_hold():
    q0 = BAR.assemble().q
    heavy = BAR.with_parameters({"upper1.mass": 4.0, "upper1.first.x": 1.2, "upper1.second.xx": 0.5})
    left = []
    for integral in (0.0, 5.0):
        law = tracking(BAR, Gains.of(12.0, 1.0, integral), period=2e-3, actuators=MOTORS, limit=60.0)
        goal = at(law, q0) + 0.1
        controller = Controller(law, goal, 2e-3)
        run = appell.simulate(heavy, q0, np.zeros(4), 2.5, torque=controller, integrator="rk4", step=2e-3)
        left.append(np.abs(goal - at(law, run.q[-1])).max())
    assert left[0] > 1e-2 and left[1] < 1e-3 * left[0]
    law = point_to_point(BAR, Gains(1e4, 20.0), actuators=MOTORS, limit=[5.0, 7.0])
    (tau,), _ = law(q0, np.zeros(4), at(law, q0) + np.array([1.0, -1.0]), state=law.start)
    assert sorted(np.abs(tau[tau != 0])) == [5.0, 7.0]


@EACH
def test_pd_with_gravity_holds(name: str, motors: list[str]):
    robot = appell.load(name)
    law, q = pd_with_gravity(robot, Gains(500.0, 50.0), actuators=motors), robot.assemble().q
    (tau,), _ = law(q, np.zeros(robot.nv), at(law, q), state=law.start)
    np.testing.assert_allclose(robot.forward_dynamics(q, np.zeros(robot.nv), tau), 0.0, atol=1e-7)


def test_what_closed_mechanisms_want():
    with pytest.raises(ModelError, match="'five_bar' has closed loops, wanted actuators="):
        tracking(BAR, Gains(1.0, 1.0))
    with pytest.raises(ModelError, match="'panda' is open: a controller drives all its joints"):
        tracking(appell.load("panda"), Gains(1.0, 1.0), actuators=["joint1"])
    with pytest.raises(UnknownName, match="'shoulder3'; did you mean"):
        tracking(BAR, Gains(1.0, 1.0), actuators=["shoulder1", "shoulder3"])
    with pytest.raises(ModelError, match="actuator 'tip' is no joint of the tree"):
        tracking(BAR, Gains(1.0, 1.0), actuators=["shoulder1", "tip"])
    with pytest.raises(ShapeError, match=r"got signals of 1 numbers, wanted q_d \(2\)"):
        Controller(point_to_point(BAR, Gains(1.0, 1.0), actuators=MOTORS), [0.1], 1e-3)(0.0, np.ones(4), np.ones(4))
