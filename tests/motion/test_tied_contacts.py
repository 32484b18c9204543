"""Closed mechanisms that strike and rest: impacts leave loops closed."""

from __future__ import annotations

import numpy as np
import pytest
from closing.closed_robots import G, ladder, turned

import appell
from appell.errors import ModelError

from .test_tied import violation

INERTIA, WEIGHT = 2 / 3 + 1, 1 + 1  # of one parallelogram, as a pendulum


def falling(t_end, **options):
    """A parallelogram that falls from upright, turned clockwise, onto a floor under its far crank's tip."""
    robot = ladder(1)
    floor = appell.Line(normal=(0.0, 1.0), point=(0.0, -0.5))
    frame = {"name": "tip", "body": "crank1", "placement": {"position": [1.0, 0.0, 0.0]}}
    robot = appell.Robot.from_dict({**robot.to_dict(), "frames": [frame]})
    q, v = turned(robot, np.pi / 2, -1.0)
    return appell.simulate(robot, q, v, t_end, walls=floor, points=["tip"], **options)


def test_a_parallelogram_bounces_off_a_floor_as_its_pendulum():
    run = falling(1.6, restitution=0.5)
    first = run.impacts[0]
    rate = -np.sqrt(1.0 + 2 * WEIGHT * G * 1.5 / INERTIA)
    assert run(first.t, "left")[1][0] == pytest.approx(rate, rel=1e-9)
    assert run(first.t)[1][0] == pytest.approx(-0.5 * rate, rel=1e-9)
    impulse = INERTIA * 1.5 * -rate / np.cos(np.pi / 6)  # along the floor's normal, at 30 degrees below level
    assert first.contacts[0].impulse == pytest.approx(impulse, rel=1e-9)
    assert violation(run) < 1e-12
    assert run.ledger.drift < 1e-8


def test_it_comes_to_rest_and_stays_closed():
    run = falling(6.0, restitution=0.3)
    assert np.abs(run.v[-1]).max() < 1e-9
    assert run.q[-1, 0] == pytest.approx(-np.pi / 6, abs=1e-9)
    assert violation(run) < 1e-12


def test_joint_stops_work_in_loops():
    robot = ladder(1)
    q, v = turned(robot, np.pi / 2, -1.0)
    run = appell.simulate(robot, q, v, 3.0, stops={"crank0_joint": (-0.4, 10.0)}, restitution=0.8)
    assert run.q[:, 0].min() > -0.4 - 1e-9
    assert len(run.impacts) > 1
    assert run.ledger.drift < 1e-8
    assert violation(run) < 1e-12


def test_sharp_dry_friction_in_loops_is_refused():
    data = ladder(1).to_dict()
    data["bodies"][0]["joint"]["coulomb"] = 1.0
    robot = appell.Robot.from_dict(data)
    with pytest.raises(ModelError, match="has loops and, in its joints, dry friction without smoothing; wanted"):
        appell.simulate(robot, *turned(robot, 1.0, 0.0), 1.0)
