"""The benchmark of control: steps in C are timed, poses are reached, and both are told."""

from __future__ import annotations

import shutil

import pytest

import appell
from appell.control import Gains, tracking
from benchmarks import control
from benchmarks.record import Result
from benchmarks.report import markdown

pytestmark = pytest.mark.filterwarnings("ignore:robot .* radii of gyration implausible")


@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc on this machine")
def test_steps_in_c_are_timed() -> None:
    result = Result("test", {})
    law = tracking(appell.load("puma560"), Gains(100.0, 20.0))
    control.in_c(law, "C, gcc, double", "double", "gcc", 20_000, result)
    (row,) = result.stepped
    assert 1 < row.mean < 1e5 and row.mean < row.worst and row.most <= row.worst


def test_poses_are_reached_and_told() -> None:
    result = Result("test", {"versions": {}, "cpu": "", "cores": 1, "system": "", "date": "", "load": None})
    control.inverse(result, 100)
    mine = [p for p in result.posed if p.who.startswith("appell")]
    assert {p.robot for p in mine} == {"puma560", "panda"} and all(p.reached == 1.0 for p in mine)
    assert "inverse kinematics of" in markdown(result)
