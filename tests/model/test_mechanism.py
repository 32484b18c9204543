"""The format `appell-robot/1`: exact round trips, and one clear sentence for what cannot be."""

from __future__ import annotations

import copy
import json
import warnings
from typing import Any

import numpy as np
import pytest
from oracles.random_robots import random_robot

from appell.errors import ModelError
from appell.model.mechanism import Mechanism

NO_INERTIA = dict.fromkeys(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), 0.0)
EYE = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
LOOP: dict[str, Any] = {"name": "x", "joint": {"type": "ball"}, "body_a": "a", "body_b": "b"}
ROLLING: dict[str, Any] = {"name": "x", "type": "rolling", "body": "b", "radius": 0.1}


def rod(name: str, parent: str = "base", **joint: Any) -> dict[str, Any]:
    return {
        "name": name,
        "parent": parent,
        "joint": {"name": f"{name}_joint", "type": "revolute", "axis": [0.0, 0.0, 1.0], **joint},
        "placement": {"position": [0.1, 0.0, 0.0], "rotation": EYE},
        "mass": 1.0,
        "com": [0.5, 0.0, 0.0],
        "inertia": {**NO_INERTIA, "iyy": 0.08, "izz": 0.08},
    }


def robot(*bodies: dict[str, Any], **more: Any) -> dict[str, Any]:
    head = {"format": "appell-robot/1", "name": "test", "gravity": [0.0, 0.0, -9.81]}
    return {**head, "bodies": list(bodies), "frames": [], "loops": [], **more}


def changed(path: str, value: Any) -> dict[str, Any]:
    """Two rods and a frame, with one entry changed; keys of the path are separated by dots."""
    frame = {"name": "tip", "body": "b", "placement": {"position": [1.0, 0.0, 0.0], "rotation": EYE}}
    data: Any = copy.deepcopy(robot(rod("a"), rod("b", "a"), frames=[frame]))
    *way, last = [int(k) if k.isdigit() else k for k in path.split(".")]
    here = data
    for key in way:
        here = here[key]
    here[last] = value
    return data


@pytest.mark.filterwarnings("ignore:robot .*radii of gyration")
@pytest.mark.parametrize("seed", range(12))
def test_round_trip_is_exact(seed: int) -> None:
    data = random_robot(seed, 9, joints="mixed", floating=bool(seed % 2), shape="tree", rotors=True)
    assert Mechanism.from_dict(data).to_dict() == data
    assert Mechanism.from_dict(json.loads(json.dumps(data))).to_dict() == data


def test_optional_keys_come_back_only_where_they_were() -> None:
    full = {
        "limits": [-1.0, 2.0], "damping": 0.1, "coulomb": 0.2, "smoothing": 0.01,
        "rotor_inertia": 1e-4, "gear": 100.0, "stiffness": 3.0, "rest": 0.5, "preload": -0.3,
    }  # fmt: skip
    data = robot(rod("a", **full), rod("b", "a"))
    assert Mechanism.from_dict(data).to_dict() == data


def test_constants_per_freedom_and_limits_per_coordinate() -> None:
    joint = {"type": "cylindrical", "damping": [0.1, 2.0], "limits": [[-1.0, 1.0], [0.0, 0.3]]}
    data = robot(rod("a", **joint))
    assert Mechanism.from_dict(data).to_dict() == data


def test_arrays_and_tuples_are_lists() -> None:
    data = robot(rod("a"))
    data["gravity"] = np.array([0, 0, -9])
    data["bodies"][0]["placement"]["rotation"] = np.eye(3)
    data["bodies"] = tuple(data["bodies"])
    assert Mechanism.from_dict(data).gravity == (0.0, 0.0, -9.0)


