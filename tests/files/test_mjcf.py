"""MJCF files: what MuJoCo makes of them is what stands here, element by element."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("mujoco")

import mujoco

import appell
from appell.bridges.mujoco import matched
from appell.errors import ModelError
from appell.files import mjcf
from appell.files.source import Choices, Read
from appell.robot import Robot
from appell.show.robot_files import smooth

mujoco.set_mju_user_warning(lambda _: None)  # or they would go into a file of the current folder
pytestmark = pytest.mark.filterwarnings(
    "ignore:robot .*radii of gyration", "ignore:nothing of mass", "ignore:joint .* axis"
)
BALL = "<geom type='sphere' size='.1'/>"
HEAVY = "<inertial mass='2' pos='.1 .2 .3' diaginertia='.3 .4 .5' euler='10 20 30'/>"


def model(world: str, before: str = "", after: str = "") -> str:
    return f"<mujoco model='m'>{before}<worldbody>{world}</worldbody>{after}</mujoco>"


def read(text: str, tmp_path: Path, **choices: Any) -> Read:
    path = tmp_path / "m.xml"
    path.write_text(text)
    return mjcf.read(path, Choices(**choices))


def same(text: str, tmp_path: Path, states: int = 4) -> Robot:
    """MuJoCo's model of the text moves as ours: poses, inverse dynamics, mass matrix, accelerations. q is qpos."""
    found = read(text, tmp_path)
    robot, there = Robot(smooth(found.mechanism)), mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    other, data = matched(robot.mechanism, there), mujoco.MjData(there)
    for seed in range(states):
        q, v = robot.random_state(seed)
        a = np.random.default_rng(seed).normal(size=robot.nv)
        data.qpos[:] = q
        mujoco.mj_kinematics(there, data)
        for k in range(1, there.nbody):
            name = there.body(k).name
            if name in robot.mechanism.index:
                T = robot.pose(q, name)
                assert np.abs(T[:3, 3] - data.xpos[k]).max() < 1e-13
                assert np.abs(T[:3, :3].ravel() - data.xmat[k]).max() < 1e-13
        for k in range(there.nsite):
            T = robot.pose(q, there.site(k).name)
            assert np.abs(T[:3, 3] - data.site_xpos[k]).max() < 1e-13
            assert np.abs(T[:3, :3].ravel() - data.site_xmat[k]).max() < 1e-13
        tau, M = other.inverse_dynamics(q, v, a), other.mass_matrix(q)
        assert np.abs(robot.inverse_dynamics(q, v, a) - tau).max() <= 1e-11 * max(1e-9, np.abs(tau).max())
        assert np.abs(robot.mass_matrix(q) - M).max() <= 1e-12 * np.abs(M).max()
        acc = other.forward_dynamics(q, v, a)
        assert (
            np.abs(robot.forward_dynamics(q, v, a) - acc).max() <= 1e-14 * np.linalg.cond(M) * np.abs(acc).max() + 1e-12
        )
    return Robot(found.mechanism)


def arm(joint: str, inside: str = HEAVY, body: str = "") -> str:
    """A body of the world with one joint, and another that hangs on it."""
    return f"<body name='a' {body}>{joint}{inside}<body name='b' pos='.3 .1 .2' quat='1 2 3 4'><joint axis='1 1 0'/>{BALL}</body></body>"


