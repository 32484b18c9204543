"""Whoever follows a motion through impacts ends where the closed form does, as nearly as its way allows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import appell
from benchmarks import motion, motion_problems
from benchmarks.comparison import Options
from benchmarks.motion_peers import followers
from benchmarks.motion_problems import ball, ball_height, damping_ratio, pendulum, pendulum_angle, tree
from benchmarks.record import Result


def test_closed_forms_are_motions() -> None:
    """Between impacts x'' = -g and a'' = -w^2 sin a; at impacts the speed is given back in part."""
    h = 1e-4
    for f, force in ((ball_height, lambda _: -motion_problems.G), (pendulum_angle, lambda a: -(14.715) * np.sin(a))):
        smooth = 0
        for t in np.linspace(0.1, 1.9, 37):
            a, b, c = f(t - h), f(t), f(t + h)
            off = abs((a - 2 * b + c) / h**2 - force(b))
            assert off < 1e-5 or min(a, b, c) < 10 * h  # or just where it strikes
            smooth += off < 1e-5
        assert smooth > 30


def test_a_spring_with_a_damper_gives_back_what_it_should() -> None:
    z, x, v, h = damping_ratio(0.8), 0.0, -1.0, 1e-4
    while -x - 2 * z * v > 0:
        a = -x - 2 * z * v
        x, v = x + h * (v + h * a / 2), v + h * a
    assert v == pytest.approx(0.8, abs=2e-4)


@pytest.mark.slow
@pytest.mark.parametrize("make", [ball, pendulum, tree])
def test_the_exact_ones_agree_with_it(make: Any) -> None:
    pytest.importorskip("pinocchio")
    problem = make()
    for one in followers(problem, lambda who, why: None):
        if one.setting.endswith(("1e-10", "1e-13")):
            assert problem.error(one.run()) < 1e-9


@pytest.mark.slow
def test_soft_contact_comes_nearer_with_shorter_steps() -> None:
    pytest.importorskip("mujoco")
    problem = pendulum()
    soft = [one for one in followers(problem, lambda *_: None) if one.who.startswith("mujoco")]
    errors = [problem.error(one.run()) for one in soft[:2]]
    assert errors[1] < 0.5 * errors[0] < 0.1


@pytest.mark.slow
def test_all_are_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(motion, "problems", lambda: [ball()])
    monkeypatch.setattr(motion, "followers", lambda *a: [x for x in followers(*a) if x.who == "appell"])
    result = Result("test", {})
    motion.follow(Options(seconds=0.001, states=1, repeats=0), result)
    assert [m.setting for m in result.moved] == ["rtol 0.0001", "rtol 1e-07", "rtol 1e-10", "rtol 1e-13"]
    assert all(0 < m.best <= m.ns and m.error < 1e-11 for m in result.moved)


def test_the_likenesses_in_mujoco_have_the_same_acceleration() -> None:
    mujoco = pytest.importorskip("mujoco")
    for problem in (ball(), pendulum()):
        model = mujoco.MjModel.from_xml_string(problem.mjcf)
        data = mujoco.MjData(model)
        robot = appell.Robot.from_dict(problem.robot)
        data.qpos[:], data.qvel[:] = problem.q0, 0.3
        mujoco.mj_forward(model, data)
        wanted = robot.forward_dynamics(problem.q0, [0.3], [0.0])
        assert data.qacc == pytest.approx(wanted, rel=1e-9)