BAD = [
    ("format", "appell-robot/2", "format = 'appell-robot/2', wanted 'appell-robot/1'"),
    ("gravty", 1, "unknown key 'gravty'; did you mean 'gravity'"),
    ("gravity", [0, 0], "robot 'test': got gravity = [0, 0], wanted 3 finite numbers"),
    ("gravity", [0, 0, float("nan")], "wanted 3 finite numbers"),
    ("bodies", {"a": 1}, "got bodies"),
    ("loops", [{"name": "x"}], "loop 'x': got no 'joint', wanted the keys name, joint, body_a, body_b"),
    ("loops", [LOOP | {"body_b": "c"}], "loop 'x': unknown body 'c'"),
    ("loops", [LOOP | {"body_b": "a"}], "loop 'x': got both ends on 'a', wanted two bodies"),
    ("loops", [LOOP | {"joint": {"type": "free"}}], "loop 'x': got a free joint, wanted one that closes something"),
    ("loops", [LOOP | {"joint": {"type": "revolute"}}], "joint 'x': got no 'axis'"),
    ("loops", [LOOP, LOOP], "loop 'x': got the name 'x' that is taken"),
    ("constraints", [{"name": "x"}], "constraint 'x': got {'name': 'x'}, wanted a mapping with a type"),
    ("constraints", [{"name": "x", "type": "roling"}], "unknown type 'roling'; did you mean 'rolling'?"),
    ("constraints", [ROLLING | {"radius": -1.0}], "constraint 'x': got radius = -1.0, wanted a length"),
    ("constraints", [ROLLING | {"normal": [0, 0, 0]}], "constraint 'x': got normal = (0.0, 0.0, 0.0)"),
    ("constraints", [ROLLING | {"body": "c"}], "constraint 'x': unknown body 'c'"),
    ("constraints", [{"name": "x", "type": "coupling", "joint": "a", "of": "a"}], "got the joint 'a' twice"),
    ("bodies.0", 3, "body: got 3, wanted a mapping"),
    ("bodies.0.name", "", "got name = '', wanted a name"),
    ("bodies.1.name", "a", "body 'a': got a name that is taken"),
    ("bodies.1.name", "base", "body 'base': got a name that is taken"),
    ("bodies.1.joint.name", "a_joint", "joint 'a_joint': got a name that is taken"),
    ("frames.0.name", "a", "frame 'a': got a name that is taken"),
    ("frames.0.body", "bb", "frame 'tip': unknown body 'bb'"),
    ("bodies.1.parent", "aa", "body 'b': unknown parent 'aa'"),
    ("bodies.0.parent", "b", "the cycle of parents a -> b -> a"),
    ("bodies.0.parent", "a", "the cycle of parents a -> a"),
    ("bodies.0.mass", -1.0, "body 'a': got mass = -1.0, wanted a finite mass"),
    ("bodies.0.mass", float("inf"), "body 'a': got mass = inf, wanted a finite number"),
    ("bodies.0.mass", "1", "body 'a': got mass = '1', wanted a finite number"),
    ("bodies.0.mass", True, "body 'a': got mass = True, wanted a finite number"),
    ("bodies.0.com", [0, 0, None], "body 'a': got com = [0, 0, None], wanted 3 finite numbers"),
    ("bodies.0.inertia.ixx", float("nan"), "inertia of body 'a': got ixx = nan"),
    ("bodies.0.inertia.ixx", 0.2, "body 'a': got principal moments of inertia"),
    ("bodies.0.inertia.ixy", 0.2, "body 'a': got principal moments of inertia"),
    ("bodies.0.joint.type", "hinge", "joint 'a_joint': unknown joint type 'hinge'"),
    ("bodies.0.joint.type", "revolut", "did you mean 'revolute'"),
    ("bodies.0.joint.type", "helical", "joint 'a_joint': got no 'pitch', wanted one, as a helical joint"),
    ("bodies.0.joint.type", "universal", "joint 'a_joint': got no 'axis2'"),
    ("bodies.0.joint.axis", [0, 0, 0], "joint 'a_joint': got axis = (0.0, 0.0, 0.0), wanted a direction"),
    ("bodies.0.joint.axs", [0, 0, 1], "joint 'a_joint': unknown key 'axs'; did you mean 'axis'"),
    (
        "bodies.0.joint.damping",
        -1,
        "joint 'a_joint': got damping = -1.0, wanted a number that is not negative",
    ),
    ("bodies.0.joint.damping", [1, 2], "joint 'a_joint': got 2 values of damping, wanted one number, or 1"),
    ("bodies.0.joint.limits", [2, 1], "joint 'a_joint': got limits = [2, 1], wanted a pair"),
    ("bodies.0.joint.limits", [[0, 1], [0, 1]], "joint 'a_joint': got 2 pair(s) of limits, wanted 1"),
    (
        "bodies.0.placement.rotation",
        [[1, 0, 0], [0, 1, 0], [0, 0, -1]],
        "placement of body 'a': got rotation",
    ),
    ("bodies.0.placement.rotation", [[1, 0, 0], [0, 1, 0], [0, 0, 1.1]], "off orthonormal by 0.21"),
    ("bodies.0.placement.rotation", [[1, 0, 0], [0, 1, 0]], "wanted 3 rows of 3 finite numbers"),
    ("frames.0.placement.rotation", [[0, 0, 1], [0, 1, 0], [1, 0, 0]], "placement of frame 'tip'"),
    ("bodies.0.placement.rotation", {"quaternion": [2, 0, 0, 0]}, "of norm 2, wanted a norm of 1"),
    ("bodies.0.placement.rotation", {"quaternion": [1, 0, 0]}, "wanted 4 finite numbers"),
]


@pytest.mark.parametrize(("path", "value", "sentence"), BAD)
def test_refusals_name_element_got_and_wanted(path: str, value: Any, sentence: str) -> None:
    with pytest.raises(ModelError) as caught:
        Mechanism.from_dict(changed(path, value))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [None, [], "robot", 3, {}])
def test_what_is_no_robot_is_refused(data: Any) -> None:
    with pytest.raises(ModelError, match="robot: got"):
        Mechanism.from_dict(data)


@pytest.mark.parametrize("key", ["name", "parent", "joint", "mass", "com", "inertia"])
def test_a_missing_key_is_named(key: str) -> None:
    data = robot(rod("a"))
    del data["bodies"][0][key]
    with pytest.raises(ModelError, match=f"got no '{key}'"):
        Mechanism.from_dict(data)