SAME = {
    "hinge": model(arm("<joint/>")),
    "hinge off the origin": model(arm("<joint pos='.1 .2 .3' axis='1 2 3'/>", body="pos='1 2 3' euler='30 40 50'")),
    "slide off the origin": model(arm("<joint type='slide' pos='.1 .2 .3' axis='1 2 3'/>")),
    "ball": model(arm("<joint type='ball'/>")),
    "ball off the origin": model(arm("<joint type='ball' pos='.1 .2 .3'/>", body="pos='1 2 3' euler='30 40 50'")),
    "free": model(arm("<freejoint/>", body="pos='1 2 3' euler='30 40 50'")),
    "free joint": model(arm("<joint type='free' damping='.5'/>")),
    "two hinges": model(arm("<joint axis='1 0 0'/><joint axis='0 1 0'/>")),
    "hinges apart": model(
        arm("<joint axis='1 0 0' pos='.1 0 0'/><joint axis='0 1 0' pos='0 .2 0'/><joint pos='0 0 .3'/>")
    ),
    "slides, hinge, ball": model(
        arm(
            "<joint type='slide' axis='1 0 1'/><joint pos='.1 0 .2'/><joint type='slide'/><joint type='ball' pos='.3 0 0'/>"
        )
    ),
    "references": model(
        arm("<joint ref='30' axis='1 0 1' pos='.1 .2 0'/><joint type='slide' ref='.3' axis='0 1 1'/><joint ref='-50'/>")
    ),
    "springs and damping": model(
        arm(
            "<joint stiffness='3' springref='20' ref='10' damping='.5' armature='.2'/><joint type='slide' axis='1 0 0' stiffness='2'/>"
        )
    ),
    "radians": model(arm("<joint ref='.3' springref='.2' stiffness='2' range='-1 1'/>"), "<compiler angle='radian'/>"),
    "turns": model(
        f"<body name='a' axisangle='1 2 3 40'><joint/>{BALL}<body name='b' xyaxes='1 1 0 0 1 1' pos='1 0 0'><joint/>{BALL}"
        f"<body name='c' zaxis='1 1 1' pos='0 1 0'><joint/>{BALL}<body name='d' quat='2 0 2 1' pos='0 0 1'><joint/>{BALL}"
        f"<body name='e' zaxis='0 0 -1' euler2='' pos='1 0 1'><joint/>{BALL}</body></body></body></body></body>".replace(
            " euler2=''", ""
        )
    ),
    "sequences": model(arm("<joint/>", body="euler='10 20 30'"), "<compiler eulerseq='zYx'/>"),
    "fixed sequences": model(arm("<joint/>", body="euler='10 20 30'"), "<compiler eulerseq='ZYX'/>"),
    "welded bodies": model(arm("<joint/>", HEAVY + f"<body name='w' pos='1 0 0' euler='0 0 20'>{HEAVY}</body>")),
    "full inertia": model(arm("<joint/>", "<inertial mass='2' pos='1 0 0' fullinertia='3 4 5 .1 .2 .3'/>")),
    "frames": model(
        f"<frame pos='1 2 3' euler='10 20 30'><body name='a' pos='0 1 0'><frame pos='.1 .2 .3' euler='0 90 0'><joint axis='1 1 0' pos='1 0 0'/>"
        f"<geom type='box' size='.1 .2 .3'/><frame euler='0 0 30'><site name='s' pos='1 0 0' euler='0 20 0'/>"
        f"<body name='b'><joint type='slide'/>{BALL}</body></frame></frame></body></frame>"
    ),
    "order": model(
        f"<body name='a'><joint name='j'/>{BALL}<frame><body name='b'><joint/>{BALL}</body></frame><body name='c'><joint/>{BALL}</body></body>"
        f"<body name='d'><joint/>{BALL}</body>"
    ),
    "sites": model(
        arm("<joint/>", HEAVY + "<site name='s' pos='1 2 3' quat='1 1 0 0'/>") + "<site name='g' pos='1 0 0'/>"
    ),
    "no gravity": model(arm("<joint/>"), "<option><flag gravity='disable'/></option>"),
    "another gravity": model(arm("<joint/>"), "<option gravity='1 2 3'/>"),
    "springs off": model(
        arm("<joint stiffness='3' damping='2'/>"), "<option><flag spring='disable' damper='disable'/></option>"
    ),
    "total mass": model(arm("<joint/>"), "<compiler settotalmass='7'/>"),
    "bounds": model(
        arm("<joint/>", "<inertial mass='1e-3' pos='0 0 0' diaginertia='1e-5 1e-4 1e-4'/>"),
        "<compiler boundmass='.5' boundinertia='.2'/>",
    ),
    "balance": model(
        arm("<joint/>", "<inertial mass='1' pos='0 0 0' diaginertia='1 2 4'/>"), "<compiler balanceinertia='true'/>"
    ),
    "drive of weight": model(
        arm("<joint name='j' armature='.1' damping='.2'/>"),
        after="<actuator><motor joint='j' gear='3' armature='.5' damping='2'/></actuator>",
    ),
    "drive of weight alone": model(
        arm("<joint name='j'/>"), after="<actuator><position joint='j' gear='3' armature='.5'/></actuator>"
    ),
    "defaults": model(
        "<body name='a' childclass='x'><joint/><geom/><body name='b' pos='0 0 1'><joint class='y'/><geom class='main'/></body>"
        "<frame childclass='y'><body name='c' pos='0 1 0'><joint axis='1 0 0'/><geom/></body></frame></body>",
        "<default><geom size='.1' density='500'/><joint damping='.1'/><default class='x'><geom type='box' size='.1 .2 .3'/>"
        "<default class='y'><joint damping='.3' armature='.2' type='slide'/></default></default></default>",
    ),
}
GEOMS = {
    "sphere": "<geom size='.2' pos='.1 0 0'/>",
    "capsule": "<geom type='capsule' size='.1 .3' euler='10 20 30' pos='1 2 3'/>",
    "cylinder": "<geom type='cylinder' size='.1 .3' euler='10 20 30' mass='2'/>",
    "box": "<geom type='box' size='.1 .2 .3' quat='1 2 3 4' density='300'/>",
    "ellipsoid": "<geom type='ellipsoid' size='.1 .2 .3' axisangle='1 0 1 20'/>",
    "several": "<geom size='.2' pos='.1 0 0'/><geom type='box' size='.1 .2 .3' euler='10 20 30' pos='0 .3 0'/>",
    **{
        f"{kind} from here to there": f"<geom type='{kind}' size='.1' fromto='.1 .2 .3 -.5 .6 .7'/>"
        for kind in ("capsule", "cylinder", "box", "ellipsoid")
    },
    "downwards": "<geom type='capsule' size='.1' fromto='0 0 1 0 0 0'/><geom type='capsule' size='.1' fromto='0 0 0 0 0 2'/>",
    "a group that does not count": "<geom size='.2' group='2'/><geom size='.3' pos='1 0 0' group='4'/>",
}


