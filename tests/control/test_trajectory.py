"""Trajectories: each velocity is the derivative of the position, each acceleration of the velocity; paths stay true."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import appell
from appell.control import Cycloid, JointPath, Line, Uniform, inverse_kinematics, zyz
from appell.errors import AppellError, ShapeError

pytestmark = pytest.mark.filterwarnings("ignore:robot .* radii of gyration implausible")
ATTITUDE = zyz(*np.radians([45, 60, 90]))


def derivative(f: Any, t: Any, h: float = 1e-3) -> Any:
    """By central differences of eighth order."""
    weights = zip((4 / 5, -1 / 5, 4 / 105, -1 / 280), range(1, 5))
    return sum(w * (f(t + k * h) - f(t - k * h)) for w, k in weights) / h


def valera() -> Line:
    return Line.at_speed([0.6, 0.175, 0.25], [0.018, 0.757, 0.0], ATTITUDE, 0.1)


@pytest.mark.parametrize("ramp", [Uniform([0.0, 1.0], [2.0, -3.0], 4.0), Cycloid([0.0, 1.0], [2.0, -3.0], 4.0)])
def test_ramps_lead_from_start_to_end(ramp: Any) -> None:
    t = np.linspace(0.01, 3.99, 21)
    assert np.abs(derivative(lambda x: ramp(x).q, t) - ramp(t).v).max() < 1e-11
    assert np.abs(derivative(lambda x: ramp(x).v, t) - ramp(t).a).max() < 1e-11
    assert np.abs(ramp([0.0, 4.0]).q - [[0.0, 1.0], [2.0, -3.0]]).max() < 1e-15
    assert ramp(np.zeros((2, 3))).a.shape == (2, 3, 2) and ramp(0.0).q.shape == (2,)


def test_the_cycloid_is_the_papers_and_rests_outside() -> None:
    ramp, t = Cycloid(0.0, np.pi, 10.0), 3.7
    w = 2 * np.pi / 10
    q, v, a = ramp(t)
    assert q == pytest.approx(np.pi / 10 * (t - np.sin(w * t) / w), abs=1e-15)
    assert v == pytest.approx(np.pi / 10 * (1 - np.cos(w * t))) and a == pytest.approx(np.pi / 10 * w * np.sin(w * t))
    for edge in (-1.0, 0.0, 10.0, 11.0):
        assert np.abs(ramp(edge)[1:]).max() < 1e-15 and ramp(edge).q in (0.0, pytest.approx(np.pi))


def test_a_line_is_straight_and_as_fast_as_told() -> None:
    line = valera()
    pose, V, A = line(np.linspace(0, line.t_end, 7))
    assert line.t_end == pytest.approx(8.602023, abs=1e-6) and line.length == pytest.approx(0.8602023, abs=1e-7)
    assert np.allclose(np.linalg.norm(V[:, :3], axis=-1), 0.1) and not A.any() and not V[:, 3:].any()
    assert (pose[:, :3, :3] == ATTITUDE).all() and np.abs(pose[-1, :3, 3] - [0.018, 0.757, 0.0]).max() < 1e-15


@pytest.mark.parametrize("name", ["puma560", "stanford"])
def test_joints_follow_a_line_exactly(name: str) -> None:
    """In every branch: the frame is where it should be, and v and a are the derivatives of q."""
    robot = appell.load(name)
    line = valera() if name == "puma560" else Line(*([0.4, 0.2, 0.5], [0.1, 0.5, 0.3]), ATTITUDE, Cycloid(0, 1, 3.0))
    t = np.linspace(0.05, line.t_end - 0.05, 40)
    for start in inverse_kinematics(robot, line(0.0).pose).q:
        path = JointPath(robot, line, near=start)
        q, v, a = path(t)
        assert np.abs(path(0.0).q - start).max() < 1e-12
        assert np.abs(robot.pose(q, "tool") - line(t).pose).max() < 1e-13
        assert np.abs(robot.velocity(q, v, "tool") - line(t).velocity).max() < 1e-13
        assert np.abs(robot.acceleration(q, v, a, "tool") - line(t).acceleration).max() < 1e-12
        assert np.abs(derivative(lambda x: path(x).q, t) - v).max() < 1e-9  # noqa: B023
        assert np.abs(derivative(lambda x: path(x).v, t) - a).max() < 1e-9  # noqa: B023


def test_one_instant_and_any_shape_of_instants() -> None:
    path = JointPath(appell.load("puma560"), valera())
    many = path([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    assert many.q.shape == many.a.shape == (2, 3, 6) and path(1.0).v.shape == (6,)
    assert np.abs(path(4.0).q - many.q[1, 1]).max() < 1e-14


def test_a_path_out_of_reach_says_when() -> None:
    line = Line.at_speed([0.6, 0.175, 0.25], [1.6, 0.175, 0.25], ATTITUDE, 0.1)
    with pytest.raises(AppellError, match=r"at t = 2\.\d+ s pose.*out of reach by"):
        JointPath(appell.load("puma560"), line)(0.0)


def test_a_path_through_a_singularity_says_when() -> None:
    """The wrist centre passes over the first joint's axis... at the distance of the shoulder's offset it must turn by
    half a turn at once."""
    robot = appell.load("puma560")
    line = Line.at_speed([-0.3, 0.15, 0.4], [0.3, 0.15, 0.4], ATTITUDE, 0.1)
    with pytest.raises(AppellError, match="singular"):
        JointPath(robot, line)(0.0)


def test_what_cannot_be_a_trajectory() -> None:
    for end in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(ShapeError, match="t_end"):
            Cycloid(0.0, 1.0, end)
    with pytest.raises(ShapeError, match="wanted a length"):
        Line.at_speed([0, 0, 0], [0, 0, 0], np.eye(3), 0.1)
    with pytest.raises(ShapeError, match="wanted 0 to 4"):
        Uniform(0.0, 1.0, 4.0)(4.1)
