"""Base parameters: how many there are, that forces need no more, and that letters and numbers tell the same."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.few import few
from oracles.random_robots import random_robot

import appell
from appell.errors import UnknownName
from appell.identify import Regressor, base_parameters
from appell.identify.base import METHODS, stacked
from appell.identify.form import Form
from appell.robot import Robot

PUMA = appell.load("puma560")


@pytest.mark.parametrize("method", METHODS)
def test_the_puma_has_36_of_60(method: str):
    assert len(base_parameters(PUMA, method=method)) == 36
    assert len(base_parameters(PUMA, method=method, gravity=False)) == 34
    assert len(base_parameters(PUMA, method=method, static=True)) == 10


def test_the_puma_in_letters():
    found = dict(zip((base := base_parameters(PUMA)).names, map(str, base.forms)))
    beyond = "(link3.mass + link4.mass + link5.mass + link6.mass)"
    assert found["link2.first.x*"] == f"link2.first.x + link3.offset.x {beyond}"
    assert found["link2.second.xx*"] == f"link2.second.xx + link3.offset.x² {beyond}"
    assert found["link3.first.y*"] == (
        "link3.first.y - link4.first.z + link4.offset.y (link4.mass + link5.mass + link6.mass)"
    )
    assert found["link6.second.xy"] == "link6.second.xy"
    assert base.unfelt[:2] == ("link1.mass", "link1.first.x")
    assert str(base).count("\n") == 35


@pytest.mark.parametrize("name", few(["stanford", "panda", "scara", "cartpole", "quadruped"], "stanford", "cartpole"))
def test_letters_pivots_and_directions_span_the_same(name: str):
    robot = appell.load(name)
    bases = [base_parameters(robot, method=method) for method in METHODS]
    both = np.concatenate([b.matrix / np.linalg.norm(b.matrix, axis=1, keepdims=True) for b in bases])
    assert len({len(b) for b in bases}) == 1
    assert np.linalg.matrix_rank(both, 1e-8) == len(bases[0])


@pytest.mark.parametrize("seed", few(range(12), 0, 1, 2))
def test_forces_need_no_more_and_no_less(seed: int):
    data = random_robot(seed, 4, joints="mixed", floating=seed % 3 == 0, shape="tree", rotors=True)
    base = base_parameters(Robot.from_dict(data), "moments", "rotor", "friction")
    K = stacked(base.regressor)
    np.testing.assert_allclose(K @ base.spread @ base.matrix, K, rtol=0, atol=1e-9 * np.abs(K).max())
    columns = K @ base.spread
    assert np.linalg.matrix_rank(columns / np.linalg.norm(columns, axis=0), 1e-9) == len(base)
    np.testing.assert_allclose(base.matrix @ base.spread, np.eye(len(base)), atol=1e-12)


def test_a_rotor_on_a_level_axis_joins_the_link():
    base = base_parameters(PUMA, "moments", "rotor")
    assert len(base) == 40  # those of joints 1 and 2 are felt with the links only
    assert "link1.rotor" in str(base.forms[0])
    with pytest.raises(UnknownName, match="method of base parameters 'symbolc'; did you mean 'symbolic'"):
        base_parameters(PUMA, method="symbolc")


def test_a_payload_that_is_a_body_of_its_own_joins_its_carrier():
    data = PUMA.to_dict()
    joint, inertia = {"name": "grip", "type": "fixed"}, dict.fromkeys(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), 0.0)
    place = {"position": [0.0, 0.0, 0.1], "rotation": np.eye(3).tolist()}
    load = {"name": "load", "parent": "link6", "joint": joint, "placement": place, "mass": 1.0, "com": [0.0, 0.0, 0.0]}
    data["bodies"].append({**load, "inertia": inertia})
    base = base_parameters(Robot.from_dict(data))
    assert len(base) == 36
    assert any("load.first.x" in str(form) for form in base.forms)
    assert Regressor.of(Robot.from_dict(data), "moments").names[-1] == "load.second.yz"


def test_forms_are_sums():
    m, a, b = Form.parameter("m"), Form.length("a"), Form.length("b")
    assert str(m * a * a + Form.parameter("J") * 2 - m * b) == "a² m + 2 J - b m"
    assert str(-(m * a)) == "-a m"
    assert str(m - m) == "0"
    assert str(1 + m) == "m + 1"
    assert (m * a * b).coefficients({"a": 2.0, "b": 3.0}) == {"m": 6.0}
    assert 0 * m == 0
    over = Form({("", ("1/b", "1/b", "a")): 2.0})
    assert str(m * over) == "2 a / b² m"
    assert str(m * Form({("", ("1/b",)): -1.0})) == "-1 / b m"
