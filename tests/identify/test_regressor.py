"""The regressor: forces are K phi; K is the derivative by lifted parameters, and Pinocchio's."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.random_robots import random_robot, random_state

import appell
from appell.errors import UnknownName
from appell.identify import Regressor, base_parameters
from appell.model.lift import MOMENTS
from appell.robot import Robot
from appell.trace.derivative import jacobian
from appell.write.interpret import interpret

MET = {"rotor_inertia": 0.02, "gear": 3.0, "damping": 0.3, "coulomb": 0.1}
MET |= {"stiffness": 2.0, "rest": 0.2, "preload": 0.4}


def resisting(seed: int, **options: object) -> tuple[Robot, dict]:
    """A random robot whose single-freedom joints resist in every way, half of them smoothly."""
    data = random_robot(seed, 4 + seed % 3, **options)  # type: ignore[arg-type]
    for k, body in enumerate(data["bodies"]):
        if body["joint"]["type"] in ("revolute", "prismatic", "helical"):
            body["joint"] |= MET if k % 2 else {**MET, "smoothing": 0.5}
    return Robot.from_dict(data), data


@pytest.mark.parametrize("seed", range(6))
def test_forces_are_k_phi(seed: int):
    robot, data = resisting(seed, joints="mixed", floating=seed % 2 == 0, shape="tree")
    K = Regressor.of(robot)
    q, v, a = random_state(data, seed)
    tau = robot.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(K(q, v, a) @ K.values, tau, rtol=0, atol=1e-11 * np.abs(tau).max())


def test_joints_of_several_freedoms_resist_in_each():
    """A universal and a planar joint: friction, rotors and springs of every freedom, by its number."""
    data = random_robot(5, 3, joints="revolute", shape="tree")
    several = {"damping": [0.3, 0.1, 0.2], "coulomb": [0.2, 0.4, 0.1], "rotor_inertia": [0.02, 0.01, 0.03]}
    for body, kind, n in zip(data["bodies"], ("universal", "revolute", "planar"), (2, 1, 3)):
        joint = {"name": body["joint"]["name"], "type": kind, "axis": [0.0, 0.0, 1.0]}
        joint |= {"axis2": [0.0, 1.0, 0.0]} if kind == "universal" else {}
        body["joint"] = joint | {k: x[:n] if n > 1 else x[0] for k, x in several.items()}
    robot = Robot.from_dict(data)
    K = Regressor.of(robot, "moments", "friction", "rotor", "springs")
    q, v, a = np.random.default_rng(0).normal(size=(3, 4, robot.nv))
    first, second, third = (b.name for b in robot.bodies)
    names = [f"{third}.1.coulomb", f"{first}.0.rotor", f"{second}.stiffness"]
    other = robot.with_parameters(dict(zip(names, (0.7, 0.05, 1.5))))
    for given in (robot, other):
        values = Regressor.of(given, "moments", "friction", "rotor", "springs").values
        tau = given.inverse_dynamics(q, v, a)
        np.testing.assert_allclose(K(q, v, a) @ values, tau, rtol=0, atol=1e-11 * np.abs(tau).max())
    assert len(base_parameters(other, "friction")) == 6 * 3


def test_it_is_the_derivative_of_forces_by_lifted_parameters():
    robot, data = resisting(7, joints="mixed", shape="tree")
    every = Regressor.of(robot, "moments", "rotor", "friction", "springs")
    K = Regressor(robot, tuple(n for n in every.names if n in robot.parameters()))
    q, v, a = random_state(data, 1)
    wanted = robot.program("inverse_dynamics", inputs=K.names)
    (slope,) = interpret(jacobian(wanted, wrt=["parameters"]), q, v, a, K.values)
    np.testing.assert_allclose(K(q, v, a), slope, rtol=0, atol=1e-12 * np.abs(slope).max())


@pytest.mark.parametrize("seed", range(3))
def test_pinocchio_has_the_same(seed: int):
    pin = pytest.importorskip("pinocchio")
    from oracles.pinocchio_model import PinocchioOracle

    data = random_robot(seed, 5, joints=("simple", "revolute", "helical")[seed], floating=seed == 0, shape="tree")
    robot, oracle = Robot.from_dict(data), PinocchioOracle(data)
    q, v, a = random_state(data, seed)
    K = Regressor.of(robot, "moments")(q, v, a).reshape(robot.nv, robot.n, len(MOMENTS))
    state = oracle.q_to_pin(q), oracle.v_to_pin(v), oracle.v_to_pin(a)
    theirs = pin.computeJointTorqueRegressor(oracle.model, oracle.model.createData(), *state)
    theirs = theirs[np.argsort(oracle.iv)].reshape(robot.nv, robot.n, 10)
    order = [oracle.joint_of[b.name][0] - 1 for b in robot.bodies]
    m, x, y, z, xx, xy, yy, xz, yz, zz = np.moveaxis(theirs[:, order], -1, 0)  # by the inertia tensor tr(J) 1 - J
    by_second = [yy + zz, xx + zz, xx + yy, -xy, -xz, -yz]
    np.testing.assert_allclose(K, np.stack([m, x, y, z, *by_second], -1), rtol=0, atol=1e-11 * np.abs(K).max())


def test_a_floating_base_has_its_wrench_among_the_rows():
    robot = appell.load("quadruped")
    q, v = robot.random_state(2)
    K = Regressor.of(robot, "moments")
    tau = K(q, v, v) @ K.values
    np.testing.assert_allclose(tau[:6], robot.inverse_dynamics(q, v, v)[:6], rtol=1e-10, atol=1e-10)
    assert np.abs(K(q, v, v)[:6, -10:]).max() > 0  # the last body loads the base


def test_batches_are_states_one_by_one():
    robot = appell.load("scara")
    K = Regressor.of(robot)
    q, v, a = np.random.default_rng(0).normal(size=(3, 9, robot.nv))
    many, out = K(q, v, a), np.empty((9, robot.nv, len(K.names)))
    K(q, v, a, out=out)
    for k in range(9):
        np.testing.assert_array_equal(many[k], K(q[k], v[k], a[k]))
    np.testing.assert_array_equal(many, out)


def test_columns_by_name():
    robot = appell.load("panda")
    one = Regressor(robot, ("link4.mass", "link2.damping"))
    whole = Regressor.of(robot, "moments", "friction")
    q, v = robot.random_state(1)
    places = [whole.names.index(n) for n in one.names]
    np.testing.assert_allclose(one(q, v, v), whole(q, v, v)[:, places], rtol=1e-13, atol=1e-13)
    with pytest.raises(UnknownName, match=r"unknown parameter of a regressor 'link9.mass'"):
        Regressor(robot, ("link9.mass",)).kernel  # noqa: B018
    with pytest.raises(UnknownName, match="unknown group of parameters 'moment'; did you mean 'moments'"):
        Regressor.of(robot, "moment")