@pytest.mark.parametrize("case", SAME)
def test_mujoco_agrees(case: str, tmp_path: Path) -> None:
    same(SAME[case], tmp_path)


@pytest.mark.parametrize("case", GEOMS)
def test_inertia_from_geoms(case: str, tmp_path: Path) -> None:
    same(model(arm("<joint axis='1 1 1'/>", GEOMS[case]), "<compiler inertiagrouprange='0 3'/>"), tmp_path, 2)


@pytest.mark.parametrize("choice", ["true", "false", "auto"])
def test_which_inertia_counts(choice: str, tmp_path: Path) -> None:
    inner = f"{HEAVY}<geom size='.3'/><body pos='1 0 0'>{HEAVY}</body>"
    same(
        model(arm("<joint/>", inner).replace(BALL, BALL + HEAVY), f"<compiler inertiafromgeom='{choice}'/>"),
        tmp_path,
        2,
    )


# -- what else is in a model --------------------------------------------------------------------------------------


def test_limits_in_degrees_and_by_choice(tmp_path: Path) -> None:
    def limits(joint: str, compiler: str = "") -> Any:
        return read(model(arm(joint), compiler), tmp_path).mechanism.bodies[0].joint.limits

    assert limits("<joint range='-90 180'/>") == pytest.approx((-np.pi / 2, np.pi))
    assert limits("<joint type='slide' range='-1 2'/>") == (-1, 2)
    assert limits("<joint range='-90 180' limited='false'/>") is None
    assert limits("<joint range='-90 180'/>", "<compiler autolimits='false'/>") is None
    assert limits("<joint range='-1 1' limited='true'/>", "<compiler autolimits='false' angle='radian'/>") == (-1, 1)
    assert limits("<joint/>") is None


def test_friction_and_what_drives_can_give(tmp_path: Path) -> None:
    joint = read(model(arm("<joint frictionloss='.5' actuatorfrcrange='-3 3'/>")), tmp_path).mechanism.bodies[0].joint
    assert (joint.coulomb, joint.effort_limit) == (0.5, 3)


