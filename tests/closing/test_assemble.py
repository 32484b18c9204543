"""Loops closed from a guess: round-off, the right way round, what is held, branches, mobility, what cannot be."""

from __future__ import annotations

import numpy as np
import pytest

import appell
from appell.closing.scaled import Scaled
from appell.errors import AssemblyError, ShapeError, UnknownName

from .closed_robots import KINDS, quietly, tied

each_kind = pytest.mark.parametrize("kind", KINDS)


def gaps(robot, q):
    """What is left of the equations, and of the senses of axes."""
    scaled = Scaled.of(robot)
    return np.abs(scaled.at(q)[0]).max(), scaled.senses(q)[0].max(initial=0.0)


@each_kind
@pytest.mark.parametrize("seed", (2, 3))
def test_any_joint_closes_to_round_off_and_not_upside_down(kind, seed):
    robot, q = tied(kind, seed, floating=seed == 3)
    far = robot.integrate(q, 0.8 * np.random.default_rng(seed).normal(size=robot.nv))
    found = robot.assemble(far)
    assert found.residual < 1e-14
    left, wrong = gaps(robot, np.asarray(found))
    assert left < 1e-14
    assert wrong < 1e-14
    np.testing.assert_allclose(robot.assemble(found).q, found.q, atol=1e-13)  # what is closed stays


def test_a_closed_robot_starts_at_its_first_configuration():
    robot = appell.load("four_bar")
    found = robot.assemble()
    np.testing.assert_allclose(found.q, robot.configuration("open"), atol=1e-3)
    assert robot.assemble(branch="crossed").q[1] == pytest.approx(robot.configuration("crossed")[1], abs=1e-3)


def four_bar_by_hand(crank, sign):
    """(coupler's angle relative to the crank, rocker's angle): where two circles meet."""
    x, y = 0.1 * np.cos(crank), 0.1 * np.sin(crank)
    d = np.hypot(0.4 - x, -y)
    lean, open_by = np.arctan2(-y, 0.4 - x), np.arccos((0.35**2 + d**2 - 0.25**2) / (2 * 0.35 * d))
    coupler = lean + sign * open_by
    pin = x + 0.35 * np.cos(coupler), y + 0.35 * np.sin(coupler)
    return coupler - crank, np.arctan2(pin[1], pin[0] - 0.4)


@pytest.mark.parametrize(("branch", "sign"), (("open", 1), ("crossed", -1)))
@pytest.mark.parametrize("crank", (-2.0, 0.3, 2.5, 9.0))
def test_a_held_coordinate_leads_the_mechanism_along_its_branch(branch, sign, crank):
    robot = appell.load("four_bar")
    q = robot.assemble(branch=branch, fixed={"motor": crank}).q
    assert q[0] == crank
    np.testing.assert_allclose(np.exp(1j * q[1:]), np.exp(1j * np.array(four_bar_by_hand(crank, sign))), atol=1e-12)


def test_branches_come_in_an_order_that_is_always_the_same():
    robot = appell.load("four_bar")
    both = robot.assemble(branch="all", fixed={"motor": 1.0})
    assert len(both) == 2
    for found, sign in zip(both, (1, -1), strict=True):
        np.testing.assert_allclose(
            np.exp(1j * found.q[1:]), np.exp(1j * np.array(four_bar_by_hand(1.0, sign))), atol=1e-12
        )
    again = robot.assemble(branch=1, fixed={"motor": 1.0})
    np.testing.assert_array_equal(again.q, both[1].q)
    with pytest.raises(ShapeError, match="branch is 2, wanted 'all', a name or a number below 2"):
        robot.assemble(branch=2, fixed={"motor": 1.0})
    with pytest.raises(AssemblyError, match=r"branches without number: 1 freedom\(s\) are left"):
        appell.load("five_bar").assemble(branch="all", fixed={"shoulder1": 0.6})


def test_a_plane_mechanism_knows_which_equations_say_nothing():
    found = appell.load("five_bar").assemble()
    assert (found.mobility.gruebler, found.mobility.here, found.mobility.generic) == (-1, 2, 2)
    assert found.redundant == ("tip: position z", "tip: tilt about y", "tip: tilt about x")
    assert len(found.independent) == 2
    assert not found.singular
    assert "redundant equations: tip: position z" in str(found)


def parallelogram():
    """Bars of 1 and 2 m, all in line at neutral."""
    rod = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": dict.fromkeys(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), 0.0)}
    rod["inertia"] |= {"iyy": 0.1, "izz": 0.1}
    axis = {"type": "revolute", "axis": [0, 0, 1]}
    bodies = [
        {"name": name, "parent": parent, "joint": {"name": f"at_{name}", **axis}, "placement": {"position": at}, **rod}
        for name, parent, at in (("a", "base", [0, 0, 0]), ("b", "a", [1, 0, 0]), ("c", "base", [2, 0, 0]))
    ]
    loop = {"name": "pin", "joint": axis, "body_a": "b", "placement_a": {"position": [2, 0, 0]}, "body_b": "c",
            "placement_b": {"position": [1, 0, 0]}}  # fmt: skip
    head = {"format": "appell-robot/1", "name": "parallelogram", "gravity": [0, 0, -9.81]}
    return quietly({**head, "bodies": bodies, "loops": [loop]})


def test_a_singular_configuration_is_told_from_redundancy():
    """All bars in line: two freedoms at once, of which one is left a little later."""
    robot = parallelogram()
    found = robot.assemble()
    np.testing.assert_array_equal(found.q, np.zeros(3))
    assert found.singular
    assert (found.mobility.here, found.mobility.generic) == (2, 1)
    assert len(found.redundant) == 3
    assert found.singularity.measure < 1e-12
    assert found.singularity.direction
    assert "singular here, where it has 2 freedoms" in str(found)
    assert not robot.assemble(fixed={"at_a": 0.5}).singular


def test_what_cannot_close_says_by_how_much_and_where():
    data = appell.load("four_bar").to_dict()
    data["bodies"][2]["placement"]["position"] = [0.9, 0.0, 0.0]
    with pytest.raises(AssemblyError, match=r"'four_bar' cannot be closed: .* position x by 0\.2") as err:
        appell.Robot.from_dict(data).assemble()
    assert err.value.residual == pytest.approx(0.2, abs=1e-9)  # 0.9 - 0.1 - 0.35 - 0.25
    assert err.value.q.shape == (3,)


def test_the_command_of_a_guess_is_checked():
    robot = appell.load("four_bar")
    with pytest.raises(UnknownName, match="unknown joint 'moter'; did you mean 'motor'"):
        robot.assemble(fixed={"moter": 1.0})
    with pytest.raises(ShapeError, match=r"guess has shape \(2,\), wanted \(3,\)"):
        robot.assemble([1.0, 2.0])
    with pytest.raises(ShapeError, match="motor is fixed at"):
        robot.assemble(fixed={"motor": [1.0, 2.0]})
    with pytest.raises(UnknownName, match="unknown configuration 'closed'"):
        robot.assemble(branch="closed")
    with pytest.raises(ShapeError, match="wanted one of them"):
        robot.assemble(robot.neutral(), branch="open")


def test_a_tree_is_always_closed():
    arm = appell.load("scara")
    found = arm.assemble(fixed={arm.bodies[0].joint.name: 0.3})
    assert found.q[0] == 0.3
    assert found.mobility.generic == arm.nv == len(found.independent)
    assert found.redundant == ()
