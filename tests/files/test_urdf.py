"""URDF files: what each element becomes, and what is listed instead of read."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from urdf_text import ARM, INERTIA, LIMIT, joint, link, read

import appell
from appell.errors import ModelError
from appell.files.source import Choices
from appell.files.urdf_joints import TYPES
from appell.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore:robot .*radii of gyration", "ignore:nothing of mass")


def one(inside: str, kind: str = "revolute") -> Any:
    """The joint of a robot of two links."""
    return read(link("a") + link("b") + joint("j", "a", "b", kind, inside)).mechanism.bodies[1].joint


# -- joints -------------------------------------------------------------------------------------------------------


def test_every_kind_of_joint() -> None:
    kinds = {k: one(LIMIT if k in ("revolute", "prismatic") else "", k).type for k in TYPES}
    assert kinds == {
        "revolute": "revolute",
        "continuous": "revolute",
        "prismatic": "prismatic",
        "fixed": "fixed",
        "floating": "free",
        "planar": "planar",
        "spherical": "ball",
        "ball": "ball",
    }


@pytest.mark.filterwarnings("ignore:joint 'j'. axis .* has length 2")
def test_limits_friction_and_axes() -> None:
    given = one("<axis xyz='0 0 -2'/><dynamics damping='.5' friction='0.25'/>" + LIMIT)
    assert given.axis == (0, 0, -2)
    assert (given.limits, given.effort_limit, given.velocity_limit) == ((-1, 2), 3, 4)
    assert (given.damping, given.coulomb) == (0.5, 0.25)
    assert one("", "continuous").axis == (1, 0, 0)
    assert one("<dynamics damping='0' friction='0'/>", "continuous").damping is None
    assert one("<limit lower='-1.7976931348623157e308' upper='1.7976931348623157e308'/>", "prismatic").limits is None


def test_drives_give_gear_and_rotor() -> None:
    drive = (
        "<actuator name='m'><mechanicalReduction>50</mechanicalReduction><rotorInertia>1e-5</rotorInertia></actuator>"
    )
    text = f"<transmission name='t'><type>simple</type><joint name='j'/>{drive}</transmission>"
    found = read(ARM + text)
    assert (found.mechanism.bodies[1].joint.gear, found.mechanism.bodies[1].joint.rotor_inertia) == (50, 1e-5)
    assert Robot(found.mechanism).mass_matrix([0.0])[0, 0] == pytest.approx(1 + 2500 * 1e-5)
    assert found.source.ignored == ()
    assert "more than one" in str(read(ARM + text.replace("</trans", f"{drive}</trans")).source.ignored[0])
    assert "'k' is not there" in str(read(ARM + text.replace("'j'", "'k'")).source.ignored[0])


def test_coordinates_follow_the_joints_of_the_file() -> None:
    """Not the tree, and not the alphabet."""
    text = link("r") + link("z") + link("y") + link("x")
    text += joint("j3", "y", "x") + joint("j1", "r", "z") + joint("j2", "z", "y")
    assert [b.joint.name for b in read(text).mechanism.bodies] == ["root_joint", "j3", "j1", "j2"]


# -- links --------------------------------------------------------------------------------------------------------


def test_a_turned_inertia_is_turned_back() -> None:
    """The inertia of a rod along x whose frame is rolled, pitched and yawed, against the rotation itself."""
    at = "<origin xyz='1 2 3' rpy='0.3 -0.4 0.5'/>"
    moments = "<mass value='2'/><inertia ixx='1' ixy='.1' ixz='-.2' iyy='2' iyz='.3' izz='2.5'/>"
    body = read(link("a", f"<inertial>{at}{moments}</inertial>")).mechanism.bodies[0]
    cx, cy, cz, sx, sy, sz = *np.cos([0.3, -0.4, 0.5]), *np.sin([0.3, -0.4, 0.5])
    x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    R, I = z @ y @ x, np.array([[1, 0.1, -0.2], [0.1, 2, 0.3], [-0.2, 0.3, 2.5]])
    i = body.inertia
    found = np.array([[i.ixx, i.ixy, i.ixz], [i.ixy, i.iyy, i.iyz], [i.ixz, i.iyz, i.izz]])
    assert np.abs(found - R @ I @ R.T).max() < 1e-15
    assert (body.mass, body.com) == (2, (1, 2, 3))


def test_right_angles_are_exact() -> None:
    for k in range(-4, 5):
        text = link("a") + link("b")
        text += joint("j", "a", "b", "fixed", f"<origin rpy='{k * np.pi / 2!r} {k * np.pi!r} {-k * np.pi / 2!r}'/>")
        rows = read(text).mechanism.bodies[1].placement.rotation
        assert all(x in (-1.0, 0.0, 1.0) for row in rows for x in row)


def test_a_root_that_weighs_nothing_is_the_base() -> None:
    found = read(link("world", "") + link("b") + joint("j", "world", "b")).mechanism
    assert [b.name for b in found.bodies] == ["b"]
    assert [(f.name, f.body) for f in found.frames] == [("world", "base")]
    assert read(link("base", "") + link("b") + joint("j", "base", "b")).mechanism.frames == ()


def test_the_root_stands_or_floats() -> None:
    stands, floats = (read(ARM, Choices(floating=k)).mechanism for k in (False, True))
    assert [b.joint.type for b in stands.bodies] == ["fixed", "revolute"]
    assert [b.joint.type for b in floats.bodies] == ["free", "revolute"]
    assert stands.bodies[0].mass == floats.bodies[0].mass == 1
    moving = read(link("world", "") + link("b") + joint("j", "world", "b"), Choices(floating=True)).mechanism
    assert [(b.name, b.joint.type) for b in moving.bodies] == [("world", "free"), ("b", "revolute")]


def test_a_link_called_base_is_not_the_world() -> None:
    found = read(link("base") + link("b") + joint("j", "base", "b"), Choices(floating=True))
    assert [b.name for b in found.mechanism.bodies] == ["base_link", "b"]
    assert "called 'base_link' here, as 'base' is the world" in str(found.source.ignored[0])
    both = read(link("base_link") + link("base", "") + joint("j", "base_link", "base", "fixed", ""))
    assert [b.name for b in both.mechanism.bodies] == ["base_link", "base_frame"]


def test_fixed_links_stay_as_frames_of_the_tree() -> None:
    text = ARM + link("tool", "") + joint("weld", "b", "tool", "fixed", "<origin xyz='0 0 1'/>")
    robot = Robot(read(text).mechanism)
    assert robot.pose([0.0], "tool")[2, 3] == 1
    assert robot.tree.n == 1
    mark = ARM + link("tool", "") + joint("tool", "b", "tool", "fixed", "<origin xyz='0 0 1'/>")
    marked = read(mark).mechanism
    assert [f.name for f in marked.frames] == ["tool"]
    assert len(marked.bodies) == 2


# -- what is not a tree -------------------------------------------------------------------------------------------


def test_two_parents_close_a_loop() -> None:
    """Pinocchio 4.1 reads this as a corrupted tree: joint k lost, m twice."""
    text = link("a") + link("b") + link("c") + link("m") + joint("j", "a", "b") + joint("k", "a", "c")
    text += joint("m1", "b", "m") + joint("m2", "c", "m", "revolute", f"<origin xyz='0 1 0'/>{LIMIT}")
    found = read(text).mechanism
    assert [b.joint.name for b in found.bodies] == ["root_joint", "j", "k", "m1"]
    (loop,) = found.loops
    assert (loop.name, loop.body_a, loop.body_b, loop.joint.type) == ("m2", "c", "m", "revolute")
    assert loop.placement_a.position == (0, 1, 0)
    assert loop.joint.limits == (-1, 2)


def test_the_joint_that_frees_most_is_cut() -> None:
    text = link("a") + link("b") + link("c") + joint("j", "a", "b")
    text += joint("s", "a", "c", "ball", "") + joint("r", "b", "c")
    assert [x.name for x in read(text).mechanism.loops] == ["s"]


def test_a_choice_that_makes_a_cycle_is_not_taken() -> None:
    text = link("a") + link("b") + link("c") + joint("j", "a", "b", "ball", "")
    text += joint("k", "c", "b", "fixed", "") + joint("m", "b", "c")
    found = read(text).mechanism
    assert [b.joint.name for b in found.bodies] == ["root_joint", "j", "m"]
    assert [x.name for x in found.loops] == ["k"]


TAGS = {
    "constraint": "<constraint name='c' type='{}'><parent link='a'/><parent_origin xyz='1 0 0'/>"
    "<parent_axis xyz='0 0 1'/><child link='b'/><child_origin xyz='0 1 0' rpy='0 0 1'/>{}</constraint>",
    "loop": "<loop name='c' type='{}'><predecessor link='a'><origin xyz='1 0 0'/></predecessor>"
    "<successor link='b'><origin xyz='0 1 0' rpy='0 0 1'/></successor><axis xyz='0 0 1'/>{}</loop>",
    "loop_joint": "<loop_joint name='c' type='{}'><link1 link='a' xyz='1 0 0'/>"
    "<link1 link='b' xyz='0 1 0' rpy='0 0 1'/><axis xyz='0 0 1'/>{}</loop_joint>",
}


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize("kind", ["revolute", "ball", "fixed", "prismatic", "universal", "cylindrical"])
def test_tags_of_loops(tag: str, kind: str) -> None:
    found = read(ARM + TAGS[tag].format(kind, ""))
    (loop,) = found.mechanism.loops
    assert (loop.joint.type, loop.body_a, loop.body_b) == (kind, "a", "b")
    assert (loop.placement_a.position, loop.placement_b.position) == ((1, 0, 0), (0, 1, 0))
    assert loop.placement_b.rotation[0][0] == np.cos(1)
    assert loop.joint.axis == (None if kind in ("ball", "fixed") else (0, 0, 1))


def test_an_axis_at_each_end() -> None:
    """The child's frame is turned until its axis is the parent's; a universal joint has both."""
    text = TAGS["constraint"].format("{}", "<child_axis xyz='1 0 0'/>").replace(" rpy='0 0 1'", "")
    loop = read(ARM + text.format("revolute")).mechanism.loops[0]
    assert np.allclose(np.array(loop.placement_b.rotation) @ loop.joint.axis, [1, 0, 0], atol=1e-15)
    universal = read(ARM + text.format("universal")).mechanism.loops[0].joint
    assert (universal.axis, universal.axis2) == ((0, 0, 1), (1, 0, 0))


def test_mimic_is_a_coupling() -> None:
    follow = "<mimic joint='j' multiplier='-2' offset='.5'/>" + LIMIT
    found = read(ARM + link("c") + joint("k", "b", "c", "revolute", follow)).mechanism
    (coupling,) = found.constraints
    assert (coupling.joint, coupling.of, coupling.coefficients) == ("k", "j", (0.5, -2))
    assert found.nv == 2


def test_mimic_of_what_does_not_move_is_told() -> None:
    fixed = joint("k", "b", "c", "fixed", "<mimic joint='j'/>")
    assert "the joint is fixed" in str(read(ARM + link("c") + fixed).source.ignored[0])
    text = (
        ARM
        + link("c")
        + link("d")
        + joint("k", "b", "c", "fixed", "")
        + joint("m", "c", "d", "revolute", "<mimic joint='k'/>" + LIMIT)
    )
    (note,) = read(text).source.ignored
    assert note.moves
    assert "what it follows is a fixed joint" in str(note)


# -- geometry -----------------------------------------------------------------------------------------------------


def test_shapes_and_colours() -> None:
    visual = "<visual name='v'><origin xyz='1 0 0'/><geometry><{}/></geometry><material name='m'/></visual>"
    shapes = (
        "box size='1 2 3'",
        "sphere radius='1'",
        "cylinder radius='1' length='2'",
        "capsule radius='1' length='2'",
    )
    text = link("a", "".join(visual.format(s) for s in (*shapes, "mesh filename='x.stl' scale='1 1 2'")))
    text += link("b", INERTIA + "<collision><geometry><sphere radius='2'/></geometry></collision>") + joint(
        "j", "a", "b"
    )
    found = read(text + "<material name='m'><color rgba='1 0 0 .5'/></material>").mechanism.shapes
    assert [(s.type, s.size) for s in found[:4]] == [
        ("box", (1, 2, 3)),
        ("sphere", (1,)),
        ("cylinder", (1, 2)),
        ("capsule", (1, 2)),
    ]
    assert {s.color for s in found[:5]} == {(1, 0, 0, 0.5)}
    assert (found[4].file, found[4].scale, found[4].name, found[4].body) == ("x.stl", (1, 1, 2), "v", "base")
    assert (found[5].role, found[5].body, found[5].size) == ("collision", "b", (2,))


def test_geometry_may_be_left_unread() -> None:
    text = link("a", INERTIA + "<visual><geometry><mesh filename='/etc/passwd'/></geometry></visual>")
    found = read(text, Choices(geometry=False))
    assert found.mechanism.shapes == ()
    assert "geometry was not asked for" in str(found.source.ignored[0])


# -- what is listed -----------------------------------------------------------------------------------------------


def test_everything_else_is_listed_with_its_line() -> None:
    text = "\n<gazebo reference='a'><x/></gazebo>\n" + ARM + "<limits/>\n<joint_x/>\n"
    text += link(
        "c",
        "<inertial><mass value='1' unit='kg'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>",
    )
    text += joint("k", "b", "c", "revolute", LIMIT + "<dynamics mu='1'/><calibration rising='0'/>")
    notes = read(text).source.ignored
    assert [(n.line, n.what.split(" of ")[0], n.moves) for n in notes] == [
        (2, "<gazebo>", False),
        (6, "<limits>", False),
        (7, "<joint_x>", False),
        (8, "unit", True),
        (9, "mu", True),
        (9, "<calibration>", False),
    ]


def test_load_warns_of_what_would_move(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    odd = joint("j", "a", "b", "continuous", "<dynamics mu='1'/>")
    path.write_text(f"<robot name='r'>{link('a')}{link('b')}{odd}</robot>")
    with pytest.warns(
        UserWarning, match=r"r\.urdf', line 3: mu of <dynamics> of joint 'j': not known here; the motion"
    ):
        robot = appell.load(path)
    assert robot.source is not None
    assert robot.source.ignored[0].moves
    path.write_text(f"<robot name='r'>{ARM}<gazebo/></robot>")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert appell.load(path).nv == 1


def test_impossible_inertias_may_be_taken(tmp_path: Path) -> None:
    odd = "<inertial><mass value='1'/><inertia ixx='100' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
    path = tmp_path / "r.urdf"
    path.write_text(f"<robot name='r'>{link('a')}\n{link('b', odd)}{joint('j', 'a', 'b')}</robot>")
    with pytest.raises(ModelError, match=r"r\.urdf', line 3: body 'b': got principal moments .*unphysical=True"):
        appell.load(path)
    assert appell.load(path, unphysical=True).mass_matrix([0.0])[0, 0] == 100
    path.write_text(f"<robot name='r'>{link('a')}{link('b', odd)}{link('c')}{joint('j', 'a', 'b')}{WELD}</robot>")
    with pytest.warns(UserWarning, match="no matter has the inertia of 'b'; what it is fixed to has, together with it"):
        appell.load(path)


WELD = (
    joint("w", "b", "c", "fixed", "<origin xyz='0 0 0'/>")
    + link("d", "<inertial><mass value='99'/><inertia ixx='9' ixy='0' ixz='0' iyy='99' iyz='0' izz='99'/></inertial>")
    + joint("v", "c", "d", "fixed", "")
)
