"""Robots as MJCF and back: the same robot, to round-off; and MuJoCo has the same dynamics of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("mujoco")

import mujoco
from oracles.random_robots import random_robot, random_state
from same import close

import appell
from appell.errors import AppellError, ModelError
from appell.files import mjcf, mjcf_write
from appell.model import zoo
from appell.model.configurations import Configuration
from appell.model.loops import KnifeEdge
from appell.model.mechanism import Body, Coupling, Frame, Inertia, Joint, Loop, Mechanism, Placement
from appell.model.shapes import Shape
from appell.robot import Robot

mujoco.set_mju_user_warning(lambda _: None)  # or they would go into a file of the current folder
pytestmark = pytest.mark.filterwarnings("ignore:robot .*radii of gyration", "ignore:nothing of mass")


def back(mechanism: Mechanism, tmp_path: Path, **options: Any) -> Mechanism:
    """The robot, written and read again."""
    path = tmp_path / "m.xml"
    path.write_text(mjcf_write.text(mechanism, **options).text)
    found = mjcf.read(path)
    assert found.source.ignored == ()
    return found.mechanism


def tree(seed: int, joints: str = "simple", **options: Any) -> dict[str, Any]:
    data = random_robot(seed, 9, joints, shape="tree", order="shuffled", **options)
    for body in data["bodies"]:
        if body["joint"]["type"] == "free":
            del body["joint"]["axis"], body["placement"]
        elif body["joint"]["type"] == "ball":
            del body["joint"]["axis"]
    return data


@pytest.mark.parametrize("joints", ["revolute", "prismatic", "simple", "ball"])
@pytest.mark.parametrize("floating", [False, True])
def test_what_mjcf_has_comes_back(joints: str, floating: bool, tmp_path: Path) -> None:
    for seed in range(4):
        data = tree(seed, joints, floating=floating, rotors=joints != "ball")
        for body in data["bodies"]:
            if body["joint"]["type"] not in ("ball", "free"):
                more = {"limits": [-1.0, 2.5], "effort_limit": 3.0, "velocity_limit": 2.0, "preload": 0.5}
                body["joint"] |= {**more, "stiffness": 2.0, "rest": 0.5, "smoothing": 0.1, "coulomb": 0.25}
            body["joint"]["damping"] = 0.5
        mechanism = Mechanism.from_dict(data)
        assert close(back(mechanism, tmp_path).to_dict(), mechanism.to_dict(), 1e-14)


@pytest.mark.parametrize("seed", range(8))
def test_mujoco_has_the_same_dynamics(seed: int, tmp_path: Path) -> None:
    """Joints of every kind that it has, in any order, floating or not; coordinates keep their order in the file."""
    data = random_robot(seed, 8, "mujoco", shape="tree", order="shuffled", floating=seed % 2 == 1, rotors=True)
    robot = Robot(Mechanism.from_dict(data))
    there, again = robot.to_mujoco(), Robot(back(robot.mechanism, tmp_path))
    for k in range(3):
        q, v, a = random_state(data, k)
        tau, M = robot.inverse_dynamics(q, v, a), robot.mass_matrix(q)
        assert np.abs(there.inverse_dynamics(q, v, a) - tau).max() < 1e-12 * np.abs(tau).max()
        assert np.abs(there.mass_matrix(q) - M).max() < 1e-12 * np.abs(M).max()
        assert there.forward_dynamics(q, v, tau) == pytest.approx(a, rel=1e-7, abs=1e-7)
        if data["bodies"][0]["joint"]["type"] != "free":
            assert np.abs(again.inverse_dynamics(q, v, a) - tau).max() < 1e-12 * np.abs(tau).max()


@pytest.mark.parametrize("name", zoo.names())
def test_the_zoo(name: str, tmp_path: Path) -> None:
    mechanism = zoo.load(name)
    if any(not isinstance(c, Coupling) for c in mechanism.constraints):
        with pytest.raises(ModelError, match="got what is no equality of MJCF"):
            mjcf_write.text(mechanism)
        return
    again = back(mechanism, tmp_path)
    assert (again.nq, again.nv, len(again.loops)) == (mechanism.nq, mechanism.nv, len(mechanism.loops))
    if all(b.joint.type not in ("planar", "universal", "cylindrical") for b in mechanism.bodies):
        bare = [replace(m, configurations=()).to_dict() for m in (again, mechanism)]
        assert close(*bare, 1e-14)
    for c in mechanism.configurations:
        assert Robot(again).configuration(c.name) == pytest.approx(Robot(mechanism).configuration(c.name), abs=1e-15)


@pytest.mark.parametrize("name", ["four_bar", "five_bar", "slider_crank", "delta", "stewart", "standing_biped"])
def test_mujoco_closes_the_same_loops(name: str) -> None:
    """Where ours are closed so are MuJoCo's, and the motions that both allow are the same."""
    robot = appell.load(name)
    there, home = robot.to_mujoco(least_inertia=1e-9), robot.assemble()
    there.load(home.q)
    mujoco.mj_forward(there.model, there.data)
    equal = there.data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    assert np.abs(there.data.efc_pos[equal]).max() < 1e-9
    J = jacobian(there)[equal]
    free = robot.velocity_transformation(home.q, list(home.independent))
    moves = np.array([there.v(home.q, column) for column in free.T])
    assert np.abs(J @ moves.T).max() < 1e-9 * max(1.0, np.abs(J).max())
    assert np.linalg.matrix_rank(J, 1e-8) == robot.nv - len(moves)


