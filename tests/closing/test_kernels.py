"""The equations of loops and constraints, and motion under them, against their definitions."""

from __future__ import annotations

import numpy as np
import pytest

import appell
from appell.closing import kernels
from appell.closures import names_of

from .closed_robots import KINDS, quietly, tied

H = 1e-5
each_kind = pytest.mark.parametrize("kind", KINDS)


def moved(robot, q, v, t):
    """(g, A) of the equations a little later."""
    return kernels.equations(robot)(robot.integrate(q, v, t), v)[:2]


def check_rates(robot, q, v):
    """A v is the rate of g, and c that of A v while v does not change."""
    _, A, c = kernels.equations(robot)(q, v)
    (g1, A1), (g0, A0) = moved(robot, q, v, H), moved(robot, q, v, -H)
    binds = [k for k, name in enumerate(names_of(robot.mechanism)) if "slipping" not in name]
    scale = 1 + np.abs(v).max() ** 3
    np.testing.assert_allclose(((g1 - g0) / (2 * H))[binds], (A @ v)[binds], atol=1e-8 * scale)
    np.testing.assert_allclose((A1 - A0) @ v / (2 * H), c, atol=1e-7 * scale**2)


@each_kind
@pytest.mark.parametrize("seed", (2, 3))
def test_loops_close_where_they_were_tied_and_their_rates_are_right(kind, seed):
    robot, q = tied(kind, seed, floating=seed == 3)
    rng = np.random.default_rng(seed)
    v = rng.uniform(-1, 1, robot.nv)
    assert np.abs(kernels.equations(robot)(q, v)[0]).max() < 1e-14
    check_rates(robot, robot.integrate(q, rng.uniform(-0.2, 0.2, robot.nv)), v)


@each_kind
def test_motion_keeps_loops_closed_and_obeys_newton(kind):
    robot, q = tied(kind, 3, floating=True)
    v, tau = np.random.default_rng(1).uniform(-1, 1, (2, robot.nv))
    _, A, c = kernels.equations(robot)(q, v)
    a, f = kernels.forces(robot)(q, v, tau)
    tree = quietly({**robot.to_dict(), "loops": []})
    scale = np.abs(tree.mass_matrix(q)).max() * np.abs(a).max()
    assert np.abs(A @ a + c).max() < 1e-11 * max(1.0, np.abs(a).max())
    assert np.abs(tree.inverse_dynamics(q, v, a) - tau - A.T @ f).max() < 1e-12 * scale
    np.testing.assert_array_equal(robot.forward_dynamics(q, v, tau), a)


@pytest.mark.parametrize("seed", (0, 1))
def test_equations_that_depend_on_each_other_do_no_harm(seed):
    """The same loop three times: the same motion."""
    robot, q = tied("revolute", 3, floating=True)
    loop = robot.to_dict()["loops"][0]
    thrice = quietly({**robot.to_dict(), "loops": [{**loop, "name": name} for name in "abc"]})
    v, tau = np.random.default_rng(seed).uniform(-1, 1, (2, robot.nv))
    _, A, _ = kernels.equations(robot)(q, v)
    v -= np.linalg.pinv(A) @ A @ v
    once, a = robot.forward_dynamics(q, v, tau), thrice.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(a, once, atol=1e-11 * np.abs(once).max())


def test_response_changes_velocities_by_the_shortest_way():
    robot, q = tied("ball", 2)
    v = np.random.default_rng(2).uniform(-1, 1, robot.nv)
    _, A, _ = kernels.equations(robot)(q, v)
    x, f = kernels.response(robot)(q, np.zeros(robot.nv), -A @ v)
    assert np.abs(A @ (v + x)).max() < 1e-13
    np.testing.assert_allclose(robot.mass_matrix(q) @ x, A.T @ f, atol=1e-12 * np.abs(f).max())


def free_body(constraint, inertia):
    body = {"name": "body", "parent": "base", "joint": {"name": "float", "type": "free"}, "mass": 2.0,
            "com": [0.0, 0.0, 0.0], "inertia": {**dict.fromkeys(("ixy", "ixz", "iyz"), 0.0), **inertia}}  # fmt: skip
    head = {"format": "appell-robot/1", "name": "wheel", "gravity": [0.0, 0.0, -9.81]}
    return appell.Robot.from_dict({**head, "bodies": [body], "constraints": [constraint]})


BALL = {"ixx": 0.02, "iyy": 0.02, "izz": 0.02}
DISK = {"ixx": 0.01, "iyy": 0.01, "izz": 0.02}


def test_a_ball_rolls_down_a_slope_with_five_sevenths_of_a_slider():
    lean = 0.3
    normal = [float(np.sin(lean)), 0.0, float(np.cos(lean))]
    r = 0.2
    robot = free_body({"name": "roll", "type": "rolling", "body": "body", "radius": r, "normal": normal},
                      dict.fromkeys(("ixx", "iyy", "izz"), 0.4 * 2.0 * r * r))  # fmt: skip
    q = np.array([*(r * np.array(normal)), 1.0, 0.0, 0.0, 0.0])
    assert np.abs(kernels.equations(robot)(q, np.zeros(6))[0]).max() < 1e-15
    a = robot.forward_dynamics(q, np.zeros(6), np.zeros(6))
    down = np.array([np.cos(lean), 0.0, -np.sin(lean)])
    np.testing.assert_allclose(a[:3] @ down, 5 / 7 * 9.81 * np.sin(lean), rtol=1e-12)


@pytest.mark.parametrize("axis", (None, [0.0, 0.0, 1.0]))
def test_rolling_has_the_rates_of_its_equations(axis):
    given = {"name": "roll", "type": "rolling", "body": "body", "radius": 0.3, "position": [0.02, 0.01, 0.03]}
    robot = free_body(given | ({"axis": axis} if axis else {}), DISK if axis else BALL)
    q, v = robot.random_state(3)
    check_rates(robot, q, v)


def test_a_knife_edge_has_the_rates_of_its_equation():
    given = {"name": "edge", "type": "knife_edge", "body": "body", "direction": [0.3, 1.0, 0.2]}
    robot = free_body({**given, "position": [0.1, 0.0, 0.0]}, DISK)
    check_rates(robot, *robot.random_state(4))


def test_a_coupling_is_a_polynomial_of_another_coordinate():
    chain = appell.zoo.chain(3).to_dict()
    given = {"name": "gear", "type": "coupling", "joint": "joint3", "of": "link1", "coefficients": [0.1, -2.0, 0.5]}
    robot = appell.Robot.from_dict({**chain, "constraints": [given]})
    q, v = robot.random_state(1)
    assert kernels.equations(robot)(q, v)[0] == pytest.approx(q[2] - 0.1 + 2.0 * q[0] - 0.5 * q[0] ** 2, abs=1e-15)
    check_rates(robot, q, v)


def test_batches_and_single_states_are_equal():
    robot, q = tied("revolute", 3, floating=True)
    v, tau = np.random.default_rng(1).uniform(-1, 1, (2, 11, robot.nv))
    rows = robot.forward_dynamics(np.tile(q, (11, 1)), v, tau)
    for k in range(11):
        np.testing.assert_array_equal(rows[k], robot.forward_dynamics(q, v[k], tau[k]))
