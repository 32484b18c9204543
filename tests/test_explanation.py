"""robot.explain: every method of the basic questions, and what it says about each."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest
from oracles.random_robots import random_robot, random_state

import appell
from appell.errors import ShapeError
from appell.explanation import QUESTIONS
from appell.formulations.table import FORMULATIONS, Formulation

Array = np.ndarray
ROWS = [f for f in FORMULATIONS if f.computes in QUESTIONS]
each_row = pytest.mark.parametrize("row", ROWS, ids=lambda f: f"{f.name}-{f.computes}")


@cache
def case(seed: int = 2, rotors: bool = True) -> tuple[appell.Robot, Array, Array, Array]:
    data = random_robot(seed, 4, "mixed", seed % 2 == 0, "tree", "shuffled", rotors)
    return appell.Robot.from_dict(data), *random_state(data, seed)


@each_row
def test_every_method_is_explained_with_its_answer(row: Formulation) -> None:
    robot, q, v, a = case()
    found = robot.explain(row.name, q, v, a, what=row.computes)
    assert found.answer is not None
    known = {"inverse_dynamics": robot.inverse_dynamics(q, v, a), "mass_matrix": robot.mass_matrix(q)}
    wanted = known.get(row.computes, a)
    np.testing.assert_allclose(found.answer, wanted, atol=1e-11 * np.abs(wanted).max())
    assert found.first_nan is found.stopped is None
    assert json.loads(json.dumps(found.to_dict()))["rows"] == found.rows


@each_row
def test_slots_bear_the_names_of_the_text(row: Formulation) -> None:
    """Of each page of a method some quantity has an equation's number, and every slot a variable's name."""
    robot, q, v, a = case()
    found = robot.explain(row.name, q, v, a, what=row.computes)
    assert len(found.pages) >= 2
    assert "value" not in {e.name for e in found.entries}
    assert any(e.equation for e in found.entries if not e.page.startswith("gibbs_function"))
    text = str(found)
    assert all(name in text for name in (*found.bodies, *found.pages, row.name))


def test_quantities_are_what_they_are_called() -> None:
    """Angular velocities and forces of Gibbs-Appell; articulated inertias of DeNOC, projected to D of U D U'."""
    arm = appell.load("panda")
    q, v = arm.random_state(1)
    tensors = arm.explain("gibbs_appell", q, v, v).rows[3]
    assert tensors["body"] == "link3"
    w = tensors["gibbs_appell"]["w"]["value"]
    in_world = arm.pose(q, "link3")[:3, :3] @ w
    np.testing.assert_allclose(in_world, arm.velocity(q, v, "link3")[3:], atol=1e-13)
    assert tensors["gibbs_appell"]["f"]["equation"] == 2
    rows = arm.explain("denoc", q, v, v, what="forward_dynamics").rows
    inertia = rows[3]["denoc_forward"]["M"]["last"]["C"]
    assert inertia[2][2] == pytest.approx(arm.denoc_matrices(q, v).D[2, 2], rel=1e-12)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_forces_are_the_slope_of_the_gibbs_function(seed: int) -> None:
    """S is quadratic in a, so that its central difference is exact up to rounding."""
    robot, q, v, a = case(seed, False)

    def S(a: Array) -> float:
        return sum(robot.explain("newton_euler", q, v, a).gibbs.values())

    slope = [(S(a + e) - S(a - e)) / 2 for e in np.eye(robot.nv)]
    np.testing.assert_allclose(slope, robot.inverse_dynamics(q, v, a), atol=1e-10 * max(1.0, S(a)))


def test_the_gibbs_function_of_a_point_in_free_fall_is_zero() -> None:
    robot = appell.load("quadruped")
    q = robot.neutral()
    a = np.zeros(robot.nv)
    a[2] = -9.81
    assert sum(robot.explain("gibbs_appell", q, 0 * a, a).gibbs.values()) == pytest.approx(0.0, abs=1e-20)


def test_the_first_that_is_not_a_number_is_named() -> None:
    arm = appell.load("panda")
    q, v = arm.random_state(1)
    v[3] = np.nan
    found = arm.explain("gibbs_appell", q, v, v)
    assert found.first_nan == "w of 'link4', line {} of gibbs_appell, is the first that is not finite".format(
        next(e.line for e in found.entries if e.name == "w" and e.page == "gibbs_appell")
    )
    assert str(found.first_nan) in str(found)
    a = np.zeros(7)
    a[5] = np.inf
    assert "'link6'" in str(arm.explain("kane", q, np.zeros(7), a).first_nan)


@pytest.mark.filterwarnings("ignore:nothing of mass")
def test_a_text_that_cannot_go_on_says_where_it_is() -> None:
    """A link without mass on a joint of its own: the pivot of its elimination is zero."""
    data = appell.load("double_pendulum").to_dict()
    last = data["bodies"][-1]
    last["mass"], last["inertia"] = 0.0, dict.fromkeys(last["inertia"], 0.0)
    robot = appell.Robot.from_dict(data)
    state = np.zeros(robot.nv)
    found = robot.explain("denoc", robot.neutral(), state, state, what="forward_dynamics")
    assert found.answer is None
    assert "division" in str(found.stopped)
    assert found.entries


def test_mistakes_are_told() -> None:
    arm = appell.load("panda")
    q, v = arm.random_state(1)
    with pytest.raises(appell.AppellError, match="unknown method 'newton'"):
        arm.explain("newton", q, v, v)
    with pytest.raises(appell.AppellError, match="unknown question to explain 'energy'"):
        arm.explain("links", q, v, v, what="energy")
    with pytest.raises(ShapeError, match=r"v of one state has shape \(3,\), wanted \(7,\)"):
        arm.explain("gibbs_appell", q, v[:3], v)
