"""Graphs of bodies and joints: the tree that is chosen, coordinates that mean what the joint says, what is refused."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

import appell
from appell.errors import ModelError, UnknownName

KINDS = ("revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "ball", "free")
INERTIA = {"ixx": 0.01, "iyy": 0.02, "izz": 0.025, "ixy": 0.001, "ixz": 0.002, "iyz": -0.003}
Array = np.ndarray[Any, Any]


def body(name):
    return {"name": name, "mass": 1.0, "com": [0.1, 0.02, -0.03], "inertia": INERTIA}


def placement(rng, plain=False):
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    R *= np.linalg.det(R)
    return {"position": rng.normal(size=3).tolist(), "rotation": np.eye(3).tolist() if plain else R.tolist()}


def joint(name, kind, a, b, rng, **more):
    axes = {"axis": rng.normal(size=3)} if kind not in ("ball", "free") else {}
    axes |= {"axis2": rng.normal(size=3)} if kind == "universal" else {}
    more |= {"pitch": 0.1} if kind == "helical" else {}
    axes = {key: (x / np.linalg.norm(x)).tolist() for key, x in axes.items()}
    ends = {"body_a": a, "placement_a": placement(rng), "body_b": b, "placement_b": placement(rng)}
    return {"name": name, "type": kind, **axes, **ends, **more}


def graph(bodies, joints, **more):
    return {
        "name": "graph",
        "gravity": [0.0, 0.0, -9.81],
        "bodies": [body(n) for n in bodies],
        "joints": joints,
        **more,
    }


def matrix(given):
    return np.block([[np.array(given["rotation"]), np.array(given["position"])[:, None]], [np.zeros((1, 3)), 1]])


def own(robot, q, name):
    """The pose of a body's own frame."""
    if name == "base":
        return np.eye(4)
    return robot.pose(q, f"{name}_frame" if f"{name}_frame" in robot.tree.frames else name)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ends", (("base", "a"), ("a", "base")))
def test_coordinates_are_those_of_body_b_seen_from_body_a(kind, ends):
    """For planar, ball and free joints, those of the outer body seen from the inner one."""
    rng = np.random.default_rng(3)
    given = joint("j", kind, ends[0], ends[1], rng)
    robot = appell.Robot.from_graph(graph("a", [given]))
    alone = {k: x for k, x in given.items() if k not in ("body_a", "body_b", "placement_a", "placement_b")}
    lone = {"name": "b", "parent": "base", "joint": alone, "mass": 1.0, "com": [0, 0, 0], "inertia": INERTIA}
    head = {"format": "appell-robot/1", "name": "alone", "gravity": [0, 0, 0]}
    q, _ = robot.random_state(1)
    seen = np.linalg.inv(own(robot, q, ends[0]) @ matrix(given["placement_a"]))
    seen = seen @ own(robot, q, ends[1]) @ matrix(given["placement_b"])
    if kind == "universal" and ends[1] == "base":
        q = q[::-1]
    if kind in ("planar", "ball", "free") and ends[1] == "base":
        seen = np.linalg.inv(seen)
    np.testing.assert_allclose(appell.Robot.from_dict({**head, "bodies": [lone]}).pose(q, "b"), seen, atol=1e-13)


def test_matter_stays_where_it_is():
    """Energies are those of bodies in their own frames."""
    rng = np.random.default_rng(5)
    joints = [joint("j1", "revolute", "base", "a", rng), joint("j2", "universal", "b", "a", rng)]
    robot = appell.Robot.from_graph(graph("ab", joints))
    q, v = robot.random_state(2)
    kinetic: Any = 0.0
    potential: Any = 0.0
    for name in "ab":
        T, V = own(robot, q, name), robot.velocity(q, v, f"{name}_frame")
        c = T[:3, :3] @ np.array(body(name)["com"])
        u, w = V[:3] + np.cross(V[3:], c), T[:3, :3].T @ V[3:]
        i = INERTIA
        tensor = np.array(
            [[i["ixx"], i["ixy"], i["ixz"]], [i["ixy"], i["iyy"], i["iyz"]], [i["ixz"], i["iyz"], i["izz"]]]
        )
        kinetic += u @ u / 2 + w @ tensor @ w / 2
        potential += 9.81 * (T[2, 3] + c[2])
    np.testing.assert_allclose(robot.energy(q, v), [kinetic, potential], rtol=1e-12)


