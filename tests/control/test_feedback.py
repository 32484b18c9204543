"""Controllers: errors fall as the laws say, disturbances leave what they must, limits hold and integrals wait."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import appell
from appell.control import Controller, Fourier, Gains, continuous, pd_with_gravity, point_to_point, tracking
from appell.errors import ModelError, ShapeError, UnknownName

pytestmark = pytest.mark.filterwarnings("ignore:robot .* radii of gyration implausible")
PUMA = appell.load("puma560")
Q0 = np.array([0.0, -1.0, 2.5, 0.3, 0.5, 0.0])
GOAL = Q0 + np.array([0.5, -0.4, 0.3, 0.2, -0.6, 1.0])
PUSH = np.array([5.0, -8.0, 6.0, 1.0, 0.5, 0.3])


class Disturbed:
    """A controller whose forces arrive less a constant."""

    period = 1e-3

    def __init__(self, controller: Controller) -> None:
        self.controller = controller

    def __call__(self, t: float, q: Any, v: Any) -> Any:
        return self.controller(t, q, v) - PUSH


@pytest.mark.parametrize("method", ["gibbs_appell", "gibbs_appell_vector", "newton_euler"])
def test_forces_are_mass_matrix_and_bias(method: str):
    q, v = PUMA.random_state(1)
    (tau,), _ = point_to_point(PUMA, Gains(100.0, 20.0), method=method)(q, v, GOAL, state=np.zeros(0))
    wanted = PUMA.mass_matrix(q) @ (100 * (GOAL - q) - 20 * v) + PUMA.bias(q, v)
    np.testing.assert_allclose(tau, wanted, atol=1e-11)


def test_the_point_to_point_law_of_valera2003():
    """e = e0 (1 + 10 t) exp(-10 t) for kp = 100, kd = 20."""
    t = np.linspace(0.0, 1.0, 21)
    law = continuous(point_to_point(PUMA, Gains(100.0, 20.0)), GOAL)
    run = appell.simulate(PUMA, Q0, np.zeros(6), 1.0, torque=law, times=t, rtol=1e-12, atol=1e-13)
    exact = np.multiply.outer((1 + 10 * t) * np.exp(-10 * t), GOAL - Q0)
    np.testing.assert_allclose(GOAL - run.q, exact, rtol=0, atol=1e-9)


def test_a_constant_disturbance_leaves_its_share_and_an_integral_takes_it_away():
    law = continuous(point_to_point(PUMA, Gains(100.0, 20.0)), GOAL)
    run = appell.simulate(PUMA, Q0, np.zeros(6), 4.0, torque=lambda t, q, v: law(t, q, v) - PUSH)
    left = np.linalg.solve(PUMA.mass_matrix(run.q[-1]), PUSH) / 100.0
    np.testing.assert_allclose(GOAL - run.q[-1], left, rtol=0, atol=1e-9)
    assert np.abs(left).max() > 1e-2
    integral = tracking(PUMA, Gains.of(10.0, 1.0, 8.0), period=1e-3)
    still = Controller(integral, lambda t: (GOAL, np.zeros(6), np.zeros(6)), 1e-3)
    run = appell.simulate(PUMA, Q0, np.zeros(6), 3.5, torque=Disturbed(still), integrator="rk4", step=1e-3)
    assert np.abs(GOAL - run.q[-1]).max() < 1e-7


def test_tracking_does_not_lag():
    """With the error of the velocity; with the velocity itself a ramp would lag by kd v / kp."""
    motion = Fourier(Q0, 0.3 * np.ones((6, 2)), 0.2 * np.ones((6, 2)), 4.0)
    start = motion(0.0)
    law = continuous(tracking(PUMA, Gains(100.0, 20.0)), motion)
    run = appell.simulate(PUMA, start.q, start.v, 1.0, torque=law, times=np.linspace(0, 1, 11))
    np.testing.assert_allclose(run.q, motion(run.t).q, atol=1e-8)


def test_pd_with_gravity_holds_where_it_is():
    law = pd_with_gravity(PUMA, Gains(300.0, 60.0))
    (tau,), _ = law(Q0, np.zeros(6), Q0, state=law.start)
    np.testing.assert_allclose(tau, PUMA.gravity_forces(Q0), atol=1e-12)
    q, v = PUMA.random_state(2)
    (tau,), _ = law(q, v, GOAL, state=law.start)
    np.testing.assert_allclose(tau, PUMA.gravity_forces(q) + 300 * (GOAL - q) - 60 * v, atol=1e-10)


def test_forces_keep_their_limits_and_the_integral_waits():
    limit = np.array([1e4, 90.0, 50.0, 5.0, 5.0, 1e3])
    law = tracking(PUMA, Gains.of(10.0, 1.0, 2.0), period=1e-3, limit=limit)
    q = Q0 - 1.0
    (tau,), after = law(q, np.zeros(6), GOAL, np.zeros(6), np.zeros(6), state=law.start)
    assert (np.abs(tau) <= limit).all()
    cut = np.abs(tau) == limit
    assert cut.any() and not cut.all()
    assert (after[cut & (np.sign(tau) == np.sign(GOAL - q))] == 0).all()
    np.testing.assert_allclose(after[~cut], 1e-3 * (GOAL - q)[~cut])


def test_limits_may_be_the_models():
    data = PUMA.to_dict()
    data["bodies"][1]["joint"]["effort_limit"] = 40.0
    robot = appell.Robot.from_dict(data)
    (tau,), _ = point_to_point(robot, Gains(1e3, 1.0), limit="model")(Q0, 0 * Q0, GOAL, state=np.zeros(0))
    (free,), _ = point_to_point(robot, Gains(1e3, 1.0))(Q0, 0 * Q0, GOAL, state=np.zeros(0))
    assert abs(tau[1]) == 40.0 < abs(free[1])
    np.testing.assert_array_equal(np.delete(tau, 1), np.delete(free, 1))


def test_friction_of_the_model_is_overcome():
    data = PUMA.to_dict()
    for body in data["bodies"]:
        body["joint"] |= {"damping": 2.0, "coulomb": 1.0, "stiffness": 3.0, "rest": 0.1, "preload": 0.4}
    robot = appell.Robot.from_dict(data)
    q, v = robot.random_state(3)
    (tau,), _ = tracking(robot, Gains(100.0, 20.0))(q, v, q, v, 0.3 * v, state=np.zeros(0))
    np.testing.assert_allclose(tau, robot.inverse_dynamics(q, v, 0.3 * v), atol=1e-11)
    at_rest, _ = tracking(robot, Gains(100.0, 20.0))(q, 1e-9 * v, q, 0 * v, 0 * v, state=np.zeros(0))
    np.testing.assert_allclose(at_rest[0], robot.bias(q, 0 * v), atol=1e-6)  # no chatter about rest


def test_gains_from_bandwidth_and_damping():
    plain, three = Gains.of(10.0, 0.7), Gains.of([5.0, 8.0], 1.0, 2.0)
    assert (plain.kp, plain.kd, plain.ki) == (100.0, 14.0, 0.0)
    for k, w in enumerate((5.0, 8.0)):
        found = [1.0, three.kd[k], three.kp[k], three.ki[k]]
        np.testing.assert_allclose(found, np.poly([-w, -w, -2.0]))


def test_a_controller_begins_anew():
    law = tracking(PUMA, Gains.of(10.0, 1.0, 2.0), period=1e-3)
    controller = Controller(law, lambda t: (GOAL, np.zeros(6), np.zeros(6)), 1e-3)
    first = [controller(k * 1e-3, Q0, np.zeros(6)) for k in range(5)]
    assert controller.state.any()
    again = [controller(k * 1e-3, Q0, np.zeros(6)) for k in range(5)]
    np.testing.assert_array_equal(first, again)


def test_what_cannot_be_controlled_so():
    with pytest.raises(ShapeError, match="tracking with integral action got the period 0.0"):
        tracking(PUMA, Gains(100.0, 20.0, 5.0))
    with pytest.raises(ShapeError, match="kp is .*, wanted a number or 6 of them"):
        point_to_point(PUMA, Gains([1.0, 2.0], 20.0))
    with pytest.raises(ShapeError, match="limit is -1.0, wanted finite numbers"):
        point_to_point(PUMA, Gains(1.0, 2.0), limit=-1.0)
    with pytest.raises(UnknownName, match="method of a controller 'gibs'; known: gibbs_appell"):
        tracking(PUMA, Gains(1.0, 2.0), method="gibs")
    with pytest.raises(ModelError, match="has a quaternion in q, wanted scalar coordinates"):
        tracking(appell.load("quadruped"), Gains(1.0, 2.0))
    with pytest.raises(ShapeError, match="a controller got the period -1"):
        Controller(tracking(PUMA, Gains(1.0, 2.0)), GOAL, -1)
    with pytest.raises(ShapeError, match=r"tracking at t = 0 got signals of 5, 6, 6 numbers, wanted q_d \(6\)"):
        Controller(tracking(PUMA, Gains(1.0, 2.0)), GOAL[:5], 1e-3)(0.0, Q0, Q0)
    with pytest.raises(ShapeError, match="period 0.002, but tracking sums over samples of 0.001 s, wanted the same"):
        Controller(tracking(PUMA, Gains(1.0, 2.0, 1.0), period=1e-3), GOAL, 2e-3)
    with pytest.raises(ShapeError, match="limit is 'most', wanted numbers, or 'model'"):
        tracking(PUMA, Gains(1.0, 2.0), limit="most")
    with pytest.raises(ShapeError, match="lives by samples"):
        continuous(tracking(PUMA, Gains(1.0, 2.0, 1.0), period=1e-3), GOAL)
