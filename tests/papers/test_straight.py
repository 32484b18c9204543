"""valera2003 and mata2002: a hand along a straight line in every branch, and what the feed of torques does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from appell.errors import ShapeError
from appell.formulations.table import FORMULATIONS
from appell.papers import mata2002, valera2003

pytestmark = pytest.mark.filterwarnings("ignore:robot .* radii of gyration implausible")


def test_valera_in_eight_branches() -> None:
    case = valera2003.line(times=(0.0, 8.602))
    assert case.agrees and len(case.agreements) == 18
    assert len(case.tables[0].rows) == 8 and case.data["tau"].shape == (2, 6)
    assert np.abs(case.data["branches"][case.data["branch"] - 1] - valera2003.POSTURE).max() < 1e-10


def test_branches_differ_by_arm_and_wrist() -> None:
    """Two that differ by the wrist alone need the same torques but for joint 5, whose torque changes its sign."""
    tau = valera2003.straight().torques
    for k in range(0, 8, 2):
        assert np.abs(tau[k] - tau[k + 1])[:, [0, 1, 2, 3, 5]].max() < 1e-10
        assert np.abs(tau[k] + tau[k + 1])[:, 4].max() < 1e-10
    assert min(np.abs(tau[i] - tau[j]).max() for i in range(0, 8, 2) for j in range(0, i, 2)) > 1e-3
    panels = valera2003.line().charts[2].panels
    assert [list(p.curves) for p in panels[:4]] == [[f"branch {k}, {k + 1}" for k in (1, 3, 5, 7)]] * 4
    assert len(panels[4].curves) == 8 and len(panels) == 5  # joint 6 has nothing to do


def test_another_branch_may_be_asked_for() -> None:
    assert valera2003.line(branch=3).data["branch"] == 3
    with pytest.raises(ShapeError, match="branch is 9, wanted 1 to 8"):
        valera2003.line(branch=9)


def test_mata_in_both_durations() -> None:
    case = mata2002.line()
    assert case.agrees and set(case.data) == {"3.286", "5.0"} and len(case.charts) == 6
    assert mata2002.line(duration="5.0").data.keys() == {"5.0"}
    fast, slow = (mata2002.straight(s) for s in mata2002.DURATIONS.values())
    assert fast.line.t_end == pytest.approx(3.286, abs=5e-4)
    still = fast.robot.gravity_forces(fast.motions[0].q[-1])
    for path, speed in ((fast, 0.1), (slow, 0.3286335 / 5)):  # what speed adds to gravity grows with its square
        assert np.linalg.norm(path.line(1.0).velocity[:3]) == pytest.approx(speed, rel=1e-6)
    added = [np.abs(path.torques[0, -1] - still).max() for path in (fast, slow)]
    assert added[0] / added[1] == pytest.approx((5.0 / fast.line.t_end) ** 2, rel=1e-9)


@pytest.mark.slow
def test_what_is_between_samples_of_the_torque_decides() -> None:
    case = mata2002.feeds()
    assert case.agrees
    for errors in case.data.values():
        q = {feed: e[0] for feed, e in errors.items()}
        assert max(q["exact"], q["spline"]) < 1e-5 < 1e-3 < q["linear"] < 0.1 < q["held"] < 1.0
    rows = [row for row in case.tables[2].rows if row[0] == "printed"]
    assert len(rows) == 6 and rows[1][3] == "misprint"


def test_half_the_interval_leaves_a_quarter_of_the_error_of_lines() -> None:
    """The error of a feed by lines is of second order, that of a held one of first."""
    fed = mata2002.Fed(mata2002.straight(mata2002.LENGTH / 0.1).branch(1), 0.1, 1e-10)
    finer = replace(fed, interval=0.05)
    for feed, ratio in (("linear", 4.0), ("held", 2.0)):
        coarse, fine = (f.errors(f.run(feed))[0][-1].max() for f in (fed, finer))
        assert coarse / fine == pytest.approx(ratio, rel=0.35)


@pytest.mark.slow
def test_every_method_of_forward_dynamics_comes_to_the_same_end() -> None:
    case = mata2002.cost(duration="3.286", repeat=2)
    assert case.agrees
    assert set(case.data) == {f.name for f in FORMULATIONS if f.computes == "forward_dynamics"}
    assert all(row["ns"] > 0 and 100 < row["evaluations"] < 2000 for row in case.data.values())


def test_feeds_and_costs_that_cannot_be() -> None:
    for interval in (0.0, -1.0, 10.0):
        with pytest.raises(ShapeError, match="interval"):
            mata2002.feeds(interval=interval)
    with pytest.raises(ShapeError, match="repeat"):
        mata2002.cost(repeat=0)
