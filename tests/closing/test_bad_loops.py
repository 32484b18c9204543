"""Loops that cannot be, and questions that closed mechanisms cannot answer: a sentence each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import appell
from appell.errors import AppellError

from .closed_robots import quietly

STILL = np.zeros(3)


def four_bar(change: Callable[[dict[str, Any]], Any] = lambda data: None) -> appell.Robot:
    data = appell.load("four_bar").to_dict()
    change(data)
    return quietly(data)


def braced() -> tuple[appell.Robot, Any]:
    """A four-bar whose coupler is pinned to the base where it happens to be: a frame that cannot move."""
    robot = four_bar()
    q, data = robot.assemble().q, robot.to_dict()
    at = robot.pose(q, "coupler") @ [0.2, 0.05, 0.0, 1.0]
    pin = {"name": "brace", "joint": {"type": "revolute", "axis": [0, 0, 1]}, "body_a": "base", "body_b": "coupler"}
    pin |= {"placement_a": {"position": at[:3].tolist()}, "placement_b": {"position": [0.2, 0.05, 0.0]}}
    data["loops"].append(pin)
    return quietly(data), q


def of_loop(**values: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda data: data["loops"][0].update(values)


def apart(data: dict[str, Any]) -> None:
    """A second pin of the same two bodies, where the first lets them never be."""
    other = {**data["loops"][0], "name": "other", "placement_a": {"position": [0.3, 0.3, 0.0]}}
    data["loops"].append(other)


def all_fixed(data: dict[str, Any]) -> None:
    for body in data["bodies"]:
        body["joint"] = {"name": body["joint"]["name"], "type": "fixed"}


BAD_LOOPS = {
    "unknown body": (of_loop(body_a="copler"), "loop 'rocker_pin': unknown body 'copler'; did you mean 'coupler'?"),
    "one body": (of_loop(body_a="rocker", body_b="rocker"), "got both ends on 'rocker', wanted two bodies"),
    "free joint": (of_loop(joint={"type": "free"}), "got a free joint, wanted one that closes something"),
    "joint's type": (of_loop(joint={"type": "hinge"}), "unknown joint type 'hinge'"),
    "no axis": (of_loop(joint={"type": "revolute"}), "got no 'axis', wanted one, as a revolute joint needs it"),
    "nan": (of_loop(placement_a={"position": [np.nan, 0, 0]}), "got position = [nan, 0, 0], wanted 3 finite numbers"),
    "a fixed chain": (all_fixed, "got 'coupler' and 'rocker', which no joint moves against each other"),
    "twice": (lambda d: d["loops"].append(d["loops"][0]), "got the name 'rocker_pin' that is taken"),
    "no list": (lambda d: d.update(loops={"a": 1}), "got loops = {'a': 1}, wanted a list"),
}


@pytest.mark.parametrize("case", BAD_LOOPS)
def test_a_loop_that_cannot_be_is_refused(case):
    change, text = BAD_LOOPS[case]
    with pytest.raises(AppellError) as found:
        four_bar(change)
    assert text in str(found.value)
    assert "\n" not in str(found.value)


def test_contradictory_loops_say_what_lacks_and_move_nowhere():
    robot = four_bar(apart)
    for ask in (robot.assemble, lambda: robot.equilibrium(STILL), lambda: robot.reach({"motor": 1.0})):
        with pytest.raises(AppellError, match="cannot be closed.*what lacks least still lacks .*: position y by 0.15"):
            ask()
    with pytest.raises(AppellError, match=r"is open by 0\.3 at the start; robot.assemble\(q0\) closes it"):
        appell.simulate(robot, STILL, STILL, 0.1)
    for ask in (robot.reduced, robot.driven_by):
        with pytest.raises(AppellError, match="none of 30 starts leads to where they close"):
            ask(["motor"])


def test_a_frame_without_freedoms_is_told_and_stands_still():
    robot, q = braced()
    found = robot.assemble(q)
    assert (found.mobility.generic, found.independent) == (0, ())
    np.testing.assert_allclose(robot.forward_dynamics(q, STILL, np.ones(3)), STILL, atol=1e-12)
    assert np.abs(appell.simulate(robot, q, STILL, 0.2).q - q).max() < 1e-12
    with pytest.raises(AppellError, match="coordinate 'motor' does not move, whatever 'four_bar' does"):
        robot.reduced(["motor"])
    for drives in (["motor"], []):
        with pytest.raises(AppellError, match="'four_bar' has no freedom left by its loops, wanted one that drives"):
            robot.driven_by(drives)
    with pytest.raises(AppellError, match="actuator 'motor' cannot move 'four_bar': the loops hold its joint"):
        robot.inverse_dynamics(q, STILL, STILL, actuators=["motor"])


FIVE = appell.load("five_bar")
HOME = np.array([0.523598776, -1.527253487, 0.523598776, -2.712772785])
BAD_QUESTIONS: dict[str, tuple[Callable[[], Any], str]] = {
    "idle coordinate": (lambda: FIVE.reduced(["lower1.z", "elbow1"]), "'lower1.z' does not move, whatever 'five_bar'"),
    "dependent": (lambda: FIVE.reduced(["elbow1", "elbow2", "shoulder1"]), "'shoulder1' depend on each other"),
    "too few": (lambda: FIVE.reduced("elbow1"), "'elbow1' are 1 of the 2 freedoms of 'five_bar', wanted all"),
    "unknown": (lambda: FIVE.reduced(["elbow3", "elbow1"]), "unknown joint or frame 'elbow3'; did you mean 'elbow"),
    "a number": (lambda: FIVE.reduced(3), "coordinates have shape (), wanted names"),
    "nothing": (lambda: FIVE.reduced(None), "wanted names, or"),
    "drives, a number": (lambda: FIVE.driven_by(3), "coordinates are [3], wanted names of joints"),
    "drives, too few": (lambda: FIVE.driven_by(["elbow1"]), "1 drives move 1 of the 2 freedoms of 'five_bar'"),
    "guess": (lambda: FIVE.assemble([np.nan, 0, 0, 0]), "assemble: guess is [nan  0.  0.  0.], wanted finite numbers"),
    "tolerance": (lambda: FIVE.assemble(tolerance="1e-9"), "tolerance is '1e-9', wanted a number between 0 and 0.01"),
    "K at nan": (lambda: FIVE.velocity_transformation(HOME * np.nan, ["elbow1", "elbow2"]), "wanted finite ones"),
    "singularities at nan": (lambda: FIVE.singularities(HOME * np.nan, ["elbow1", "elbow2"]), "wanted finite numbers"),
    "values": (lambda: FIVE.reduced(["elbow1", "elbow2"]).configuration([np.inf, 0.0]), "values are [inf  0.], wanted"),
    "drives that do not hold": (
        lambda: appell.load("agile_wrist").spherical(drives=["theta1", "theta2"]).inverse_dynamics,
        "drives 'theta1', 'theta2' of 'agile_wrist' hold 2 of the 3 freedoms of its platform, wanted all",
    ),
    "no loop": (lambda: appell.load("scara").loop_coordinates(np.zeros(4)), "'scara' has no loop that a joint with"),
    "start at nan": (lambda: appell.simulate(FIVE, HOME * np.nan, np.zeros(4), 1.0), "wanted finite numbers"),
}


@pytest.mark.parametrize("case", BAD_QUESTIONS)
def test_a_question_that_has_no_answer_is_refused(case):
    ask, text = BAD_QUESTIONS[case]
    with pytest.raises(AppellError) as found:
        ask()
    assert text in str(found.value)


def test_prescribed_accelerations_that_would_open_loops_are_refused():
    q, none = FIVE.assemble().q, np.zeros(4)
    names = ["shoulder1", "shoulder2", "elbow1"]
    with pytest.raises(AppellError, match="'elbow1' would open the loops of 'five_bar', by .*wanted such as keep them"):
        FIVE.hybrid_dynamics(q, none, [1.0, 5.0, 7.0, 0.0], none, prescribed=names)
    right = FIVE.reduced(["shoulder1", "shoulder2"]).accelerations(q, [0.0, 0.0], [1.0, 2.0])
    rows = FIVE.hybrid_dynamics(np.stack([q, q]), none, [right, [1.0, 5.0, 7.0, 0.0]], none, prescribed=names)
    np.testing.assert_allclose(rows[0][0], right, atol=1e-8)
    assert all(np.isnan(x[1]).all() for x in rows)


@pytest.mark.parametrize("body", (1, 2))
def test_links_without_mass_move_as_loops_let_them(body):
    def hollow(data: dict[str, Any]) -> None:
        data["bodies"][body] |= {"mass": 0.0, "inertia": dict.fromkeys(data["bodies"][body]["inertia"], 0.0)}

    robot = four_bar(hollow)
    run = appell.simulate(robot, robot.assemble().q, STILL, 0.3)
    assert run.ledger.drift < 1e-10


def test_limits_of_a_joint_that_closes_a_loop_are_no_stops_and_that_is_said():
    data = appell.load("four_bar").to_dict()
    data["loops"][0]["joint"]["limits"] = [-0.5, 0.5]
    robot = appell.Robot.from_dict(data)
    with pytest.warns(UserWarning, match="the limits of 'rocker_pin', which closes a loop, are no stops"):
        appell.simulate(robot, robot.assemble().q, STILL, 0.01, stops=True)
