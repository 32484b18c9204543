"""Linear models against finite differences on the manifold, and equilibria."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.few import few
from oracles.random_robots import random_robot, random_state

import appell
from appell.analysis import cross_matrix, drift
from appell.errors import AppellError, ShapeError
from appell.robot import Robot

Array = np.ndarray[Any, Any]
ROBOTS = {
    "arm": random_robot(80, 4),
    "ball": random_robot(81, 2, joints="ball"),
    "floating": random_robot(82, 3, joints="mixed", floating=True, shape="tree", order="shuffled"),
}


def _flow(robot: Robot, q: Array, v: Array, tau: Array, t: float, steps: int = 1) -> tuple[Array, Array]:
    """The motion of a robot under a constant force for time t: classical Runge-Kutta on the manifold's tangent."""
    h = t / steps
    for _ in range(steps):
        a1 = robot.forward_dynamics(q, v, tau)
        q2, v2 = robot.integrate(q, v, h / 2), v + h / 2 * a1
        a2 = robot.forward_dynamics(q2, v2, tau)
        q, v = robot.integrate(q, v + h / 2 * a1, h), v + h * a2
    return q, v


@pytest.mark.parametrize("name", few(ROBOTS, "floating"))
def test_a_linear_model_is_the_slope_of_the_flow(name: str):
    """d/dt of the difference of two motions that start a little apart: in dq = difference(q, q')."""
    robot, (q, v, tau) = Robot.from_dict(ROBOTS[name]), random_state(ROBOTS[name], 4)
    n, e, h = robot.nv, 1e-4, 1e-4
    A, B = robot.linearise(q, v, tau)
    assert (A.shape, B.shape) == ((2 * n, 2 * n), (2 * n, n))
    q0, v0 = _flow(robot, q, v, tau, h)

    def after(x: Array) -> Array:
        """The difference of states a time h later, of a robot that starts x away."""
        q1, v1 = robot.integrate(q, x[:n], 1.0), v + x[n : 2 * n]
        q1, v1 = _flow(robot, q1, v1, tau + x[2 * n :], h)
        return np.concatenate([robot.difference(q0, q1), v1 - v0])

    found = np.array([(after(e * x) - after(-e * x)) / (2 * e) for x in np.eye(3 * n)]).T
    rate = (found - np.eye(2 * n, 3 * n)) / h
    scale = max(np.abs(A).max(), np.abs(B).max())
    np.testing.assert_allclose(rate[:, : 2 * n], A, rtol=0, atol=2e-3 * scale)
    np.testing.assert_allclose(rate[:, 2 * n :], B, rtol=0, atol=2e-3 * scale)


def test_the_drift_is_no_trifle():
    """Where quaternions are, the upper left of A is not zero, and the test above would see it missing."""
    robot, (q, v, tau) = Robot.from_dict(ROBOTS["floating"]), random_state(ROBOTS["floating"], 4)
    A = robot.linearise(q, v, tau)[0]
    assert np.abs(A[: robot.nv, : robot.nv]).max() > 0.1
    arm = Robot.from_dict(ROBOTS["arm"])
    assert not drift(arm, np.ones(4)).any()


def test_linear_models_of_batches():
    robot, (q, v, tau) = Robot.from_dict(ROBOTS["floating"]), random_state(ROBOTS["floating"], 4)
    many = np.stack([v, 2 * v, -v])
    A, B = robot.linearise(np.stack([q] * 3), many, tau)
    for k in range(3):
        one = robot.linearise(q.tolist(), many[k].tolist(), tau.tolist())
        np.testing.assert_allclose(A[k], one[0], atol=1e-9)
        np.testing.assert_allclose(B[k], one[1], atol=1e-9)


def test_linear_models_take_good_arguments_only():
    robot = Robot.from_dict(ROBOTS["arm"])
    with pytest.raises(ShapeError, match="v has shape"):
        robot.linearise(np.zeros(4), np.zeros(3), np.zeros(4))


def test_cross_matrix():
    u, w = np.random.default_rng(0).normal(size=(2, 5, 3))
    np.testing.assert_allclose((cross_matrix(u) @ w[..., None])[..., 0], np.cross(u, w))


