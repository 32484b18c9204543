"""Motions against closed forms, against each other, and their energy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import appell
from appell import Robot
from appell.errors import ShapeError, SimulationError

NONE = {"ixy": 0.0, "ixz": 0.0, "iyz": 0.0}
ROD = {"mass": 2.0, "com": [0.5, 0.0, 0.0], "inertia": {"ixx": 0.0, "iyy": 0.02, "izz": 0.02, **NONE}}


def pendulum(count: int = 1, **joint: Any) -> Robot:
    """Rods of 1 m in a row, swinging in the vertical plane; q = 0 points along x, gravity along -y."""
    bodies = [
        {
            "name": f"rod{k}", "parent": f"rod{k - 1}" if k else "base",
            "joint": {"name": f"pin{k}", "type": "revolute", "axis": [0, 0, 1], **joint},
            "placement": {"position": [1.0 if k else 0.0, 0, 0]}, **ROD,
        }
        for k in range(count)
    ]  # fmt: skip
    data = {"format": "appell-robot/1", "name": f"pendulum{count}", "gravity": [0, -9.81, 0], "bodies": bodies}
    return Robot.from_dict(data)


def top() -> Robot:
    """A free body with three different moments of inertia and no gravity."""
    body = {
        "name": "body", "parent": "base", "joint": {"name": "free", "type": "free"},
        "mass": 3.0, "com": [0, 0, 0], "inertia": {"ixx": 0.3, "iyy": 0.5, "izz": 0.7, **NONE},
    }  # fmt: skip
    return Robot.from_dict({"format": "appell-robot/1", "name": "top", "gravity": [0, 0, 0], "bodies": [body]})


def test_a_pendulum_swings_by_elliptic_functions() -> None:
    from scipy.special import ellipj, ellipk

    robot, largest = pendulum(), 2.5  # from straight down
    k = np.sin(largest / 2)
    w = np.sqrt(2.0 * 9.81 * 0.5 / (0.02 + 2.0 * 0.25))
    t = np.linspace(0.0, 5.0, 41)
    run = appell.simulate(robot, [largest - np.pi / 2], [0.0], 5.0, rtol=1e-12, atol=1e-13, times=t)
    sn = ellipj(ellipk(k**2) - w * t, k**2)[0]
    assert np.abs(run.q[:, 0] + np.pi / 2 - 2 * np.arcsin(k * sn)).max() < 3e-11
    assert run.ledger.drift < 1e-11


def test_a_free_body_turns_by_elliptic_functions() -> None:
    from scipy.special import ellipj

    robot = top()
    A, B, C = 0.3, 0.5, 0.7
    w0 = np.array([0.4, 0.0, 2.0])  # about the axis of the largest moment, so that cn, sn, dn belong to x, y, z
    p = np.sqrt((C - B) * (C - A) / (A * B)) * w0[2]
    m = (B - A) * A * w0[0] ** 2 / ((C - B) * C * w0[2] ** 2)
    t = np.linspace(0.0, 20.0, 51)
    q0, v0 = robot.neutral(), np.array([0.0, 0, 0, *w0])
    run = appell.simulate(robot, q0, v0, 20.0, rtol=1e-12, atol=1e-13, times=t)
    sn, cn, dn, _ = ellipj(p * t, m)
    exact = np.stack([w0[0] * cn, np.sqrt(A * (C - A) / (B * (C - B))) * w0[0] * sn, w0[2] * dn], 1)
    assert np.abs(run.v[:, 3:] - exact).max() < 1e-10
    momentum = robot.momentum(run.q, run.v)
    assert np.abs(momentum - momentum[0]).max() < 1e-11
    assert np.abs(np.linalg.norm(run.q[:, 3:], axis=1) - 1).max() < 1e-15


def test_free_fall_of_the_puma_as_published() -> None:
    robot = appell.load("puma_saha")
    run = appell.simulate(robot, np.zeros(6), np.zeros(6), 1.0, rtol=1e-13, atol=1e-14)
    assert abs(run.q[-1, 1] - 2.493441290865) < 5e-12  # saha2010
    other = appell.simulate(robot, np.zeros(6), np.zeros(6), 1.0, rtol=1e-13, atol=1e-14, method="articulated_body")
    assert np.abs(run.q[-1] - other.q[-1]).max() < 1e-11


def test_a_double_pendulum_goes_back_the_way_it_came() -> None:
    robot = pendulum(2)
    there = appell.simulate(robot, [1.0, 2.0], [0.3, -0.4], 3.0, rtol=1e-13, atol=1e-14)
    back = appell.simulate(robot, there.q[-1], -there.v[-1], 3.0, rtol=1e-13, atol=1e-14)
    assert np.abs(back.q[-1] - [1.0, 2.0]).max() < 1e-9
    assert np.abs(back.v[-1] - [-0.3, 0.4]).max() < 1e-9


def test_bad_input_is_said_in_a_sentence() -> None:
    robot = pendulum()
    with pytest.raises(ShapeError, match="t_end is -1, wanted t0 = 0 or later"):
        appell.simulate(robot, [0.0], [0.0], -1.0)
    with pytest.raises(ShapeError, match=r"q0 has shape \(2,\), wanted \(1,\)"):
        appell.simulate(robot, [0.0, 0.0], [0.0], 1.0)
    with pytest.raises(SimulationError, match=r"torque at t = 0 has shape \(2,\), wanted \(1,\)") as caught:
        appell.simulate(robot, [0.0], [0.0], 1.0, torque=lambda t, q, v: [1.0, 2.0])
    assert len(caught.value.run) == 1
