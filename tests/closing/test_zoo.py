"""The closed robots of the zoo: assembled as they are meant to be, and published numbers."""

from __future__ import annotations

import numpy as np
import pytest

import appell
from appell.closing import kernels

MOBILITY = {
    "agile_wrist": 3, "delta": 3, "five_bar": 2, "four_bar": 1, "planar_3rrr": 3, "rolling_disk": 3, "scraper": 1,
    "slider_crank": 1, "standing_biped": 11, "stewart": 6, "wheeled_manipulator": 5,
}  # fmt: skip
each_robot = pytest.mark.parametrize("name", MOBILITY)


@each_robot
def test_every_configuration_is_one_of_a_closed_mechanism(name):
    """`assemble` leaves it, but for the digits it has not."""
    robot = appell.load(name)
    assert {n for n in appell.zoo.names() if appell.load(n).mechanism.closed} == set(MOBILITY)
    for given in robot.mechanism.configurations:
        found = robot.assemble(branch=given.name)
        assert found.residual < 1e-15
        assert np.abs(robot.difference(robot.configuration(given.name), found.q)).max() < 2e-8
        assert found.mobility.here == found.mobility.generic == MOBILITY[name]


def moved(robot, q, rows, u, du):
    """The motion with u and du of what `rows` of v tell: v, a, and K with v = K u."""
    asked, still = kernels.equations(robot), np.zeros(robot.nv)
    B = np.vstack([asked(q, still)[1], rows])
    K = np.linalg.pinv(B, rcond=1e-9)[:, -len(rows) :]
    c = asked(q, K @ u)[2]
    return K @ u, np.linalg.pinv(B, rcond=1e-9) @ np.concatenate([-c, du]), K


@pytest.mark.parametrize(("degrees", "torque"), ((0, -0.589035690547), (60, -6.468157935006), (180, -17.870458835606)))
def test_torque_that_drives_the_scraper(degrees, torque):
    robot = appell.load("scraper")
    q = robot.assemble(fixed={"motor": np.radians(degrees)}).q
    v, a, K = moved(robot, q, np.eye(7)[:1], np.array([4.712]), np.zeros(1))
    assert robot.inverse_dynamics(q, v, a) @ K == pytest.approx([torque], abs=1e-11)


def test_torques_that_hold_the_five_bar():
    robot = appell.load("five_bar")
    q = robot.assemble(fixed={"shoulder1": np.pi / 6, "shoulder2": np.pi / 6}).q
    v, a, K = moved(robot, q, np.eye(4)[[0, 2]], np.zeros(2), np.zeros(2))
    assert robot.inverse_dynamics(q, v, a) @ K == pytest.approx([16.690224677620, 11.452452737939], abs=1e-11)


def test_the_agile_wrist_at_home():
    """Its M in Euler's angles, and the torques with which it starts along equation (52) of abedloo2014."""
    robot = appell.load("agile_wrist")
    q = robot.assemble().q
    assert np.degrees(q[[0, 1]]) == pytest.approx([-69.6779629835, 86.3203555996], abs=1e-9)
    np.testing.assert_allclose(robot.pose(q, "platform"), np.eye(4), atol=1e-15)
    turns = robot.jacobian(q, "platform")[[5, 4, 3]]  # yaw, pitch and roll at home turn about z, y, x
    u = np.radians([10, 30, 20]) * np.pi * np.array([1, 0.5, 1.5])
    yaw, pitch, _ = u
    v, _, K = moved(robot, q, turns, u, np.zeros(3))
    M = K.T @ robot.mass_matrix(q) @ K
    np.testing.assert_allclose(M, np.diag([1.0841153158e-3, 4.7501663700e-3, 4.7501663700e-3]), atol=2e-13)
    # omega = yaw' z + pitch' Rz y + roll' Rz Ry x, and its derivative at the identity
    spin = np.array([u[2], u[1], u[0]])
    dspin = np.array([-yaw * pitch, yaw * u[2], -pitch * u[2]])
    wanted = (dspin - robot.jacobian_rate(q, v, "platform")[3:] @ v)[::-1]
    np.testing.assert_allclose(robot.velocity(q, v, "platform")[3:], spin, atol=1e-14)
    _, a, K = moved(robot, q, turns, u, wanted)
    to_motors = np.linalg.solve(K[[0, 3, 5]].T, K.T @ robot.inverse_dynamics(q, v, a))
    assert to_motors == pytest.approx([0.06963852038, 0.06468605930, 0.05670077848], abs=1e-10)