# -- equilibria -----------------------------------------------------------------------------------------------


def _pendulum(stiffness: float) -> Robot:
    """A rod that turns about y and hangs along x, with a spring that is slack at 0."""
    joint = {"name": "hinge", "type": "revolute", "axis": [0.0, 1.0, 0.0], "stiffness": stiffness, "rest": 0.0}
    inertia = dict.fromkeys(("ixy", "ixz", "iyz"), 0.0) | dict.fromkeys(("ixx", "iyy", "izz"), 0.01)
    rod = {"name": "rod", "parent": "base", "joint": joint, "mass": 2.0, "com": [0.5, 0.0, 0.0], "inertia": inertia}
    data = {"format": "appell-robot/1", "name": "pendulum", "gravity": [0.0, 0.0, -10.0], "bodies": [rod]}
    return Robot.from_dict(data)


def test_a_pendulum_hangs():
    """A turn about y takes x to -z."""
    robot = _pendulum(0.0)
    for start in (0.3, 0.1, 1.0, 2.5, 3.0):
        np.testing.assert_allclose(robot.equilibrium([start]), [np.pi / 2], atol=1e-10)


def test_a_spring_holds_a_pendulum():
    robot, k = _pendulum(25.0), 25.0
    (x,) = robot.equilibrium([0.0])
    assert abs(k * x - 2.0 * 10.0 * 0.5 * np.cos(x)) < 1e-10
    assert 0.3 < x < 0.5
    (y,) = robot.equilibrium([0.0], 3.0)
    assert abs(k * y - 10.0 * np.cos(y) - 3.0) < 1e-10
    np.testing.assert_array_equal(robot.equilibrium([x]), [x])


def test_an_arm_at_rest_stays_there():
    arm = appell.load("puma560")
    q = arm.equilibrium([0.1, 0.2, -0.3, 0.1, 0.5, 0.0])
    zero = np.zeros(arm.nv)
    assert np.abs(arm.bias(q, zero)).max() < 1e-9
    assert np.abs(arm.forward_dynamics(q, zero, zero)).max() < 1e-6
    held = arm.gravity_forces(np.full(6, 0.3))
    np.testing.assert_allclose(arm.equilibrium(np.full(6, 0.31), held)[1:3], 0.3, atol=1e-6)
    assert arm.equilibrium(q)[0] == q[0], "a direction that nothing holds stays as it is"


def test_quaternions_at_rest():
    data = random_robot(83, 2, joints="ball")
    robot = Robot.from_dict(data)
    q = robot.equilibrium(random_state(data, 1)[0])
    assert np.abs(robot.gravity_forces(q)).max() < 1e-9
    np.testing.assert_allclose(np.linalg.norm(q.reshape(2, 4), axis=1), 1.0, rtol=1e-12)


def test_no_equilibrium_is_said_so():
    robot = _pendulum(0.0)
    with pytest.raises(AppellError, match="no equilibrium of 'pendulum' found near q: a force of .* is left over"):
        robot.equilibrium([0.5], 1000.0)
    falling = Robot.from_dict(random_robot(84, 1, floating=True))
    with pytest.raises(AppellError, match="no equilibrium"):
        falling.equilibrium(falling.neutral())


@pytest.mark.parametrize(
    ("q", "tau", "words"),
    [
        ([0.1, 0.2], 0.0, r"equilibrium: q has shape \(2,\), wanted \(1,\)"),
        ([[0.1], [0.2]], 0.0, "q has shape"),
        (0.1, 0.0, "q has shape"),
        ("down", 0.0, "q holds"),
        ([np.nan], 0.0, "wanted finite numbers"),
        ([0.1], [1.0, 2.0], r"tau has shape \(2,\), wanted \(1,\)"),
        ([0.1], np.inf, "wanted finite numbers"),
        ([0.1], "much", "tau holds"),
    ],
)
def test_bad_arguments(q: Any, tau: Any, words: str):
    with pytest.raises(ShapeError, match=words):
        _pendulum(1.0).equilibrium(q, tau)