def test_springs_need_a_scalar_coordinate() -> None:
    for kind in ("ball", "free"):
        with pytest.raises(ModelError, match=r"stiffness = 1\.0, wanted none"):
            Mechanism.from_dict(robot(rod("a", type=kind, stiffness=1.0)))
    with pytest.raises(ModelError, match="a fixed joint does not move"):
        Mechanism.from_dict(robot(rod("a", type="fixed", damping=1.0)))


def test_parallel_axes_of_a_universal_joint_are_refused() -> None:
    with pytest.raises(ModelError, match="two axes that differ"):
        Mechanism.from_dict(robot(rod("a", type="universal", axis2=[0.0, 0.0, -1.0])))


def test_an_axis_is_a_direction() -> None:
    with pytest.warns(UserWarning, match="joint 'a_joint': axis .* has length 2"):
        mechanism = Mechanism.from_dict(robot(rod("a", axis=[0.0, 0.0, 2.0])))
    assert mechanism.bodies[0].joint.axis == (0.0, 0.0, 2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Mechanism.from_dict(robot(rod("a", axis=[0.7071068, 0.7071068, 0.0])))


def test_quaternions_are_normalised_with_a_warning() -> None:
    data = changed("bodies.0.placement.rotation", {"quaternion": [1.0, 0.01, 0.0, 0.0]})
    with pytest.warns(UserWarning, match="placement of body 'a': quaternion .* was normalised"):
        mechanism = Mechanism.from_dict(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = Mechanism.from_dict(mechanism.to_dict())
    assert again == mechanism
    R = np.array(mechanism.bodies[0].placement.rotation)
    assert np.abs(R.T @ R - np.eye(3)).max() < 1e-15
    assert R[2, 1] == pytest.approx(0.02 / 1.0001)


def test_a_quarter_turn_as_a_quaternion_is_exact_enough_to_fold() -> None:
    data = changed("bodies.0.placement.rotation", {"quaternion": [1.0, 0.0, 0.0, 0.0]})
    assert Mechanism.from_dict(data).to_dict() == data
    assert Mechanism.from_dict(data).bodies[0].placement.rotation == tuple(map(tuple, EYE))


def test_bodies_may_come_before_their_parents() -> None:
    mechanism = Mechanism.from_dict(robot(rod("b", "a"), rod("a")))
    assert mechanism.parents == (1, -1)
    assert [b.name for b in mechanism.bodies] == ["b", "a"]


def test_a_cycle_beside_the_tree_is_named() -> None:
    bodies = [rod("a"), *(rod(f"c{i}", f"c{(i + 1) % 9}") for i in range(9)), rod("d", "c3")]
    with pytest.raises(ModelError, match=r"c0 -> c1 -> c2 -> c3 -> c4 -> c5 -> \.\.\. -> c0"):
        Mechanism.from_dict(robot(*bodies))


@pytest.mark.slow
def test_deep_chains_and_deep_cycles_need_no_recursion() -> None:
    n = 20_000
    bodies = [rod(f"b{i}", f"b{i - 1}" if i else "base") for i in range(n)]
    assert Mechanism.from_dict(robot(*bodies)).nv == n
    bodies[0]["parent"] = f"b{n - 1}"
    with pytest.raises(ModelError, match="cycle of parents"):
        Mechanism.from_dict(robot(*bodies))


def test_names_may_be_any_text() -> None:
    odd = 'a "quoted"\\ \n näme 🤖'
    data = robot(rod(odd), rod("b", odd))
    assert Mechanism.from_dict(data).to_dict() == data


def test_an_empty_robot_is_a_robot() -> None:
    mechanism = Mechanism.from_dict(robot())
    assert (mechanism.nq, mechanism.nv) == (0, 0)
    assert mechanism.to_dict() == robot()


def test_loops_and_constraints_come_back_as_they_were():
    turned = {"position": [0.0] * 3, "rotation": {"quaternion": [1.0, 0.0, 0.0, 0.0]}}
    ends = {"placement_a": {"position": [1.0, 0.0, 0.0], "rotation": EYE}, "body_b": "b", "placement_b": turned}
    hinge = {"name": "hinge", "type": "revolute", "axis": [0.0, 0.0, 1.0], "damping": 0.1}
    loops = [{"name": "l", "joint": joint, "body_a": "a", **ends} for joint in ({"type": "ball"}, hinge)]
    loops[1]["name"] = "m"
    plane = {"position": [0.0] * 3, "point": [0.0] * 3, "normal": [0.0, 0.0, 1.0]}
    constraints = [
        {"name": "gear", "type": "coupling", "joint": "a_joint", "of": "b_joint", "coefficients": [0.0, -2.0]},
        {"name": "wheel", "type": "rolling", "body": "b", "radius": 0.1, "axis": [0.0, 1.0, 0.0], **plane},
        {"name": "edge", "type": "knife_edge", "body": "b", "direction": [0.0, 1.0, 0.0], "position": [0.0] * 3},
    ]
    data = robot(rod("a"), rod("b", "a"), loops=loops, constraints=constraints)
    made = Mechanism.from_dict(data)
    assert made.to_dict() == data
    assert Mechanism.from_dict(json.loads(json.dumps(made.to_dict()))) == made