def test_the_first_configuration_and_keys(tmp_path: Path) -> None:
    world = (
        arm("<freejoint name='f'/>", body="pos='1 2 3' quat='0 0 1 0'")
        + f"<body><joint name='h' ref='90'/>{BALL}</body>"
    )
    key = "<keyframe><key name='home' qpos='1 2 3 1 0 0 0 .5 .7'/><key qpos='0 0 0 1 0 0 0 0 0' qvel='0 0 0 0 0 0 0 0'/></keyframe>"
    found = read(model(world, after=key), tmp_path)
    robot = Robot(found.mechanism)
    assert [c.name for c in found.mechanism.configurations] == ["start", "home", "key1"]
    model_there = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    assert robot.configuration() == pytest.approx(model_there.qpos0)
    assert robot.configuration("home") == pytest.approx(model_there.key_qpos[0])
    assert any("qvel of <key>" in str(x) for x in found.source.ignored)


def test_actuators_are_data(tmp_path: Path) -> None:
    drives = "<actuator><motor name='m' joint='j' gear='50' ctrlrange='-1 1'/><position joint='j' kp='9' kv='2' forcerange='-5 5'/>"
    drives += "<velocity joint='j' kv='3'/><general joint='j' gainprm='4' gear='2'/><muscle joint='j'/></actuator>"
    found = read(model(arm("<joint name='j'/>"), "<default><motor ctrllimited='true'/></default>", drives), tmp_path)
    a, b, c, d = found.mechanism.actuators
    assert (a.name, a.joint, a.gear, a.control_range, a.type) == ("m", "j", 50, (-1, 1), "motor")
    assert (b.name, b.kp, b.kv, b.force_range) == ("position1", 9, 2, (-5, 5))
    assert (c.type, c.kv, d.type, d.gear) == ("velocity", 3, "motor", 8)
    assert any(x.what == "<muscle>" and x.why == "a drive of another kind" for x in found.source.ignored)
    assert Robot.from_dict(Robot(found.mechanism).to_dict()).mechanism == found.mechanism


def test_shapes(tmp_path: Path) -> None:
    asset = "<asset><mesh name='m' file='a.stl' scale='1 1 2'/><mesh file='b.stl'/><material name='red' rgba='1 0 0 1'/></asset>"
    geoms = "<geom type='box' size='1 2 3' material='red' contype='0' conaffinity='0'/><geom type='capsule' size='1 2' rgba='0 1 0 1' name='c'/>"
    geoms += "<geom type='mesh' mesh='m' mass='0'/><geom type='mesh' mesh='b' mass='0' pos='1 0 0'/>"
    before = "<compiler meshdir='meshes'/>" + asset
    shapes = read(
        model(arm("<joint/>", HEAVY + geoms) + "<geom type='plane' size='0 0 1'/>", before), tmp_path
    ).mechanism.shapes
    plane, box, capsule, m, b = shapes[:5]
    assert (plane.body, plane.type, plane.size) == ("base", "plane", (0, 0))
    assert (box.size, box.color, box.role) == ((2, 4, 6), (1, 0, 0, 1), "visual")
    assert (capsule.size, capsule.color, capsule.role, capsule.name) == ((1, 4), (0, 1, 0, 1), "both", "c")
    assert (m.file, m.scale, b.file, b.placement.position) == ("meshes/a.stl", (1, 1, 2), "meshes/b.stl", (1, 0, 0))
    assert read((tmp_path / "m.xml").read_text(), tmp_path, geometry=False).mechanism.shapes == ()


def test_what_is_not_read_is_listed(tmp_path: Path) -> None:
    world = arm("<joint solreflimit='.1 1' springdamper='1 1'/>", HEAVY + "<camera/>\n", body="gravcomp='1'")
    after = (
        "<sensor><touch site='s'/></sensor><tendon><fixed stiffness='2'><joint joint='j' coef='1'/></fixed></tendon>"
    )
    before = "<option viscosity='1' timestep='.1'/><default><joint margin='1'/><camera fovy='3'/></default>"
    notes = {x.what: (x.why, x.moves) for x in read(model(world, before, after), tmp_path).source.ignored}
    assert notes["solreflimit, springdamper of <joint> of body 'a'"] == ("how softly a simulator holds it", True)
    assert notes["gravcomp of <body> 'a'"][1]
    assert notes["viscosity of <option>"] == ("no forces of a fluid", True)
    assert notes["<tendon>"] == ("tendons are not read", True)
    assert not any(
        notes[k][1] for k in ("<camera>", "<sensor>", "timestep of <option>", "margin of <joint>")
    )


