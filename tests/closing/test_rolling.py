"""A coin that rolls in a circle and a cart on two wheels, against what is written of them in books."""

from __future__ import annotations

import numpy as np
import pytest

import appell
from appell.closing import kernels

M, R, G = 0.5, 0.1, 9.81


def turned(axis, angle):
    """A rotation about a coordinate axis."""
    c, s = np.cos(angle), np.sin(angle)
    out = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out[[i, j, i, j], [i, j, j, i]] = c, c, -s, s
    return out


def coin(t, lean, turn, roll):
    """(q, v) of a disk that rolls round a vertical axis: its axle leans and turns steadily, it rolls about it."""
    heading = turned(2, turn * t)
    carried = heading @ turned(0, lean)
    rotation, axle = carried @ turned(1, roll * t), carried[:, 1]
    spin = turn * np.eye(3)[2] + roll * axle
    up = np.eye(3)[2] - axle[2] * axle
    arm = R * up / np.linalg.norm(up)  # from the floor to the centre
    velocity = np.cross(spin, arm)
    position = np.array([velocity[1] / turn, -velocity[0] / turn, arm[2]])
    w = np.sqrt(1 + np.trace(rotation)) / 2
    x = np.array([rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]])
    return np.array([*position, w, *(x / (4 * w))]), np.concatenate([rotation.T @ velocity, rotation.T @ spin])


@pytest.mark.parametrize(("lean", "turn"), ((0.3, 1.5), (-0.5, 4.0), (0.9, 6.0)))
def test_a_coin_rolls_in_a_circle_as_its_theory_says(lean, turn):
    """Steady where (I + m r^2) turn w sin h = J turn^2 sin h cos h - m g r cos h (Neimark and Fufaev).

    I and J are the moments about the axle and a diameter, h the angle of the axle with the vertical, w the spin
    about the axle, of the rolling and the turning together.
    """
    robot = appell.load("rolling_disk")
    sin, cos = np.cos(lean), np.sin(lean)
    w = (M * R**2 / 4 * turn**2 * sin * cos - M * G * R * cos) / (1.5 * M * R**2 * turn * sin)
    roll = w - turn * cos
    h, t = 1e-3, 0.05
    q, v = coin(t, lean, turn, roll)
    g, A, _ = kernels.equations(robot)(q, v)
    assert abs(g[0]) < 1e-15
    assert np.abs(A @ v).max() < 1e-14
    ways = [coin(t + k * h, lean, turn, roll)[1] for k in (-2, -1, 1, 2)]
    steady = (ways[0] - 8 * ways[1] + 8 * ways[2] - ways[3]) / (12 * h)
    a = robot.forward_dynamics(q, v, np.zeros(6))
    np.testing.assert_allclose(a, steady, atol=1e-7 * np.abs(a).max())
    faster = coin(t, lean, turn, 1.1 * roll)
    off = robot.forward_dynamics(*faster, np.zeros(6))
    assert np.abs(off - (1.1 * steady)).max() > 1e-2  # any other spin makes it rise or fall


def cart():
    """The wheeled manipulator without its arm."""
    data = appell.load("wheeled_manipulator").to_dict()
    data["bodies"] = data["bodies"][:3]
    return appell.Robot.from_dict({**data, "frames": [], "configurations": []})


@pytest.mark.parametrize("heading", (0.0, 0.7, 2.5))
def test_a_cart_on_two_wheels_moves_as_a_unicycle(heading):
    """With v ahead and w round, F and T of its wheels: M v' - m d w^2 = F, I w' + m d v w = T."""
    robot, r, b = cart(), 0.1, 0.25
    q = np.array([0.3, -0.2, heading, 0.1, 0.4])
    K = robot.velocity_transformation(q, ["left_axle", "right_axle"])
    ahead, across = np.array([np.cos(heading), np.sin(heading)]), np.array([-np.sin(heading), np.cos(heading)])
    np.testing.assert_allclose(ahead @ K[:2], [r / 2, r / 2], atol=1e-15)
    np.testing.assert_allclose(across @ K[:2], 0, atol=1e-15)
    np.testing.assert_allclose(K[2], [-r / (2 * b), r / (2 * b)], atol=1e-15)
    wheels, tau = np.array([3.0, 5.0]), np.array([0, 0, 0, 0.4, 0.1])
    v = K @ wheels
    a = robot.forward_dynamics(q, v, tau)
    speed, turn = ahead @ v[:2], v[2]
    mass, offset = 12 + 2 * 0.8 + 2 * 0.004 / r**2, 12 * 0.05
    inertia = 0.4 + 12 * 0.05**2 + 2 * (0.002 + 0.8 * b**2) + 2 * 0.004 * (b / r) ** 2
    faster = (a[3] + a[4]) * r / 2
    rounder = (a[4] - a[3]) * r / (2 * b)
    assert mass * faster - offset * turn**2 == pytest.approx((tau[3] + tau[4]) / r, rel=1e-12)
    assert inertia * rounder + offset * speed * turn == pytest.approx((tau[4] - tau[3]) * b / r, rel=1e-12)
