"""Inverse kinematics of parallel robots: every way to reach a pose, against the loops and a search for branches."""

from __future__ import annotations

import numpy as np
import pytest

import appell
from appell.closing import kernels
from appell.control import platform_postures
from appell.errors import ModelError, ShapeError

MODES = {"agile_wrist": 8, "delta": 8, "five_bar": 4, "planar_3rrr": 8, "stewart": 1}
FRAME = {"five_bar": "tip_frame"}


def moved(robot, count):
    """Closed configurations around the first."""
    q, rng = robot.assemble().q, np.random.default_rng(1)
    _, A, _ = kernels.equations(robot)(q, np.zeros(robot.nv))
    free = np.linalg.svd(A)[2][np.linalg.matrix_rank(A, tol=1e-9) :]
    steps = 0.3 * rng.uniform(-1, 1, (count, len(free))) @ free
    return np.array([robot.assemble(robot.integrate(q, step)).q for step in steps])


@pytest.mark.parametrize("name", MODES)
def test_every_way_of_a_parallel_robot_closes_its_loops_and_reaches_the_pose(name):
    robot, frame = appell.load(name), FRAME.get(name, "platform")
    q = moved(robot, 12)
    T = robot.pose(q, frame)
    found = platform_postures(robot, T[:, :3, 3] if name == "five_bar" else T, near=robot.configuration())
    there = np.isfinite(found.sum(-1))
    assert found.shape[1] == MODES[name]
    assert (there.sum(1) > 0).all()
    reached = robot.pose(np.nan_to_num(found), frame)
    off = (reached - T[:, None])[..., :3, 3:] if name == "five_bar" else reached - T[:, None]
    assert np.abs(off[there]).max() < 1e-12
    apart = np.abs(robot.difference(q[:, None], np.where(there[..., None], found, q[:, None])))
    same = np.where(there, np.abs(np.angle(np.exp(1j * apart))).max(-1), np.inf)
    assert (same.min(1) < 1e-10).all()  # the configuration that made the pose is among them


def test_as_many_ways_as_a_search_finds():
    robot = appell.load("planar_3rrr")
    pose = [0.03, -0.02, 0.1]
    searched = robot.assemble(fixed={"platform_joint": pose}, branch="all")
    T = robot.pose(searched[0].q, "platform")
    found = platform_postures(robot, T)
    assert found.shape == (8, 9)
    assert len(searched) == 8
    for x in searched:
        assert np.abs(np.angle(np.exp(1j * (found - x.q)))).max(-1).min() < 1e-10


def test_what_is_out_of_reach_is_not_a_number():
    five, delta = appell.load("five_bar"), appell.load("delta")
    assert np.isnan(platform_postures(five, [[5.0, 0.0, 0.0], [0.6, -3.0, 0.0]])).all()
    T = np.eye(4)
    T[:3, 3] = 0, 0, -0.5
    assert not np.isnan(platform_postures(delta, T)).any()
    T[:3, :3] = [[0.8, -0.6, 0], [0.6, 0.8, 0], [0, 0, 1]]
    assert np.isnan(platform_postures(delta, T)).any(-1).all()  # a Delta's platform does not turn
    with pytest.raises(ShapeError, match=r"target has shape \(2,\), wanted \(..., 3\)"):
        platform_postures(five, [1.0, 2.0])
    with pytest.raises(ModelError, match="wanted"):
        platform_postures(appell.load("scara"), T)
    with pytest.raises(ModelError, match="of no kind that is known|wanted"):
        platform_postures(appell.load("scraper"), T)
