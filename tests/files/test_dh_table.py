"""Tables of Denavit-Hartenberg parameters and screws of serial robots, both ways, and as CSV."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.random_robots import random_robot, random_state

import appell
from appell.errors import AppellError, ModelError
from appell.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore:robot .*radii of gyration", "ignore:nothing of mass")


def same(robot: Robot, other: Robot, seed: int = 0, tool: str = "tool", there: str = "tool") -> None:
    """The same forces, and the same pose of the tool."""
    data = robot.to_dict()
    for k in range(3):
        q, v, a = random_state(data, seed + k)
        tau = robot.inverse_dynamics(q, v, a)
        assert np.abs(other.inverse_dynamics(q, v, a) - tau).max() < 1e-12 * np.abs(tau).max()
        assert np.abs(other.pose(q, there) - robot.pose(q, tool)).max() < 1e-12


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("seed", range(6))
def test_any_serial_robot_has_a_table(seed: int, convention: Any) -> None:
    robot = Robot.from_dict(random_robot(seed, 5, "simple", rotors=True))
    table = robot.to_dh(convention)
    assert table.residual < 1e-12
    same(robot, appell.from_dh(**table.options()), seed)


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize(
    "name, tool", [("puma560", None), ("panda", "flange"), ("scara", None), ("stanford", None), ("cartpole", None)]
)
def test_the_zoo_has_tables(name: str, tool: str | None, convention: Any) -> None:
    robot = appell.load(name)
    table = robot.to_dh(convention, tool)
    assert table.residual < 1e-14
    end = tool or (robot.frames[0].name if robot.frames else robot.bodies[-1].name)
    same(robot, appell.from_dh(**table.options()), tool=end)


def test_the_table_that_made_a_robot_is_found_again() -> None:
    rows = [
        (0, np.pi / 2, 0.4, 0),
        (0.43, 0, 0, 0),
        (0.02, -np.pi / 2, 0.15, 0),
        (0, np.pi / 2, 0.43, 0),
        (0, -np.pi / 2, 0, 0),
    ]
    for convention in ("standard", "modified"):
        robot = appell.from_dh([(*r[:3], 0.0) for r in rows], convention=convention, masses=[1.0] * 5)
        found = robot.to_dh(convention)
        assert found.base == found.base.__class__()
        told = 3 if convention == "standard" else 2  # there d is shared by axes that are parallel
        for row, other in zip(found.rows[:4], rows):
            assert row[:told] == pytest.approx(other[:told], abs=1e-15)


def test_what_has_no_table() -> None:
    for name, sentence in {
        "humanoid": "the free joint",
        "four_bar": "loops or constraints",
        "shafei_tree": "branches",
    }.items():
        with pytest.raises(ModelError, match=sentence):
            appell.load(name).to_dh()
    with pytest.raises(ModelError, match="the helical joint"):
        Robot.from_dict(random_robot(1, 2, "helical")).to_dh()
    with pytest.raises(AppellError, match="unknown convention 'craig'"):
        appell.load("panda").to_dh("craig")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="wanted one on the last link"):
        appell.load("panda").to_dh(tool="link2")


# -- as CSV -------------------------------------------------------------------------------------------------------

TABLE = """\
# convention: modified
# angles: degrees
joint,type,a,alpha,d,theta,mass,x,y,z,ixx,iyy,izz,lower,upper,damping
j1,R,0,0,0.4,0,1,0,0,0.1,.1,.1,.1,-90,90,
j2,,0.1,-90,0,30,2,.1,0,0,.1,.1,.1,,,0.5
"""


def test_tables_of_people(tmp_path: Any) -> None:
    (tmp_path / "arm.csv").write_text(TABLE)
    robot = appell.load(tmp_path / "arm.csv")
    rows = [(0, 0, 0.4, 0), (0.1, -np.pi / 2, 0, np.pi / 6)]
    more: Any = {"masses": [1, 2], "coms": [(0, 0, 0.1), (0.1, 0, 0)], "inertias": [[0.1] * 3] * 2}
    other = appell.from_dh(rows, convention="modified", **more)
    assert robot.mass_matrix([0.3, 0.2]) == pytest.approx(other.mass_matrix([0.3, 0.2]))
    assert robot.name == "arm"
    assert robot.bodies[0].joint.limits == pytest.approx((-np.pi / 2, np.pi / 2))
    assert robot.bodies[1].joint.damping == 0.5


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_tables_come_back(convention: str, tmp_path: Any) -> None:
    for seed in range(3):
        data = random_robot(seed, 5, "simple", rotors=True)
        for body in data["bodies"]:
            body["joint"] |= {"limits": [-1.0, 2.0], "damping": 0.5}
        robot = Robot.from_dict(data)
        robot.save(tmp_path / "r.csv", convention=convention)
        again = appell.load(tmp_path / "r.csv")
        same(robot, again, seed)
        assert [b.joint.name for b in again.bodies] == [b.joint.name for b in robot.bodies]
        assert again.bodies[2].joint.limits == (-1.0, 2.0)


BAD = {
    "got no convention": TABLE.replace("# convention: modified", ""),
    "convention: 'craig'": TABLE.replace("modified", "craig"),
    "angles: 'turns'": TABLE.replace("degrees", "turns"),
    "line 3: unknown column 'alfa'": TABLE.replace("alpha", "alfa"),
    "line 3: got no column 'theta'": TABLE.replace(",theta", ""),
    "line 3: got a column twice": TABLE.replace(",theta", ",theta,d"),
    "line 4: got a = 'nan'": TABLE.replace("R,0,", "R,nan,"),
    "a decimal comma, perhaps?": TABLE.replace("0.5\n", "0,5\n"),
    "line 4: unknown joint type 'X'": TABLE.replace("R,0", "X,0"),
    "line 4: got lower = ": TABLE.replace("-90,90", "90,-90"),
    "got 1 lines": TABLE[:100],
    "broken CSV": TABLE + '"x',
    "mass = -1": TABLE.replace("j1,R,0,0,0.4,0,1", "j1,R,0,0,0.4,0,-1"),
    "base: got '1 2'": "# base: 1 2\n" + TABLE,
}  # fmt: skip


@pytest.mark.parametrize("sentence", BAD)
def test_bad_tables(sentence: str, tmp_path: Any) -> None:
    (tmp_path / "bad.csv").write_text(BAD[sentence])
    with pytest.raises(ModelError, match=r"bad\.csv'") as caught:
        appell.load(tmp_path / "bad.csv")
    assert sentence in str(caught.value)


# -- screws -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("joints", ["revolute", "prismatic", "simple", "helical", "cylindrical"])
def test_screws_both_ways(joints: str) -> None:
    for seed in range(3):
        robot = Robot.from_dict(random_robot(seed, 5, joints))
        screws = robot.to_screws()
        q, _, _ = random_state(robot.to_dict(), seed)
        assert np.abs(screws.pose(q) - robot.pose(q, "tool")).max() < 1e-13
        same(robot, appell.from_screws(**screws.options()), seed)


def test_screws_of_a_book() -> None:
    """A planar arm of two unit links, with mass centres at their ends."""
    S = [[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, -1, 0]]
    tip, first = np.eye(4), np.eye(4)
    tip[0, 3], first[0, 3] = 2, 1
    arm = appell.from_screws(S, home=tip, homes=[first, tip], masses=[1.0, 1.0], gravity=[0, 0, 0])
    c = np.cos(0.7)
    assert arm.mass_matrix([0.3, 0.7]) == pytest.approx(np.array([[3 + 2 * c, 1 + c], [1 + c, 1]]))
    assert arm.pose([0.3, 0.7], "link2_frame") == pytest.approx(arm.pose([0.3, 0.7], "tool"))
    with pytest.raises(ModelError, match="wanted a unit axis"):
        appell.from_screws([[0, 0, 2, 0, 0, 0]])
    with pytest.raises(ModelError, match=r"wanted finite numbers \(n, 6\)"):
        appell.from_screws([[0, 0, 1]])
    with pytest.raises(ModelError, match="1 body_names, wanted 2"):
        appell.from_screws(S, body_names=["a"])
