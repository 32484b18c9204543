"""Robots with base parameters: equal forces from fewer numbers, and the original where matter is meant."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.random_robots import random_robot, random_state

import appell
from appell.errors import ModelError, UnknownName
from appell.formulations.gibbs_appell import gibbs_appell
from appell.model.lift import MOMENTS
from appell.model.walk import Coordinates, Walk
from appell.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore:robot .*radii of gyration")
KINDS = ("revolute", "prismatic", "helical", "ball", "planar", "universal", "cylindrical", "simple", "mixed")
UPRIGHT = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def torques(robot: Robot, q: Any, v: Any, a: Any) -> Any:
    """By the text, read with floats."""
    tau = gibbs_appell(Walk(robot.tree), q.tolist(), Coordinates(v.tolist()), Coordinates(a.tolist()))
    return np.array([tau[i] for i in range(robot.nv)], float)


def felt(robot: Robot) -> list[str]:
    """The moments that are not zero."""
    return [name for name, x in robot.parameters().items() if name.split(".", 1)[1] in MOMENTS and x]


def full(data: dict[str, Any], seed: int = 0) -> Robot:
    """The robot with no inertial parameter zero."""
    rng = np.random.default_rng(seed)
    for body in data["bodies"]:
        body["mass"], body["com"] = 2.0, rng.uniform(0.05, 0.2, 3).tolist()
        x, y, z, xy, xz, yz = rng.uniform(0.01, 0.02, 6).tolist()
        body["inertia"] = {"ixx": x, "iyy": y, "izz": z, "ixy": xy / 10, "ixz": xz / 10, "iyz": yz / 10}
    return Robot.from_dict(data)


def straight(kinds: str, axis: str = "z") -> dict[str, Any]:
    """Bodies one metre apart along x, all joints (R or P) along one direction, gravity along z."""
    along = [float(k == axis) for k in "xyz"]
    return {
        "format": "appell-robot/1",
        "name": "straight",
        "gravity": [0.0, 0.0, -9.81],
        "bodies": [
            {
                "name": f"b{k}",
                "parent": f"b{k - 1}" if k else "base",
                "joint": {"name": f"j{k}", "type": {"R": "revolute", "P": "prismatic"}[kind], "axis": along},
                "placement": {"position": [1.0, 0.0, 0.0], "rotation": UPRIGHT},
                "mass": 1.0,
                "com": [0.0, 0.0, 0.0],
                "inertia": dict.fromkeys(("ixx", "iyy", "izz"), 0.1) | dict.fromkeys(("ixy", "ixz", "iyz"), 0.0),
            }
            for k, kind in enumerate(kinds)
        ],
        "frames": [],
        "loops": [],
    }


@pytest.mark.parametrize("joints", KINDS)
def test_torques_are_those_of_the_original_and_of_pinocchio(joints: str) -> None:
    oracle = pytest.importorskip("oracles.pinocchio_model").PinocchioOracle
    for seed in range(8):
        data = random_robot(seed, 1 + seed, joints, seed % 4 == 3, ("chain", "tree")[seed % 2], "shuffled", seed == 5)
        robot, (q, v, a) = Robot.from_dict(data), random_state(data, seed)
        wanted = oracle(data).rnea(q, v, a)
        rotors = wanted - torques(robot, q, v, a)  # the text knows the links
        found = torques(robot.regrouped(), q, v, a) + rotors
        assert np.abs(found - wanted).max() <= 1e-13 * np.abs(wanted).max()
        assert len(felt(robot.regrouped())) <= len(felt(robot))


@pytest.mark.parametrize("what", ["inverse_dynamics", "mass_matrix", "forward_dynamics", "energy", "coriolis"])
def test_kernels_answer_alike(what: str) -> None:
    data = random_robot(4, 6, "mixed", shape="tree")
    robot, (q, v, a) = Robot.from_dict(data), random_state(data, 1)
    given = {"mass_matrix": (q,), "energy": (q, v), "coriolis": (q, v)}.get(what, (q, v, a))
    here, there = getattr(robot, what)(*given), getattr(robot.regrouped(), what)(*given)
    np.testing.assert_allclose(there, here, rtol=1e-10, atol=1e-10 * np.abs(here).max())


def test_a_puma_has_36_base_parameters_of_60() -> None:
    puma = full(appell.load("puma560").to_dict())
    base = felt(puma.regrouped())
    assert (len(felt(puma)), len(base)) == (60, 36)
    assert [name for name in base if name.startswith("link1")] == ["link1.second.xx"]  # its axis is upright and rests
    assert len(felt(Robot.from_dict({**puma.to_dict(), "gravity": [0.0, 3.0, -9.0]}).regrouped())) == 38


PLANE = {("R", "z"): 1, ("R", "y"): 3, ("RR", "z"): 4, ("RR", "y"): 6, ("P", "z"): 1, ("PPP", "x"): 3, ("PR", "x"): 4}


@pytest.mark.parametrize(("kinds", "axis"), PLANE)
def test_plane_arms_keep_what_can_be_felt(kinds: str, axis: str) -> None:
    """By hand: of a link that turns about one direction the moment about it and two first moments; of a slide m."""
    robot = full(straight(kinds, axis))
    assert len(felt(robot.regrouped())) == PLANE[kinds, axis]
    q, v = robot.random_state(seed=2)
    np.testing.assert_allclose(torques(robot.regrouped(), q, v, v), torques(robot, q, v, v), rtol=1e-12, atol=1e-13)


def test_base_parameters_span_the_torques() -> None:
    """Torques are their combination, for the PUMA; the other 24 are not missed."""
    puma = full(appell.load("puma560").to_dict()).regrouped()
    tau, Y = columns(puma)
    np.testing.assert_allclose(Y @ puma.parameters(felt(puma)), tau, rtol=0, atol=1e-11 * np.abs(tau).max())


@pytest.mark.parametrize(
    ("joints", "seed"),
    [("revolute", 0), ("revolute", 1), ("simple", 3), ("simple", 5), ("helical", 0), ("ball", 1), ("universal", 1)],
)
def test_none_that_is_kept_is_idle(joints: str, seed: int) -> None:
    """Their columns are independent: no regrouping leaves fewer."""
    robot = full(random_robot(seed, 4, joints, shape=("chain", "tree")[seed % 2]), seed).regrouped()
    _, Y = columns(robot)
    assert np.linalg.matrix_rank(Y / np.abs(Y).max(0), tol=1e-9) == len(felt(robot))


def columns(robot: Robot) -> tuple[Any, Any]:
    """Torques at random states, and their columns of the parameters that are felt."""
    names = felt(robot)
    f = robot.kernel("inverse_dynamics", inputs=names)
    states = [(*robot.random_state(k), robot.random_state(k + 99)[1]) for k in range(40)]
    Y = [f(q, v, a, np.eye(len(names))).T for q, v, a in states]
    return np.concatenate([robot.inverse_dynamics(*state) for state in states]), np.concatenate(Y)


def test_it_comes_back_from_data_files_and_pickles(tmp_path: Path) -> None:
    robot = appell.load("scara").regrouped()
    robot.save(tmp_path / "light.toml")
    again = appell.load(tmp_path / "light.toml")
    assert again == robot == Robot.from_dict(robot.to_dict()) == pickle.loads(pickle.dumps(robot)) == robot.regrouped()
    assert robot != appell.load("scara")
    assert again.tree == robot.tree != appell.load("scara").tree
    with pytest.raises(ModelError, match="regrouped = 1, wanted true or false"):
        Robot.from_dict({**robot.to_dict(), "regrouped": 1})


def test_what_is_made_of_it_is_regrouped_anew() -> None:
    puma = full(appell.load("puma560").to_dict())
    held = puma.regrouped().lock({"joint2": 0.3})
    assert held.tree == puma.lock({"joint2": 0.3}).regrouped().tree
    riding = puma.regrouped().on_moving_base()
    assert felt(riding)[0] == "moving_base.mass"  # the base moves: what its first link hands inboard is felt


def test_matter_is_the_originals() -> None:
    robot = appell.load("panda")
    light, (q, v) = robot.regrouped(), robot.random_state(seed=1)
    assert light.mass == robot.mass
    assert light.bodies == robot.bodies
    np.testing.assert_array_equal(light.mass_centre(q), robot.mass_centre(q))
    assert light.explain("gibbs_appell", q, v, v).to_dict() == robot.explain("gibbs_appell", q, v, v).to_dict()
    with pytest.raises(ModelError, match="energy got parameters of a regrouped robot, wanted those of the original"):
        light.kernel("energy", inputs=["link3.first.x"])
    with pytest.raises(UnknownName, match=r"link3\.offset\.x"):  # moments are made for the lengths
        light.kernel("inverse_dynamics", inputs=["link3.offset.x"])