def test_a_free_body_of_translating_rotors_is_told(tmp_path: Path) -> None:
    found = read(model(arm("<joint type='free' armature='.5'/>")), tmp_path)
    assert found.mechanism.bodies[0].joint.rotor_inertia == (0, 0, 0, 0.5, 0.5, 0.5)
    assert [x.what for x in found.source.ignored if x.moves] == ["armature of <joint> of body 'a'"]


def test_names(tmp_path: Path) -> None:
    world = f"<body name='base'><joint/>{BALL}<body><joint/><joint/>{BALL}<site name='base'/><body name='s'>{BALL}<site name='s'/></body></body></body>"
    found = read(model(world), tmp_path).mechanism
    assert [b.name for b in found.bodies] == ["body1", "body2/0", "body2", "s"]
    assert [b.joint.name for b in found.bodies] == ["body1_joint", "body2_joint", "body2_joint1", "s_fixed"]
    assert [f.name for f in found.frames] == ["base_site", "s_site"]


def test_a_chain_as_deep_as_mujoco_cannot_read(tmp_path: Path) -> None:
    n = 2000
    world = "".join(f"<body pos='.1 0 0'><joint/>{BALL}" for _ in range(n)) + "</body>" * n
    assert read(model(world), tmp_path).mechanism.nv == n


# -- equalities ---------------------------------------------------------------------------------------------------


def residual(robot: Robot, q: Any, k: int) -> Any:
    """How far the two ends of a loop are apart, in the world."""
    loop = robot.loops[k]
    ends = []
    for body, at in ((loop.body_a, loop.placement_a), (loop.body_b, loop.placement_b)):
        T = np.eye(4) if body == "base" else robot.pose(q, body)
        local = np.eye(4)
        local[:3, :3], local[:3, 3] = at.rotation, at.position
        ends.append(T @ local)
    return ends


TWO = (
    "<body name='a' pos='.1 0 0' euler='10 0 0'><joint name='j' ref='20' pos='.1 0 0'/>"
    + HEAVY
    + "<site name='s' pos='.1 .2 0'/></body>"
    "<body name='b' pos='0 1 0' euler='0 20 0'><joint name='k' type='slide' ref='.2' axis='1 0 0'/>"
    + HEAVY
    + "<site name='t' pos='0 0 1'/></body>"
)


@pytest.mark.parametrize(
    "equality",
    [
        "<connect body1='a' body2='b' anchor='.1 .2 .3'/>",
        "<connect body1='a' anchor='.1 .2 .3'/>",
        "<connect site1='s' site2='t'/>",
        "<weld body1='a' body2='b'/>",
        "<weld body1='b' relpose='.1 .2 .3 1 1 0 0'/>",
        "<weld site1='s' site2='t'/>",
    ],
)
def test_loops_are_mujocos_equalities(equality: str, tmp_path: Path) -> None:
    found = read(model(TWO, after=f"<equality>{equality}</equality>"), tmp_path)
    robot, there = Robot(found.mechanism), mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    data = mujoco.MjData(there)
    for seed in range(3):
        q, _ = robot.random_state(seed)
        data.qpos[:] = q
        mujoco.mj_forward(there, data)
        A, B = residual(robot, q, 0)
        assert A[:3, 3] - B[:3, 3] == pytest.approx(data.efc_pos[:3], abs=1e-12)
        if "weld" in equality:
            turned = B[:3, :3].T @ A[:3, :3]
            sine = (
                np.linalg.norm([turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]])
                / 2
            )
            w = np.sqrt(max(0.0, 1 + np.trace(turned))) / 2
            assert np.linalg.norm(data.efc_pos[3:6]) == pytest.approx(sine / (2 * w) if w > 1e-9 else 1.0, abs=1e-9)


