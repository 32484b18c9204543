"""SDF files: poses relative to anything, axes in any frame, loops; and robots written so and read back."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.few import few
from oracles.random_robots import random_robot, random_state
from same import close

import appell
from appell.errors import ModelError
from appell.files import sdf, sdf_write
from appell.files.source import Choices, Read
from appell.model import zoo
from appell.model.mechanism import Coupling, Frame, Mechanism
from appell.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore:robot .*radii of gyration", "ignore:nothing of mass")
INERTIA = "<inertial><mass>2</mass><inertia><ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia></inertial>"


def read(model: str, tmp_path: Path, version: str = "1.9", outer: str = "", **choices: Any) -> Read:
    path = tmp_path / "r.sdf"
    text = f"<model name='m'>{model}</model>"
    path.write_text(f"<sdf version='{version}'>{outer.format(text) if outer else text}</sdf>")
    return sdf.read(path, Choices(**choices))


def link(name: str, inner: str = "", inertia: str = INERTIA) -> str:
    return f"<link name='{name}'>{inner}{inertia}</link>"


def joint(
    name: str, parent: str, child: str, inner: str = "<axis><xyz>0 0 1</xyz></axis>", kind: str = "revolute"
) -> str:
    return f"<joint name='{name}' type='{kind}'><parent>{parent}</parent><child>{child}</child>{inner}</joint>"


def test_poses_are_relative_to_anything(tmp_path: Path) -> None:
    """The same arm three times: poses in the model, in each other, and through frames."""
    a = link("a", "<pose>1 0 0 0 0 0.5</pose>") + link("b", "<pose>1 2 0 0 0 1.5</pose>")
    joints = joint("j", "world", "a") + joint("k", "a", "b", "<axis><xyz expressed_in='__model__'>1 0 0</xyz></axis>")
    first = Robot(read(a + joints, tmp_path).mechanism)
    frames = "<frame name='f' attached_to='a'><pose>0 0 0 0 0 0</pose></frame>"
    c, s = math.cos(0.5), math.sin(0.5)
    b = link("b", f"<pose relative_to='f'>{2 * s!r} {2 * c!r} 0 0 0 1</pose>")
    turned = f"<axis><xyz expressed_in='f'>{c!r} {-s!r} 0</xyz></axis>"
    again = Robot(
        read(frames + link("a", "<pose relative_to='j'/>") + b + joint("j", "world", "a", "<pose relative_to='__model__'>"
             "1 0 0 0 0 0.5</pose><axis><xyz>0 0 1</xyz></axis>") + joint("k", "f", "b", turned), tmp_path).mechanism
    )  # fmt: skip
    q, v, acc = [0.3, -0.7], [1.0, 2.0], [0.5, 0.1]
    assert again.inverse_dynamics(q, v, acc) == pytest.approx(first.inverse_dynamics(q, v, acc), rel=1e-13)
    assert np.abs(first.pose(q, "b") - again.pose(q, "b")).max() < 1e-15
    T = first.pose([0.0, 0.0], "b")
    assert T[:3, 3] == pytest.approx([1, 2, 0])
    assert first.pose([0, 0.4], "b")[:3, :3] == pytest.approx(about_x(0.4) @ T[:3, :3])


def about_x(t: float) -> Any:
    c, s = math.cos(t), math.sin(t)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def test_a_joint_beside_its_link_moves_an_empty_one(tmp_path: Path) -> None:
    robot = Robot(read(link("a", "<pose>1 0 0 0 0 0</pose>") + joint("j", "world", "a", "<pose>-1 0 0 0 0 0</pose><axis/>"), tmp_path).mechanism)  # fmt: skip
    assert [b.name for b in robot.bodies] == ["a/0", "a"]
    assert robot.pose([math.pi / 2], "a")[:3, 3] == pytest.approx([0, 1, 0])


def test_axes_of_old_versions_stand_in_the_model(tmp_path: Path) -> None:
    text = link("a", "<pose>0 0 0 0 0 1.5707963267948966</pose>") + joint(
        "j", "world", "a", "<axis><xyz>1 0 0</xyz></axis>"
    )
    assert read(text, tmp_path, "1.4").mechanism.bodies[0].joint.axis == (0, -1, 0)
    assert read(text, tmp_path, "1.6").mechanism.bodies[0].joint.axis == (1, 0, 0)
    flag = text.replace("</axis>", "<use_parent_model_frame>1</use_parent_model_frame></axis>")
    assert read(flag, tmp_path, "1.6").mechanism.bodies[0].joint.axis == (0, -1, 0)


def test_limits_dynamics_threads_and_mimic(tmp_path: Path) -> None:
    inner = (
        "<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>inf</upper><effort>5</effort><velocity>-1</velocity></limit>"
        "<dynamics><damping>.1</damping><friction>.2</friction><spring_stiffness>3</spring_stiffness><spring_reference>.4"
        "</spring_reference></dynamics></axis>"
    )
    mimic = "<axis><xyz>1 0 0</xyz><mimic joint='j'><multiplier>2</multiplier><offset>1</offset><reference>.5</reference></mimic></axis>"
    text = link("a") + link("b") + link("c") + joint("j", "world", "a", inner) + joint("k", "a", "b", mimic)
    text += joint(
        "s", "b", "c", "<axis/><screw_thread_pitch>2</screw_thread_pitch><thread_pitch>9</thread_pitch>", "screw"
    )
    m = read(text, tmp_path).mechanism
    j = m.bodies[0].joint
    assert (j.limits, j.effort_limit, j.velocity_limit) == ((-1, math.inf), 5, None)
    assert (j.damping, j.coulomb, j.stiffness, j.rest) == (0.1, 0.2, 3, 0.4)
    assert m.constraints == (Coupling("k_mimic", "k", "j", (0.0, 2.0)),)
    assert m.bodies[2].joint.pitch == pytest.approx(1 / math.pi)
    old = text.replace("<screw_thread_pitch>2</screw_thread_pitch>", "")
    assert read(old, tmp_path).mechanism.bodies[2].joint.pitch == pytest.approx(-1 / 9)


def test_what_no_joint_carries_floats_unless_it_is_static(tmp_path: Path) -> None:
    text = "<pose>1 2 3 0 0 0</pose>" + link("a") + link("b") + joint("j", "a", "b")
    m = read(text, tmp_path).mechanism
    assert [(b.joint.name, b.joint.type) for b in m.bodies] == [("root_joint", "free"), ("j", "revolute")]
    assert m.bodies[0].placement.position == (1, 2, 3)
    assert read("<static>true</static>" + text, tmp_path).mechanism.bodies[0].joint.type == "fixed"
    two = read(link("a") + link("b"), tmp_path).mechanism
    assert [b.joint.name for b in two.bodies] == ["a_free", "b_free"]


def test_models_in_models_and_worlds(tmp_path: Path) -> None:
    inner = (
        f"<model name='hand'><pose relative_to='a'>0 0 1 0 0 0</pose>{link('p', '<pose>0 1 0 0 0 0</pose>')}</model>"
    )
    text = link("a") + inner + joint("j", "world", "a") + joint("k", "a", "hand::p")
    world = "<world name='w'><gravity>0 0 -1.6</gravity><model name='ground'><static>true</static><link name='g'/></model>{}<physics/></world>"
    found = read(text, tmp_path, outer=world)
    robot = Robot(found.mechanism)
    assert robot.mechanism.gravity == (0, 0, -1.6)
    assert [b.name for b in robot.bodies] == ["a", "hand::p"]
    assert robot.pose([0, 0], "hand::p")[:3, 3] == pytest.approx([0, 1, 1])
    assert any(str(x).startswith("line 1: <model> 'ground'") for x in found.source.ignored)


def test_loops_are_joints(tmp_path: Path) -> None:
    """A square of four bars; and a ring that nothing holds floats on its first link."""
    bars = "".join(link(f"l{k}", f"<pose>{x} {y} 0 0 0 0</pose>") for k, (x, y) in enumerate([(0, 0), (0, 1), (1, 1)]))
    text = bars + joint("a", "world", "l0") + joint("b", "l0", "l1") + joint("c", "l1", "l2")
    text += joint("d", "world", "l2", "<pose>0 -1 0 0 0 0</pose><axis/>")
    robot = Robot(read(text, tmp_path).mechanism)
    assert [x.name for x in robot.loops] == ["d"]
    assert robot.assemble().mobility.here == 1
    ring = Robot(read(link("a") + link("b", "<pose>1 0 0 0 0 0</pose>") + joint("j", "a", "b") + joint("k", "b", "a"), tmp_path).mechanism)  # fmt: skip
    assert [b.joint.type for b in ring.bodies] == ["free", "revolute"]
    assert [(x.name, x.body_a, x.body_b) for x in ring.loops] == [("k", "b", "a")]


def test_shapes(tmp_path: Path) -> None:
    shapes = "".join(
        f"<visual name='{k}'><geometry>{x}</geometry></visual>"
        for k, x in enumerate(
            ["<box><size>1 2 3</size></box>", "<sphere><radius>2</radius></sphere>", "<capsule><radius>1</radius><length>2</length></capsule>",
             "<ellipsoid><radii>1 2 3</radii></ellipsoid>", "<plane><normal>1 0 0</normal><size>1 2</size></plane>",
             "<mesh><uri>m.stl</uri><scale>1 2 3</scale></mesh>"]
        )
    )  # fmt: skip
    m = read(link("a", shapes + "<collision name='c'><geometry><empty/></geometry></collision>") + joint("j", "world", "a"), tmp_path)  # fmt: skip
    assert [x.type for x in m.mechanism.shapes] == ["box", "sphere", "capsule", "ellipsoid", "plane", "mesh"]
    assert (m.mechanism.shapes[5].file, m.mechanism.shapes[5].scale) == ("m.stl", (1, 2, 3))
    assert any("<collision> 'c'" in str(x) for x in m.source.ignored)


BAD = {
    "relative to itself": link("a", "<pose relative_to='b'/>") + link("b", "<pose relative_to='a'/>"),
    "unknown frame 'x'": link("a", "<pose relative_to='x'/>"),
    "unknown link 'x'": link("a") + joint("j", "a", "x"),
    "the name 'a', which is taken": link("a") + link("a"),
    "attached to itself": link("a") + "<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>" + joint("j", "a", "f"),
    "wanted two links": link("a") + joint("j", "a", "a"),
    "got the world as a child": link("a") + joint("j", "a", "world"),
    "no <axis>": link("a") + joint("j", "world", "a", ""),
    "lower = 1.0 above": link("a") + joint("j", "world", "a", "<axis><limit><lower>1</lower><upper>0</upper></limit></axis>"),
    "one of revolute, continuous": link("a") + joint("j", "world", "a", kind="gearbox"),
    "got another file": "<include><uri>model://arm</uri></include>",
    "wanted a path inside": link("a", "<visual name='v'><geometry><mesh><uri>../../etc/passwd</uri></mesh></geometry></visual>"),
    "wanted 6 finite numbers": link("a", "<pose>1,5 0 0 0 0 0</pose>"),
    "wanted a finite number": link("a", inertia="<inertial><mass>nan</mass></inertial>"),
    "mass = -1": link("a", inertia="<inertial><mass>-1</mass></inertial>"),
    "the largest not above the sum": link("a", inertia="<inertial><inertia><ixx>9</ixx></inertia></inertial>"),
    "its shapes should tell": link("a", inertia="<inertial auto='true'/>"),
    "thread_pitch = 0": link("a") + joint("j", "world", "a", "<axis/><thread_pitch>0</thread_pitch>", "screw"),
}  # fmt: skip


@pytest.mark.parametrize("sentence", BAD)
def test_bad_files_are_refused_with_a_line(sentence: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"r\.sdf', line 1: ") as caught:
        read(BAD[sentence], tmp_path)
    assert sentence in str(caught.value)


def test_several_models_and_other_versions(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="got 2 models"):
        read(link("a"), tmp_path, outer="{0}{0}")
    for version in ("2.0", "1", "1.x"):
        with pytest.raises(ModelError, match=r"wanted 1\.4 to"):
            read(link("a"), tmp_path, version)
    with pytest.raises(ModelError, match="an SDF says itself what floats"):
        read(link("a"), tmp_path, floating=True)


# -- written ------------------------------------------------------------------------------------------------------


def back(mechanism: Mechanism, tmp_path: Path, **options: Any) -> Mechanism:
    path = tmp_path / "w.sdf"
    path.write_text(sdf_write.text(mechanism, **options).text)
    found = sdf.read(path)
    assert found.source.ignored == ()
    return found.mechanism


@pytest.mark.parametrize("joints", ["revolute", "prismatic", "simple", "helical", "universal"])
@pytest.mark.parametrize("floating", [False, True])
def test_what_sdf_has_comes_back(joints: str, floating: bool, tmp_path: Path) -> None:
    for seed in range(3):
        data = random_robot(
            seed, 9, joints, shape="tree", order="shuffled", floating=floating, rotors=joints != "universal"
        )
        for body in data["bodies"]:
            if body["joint"]["type"] == "free":
                del body["joint"]["axis"]
            elif body["joint"]["type"] != "universal":
                more = {"limits": [-1.0, 2.5], "effort_limit": 3.0, "velocity_limit": 2.0, "preload": 0.5}
                body["joint"] |= {
                    **more,
                    "stiffness": 2.0,
                    "rest": 0.5,
                    "smoothing": 0.1,
                    "coulomb": 0.25,
                    "damping": 0.5,
                }
        mechanism = Mechanism.from_dict(data)
        assert close(back(mechanism, tmp_path).to_dict(), mechanism.to_dict(), 4e-15)


@pytest.mark.parametrize("seed", range(4))
def test_other_joints_move_as_they_did(seed: int, tmp_path: Path) -> None:
    data = random_robot(seed, 7, "mixed", shape="tree", order="shuffled")
    robot = Robot(Mechanism.from_dict(data))
    other = Robot(back(robot.mechanism, tmp_path))
    q, v, a = random_state(data, seed)
    tau = robot.inverse_dynamics(q, v, a)
    assert np.abs(other.inverse_dynamics(q, v, a) - tau).max() < 1e-13 * np.abs(tau).max()


@pytest.mark.parametrize("seed", range(3))
def test_written_where_it_stands(seed: int, tmp_path: Path) -> None:
    """Coordinates of one freedom that count from a configuration: the same motion, shifted."""
    data = random_robot(seed, 6, "simple", shape="tree")
    robot = Robot(Mechanism.from_dict(data))
    home, _, _ = random_state(data, 7)
    other = Robot(back(robot.mechanism, tmp_path, home=home))
    q, v, a = random_state(data, seed)
    tau = robot.inverse_dynamics(q, v, a)
    assert np.abs(other.inverse_dynamics(q - home, v, a) - tau).max() < 1e-13 * np.abs(tau).max()
    assert np.abs(robot.pose(q, "tool") - other.pose(q - home, "tool")).max() < 1e-14


CLOSED = ["four_bar", "agile_wrist", "slider_crank", "delta", "stewart", "standing_biped"]


@pytest.mark.parametrize("name", few(CLOSED, *CLOSED[:3]))
def test_closed_robots_come_back_closed(name: str, tmp_path: Path) -> None:
    robot = appell.load(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot.save(tmp_path / "c.sdf")
    other, home = appell.load(tmp_path / "c.sdf"), robot.assemble()
    again = other.assemble(other.neutral())
    assert np.abs(other.difference(other.neutral(), again.q)).max() < 1e-8
    assert again.mobility.here == home.mobility.here
    kept = {b.joint.name for b in other.bodies}
    names = [b.joint.name for b in robot.bodies if b.joint.type in ("revolute", "prismatic") and b.joint.name in kept]
    assert accelerations(other, again.q, names) == pytest.approx(
        accelerations(robot, home.q, names), rel=1e-6, abs=1e-6
    )


def accelerations(robot: Robot, q: Any, names: list[str]) -> list[float]:
    """How the joints of these names start to move under gravity."""
    zero = np.zeros(robot.nv)
    a = robot.forward_dynamics(q, zero, zero)
    starts = {b.joint.name: k for b, k in zip(robot.bodies, robot.mechanism.v_starts)}
    return [float(a[starts[name]]) for name in names]


def test_names_that_two_things_have_come_back(tmp_path: Path) -> None:
    """Joints called as links are, frames called as joints or as the world: not in an SDF."""
    m = zoo.load("panda")
    first, second = m.bodies[0], m.bodies[1]
    bodies = (replace(first, joint=replace(first.joint, name="link2")), replace(second, joint=replace(second.joint, name="j")), *m.bodies[2:])
    frames = (Frame("world", "base"), Frame("j", "link3"))
    m = replace(m, bodies=bodies, frames=frames, configurations=())
    assert close(back(m, tmp_path).to_dict(), m.to_dict())


def test_what_sdf_has_no_word_for(tmp_path: Path) -> None:
    disk = zoo.load("rolling_disk")
    with pytest.raises(ModelError, match="got what SDF has no word for"):
        sdf_write.text(disk)
    assert any("but in a comment" in x for x in sdf_write.text(disk, loops="comment").notes)
    with pytest.raises(ModelError, match="in which it is open by"):
        sdf_write.text(zoo.load("four_bar"))


@pytest.mark.parametrize("name", zoo.names())
def test_the_zoo_comes_back(name: str, tmp_path: Path) -> None:
    mechanism = zoo.load(name)
    if mechanism.loops or mechanism.constraints or mechanism.configurations:
        pytest.skip("bound, or with configurations")
    if any(b.joint.type in ("planar", "cylindrical") for b in mechanism.bodies):
        pytest.skip("joints that become several")
    assert close(back(mechanism, tmp_path).to_dict(), mechanism.to_dict())
