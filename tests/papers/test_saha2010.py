"""saha2010: the PUMA and the Stanford arm, driven and falling; the five-bar and the scraper."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from appell.closing import kernels
from appell.errors import ShapeError
from appell.papers import five_bar, saha2010, scraper
from appell.papers.saha2010 import PUMA, STANFORD

pytestmark = pytest.mark.filterwarnings("ignore:robot .* radii of gyration implausible")


@pytest.mark.parametrize("case", [saha2010.puma, saha2010.stanford])
def test_forces_along_the_cycloid(case: Any) -> None:
    found = case(times=(0.0, 5.0))
    assert found.agrees and len(found.agreements) == 12
    assert np.shape(found.data["tau"]) == (2, 6) and list(found.data["t"]) == [0.0, 5.0]
    worst = max(abs(a.difference) for a in found.agreements)
    assert worst < 6e-11  # the last printed digit of the references
    assert len(found.tables[0].rows) == 101 and len(found.tables[0].words()) == 11


@pytest.mark.parametrize("case", [saha2010.puma_fall, pytest.param(saha2010.stanford_fall, marks=pytest.mark.slow)])
def test_free_fall_to_nine_digits(case: Any) -> None:
    found = case(times=(0.0, 1.0))
    assert found.agrees and found.data["energy_drift"] < 1e-11
    assert ("q_2(1 s) [rad]" in [a.what for a in found.agreements]) == (case is saha2010.puma_fall)
    assert np.shape(found.data["q"]) == (2, 6)


def test_the_reference_of_the_free_fall_is_judged_at_its_time_only() -> None:
    short = saha2010.puma_fall(t_end=0.1)
    assert short.agrees and not any("(1 s)" in a.what for a in short.agreements)


def test_the_arms_start_at_rest_and_end_there() -> None:
    for arm in (PUMA, STANFORD):
        for t, q in ((0.0, arm.start), (10.0, arm.end)):
            there = arm.ramp(t)
            assert np.abs(there.q - q).max() < 1e-15 and np.abs(there.v).max() < 1e-15 and np.abs(there.a).max() < 1e-15


def test_from_the_table_s_zero_the_stanford_arm_falls_without_turning() -> None:
    """Which is why theta_2 starts at pi/2, as the text says: from 0 the arm only slides out of its third joint."""
    robot, rest = STANFORD.robot, np.zeros(6)
    for slid in (0.0, 0.5):
        q, v = np.array([0, 0, slid, 0, 0, 0]), np.array([0, 0, 3.0, 0, 0, 0])
        assert np.abs(robot.forward_dynamics(q, v, rest) - [0, 0, 9.81, 0, 0, 0]).max() < 1e-12
    assert np.abs(robot.forward_dynamics(np.array(STANFORD.start), rest, rest))[1] > 1


def test_joints_of_one_unit_and_size_share_a_panel() -> None:
    panels = saha2010.stanford().charts[0].panels
    assert [p.y for p in panels] == ["torque [N m]", "torque [N m]", "force [N]", "torque [N m]"]
    assert {name for p in panels for name in p.curves} == {f"joint {k}" for k in range(1, 7)}


def test_no_time_no_fall() -> None:
    with pytest.raises(ShapeError, match="wanted a time above 0"):
        saha2010.puma_fall(t_end=0.0)


# --- closed mechanisms -----------------------------------------------------------------------------------------


def test_the_five_bar_along_the_cycloid() -> None:
    found = saha2010.five_bar(times=(0.0, 10.0))
    assert found.agrees and len(found.agreements) == 4
    assert np.shape(found.data["tau"]) == (2, 2)
    np.testing.assert_allclose(found.data["tau"][0], five_bar.AT_REST, rtol=1e-13)
    assert [chart.name for chart in found.charts] == ["figure-12", "figure-13"]


def test_the_legs_of_the_five_bar_meet() -> None:
    angles = np.random.default_rng(1).uniform(0.4, 1.4, (20, 2))
    q = five_bar.posture(angles)
    assert max(np.abs(kernels.equations(five_bar.robot())(x, np.zeros(4))[0]).max() for x in q) < 1e-15
    assert (five_bar.in_line(q) != 0).all()


def test_the_five_bar_falls_through_the_pose_where_its_motors_fail() -> None:
    found = saha2010.five_bar_fall(t_end=1.4, times=(0.0, 1.4))
    assert found.agrees and len(found.agreements) == 3
    assert found.data["energy_drift"] < 1e-11 and np.shape(found.data["q"]) == (2, 4)
    short = saha2010.five_bar_fall(t_end=0.2)
    assert short.agrees and not short.agreements
    with pytest.raises(ShapeError, match="wanted a time above 0"):
        saha2010.five_bar_fall(t_end=-1.0)


@pytest.mark.parametrize("form", ("left", "right"))
def test_the_scraper_by_subsystems_by_all_bodies_and_in_one_coordinate(form: Any) -> None:
    turns = (0.0, np.pi / 3, np.pi)
    found = saha2010.scraper(form, times=tuple(x / scraper.SPEED for x in turns))
    assert found.agrees and len(found.agreements) == (6 if form == "left" else 3)
    matches = np.allclose(found.data["tau"][:, 0], [*scraper.TORQUES.values()], rtol=1e-11)
    assert matches == (form == "left") and np.shape(found.data["tau"]) == (3, 1)
    assert [row[1] for row in found.tables[0].rows] == [4, 2, 1]
    assert found.data["joints"].keys() >= {"motor", "middle"} and found.data["loops"]["crank_pin"].shape == (3, 6)


@pytest.mark.parametrize("form", ("left", "right"))
def test_both_forms_of_the_scraper_are_closed(form: str) -> None:
    made = scraper.machine(form)
    q = made.posture(np.linspace(0.0, 6.0, 13))
    assert max(np.abs(kernels.equations(made.robot)(x, np.zeros(7))[0]).max() for x in q) < 1e-15
    home = made.robot.assemble(branch=form).q
    np.testing.assert_allclose(np.cos(made.posture(np.array(0.0)) - home), 1.0, atol=1e-14)
