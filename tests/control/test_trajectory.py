"""Trajectories: each velocity is the derivative of the position, each acceleration of the velocity; paths stay true."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.few import few

import appell
from appell.control import (
    Chain,
    Circle,
    Cycloid,
    Fourier,
    Held,
    JointPath,
    Line,
    MinimumJerk,
    Quintic,
    Ramps,
    Spline,
    Trapezoid,
    Uniform,
    inverse_kinematics,
    zyz,
)
from appell.errors import AppellError, ShapeError

pytestmark = pytest.mark.filterwarnings("ignore:robot .* radii of gyration implausible")
ATTITUDE = zyz(*np.radians([45, 60, 90]))


def derivative(f: Any, t: Any, h: float = 1e-3) -> Any:
    """By central differences of eighth order."""
    weights = zip((4 / 5, -1 / 5, 4 / 105, -1 / 280), range(1, 5))
    return sum(w * (f(t + k * h) - f(t - k * h)) for w, k in weights) / h


def valera() -> Line:
    return Line.at_speed([0.6, 0.175, 0.25], [0.018, 0.757, 0.0], ATTITUDE, 0.1)


ENDS = ([0.0, 1.0], [2.0, -3.0])
RAMPS = [
    Uniform(*ENDS, 4.0),
    Cycloid(*ENDS, 4.0),
    MinimumJerk(*ENDS, 4.0),
    Quintic(*ENDS, 4.0, v_start=[0.3, 0.0], v_end=0.2, a_start=-0.4, a_end=[1.0, 2.0]),
    Spline([0.0, 1.0, 2.5, 4.0], [ENDS[0], [3.0, 0.0], [1.0, 1.0], ENDS[1]], v_end=[0.5, 0.1]),
]


@pytest.mark.parametrize("ramp", RAMPS, ids=lambda r: type(r).__name__)
def test_ramps_lead_from_start_to_end(ramp: Any) -> None:
    t = np.linspace(0.013, 3.987, 21)
    near = 1e-4 if isinstance(ramp, Spline) else 1e-3  # whose third derivative jumps
    tolerance = 1e-9 if isinstance(ramp, Spline) else 1e-11
    assert np.abs(derivative(lambda x: ramp(x).q, t, near) - ramp(t).v).max() < tolerance
    assert np.abs(derivative(lambda x: ramp(x).v, t, near) - ramp(t).a).max() < tolerance
    assert np.abs(ramp([0.0, 4.0]).q - ENDS).max() < 1e-14
    assert ramp(np.zeros((2, 3))).a.shape == (2, 3, 2) and ramp(0.0).q.shape == (2,)


def test_a_quintic_has_what_is_given_at_its_ends() -> None:
    ramp = RAMPS[3]
    _, v, a = ramp([0.0, 4.0])
    assert np.abs(v - [[0.3, 0.0], [0.2, 0.2]]).max() < 1e-14 and np.abs(a - [[-0.4, -0.4], [1.0, 2.0]]).max() < 1e-13
    quick, slow = MinimumJerk(*ENDS, 2.0), Quintic(*ENDS, 2.0)
    assert np.abs(quick(0.7).a - slow(0.7).a).max() < 1e-13  # at rest at both ends


def test_the_trapezoid_keeps_its_limits() -> None:
    ramp = Trapezoid.at_most([0.0, 1.0], [2.0, -3.0], speed=[1.0, 1.5], acceleration=[4.0, 2.0])
    t = np.linspace(0.0, ramp.t_end, 2001)
    q, v, a = ramp(t)
    assert np.abs(v).max(0)[1] == pytest.approx(1.5) and np.abs(v).max(0)[0] < 1.0
    assert np.abs(a).max(0)[1] == pytest.approx(2.0) and ramp.t_end == pytest.approx(4 / 1.5 + 1.5 / 2.0)
    assert np.abs(np.cumsum(v[1:] + v[:-1], axis=0) * t[1] / 2 + ENDS[0] - q[1:]).max() < 1e-5
    short = Trapezoid.at_most(0.0, 0.1, speed=10.0, acceleration=1.0)  # never gets that fast
    assert short.share == pytest.approx(0.5) and short.t_end == pytest.approx(2 * np.sqrt(0.1))
    for share in (0.0, 0.6):
        with pytest.raises(ShapeError, match="a trapezoid accelerates for"):
            Trapezoid(0.0, 1.0, 1.0, share)


def test_straight_pieces_have_constant_speed() -> None:
    ramp = Ramps([0.0, 1.0, 3.0], [[0.0], [2.0], [1.0]])
    q, v, a = ramp([0.5, 1.0, 2.0, 3.0])
    assert q[:, 0].tolist() == [1.0, 2.0, 1.5, 1.0] and v[:, 0].tolist() == [2.0, -0.5, -0.5, -0.5] and not a.any()


def test_a_fourier_series_is_periodic() -> None:
    rng = np.random.default_rng(1)
    series = Fourier(rng.normal(size=3), *rng.normal(size=(2, 3, 4)), period=5.0)
    t = np.linspace(0.0, 5.0, 23)
    assert np.abs(derivative(lambda x: series(x).q, t) - series(t).v).max() < 1e-10
    assert np.abs(derivative(lambda x: series(x).v, t) - series(t).a).max() < 1e-9
    assert np.abs(series(t + 5.0).a - series(t).a).max() < 1e-12 and series(0.1).q.shape == (3,)
    with pytest.raises(ShapeError, match="a Fourier series got a"):
        Fourier([0.0], [[1.0, 2.0]], [[1.0]], 1.0)


def test_trajectories_one_after_another_and_at_rest_outside() -> None:
    chain = Chain([Cycloid([0.0], [1.0], 2.0), Uniform([1.0], [0.0], 1.0)])
    q, v, _ = chain([1.0, 2.0, 2.5, 3.0])
    assert np.allclose(q[:, 0], [0.5, 1.0, 0.5, 0.0]) and np.allclose(v[:, 0], [1.0, -1.0, -1.0, -1.0])
    held = Held(chain)
    q, v, _ = held([-1.0, 3.0, 4.0])
    assert np.allclose(q[:, 0], [0.0, 0.0, 0.0]) and v[:, 0].tolist() == [0.0, -1.0, 0.0] and held.t_end == 3.0


WAYS = [
    Line([0.1, 0.2, 0.3], [0.5, -0.2, 0.4], [np.eye(3), ATTITUDE], Cycloid(0.0, 1.0, 2.0)),
    Circle([0.1, 0.2, 0.3], [0.5, 0.2, 0.4], [0.3, 0.2, 1.0], ATTITUDE, MinimumJerk(0.0, 1.0, 2.0), angle=2.0),
    Circle([0.0, 0.0, 0.0], [0.5, 0.0, 0.4], [0.0, 0.0, 2.0], ATTITUDE, MinimumJerk(0.0, 1.0, 2.0), carried=True),
]


@pytest.mark.parametrize("way", WAYS, ids=["turning line", "arc", "carried circle"])
def test_frames_move_as_they_say(way: Any) -> None:
    t = np.linspace(0.05, 1.95, 15)
    pose, V, A = way(t)
    dR = derivative(lambda x: way(x).pose[..., :3, :3], t) @ np.swapaxes(pose[..., :3, :3], -1, -2)
    turned = np.stack([dR[:, 2, 1], dR[:, 0, 2], dR[:, 1, 0]], -1)
    moved = derivative(lambda x: way(x).pose[..., :3, 3], t)
    assert np.abs(np.concatenate([moved, turned], -1) - V).max() < 1e-10
    assert np.abs(derivative(lambda x: way(x).velocity, t) - A).max() < 1e-10
    assert np.abs(np.swapaxes(pose[:, :3, :3], -1, -2) @ pose[:, :3, :3] - np.eye(3)).max() < 1e-14


def test_a_circle_closes_and_a_line_ends_in_its_second_attitude() -> None:
    line, arc, circle = WAYS
    assert np.abs(line(2.0).pose[:3, :3] - ATTITUDE).max() < 1e-14 and (line(0.0).pose[:3, :3] == np.eye(3)).all()
    assert np.abs(circle(2.0).pose - circle(0.0).pose).max() < 1e-14 and circle.length == pytest.approx(np.pi)
    assert (arc(0.7).pose[:3, :3] == ATTITUDE).all() and arc.radius > 0
    with pytest.raises(ShapeError, match="wanted an axis, and a start that is off it"):
        Circle([0, 0, 0], [0, 0, 1], [0, 0, 1], np.eye(3), Uniform(0.0, 1.0, 1.0))
    with pytest.raises(ShapeError, match="wanted a rotation"):
        Line([0, 0, 0], [1, 0, 0], 2 * np.eye(3), Uniform(0.0, 1.0, 1.0))(0.0)


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


@pytest.mark.parametrize("name", few(["puma560", "stanford"], "puma560"))
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
    with pytest.raises(ShapeError, match="times are .* wanted two or more that rise from 0"):
        Spline([1.0, 2.0], [[0.0], [1.0]])
    with pytest.raises(ShapeError, match=r"points have shape \(3, 1\)"):
        Ramps([0.0, 2.0], [[0.0], [1.0], [2.0]])
    with pytest.raises(ShapeError, match="a chain of no trajectories"):
        Chain([])
    with pytest.raises(ShapeError, match="wanted 0 to 4"):
        Uniform(0.0, 1.0, 4.0)(4.1)
