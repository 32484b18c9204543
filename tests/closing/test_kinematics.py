"""Velocities, accelerations and paths of closed mechanisms, their singularities, and the end of their workspace."""

from __future__ import annotations

import numpy as np
import pytest

import appell
from appell.closing import kernels
from appell.errors import AssemblyError, ModelError, ShapeError

H = 1e-5
DRIVEN = {
    "agile_wrist": ["theta1", "theta2", "theta3"], "delta": ["motor1", "motor2", "motor3"],
    "five_bar": ["shoulder1", "shoulder2"], "stewart": [f"leg{k}" for k in range(1, 7)],
    "wheeled_manipulator": ["left_axle", "right_axle", "waist", "shoulder", "elbow"],
}  # fmt: skip


@pytest.mark.parametrize("name", DRIVEN)
def test_velocities_and_accelerations_of_independent_joints_tell_all_others(name):
    robot, inputs = appell.load(name), DRIVEN[name]
    q = robot.assemble().q
    u = np.random.default_rng(1).normal(size=len(inputs))
    K = robot.velocity_transformation(q, inputs)
    v = K @ u
    assert np.abs(kernels.equations(robot)(q, v)[1] @ v).max() < 1e-13 * np.abs(v).max()
    there, back = (robot.velocity_transformation(robot.integrate(q, v, h), inputs) for h in (H, -H))
    drift = robot.acceleration_drift(q, u, inputs)
    np.testing.assert_allclose((there - back) @ u / (2 * H), drift, atol=1e-6 * (1 + np.abs(drift).max()))
    assert np.abs(kernels.equations(robot)(q, v)[1] @ drift + kernels.equations(robot)(q, v)[2]).max() < 1e-12


def test_coordinates_are_told_by_names_or_by_rows_for_one_state_or_many():
    robot = appell.load("five_bar")
    q = np.array([robot.assemble(fixed={"shoulder1": x, "shoulder2": 0.6}).q for x in (0.4, 0.5, 0.6)])
    K = robot.velocity_transformation(q, ["shoulder1", "shoulder2"])
    assert K.shape == (3, 4, 2)
    np.testing.assert_array_equal(K[1], robot.velocity_transformation(q[1], ["shoulder1", "shoulder2"]))
    np.testing.assert_allclose(K[:, [0, 2]], np.broadcast_to(np.eye(2), (3, 2, 2)), atol=1e-15)
    J = robot.jacobian(q, "tip_frame")[:, :2]  # the tip's x and y as coordinates
    by_tip = robot.velocity_transformation(q, J)
    np.testing.assert_allclose(J @ by_tip, np.broadcast_to(np.eye(2), (3, 2, 2)), atol=1e-14)
    u = np.array([0.3, -0.7])
    v = by_tip @ u
    bias = np.einsum("bij,bj->bi", robot.jacobian_rate(q, v, "tip_frame"), v)[:, :2]
    a = robot.acceleration_drift(q, u, J, bias)
    np.testing.assert_allclose(np.einsum("bij,bj->bi", robot.jacobian(q, "tip_frame"), a)[:, :2] + bias, 0, atol=1e-13)


def test_coordinates_that_are_not_independent_are_named():
    robot = appell.load("five_bar")
    q = robot.assemble().q
    with pytest.raises(ModelError, match=r"shoulder1, elbow1, elbow2: .* not independent here, where it has 2 freedom"):
        robot.velocity_transformation(q, ["shoulder1", "elbow1", "elbow2"])
    with pytest.raises(ModelError, match=r"leave 1 freedom\(s\) open, wanted more, as shoulder2"):
        robot.velocity_transformation(q, ["shoulder1"])
    with pytest.raises(ShapeError, match=r"u has shape \(3,\), wanted \(..., 2\)"):
        robot.acceleration_drift(q, np.ones(3), ["shoulder1", "shoulder2"])


def test_a_crank_leads_its_mechanism_round_and_back_to_itself():
    robot = appell.load("slider_crank")
    angles = np.linspace(0, 2 * np.pi, 40)
    q = robot.positions({"motor": angles}, branch="forward")
    np.testing.assert_array_equal(q[:, 0], angles)
    np.testing.assert_allclose(q[:, 2], 0.1 * np.cos(angles) + np.sqrt(0.09 - (0.1 * np.sin(angles)) ** 2), atol=1e-14)
    rocker = appell.load("four_bar")
    with pytest.raises(
        AssemblyError, match=r"cannot follow pivot from row 1 to row 2: it stops after 0\.\d+ of the way"
    ):
        rocker.positions({"pivot": [1.8, 2.0, 3.0]})


def test_the_workspace_ends_where_the_legs_are_stretched():
    """A five-bar's lower legs in line: no torque of the shoulders can then be told from none."""
    robot = appell.load("five_bar")
    start = robot.assemble(fixed={"shoulder1": 1.4, "shoulder2": 1.2})
    end = robot.reach({"shoulder1": 3.2, "shoulder2": -0.3}, guess=start)
    assert not end.whole
    assert end.singularity is not None
    assert end.q[[0, 2]] == pytest.approx([1.4 + 1.8 * end.part, 1.2 - 1.5 * end.part], abs=1e-12)
    elbows = 0.6 * np.exp(1j * end.q[0]), 1.2 + 0.7 * np.exp(1j * end.q[2])
    assert abs(elbows[0] - elbows[1]) == pytest.approx(1.1 + 1.2, abs=1e-12)
    _, parallel, serial = robot.singularities(end.q, ["shoulder1", "shoulder2"], "tip_frame")
    assert parallel.measure < 1e-9 < 0.1 < serial.measure
    assert set(parallel.direction) == {"elbow1", "elbow2"} == set(end.singularity.direction)
    assert robot.reach({"shoulder1": 1.0, "shoulder2": 1.0}, guess=start).whole


def test_a_stretched_leg_is_a_serial_singularity():
    robot = appell.load("planar_3rrr")
    start = robot.assemble()
    end = robot.reach({"platform_joint": [0.3, 0.0, 0.0]}, guess=start)
    shoulders = ["shoulder1", "shoulder2", "shoulder3"]
    _, parallel, serial = robot.singularities(end.q, shoulders, "platform")
    assert serial.measure < 1e-9 < 0.01 < parallel.measure
    stretched = {n[-1] for n in serial.direction}
    assert len(stretched) == 1  # one leg moves, and the platform does not
    leg = stretched.pop()
    assert np.sin(end.q[[b.joint.name for b in robot.bodies].index(f"elbow{leg}") + 2]) == pytest.approx(0, abs=1e-9)


def test_motors_that_do_not_hold_a_mechanism_are_told():
    robot = appell.load("five_bar")
    _, parallel = robot.singularities(robot.assemble().q, "shoulder1")
    assert parallel.measure == 0
    assert "shoulder1" not in parallel.direction
