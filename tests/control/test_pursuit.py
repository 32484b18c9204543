"""Inverse kinematics by numbers: what has no closed form is found, limits are kept, what cannot be is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import appell
from appell import Robot, inverse_kinematics
from appell.control import JointPath, Line, MinimumJerk
from appell.control.inverse_kinematics import limits, solver_for
from appell.control.pursuit import Pursuit
from appell.errors import AppellError, ModelError, ShapeError

EACH = pytest.mark.parametrize(("name", "frame"), [("panda", "flange"), ("scara", "flange"), ("chain", "link6")])


def robot_of(name: str) -> Robot:
    return appell.zoo.chain(6) if name == "chain" else appell.load(name)


def postures(robot: Robot, count: int, seed: int = 1) -> Any:
    """Random ones, within the limits where there are any."""
    low, high = (np.array(x) for x in limits(robot))
    rng = np.random.default_rng(seed)
    return rng.uniform(np.where(np.isfinite(low), low, -3), np.where(np.isfinite(high), high, 3), (count, robot.nq))


@EACH
def test_what_has_no_closed_form_is_found_within_limits(name: str, frame: str) -> None:
    robot = robot_of(name)
    T = robot.pose(postures(robot, 200), frame)
    found = inverse_kinematics(robot, T, frame, within_limits=True)
    assert isinstance(solver_for(robot, frame), Pursuit) and found.reached.all()
    np.testing.assert_allclose(robot.pose(found.best, frame), T, atol=1e-11)
    low, high = (np.array(x) for x in limits(robot))
    assert ((found.best >= low - 1e-9) & (found.best <= high + 1e-9)).all()


def test_a_floating_base_stays_where_it_is() -> None:
    robot = appell.load("humanoid")
    Q = np.array([robot.random_state(k)[0] for k in range(5)])
    T, near = robot.pose(Q, "l_hand"), Q.copy()
    near[:, 7:] = 0.8 * Q[:, 7:]
    found = inverse_kinematics(robot, T, "l_hand", near)
    np.testing.assert_allclose(robot.pose(found.best, "l_hand"), T, atol=1e-10)
    np.testing.assert_array_equal(found.best[:, :7], Q[:, :7])


def test_the_posture_is_that_beside_the_start_and_the_same_every_time() -> None:
    robot, Q = appell.load("panda"), postures(appell.load("panda"), 50)
    T = robot.pose(Q, "flange")
    near = Q + 0.02 * np.random.default_rng(2).standard_normal(Q.shape)
    found = inverse_kinematics(robot, T, "flange", near)
    assert np.abs(found.best - near).max() < 0.5
    again = inverse_kinematics(robot, T, "flange", near)
    np.testing.assert_array_equal(found.q, again.q)
    one = inverse_kinematics(robot, T[7], "flange", near[7])
    np.testing.assert_allclose(one.best, found.best[7], atol=1e-9)


def test_a_wrist_whose_axes_do_not_meet_follows_a_line_without_leaping() -> None:
    robot, q = appell.zoo.chain(6), np.array([0.4, 0.6, -0.9, 0.7, 0.8, 0.3])
    T = robot.pose(q, "link6")
    line = Line(T[:3, 3], T[:3, 3] + [0.1, -0.15, 0.1], T[:3, :3], MinimumJerk(0.0, 1.0, 1.0))
    path, t = JointPath(robot, line, near=q, frame="link6"), np.linspace(0, 1, 101)
    motion = path(t)
    np.testing.assert_allclose(robot.pose(motion.q, "link6"), line(t).pose, atol=1e-11)
    np.testing.assert_allclose(np.gradient(motion.q, t, axis=0)[5:-5], motion.v[5:-5], atol=5e-3)
    assert np.abs(np.diff(motion.q, axis=0)).max() < 0.05


@pytest.mark.parametrize(("name", "near"), [("panda", 1e-8), ("scara", 1e-11)])
def test_more_joints_than_a_path_needs_and_fewer_follow_it(name: str, near: float) -> None:
    robot = appell.load(name)
    q = np.array([0.0, -0.5, 0.2, -2.0, 0.1, 1.7, 0.5]) if name == "panda" else np.array([0.3, 0.9, 0.05, 0.2])
    T, turned = robot.pose(q, "flange"), np.eye(3)
    turned[:2, :2] = [[np.cos(0.4), -np.sin(0.4)], [np.sin(0.4), np.cos(0.4)]]
    attitude = [T[:3, :3], turned @ T[:3, :3]]
    line = Line(T[:3, 3], T[:3, 3] + [-0.05, 0.1, 0.03], attitude, MinimumJerk(0.0, 1.0, 1.0))
    path, t = JointPath(robot, line, near=q, frame="flange"), np.linspace(0, 1, 77)
    q, v, a = path(t)
    wanted = line(t)
    np.testing.assert_allclose(robot.pose(q, "flange"), wanted.pose, atol=near)
    V = (robot.jacobian(q, "flange") @ v[..., None])[..., 0]
    np.testing.assert_allclose(V, wanted.velocity, atol=1e3 * near)
    A = robot.acceleration(q, v, a, "flange")
    np.testing.assert_allclose(A[3:-3], wanted.acceleration[3:-3], atol=1e-3 if name == "panda" else 1e-8)
    if name == "scara":
        tilted = Line(T[:3, 3], T[:3, 3] + [0.0, 0.05, 0.0], [T[:3, :3], T[:3, :3] @ turned.T[[2, 0, 1]][:, [2, 0, 1]]],
                      MinimumJerk(0.0, 1.0, 1.0))  # fmt: skip
        with pytest.raises(AppellError, match="at t = "):
            JointPath(robot, tilted, near=q[0], frame="flange")(0.5)


def test_what_cannot_be_is_told() -> None:
    panda = appell.load("panda")
    far = np.eye(4)
    far[0, 3] = 3.0
    with pytest.raises(AppellError, match="out of reach by"):
        _ = inverse_kinematics(panda, far, "flange").best
    scara = appell.load("scara")
    upside = scara.pose(np.zeros(4), "flange")
    upside[:3, :3] = upside[:3, :3] @ np.diag([1.0, -1.0, -1.0])
    with pytest.raises(AppellError, match="not to be had with this attitude, as far as 60 starts tell"):
        _ = inverse_kinematics(scara, upside, "flange").best
    beyond = panda.pose(np.array([0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0]), "flange")
    beyond[2, 3] += 0.05
    found = inverse_kinematics(panda, beyond, "flange", within_limits=True)
    assert not found.reached.all() or (found.best <= np.array(limits(panda)[1]) + 1e-9).all()
    with pytest.raises(ModelError, match="has closed loops, wanted `platform_postures`"):
        inverse_kinematics(appell.load("five_bar"), np.eye(4), "tip_frame")
    with pytest.raises(ModelError, match="carried by free, wanted joints that turn or slide"):
        inverse_kinematics(appell.load("humanoid"), np.eye(4), appell.load("humanoid").bodies[0].name)
    with pytest.raises(ShapeError, match="near has shape"):
        inverse_kinematics(panda, np.stack([far, far]), "flange", np.zeros((3, 7)))