def test_joint_equalities_are_couplings(tmp_path: Path) -> None:
    text = model(TWO, after="<equality><joint name='e' joint1='j' joint2='k' polycoef='1 2 3 4 5'/></equality>")
    found = read(text, tmp_path)
    (coupling,) = found.mechanism.constraints
    there = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    data = mujoco.MjData(there)
    for q in ([0.3, 0.4], [-1.0, 0.7]):
        data.qpos[:] = q
        mujoco.mj_forward(there, data)
        ours = q[0] - np.polynomial.polynomial.polyval(q[1], coupling.coefficients)  # type: ignore[union-attr]
        assert ours == pytest.approx(data.efc_pos[0], abs=1e-13)


def test_equalities_that_are_off_or_hold_one_joint(tmp_path: Path) -> None:
    text = "<equality><weld body1='a' active='false'/><joint joint1='j'/></equality>"
    found = read(model(TWO, after=text), tmp_path)
    assert (found.mechanism.loops, found.mechanism.constraints) == ((), ())
    notes = [(x.why, x.moves) for x in found.source.ignored]
    assert ("it is switched off", False) in notes
    assert ("a joint is held; `lock` does it", True) in notes


# -- files of files -----------------------------------------------------------------------------------------------


def test_includes(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "d.xml").write_text("<mujocoinclude><default><geom size='.2'/></default></mujocoinclude>")
    (tmp_path / "arm.xml").write_text(
        "<mujoco><body name='a'><joint/><geom/><include file='parts/b.xml'/></body></mujoco>"
    )
    (tmp_path / "parts" / "b.xml").write_text(f"<x><body name='b' pos='1 0 0'><joint/>{BALL}</body></x>")
    same("<mujoco><include file='parts/d.xml'/><worldbody><include file='arm.xml'/></worldbody></mujoco>", tmp_path)


BAD_INCLUDES = {
    "itself": ("<include file='m.xml'/>", "a second time"),
    "twice": ("<include file='a.xml'/><include file='a.xml'/>", "a second time"),
    "outside": ("<include file='../out.xml'/>", "wanted a path inside"),
    "absolute": ("<include file='/etc/hostname'/>", "wanted a path inside"),
    "nothing": ("<include file='none.xml'/>", "could not be read"),
    "a folder": ("<include file='.'/>", "got a folder"),
    "broken": ("<include file='b.xml'/>", "line 1: <include>: file .*b.xml', line 1: got broken XML"),
    "more": ("<include file='a.xml' x='1'/>", "got more than a file in it"),
}


@pytest.mark.parametrize("case", BAD_INCLUDES)
def test_includes_that_lead_nowhere(case: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out.xml").write_text("<x/>")
    (tmp_path / "in" / "a.xml").write_text("<x/>")
    (tmp_path / "in" / "b.xml").write_text("<x>")
    with pytest.raises(ModelError, match=BAD_INCLUDES[case][1]):
        read(f"<mujoco>{BAD_INCLUDES[case][0]}</mujoco>", tmp_path / "in")


@pytest.mark.parametrize("inertial", ["mass='-1' pos='0 0 0' diaginertia='1 1 1'", "mass='1' pos='0 0 0' diaginertia='1 -1 1'"])
def test_no_bound_makes_matter_of_what_is_negative(inertial: str, tmp_path: Path) -> None:
    for compiler in ("", "<compiler boundmass='1' boundinertia='1' inertiafromgeom='true'/>"):
        with pytest.raises(ModelError, match=r"line 1: <inertial> of body 'a': got mass = .* wanted none negative"):
            read(model(f"<body name='a'><joint/><inertial {inertial}/></body>", compiler), tmp_path)


def test_load_reads_xml_and_mjcf(tmp_path: Path) -> None:
    for end in ("xml", "mjcf"):
        (tmp_path / f"r.{end}").write_text(model(arm("<joint/>")))
        robot = appell.load(tmp_path / f"r.{end}")
        assert robot.nv == 2
        assert replace(robot.mechanism, name="x").nv == 2