def jacobian(there: Any) -> Any:
    """The matrix of MuJoCo's constraints, which it may keep sparse."""
    d, full = there.data, np.zeros((there.data.nefc, there.model.nv))
    if not mujoco.mj_isSparse(there.model):
        return d.efc_J.reshape(full.shape)
    mujoco.mju_sparse2dense(full, d.efc_J, d.efc_J_rownnz, d.efc_J_rowadr, d.efc_J_colind)
    return full


def test_bodies_of_several_joints_come_back(tmp_path: Path) -> None:
    """Links without matter are MuJoCo's second joints, wherever these turn."""
    text = (
        "<mujoco model='m'><worldbody><body name='a' pos='1 0 0' euler='10 20 30'><joint name='x' axis='1 0 0' pos='.1 0 0'/>"
        "<joint name='y' type='slide' axis='0 1 1'/><joint name='z' pos='0 0 .3'/><inertial mass='2' pos='.1 .2 .3' "
        "diaginertia='.3 .4 .5'/><body name='b'><joint type='ball'/><inertial mass='1' pos='0 0 1' diaginertia='1 1 1'/></body>"
        "</body></worldbody></mujoco>"
    )
    (tmp_path / "n.xml").write_text(text)
    mechanism = mjcf.read(tmp_path / "n.xml").mechanism
    assert [b.name for b in mechanism.bodies] == ["a/0", "a/1", "a/2", "a", "b"]
    assert close(back(mechanism, tmp_path).to_dict(), mechanism.to_dict(), 1e-15)
    assert Robot(mechanism).to_mujoco().model.nv == 6


