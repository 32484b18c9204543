"""abedloo2014: the Agile Wrist along (52), and the loop that verifies its model."""

from __future__ import annotations

import numpy as np
import pytest

from appell.errors import ShapeError
from appell.papers import abedloo2014
from appell.papers.wrist import PERIOD, attitude, euler_bends, euler_rates, waves, wrist


@pytest.mark.parametrize("mode", ("+", "-"))
def test_the_agile_wrist_in_both_modes(mode: abedloo2014.Mode) -> None:
    found = abedloo2014.agile_wrist(mode, times=(0.0, 1.0))
    assert found.agrees and len(found.agreements) == (14 if mode == "-" else 8)
    assert np.shape(found.data["tau"]) == (2, 3) and found.data["mode"] == mode
    assert (found.data["joints"][0, :3] > 0).all() == (mode == "+")
    M, C, G = (found.data[key][1] for key in "MCG")
    _, dx, ddx = waves(1.0)
    np.testing.assert_allclose(found.data["A"][1].T @ found.data["tau"][1], M @ ddx + C @ dx + G, atol=1e-15)


def test_the_model_tells_a_simulated_robot_to_rounding() -> None:
    """The paper has 1e-7, 1e-6 and 1e-5 here."""
    found = abedloo2014.loop(t_end=0.1)
    assert found.agrees and len(found.agreements) == 4
    assert found.data["t"][-1] == pytest.approx(0.1) and max(found.data["errors"].values()) < 1e-11
    assert [chart.name for chart in found.charts] == ["figure-5", "figure-6", "figure-7"]
    assert len(found.charts[0].panels[0].curves) == 3  # of the robot and of the model: the same


def test_the_platform_seen_from_all_joints_is_the_platform() -> None:
    robot, t = wrist("-"), np.array([0.0, 0.7, 2.9])
    motion = waves(t)
    for got, wanted in zip(robot.seen(*robot.whole(motion)), motion, strict=True):
        np.testing.assert_allclose(got, wanted, atol=1e-13)


def test_trajectory_and_angles() -> None:
    for at, x in ((0.0, 0.0), (PERIOD, 0.0), (1.0, np.radians([0.0, 30.0, -20.0]))):
        np.testing.assert_allclose(waves(at).q, x, atol=1e-15)
    (x, dx, ddx), h = waves(0.3), 1e-5
    later, before = waves(0.3 + h), waves(0.3 - h)
    np.testing.assert_allclose((later.q - before.q) / (2 * h), dx, atol=1e-9)
    np.testing.assert_allclose((later.v - before.v) / (2 * h), ddx, atol=1e-8)
    dR = (attitude(later.q) - attitude(before.q)) / (2 * h) @ attitude(x).T
    np.testing.assert_allclose([dR[2, 1], dR[0, 2], dR[1, 0]], euler_rates(x) @ dx, atol=1e-9)
    bends = (euler_rates(later.q) - euler_rates(before.q)) / (2 * h) @ dx
    np.testing.assert_allclose(bends, euler_bends(x, dx), atol=1e-9)


def test_no_time_no_loop() -> None:
    with pytest.raises(ShapeError, match="wanted a time above 0"):
        abedloo2014.loop(t_end=0.0)