def test_joints_that_are_cut_leave_the_fewest_equations():
    rng = np.random.default_rng(1)
    kinds = ("revolute", "ball", "prismatic", "cylindrical")
    for order in permutations(range(4)):
        ring = [("base", "a"), ("a", "b"), ("b", "c"), ("c", "base")]
        joints = [joint(f"j{k}", kinds[k], *ends, rng) for k, ends in zip(order, ring, strict=True)]
        robot = appell.Robot.from_graph(graph("abc", joints))
        assert [x.joint.type for x in robot.loops] == ["ball"]
        assert [b.name for b in robot.bodies] == ["a", "b", "c"]


def ring(**more):
    """Four revolute joints about z in a ring: a four-bar."""

    def bar(name, a, at_a, b, at_b):
        places = {"placement_a": {"position": at_a}, "placement_b": {"position": at_b}}
        return {
            "name": name,
            "type": "revolute",
            "axis": [0, 0, 1],
            "body_a": a,
            "body_b": b,
            **places,
            **more.get(name, {}),
        }

    return graph("abc", [
        bar("j1", "base", [0, 0, 0], "a", [0, 0, 0]), bar("j2", "a", [0.1, 0, 0], "b", [0, 0, 0]),
        bar("j3", "b", [0.35, 0, 0], "c", [0.25, 0, 0]), bar("j4", "base", [0.4, 0, 0], "c", [0, 0, 0]),
    ])  # fmt: skip


def test_of_equals_the_last_is_cut_unless_it_resists_or_is_asked_for():
    assert appell.Robot.from_graph(ring()).loops[0].name == "j4"
    assert appell.Robot.from_graph(ring(j4={"damping": 0.1})).loops[0].name == "j3"
    assert appell.Robot.from_graph(ring(j4={"damping": 0.1}), keep=["j3"]).loops[0].name == "j2"
    with pytest.raises(UnknownName, match="unknown joint 'j9'"):
        appell.Robot.from_graph(ring(), keep=["j9"])


def test_the_same_mechanism_whatever_is_cut():
    """Numbers where nothing moves stay exact, and the motion does not ask which joint was cut."""
    found = []
    for keep in (["j1", "j2", "j3"], ["j1", "j2", "j4"], ["j1", "j3", "j4"]):
        robot = appell.Robot.from_graph(ring(), keep=keep)
        assert robot == appell.Robot.from_dict(robot.to_dict())
        assert robot.bodies[0].com == (0.1, 0.02, -0.03)
        names = [b.joint.name for b in robot.bodies]
        q = robot.neutral()
        for name, x in (("j1", 1.0), ("j2", -0.515), ("j3", -1.23 + np.pi), ("j4", 1.717)):
            if name in names:
                q[names.index(name)] = x
        q = robot.assemble(q, fixed=["j1"]).q
        a = robot.forward_dynamics(q, np.zeros(3), np.zeros(3))
        found.append(a[names.index("j1")])
    np.testing.assert_allclose(found, found[0], rtol=1e-12)


@pytest.mark.parametrize(("change", "message"), (
    (lambda d: d["joints"].pop(0) and d["joints"].pop(-1), "bodies that no joint leads to: a, b, c, wanted a joint"),
    (lambda d: d["joints"][0].update(body_b="arm"), "joint 'j1': unknown body 'arm'"),
    (lambda d: d["joints"][0].update(body_b="base"), "both ends on 'base', wanted two bodies"),
    (lambda d: d["joints"][1].update(name="j1"), "the joint 'j1' twice"),
    (lambda d: d["bodies"][1].update(name="a"), "the body 'a' twice"),
    (lambda d: d["bodies"][0].update(parent="base"), "unknown key 'parent'"),
    (lambda d: d["joints"][0].pop("body_a"), "joint 'j1': got no 'body_a'"),
    (lambda d: d.update(joints={}), "wanted a list"),
    (lambda d: [x.update(type="fixed") for x in d["joints"]], "which no joint moves against each other"),
))  # fmt: skip
def test_what_is_no_graph_is_refused(change, message):
    data = ring()
    change(data)
    with pytest.raises(ModelError if "unknown" not in message else appell.errors.AppellError, match=message):
        appell.Robot.from_graph(data)