def test_drives_keys_frames_and_shapes_come_back(tmp_path: Path) -> None:
    at = Placement((1.0, 2.0, 3.0), ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    text = "<actuator><motor name='m' joint='j' gear='50' ctrlrange='-1 1'/><position name='p' joint='j' kp='9' kv='2' "
    text += "forcerange='-5 5'/><velocity name='v' joint='j' kv='3'/></actuator><keyframe><key name='k' qpos='.3'/></keyframe>"
    (tmp_path / "n.xml").write_text(
        "<mujoco model='m'><worldbody><body name='a'><joint name='j'/><geom size='.1'/></body></worldbody>"
        + text
        + "</mujoco>"
    )
    mechanism = mjcf.read(tmp_path / "n.xml").mechanism
    red = (1.0, 0.0, 0.0, 1.0)
    shapes = (
        Shape("base", "plane", Placement(), (0.0, 0.0)),
        Shape("a", "box", at, (1.0, 2.0, 3.0), "visual", "b", red),
        Shape("a", "sphere", Placement(), (0.5,), "collision"),
        Shape("a", "cylinder", at, (0.5, 2.0)),
        Shape("a", "capsule", at, (0.5, 2.0), color=(0.0, 1.0, 0.0, 0.5)),
        Shape("a", "ellipsoid", at, (0.5, 2.0, 1.0)),
        Shape("a", "mesh", at, (), "visual", None, None, "meshes/a.stl", (1.0, 1.0, -1.0)),
    )
    mechanism = replace(mechanism, shapes=shapes, frames=(Frame("f", "a", at), Frame("g", "base", at)))
    assert close(
        back(mechanism, tmp_path).to_dict(), replace(mechanism, frames=mechanism.frames[::-1]).to_dict(), 1e-15
    )
    odd = replace(mechanism, shapes=(Shape("a", "mesh", at, file="package://p/a.dae"),))
    assert "<!-- mesh package://p/a.dae -->" in mjcf_write.text(odd).text


def test_floating_robots_start_where_they_did(tmp_path: Path) -> None:
    m = zoo.load("quadruped")
    free = next(b.joint.name for b in m.bodies if b.joint.type == "free")
    start = Configuration("start", ((free, (1.0, 2.0, 3.0, 0.0, 0.0, 1.0, 0.0)),))
    m = replace(m, configurations=(start, Configuration("low", ((m.bodies[2].joint.name, 0.5),))))
    again = back(m, tmp_path)
    for name in ("start", "low"):
        assert Robot(again).configuration(name) == pytest.approx(Robot(m).configuration(name))
    assert Robot(m).to_mujoco().model.qpos0[:7] == pytest.approx(start.joints[0][1])


def test_couplings_and_what_is_no_equality(tmp_path: Path) -> None:
    m = zoo.load("panda")
    names = [b.joint.name for b in m.bodies]
    bound = replace(m, constraints=(Coupling("c", names[2], names[0], (0.5, -2.0, 0.0, 3.0)),))
    assert close(back(bound, tmp_path).to_dict(), bound.to_dict(), 1e-15)
    bad = replace(m, constraints=(Coupling("c", names[2], names[0], (0.5, -2.0, 0.0, 3.0, 1.0, 1.0)),))
    with pytest.raises(ModelError, match="constraint 'c': got what is no equality of MJCF"):
        mjcf_write.text(bad)
    knife = replace(m, constraints=(KnifeEdge("k", m.bodies[0].name, (1.0, 0.0, 0.0)),))
    assert "no constraint 'k', but in a comment" in mjcf_write.text(knife, loops="comment").notes
    screw = Loop("s", Joint("s", "helical", (0.0, 0.0, 1.0), 0.1), m.bodies[0].name, m.bodies[3].name)
    with pytest.raises(ModelError, match="loop 's': got what is no equality"):
        mjcf_write.text(replace(m, loops=(screw,)))


PLACE = Placement((0.1, 0.2, 0.3), ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
Z, X = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)


def bound(*loops: Loop) -> Mechanism:
    return replace(zoo.load("panda"), loops=loops, configurations=(Configuration("k", (("joint1", 0.5),)),))


LOOPS = {
    "prismatic": Joint("l", "prismatic", Z, limits=(-1.0, 2.0), damping=0.5),
    "cylindrical": Joint("l", "cylindrical", X, damping=(0.1, 0.2)),
    "universal": Joint("l", "universal", Z, axis2=X),
    "planar": Joint("l", "planar", Z),
}


@pytest.mark.parametrize("kind", LOOPS)
def test_other_loops_are_halves_of_bodies(kind: str, tmp_path: Path) -> None:
    """In MuJoCo as well: its bodies weigh the same, and what its welds allow is what the loop does."""
    panda = appell.load("panda")
    start = panda.random_state(3)[0]
    A, B = (panda.pose(start, name) for name in ("link2", "link6"))
    T = np.linalg.solve(B, A) @ np.vstack([np.column_stack([PLACE.rotation, PLACE.position]), [0.0, 0.0, 0.0, 1.0]])
    there_b = Placement(tuple(T[:3, 3].tolist()), tuple(map(tuple, T[:3, :3].tolist())))  # type: ignore[arg-type]
    m = bound(Loop("l", LOOPS[kind], "link2", "link6", PLACE, there_b))
    again = back(m, tmp_path)
    assert close(replace(again, configurations=()).to_dict(), replace(m, configurations=()).to_dict(), 4e-15)
    assert Robot(again).configuration("k") == pytest.approx(Robot(m).configuration("k"))
    there = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    assert there.body_mass.sum() == pytest.approx(Robot(m).mass)
    text = (tmp_path / "m.xml").read_text()
    (tmp_path / "m.xml").write_text("\n".join(x for x in text.splitlines() if "<text" not in x and "custom>" not in x))
    other, robot = Robot(mjcf.read(tmp_path / "m.xml").mechanism), Robot(m)
    home = robot.assemble(start)
    q = other.assemble(np.concatenate([home.q, np.zeros(other.nq - robot.nq)])).q
    v = np.zeros(robot.nv)
    a = robot.forward_dynamics(q[: robot.nq], v, v)
    assert other.forward_dynamics(q, np.zeros(other.nv), np.zeros(other.nv))[: robot.nv] == pytest.approx(a, rel=1e-6, abs=1e-6)


def test_two_loops_on_one_body_and_one_on_the_base(tmp_path: Path) -> None:
    first = Loop("a", LOOPS["universal"], "link2", "link6", PLACE)
    second = Loop("b", replace(LOOPS["prismatic"], name="b"), "link3", "link6", PLACE, PLACE)
    m = bound(replace(first, joint=replace(first.joint, name="a")), second)
    assert close(replace(back(m, tmp_path), configurations=()).to_dict(), replace(m, configurations=()).to_dict(), 4e-15)
    grounded = Loop("l", LOOPS["cylindrical"], "link4", "base", PLACE)
    (found,) = back(bound(grounded), tmp_path).loops
    assert (found.body_a, found.body_b, found.joint.type, found.joint.axis) == ("base", "link4", "cylindrical", (-1.0, 0.0, 0.0))
    with pytest.raises(ModelError, match="got the loop 'l' of a cylindrical joint"):
        Robot(bound(grounded)).to_mujoco()


def test_a_helical_joint_is_a_hinge_and_a_slide_that_follows(tmp_path: Path) -> None:
    data = random_robot(3, 3, "helical")
    other = back(Mechanism.from_dict(data), tmp_path)
    assert [b.joint.type for b in other.bodies] == ["revolute", "prismatic"] * 3
    pitch = data["bodies"][1]["joint"]["pitch"]
    assert [(c.of, c.coefficients) for c in other.constraints][1] == ("joint1/0", (0.0, pitch))  # type: ignore[union-attr]
    with pytest.raises(ModelError, match="got a helical joint"):
        Robot.from_dict(data).to_mujoco()


BAD = {
    "[]": "wanted a mapping",
    "{": "what Appell writes there",
    "[" * 100_000: "what Appell writes there",
    '{"x": 1}': "unknown key 'x'",
    '{"order": ["a", "a"]}': "an order of other bodies",
    '{"order": [[], 3]}': "an order of other bodies",
    '{"order": 3}': "wanted a list",
    '{"joints": {"q": {"gear": 2}}}': "unknown joint 'q'",
    '{"joints": {"j": {"mass": 2}}}': "unknown key 'mass'",
    '{"joints": {"j": {"gear": NaN}}}': "wanted a finite number",
    '{"fixed": {"a": 3}}': "wanted a name",
    '{"loops": {"l": {}}}': "unknown loop 'l'",
    '{"sites": 2}': "wanted a list",
    '{"halves": {"l": {}}}': "unknown welded half 'l'",
}


@pytest.mark.parametrize("data", BAD, ids=lambda x: x[:20])
def test_what_is_kept_for_appell_is_checked(data: str, tmp_path: Path) -> None:
    from xml.sax.saxutils import quoteattr

    body = "<body name='a'><joint name='j'/><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/><body name='b'/></body>"
    path = tmp_path / "m.xml"
    path.write_text(
        f"<mujoco><custom><text name='appell' data={quoteattr(data)}/></custom><worldbody>{body}</worldbody></mujoco>"
    )
    with pytest.raises(ModelError, match=BAD[data]) as caught:
        mjcf.read(path)
    assert "line 1" in str(caught.value)


def test_mujoco_refuses_in_a_sentence() -> None:
    light = Mechanism("light", (0.0, 0.0, 0.0), (Body("a", "base", Joint("j", "revolute", (0.0, 0.0, 1.0))),))
    with pytest.raises(AppellError, match="robot 'light': MuJoCo refuses it: .*mass"):
        Robot(light).to_mujoco()


def test_limits_that_leave_no_room(tmp_path: Path) -> None:
    m = zoo.load("panda")
    bodies = tuple(replace(b, joint=replace(b.joint, limits=(0.5, 0.5))) for b in m.bodies)
    held = replace(m, bodies=bodies, configurations=())
    assert close(back(held, tmp_path).to_dict(), held.to_dict(), 1e-15)
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml")).nv == 7


def test_matter_that_mujoco_refuses_is_gathered(tmp_path: Path) -> None:
    """A part that is no matter by itself, and the whole that is."""
    bad, heavy = Inertia(1e-3, 1e-3, 5e-3), Inertia(0.1, 0.1, 0.1, 0.01, 0.0, 0.0)
    a = Body("a", "base", Joint("j", "revolute", Z), PLACE, 1.0, (0.0, 0.1, 0.0), bad)
    b = Body("b", "a", Joint("b_fixed", "fixed"), PLACE, 2.0, (0.1, 0.0, 0.0), heavy)
    with pytest.warns(UserWarning, match="no matter has the inertia of 'a'"):
        robot = Robot(Mechanism("m", (0.0, 0.0, -9.81), (a, replace(b, joint=Joint("b_fixed", "fixed")))))
    assert "the matter of 'a', and of what they are fixed to, in one body" in str(mjcf_write.text(robot.mechanism).notes)
    there, again = robot.to_mujoco(), Robot(back(robot.mechanism, tmp_path))
    for other in (there, again):
        assert other.mass_matrix([0.3]) == pytest.approx(robot.mass_matrix([0.3]), rel=1e-14)
        assert other.inverse_dynamics([0.3], [1.0], [2.0]) == pytest.approx(robot.inverse_dynamics([0.3], [1.0], [2.0]))


def test_own_data_is_json(tmp_path: Path) -> None:
    text = mjcf_write.text(zoo.load("four_bar")).text
    data = text.split("data=&quot;")[0].split('data="')[1].split('"/>')[0].replace("&quot;", '"')
    assert set(json.loads(data)) <= {"order", "fixed", "joints", "sites", "loops", "halves"}
