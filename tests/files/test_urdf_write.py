"""Robots as URDF and back: the same robot, to round-off."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from oracles.random_robots import random_robot, random_state
from same import close

from appell.errors import ModelError
from appell.files import urdf, urdf_write, xml
from appell.files.source import PLAIN, Choices
from appell.model import zoo
from appell.model.mechanism import Coupling, Frame, Joint, Loop, Mechanism, Placement
from appell.model.parts import plain
from appell.model.shapes import Shape
from appell.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore:robot .*radii of gyration", "ignore:nothing of mass")


def back(mechanism: Mechanism, choices: Choices = PLAIN, **options: Any) -> Mechanism:
    """The robot, written and read again."""
    return urdf.read_element(
        xml.parse(urdf_write.text(mechanism, **options).text.encode()), "r.urdf", choices
    ).mechanism


def tree(seed: int, joints: str = "simple", **options: Any) -> dict[str, Any]:
    data = random_robot(seed, 9, joints, shape="tree", order="shuffled", **options)
    return data | {"gravity": [0.0, 0.0, -9.81]}


@pytest.mark.parametrize("joints", ["revolute", "prismatic", "simple", "planar", "ball"])
@pytest.mark.parametrize("floating", [False, True])
def test_what_urdf_has_comes_back(joints: str, floating: bool) -> None:
    for seed in range(4):
        data = tree(seed, joints, floating=floating, rotors=joints != "planar" and joints != "ball")
        for body in data["bodies"]:
            kind = body["joint"]["type"]
            if kind in ("ball", "free"):
                del body["joint"]["axis"]
            elif kind != "planar":
                body["joint"] |= {"limits": [-1.0, 2.5], "effort_limit": 3.0, "damping": 0.5, "coulomb": 0.25}
        mechanism = Mechanism.from_dict(data)
        assert close(back(mechanism).to_dict(), mechanism.to_dict())


@pytest.mark.parametrize("seed", range(6))
def test_other_joints_move_as_they_did(seed: int) -> None:
    """Cylindrical and universal joints in two pieces; coordinates keep their order."""
    data = random_robot(seed, 7, "mujoco", shape="tree", order="shuffled", floating=seed % 2 == 1)
    mechanism = Mechanism.from_dict(data)
    robot, other = Robot(mechanism), Robot(back(mechanism))
    q, v, a = random_state(data, seed)
    assert other.nv == robot.nv
    tau = robot.inverse_dynamics(q, v, a)
    assert np.abs(other.inverse_dynamics(q, v, a) - tau).max() < 1e-13 * np.abs(tau).max()
    for name in (*(b.name for b in mechanism.bodies), "tool"):
        assert np.abs(robot.pose(q, name) - other.pose(q, name)).max() < 1e-14


def test_a_helical_joint_is_a_turn_and_a_slide_that_mimics_it() -> None:
    data = random_robot(3, 3, "helical")
    other = back(Mechanism.from_dict(data))
    assert [b.joint.type for b in other.bodies] == ["revolute", "prismatic"] * 3
    assert [(c.of, c.coefficients) for c in other.constraints if isinstance(c, Coupling)] == [
        (f"joint{i}/0", (0.0, data["bodies"][i]["joint"]["pitch"])) for i in range(3)
    ]
    q, _, _ = random_state(data, 1)
    both = np.column_stack([q, q * [c.coefficients[1] for c in other.constraints]]).ravel()  # type: ignore[union-attr]
    ours = Robot(Mechanism.from_dict(data)).pose(q, "body2")
    assert np.abs(ours - Robot(other).pose(both, "body2")).max() < 1e-14


@pytest.mark.parametrize("name", zoo.names())
def test_the_zoo_comes_back(name: str) -> None:
    mechanism = zoo.load(name)
    if mechanism.loops or mechanism.constraints:
        pytest.skip("bound")
    assert close(back(mechanism).to_dict(), mechanism.to_dict())


def test_springs_and_gravity_come_back_with_a_note() -> None:
    mechanism = zoo.load("scara")
    joint = replace(mechanism.bodies[0].joint, stiffness=3.0, rest=0.5, preload=0.1, coulomb=1.0, smoothing=0.01)
    mechanism = replace(
        mechanism, bodies=(replace(mechanism.bodies[0], joint=joint), *mechanism.bodies[1:]), gravity=(0.0, 0.0, -1.62)
    )
    assert close(back(mechanism).to_dict(), mechanism.to_dict())
    notes = urdf_write.text(mechanism).notes
    assert any("stiffness, in an attribute that only Appell reads" in n for n in notes)
    assert any("gravity" in n for n in notes)


def test_shapes_and_colours_come_back() -> None:
    at = Placement((1.0, 2.0, 3.0), ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    red = (1.0, 0.0, 0.0, 1.0)
    shapes = (
        Shape("base", "box", at, (1.0, 2.0, 3.0), "visual", "b", red),
        Shape("upper", "sphere", Placement(), (0.5,), "collision"),
        Shape("upper", "cylinder", at, (0.5, 2.0), "visual", None, red),
        Shape("upper", "capsule", at, (0.5, 2.0), "visual", None, (0.0, 1.0, 0.0, 0.5)),
        Shape("upper", "mesh", at, (), "visual", None, None, "meshes/a.stl", (1.0, 1.0, -1.0)),
    )
    mechanism = replace(zoo.load("double_pendulum"), shapes=())
    names = {"upper": mechanism.bodies[0].name}
    shapes = tuple(replace(s, body=names.get(s.body, s.body)) for s in shapes)
    mechanism = replace(mechanism, shapes=shapes)
    assert plain(sorted(back(mechanism).shapes, key=str)) == plain(sorted(shapes, key=str))
    odd = replace(mechanism, shapes=(Shape("base", "ellipsoid", Placement(), (1.0, 2.0, 3.0)),))
    written = urdf_write.text(odd)
    assert "<!-- ellipsoid 1 2 3 -->" in written.text
    assert "no ellipsoid, of which URDF has none" in written.notes


def test_any_name_comes_back_that_xml_can_hold() -> None:
    mechanism = zoo.load("double_pendulum")
    odd = "a \"b\" 'c' <d> & \t\n é 漢 🤖 --"
    bodies = tuple(
        replace(b, name=odd + b.name, parent=odd + b.parent if b.parent != "base" else "base") for b in mechanism.bodies
    )
    named = replace(mechanism, name=odd, bodies=bodies, frames=())
    assert close(back(named).to_dict(), named.to_dict())
    with pytest.raises(ModelError, match=r"got the character '\\x00', wanted one that XML can hold"):
        urdf_write.text(replace(mechanism, name="a\0"))


def test_names_of_pieces_are_free() -> None:
    data = random_robot(1, 2, "cylindrical")
    data["bodies"][0]["name"] = data["bodies"][1]["parent"] = "body1/0"
    data["bodies"][0]["joint"]["name"] = "joint1/1"
    assert back(Mechanism.from_dict(data)).nv == 4


def looped() -> Mechanism:
    """A tree with a revolute loop, one at a universal joint, and a coupling of the second degree."""
    m = zoo.load("quadruped")
    a, b, c = (m.bodies[k].name for k in (3, 6, 9))
    at = Placement((0.1, 0.2, 0.3), ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    loops = (
        Loop("l", Joint("l", "revolute", (0.0, 0.0, 1.0), limits=(-1.0, 1.0), damping=0.5), a, b, at),
        Loop("u", Joint("u", "universal", (1.0, 0.0, 0.0), axis2=(0.0, 1.0, 0.0)), "base", c, at, at),
        Loop("s", Joint("s", "ball"), a, c, Placement(), at),
    )
    return replace(m, loops=loops)


def test_loops_by_choice() -> None:
    mechanism = looped()
    with pytest.raises(ModelError, match=r"loop 'l': got what URDF has no word for; wanted loops='comment'"):
        urdf_write.text(mechanism)
    assert close(back(mechanism, loops="constraint").to_dict(), mechanism.to_dict())
    left = urdf_write.text(mechanism, loops="comment")
    assert left.text.count("<!-- loop: {") == 3
    assert "no loop 'l', but in a comment" in left.notes
    assert back(mechanism, loops="comment") == back(replace(mechanism, loops=()))
    with pytest.raises(ModelError, match="loops: got 'maybe'"):
        urdf_write.text(mechanism, loops="maybe")  # type: ignore[arg-type]


def test_couplings_are_mimic_where_they_are_straight() -> None:
    m = zoo.load("panda")
    names = [b.joint.name for b in m.bodies]
    straight = Coupling(f"{names[2]}_mimic", names[2], names[0], (0.5, -2.0))
    bound = replace(m, constraints=(straight,))
    assert close(back(bound).to_dict(), bound.to_dict())
    bent = replace(m, constraints=(straight, Coupling("c", names[3], names[1], (0.0, 1.0, 2.0))))
    with pytest.raises(ModelError, match="constraint 'c': got what URDF has no word for"):
        urdf_write.text(bent)
    assert back(bent, loops="comment").constraints == (straight,)
    twice = replace(m, constraints=(straight, Coupling("d", names[2], names[1])))
    assert "no constraint 'd', but in a comment" in urdf_write.text(twice, loops="comment").notes


def test_a_frame_at_the_origin_is_the_root() -> None:
    m = replace(
        zoo.load("panda"), frames=(Frame("world", "base"), Frame("flange", "link7", Placement((0.0, 0.0, 0.1))))
    )
    assert '<link name="world"/>' in urdf_write.text(m).text
    assert close(back(m).to_dict(), m.to_dict())


def test_limits_without_an_end_come_back() -> None:
    m = zoo.load("cartpole")
    for limits in ((-math.inf, 1.0), (0.0, math.inf), None):
        bodies = tuple(replace(b, joint=replace(b.joint, limits=limits)) for b in m.bodies)
        assert back(replace(m, bodies=bodies)).bodies[0].joint.limits == limits
