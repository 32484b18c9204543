"""URDF files that cannot be: one sentence with file, line and element, and never a robot."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from urdf_text import ARM, INERTIA, LIMIT, joint, link

import appell
from appell.errors import AppellError

pytestmark = pytest.mark.filterwarnings("ignore:robot .*radii of gyration", "ignore:nothing of mass")


def inertial(mass: str = "1", ixx: str = "1", more: str = "") -> str:
    rest = "ixy='0' ixz='0' iyy='1' iyz='0' izz='1'"
    return f"<inertial>{more}<mass value='{mass}'/><inertia ixx='{ixx}' {rest}/></inertial>"


def visual(shape: str) -> str:
    return link("a", f"{INERTIA}<visual><geometry>{shape}</geometry></visual>")


def turn(inside: str, kind: str = "revolute") -> str:
    return link("a") + link("b") + joint("j", "a", "b", kind, inside)


def heavy(**options: str) -> str:
    return link("a") + link("b", inertial(**options)) + joint("j", "a", "b")


AT = r"line \d+: "
BAD: dict[str, tuple[str, str]] = {
    # numbers
    "nan mass": (heavy(mass="nan"), AT + "<mass> of link 'b': got value = 'nan', wanted a finite number"),
    "mass beyond floats": (heavy(mass="1e400"), AT + "<mass> of link 'b': got value = '1e400'"),
    "mass with a comma": (heavy(mass="1,5"), AT + "<mass> of link 'b': got value = '1,5'"),
    "infinite inertia": (heavy(ixx="inf"), AT + "<inertia> of link 'b': got ixx = 'inf'"),
    "hex": (heavy(mass="0x1p3"), "got value = '0x1p3'"),
    "digits of other scripts": (heavy(mass="٣"), "got value = '٣'"),
    "no mass": (link("a", "<inertial><inertia/></inertial>"), AT + "<inertial> of link 'a': got no <mass>"),
    "no inertia": (link("a", "<inertial><mass value='1'/></inertial>"), "got no <inertia>"),
    "part of an inertia": (link("a", "<inertial><mass value='1'/><inertia ixx='1'/></inertial>"), "got no 'iyy'"),
    "two of three": (turn("<axis xyz='0 1'/>" + LIMIT), AT + "<axis> of joint 'j': got xyz = '0 1', wanted 3 finite"),
    "four of three": (turn("<origin xyz='0 1 2 3'/>" + LIMIT), "got xyz = '0 1 2 3', wanted 3 finite numbers"),
    "commas in a vector": (turn("<origin xyz='0,1,2'/>" + LIMIT), "got xyz = '0,1,2'"),
    "empty vector": (turn("<origin xyz=''/>" + LIMIT), "got xyz = '', wanted finite numbers"),
    # matter
    "negative mass": (heavy(mass="-5"), AT + "body 'b': got mass = -5.0, wanted a finite mass that is not negative"),
    "negative inertia": (
        heavy(ixx="-1"),
        AT + "body 'b': got principal moments of inertia -1, 1, 1, wanted none negative",
    ),
    "triangle": (heavy(ixx="100"), AT + "body 'b': got principal moments .* wanted the largest not above the sum"),
    "two inertials": (link("a", INERTIA * 2), AT + "<inertial> of link 'a': got a second <inertial>"),
    # joints
    "zero axis": (turn("<axis xyz='0 0 0'/>" + LIMIT), AT + "joint 'j': got axis = .*, wanted a direction"),
    "unknown type": (turn(LIMIT, "hinge"), AT + "<joint> 'j': got type = 'hinge', wanted one of revolute, "),
    "no type": ("<joint name='i'/>" + ARM, AT + "<joint> 'i': got no 'type'"),
    "no limit": (turn(""), AT + "<joint> 'j': got no <limit>, wanted one, as a revolute joint needs it"),
    "limits reversed": (
        turn("<limit lower='2' upper='1'/>"),
        AT + "<limit> of joint 'j': got lower = 2.0 above upper = 1.0",
    ),
    "negative effort": (turn("<limit lower='0' upper='1' effort='-1'/>"), "got effort = -1.0"),
    "negative damping": (turn("<dynamics damping='-1'/>" + LIMIT), "got damping = -1.0"),
    "no parent": ("<link name='a'/><joint name='j' type='fixed'><child link='a'/></joint>", "got no <parent>"),
    "two children": (turn("<child link='a'/>" + LIMIT), "got a second <child>"),
    "unknown parent": (ARM.replace("parent link='a'", "parent link='q'"), AT + "<joint> 'j': unknown link 'q'"),
    "unknown child": (ARM.replace("child link='b'", "child link='bb'"), "unknown link 'bb'; did you mean 'b'"),
    "its own parent": (ARM.replace("parent link='a'", "parent link='b'"), "got the link 'b' as parent and child"),
    "mimic of nobody": (turn("<mimic joint='k'/>" + LIMIT), AT + "<mimic> of joint 'j': unknown joint 'k'"),
    "mimic of itself": (turn("<mimic joint='j'/>" + LIMIT), AT + "constraint 'j_mimic': got the joint 'j' twice"),
    "mimic of a ball": (
        ARM + link("c") + joint("k", "b", "c", "ball", "<mimic joint='j'/>"),
        AT + "constraint 'k_mimic': got the ball joint 'k', wanted joints of one freedom",
    ),
    # names and trees
    "no links": ("", AT + "<robot> 'r': got no <link>"),
    "link without a name": ("<link/>", AT + "<link> of robot 'r': got no 'name'"),
    "empty name": ("<link name=''/>", "got name = '', wanted a name of 1 to 1000 characters"),
    "long name": (f"<link name='{'a' * 2000}'/>", "wanted a name of 1 to 1000 characters"),
    "two links of a name": (ARM + link("b"), r"<link> 'b': got a name that is taken on line \d+"),
    "two joints of a name": (ARM + link("c") + joint("j", "b", "c"), "<joint> 'j': got a name that is taken"),
    "two roots": (link("a") + link("b"), r"got 2 links that no joint carries, 'a' \(line 1\) and 'b' \(line 2\)"),
    "cycle": (
        link("a") + link("b") + joint("j", "a", "b") + joint("k", "b", "a"),
        "<link> 'a': got a cycle of parents, wanted every link to hang on one root",
    ),
    "cycle beside the root": (
        ARM + link("c") + link("d") + joint("k", "c", "d") + joint("m", "d", "c"),
        "<link> 'c': got a cycle of parents",
    ),
    # loops
    "loop of no kind": (ARM + "<loop name='l' type='odd'/>", AT + "<loop> 'l': got type = 'odd'"),
    "loop without ends": (ARM + "<loop name='l' type='ball'/>", AT + "<loop> 'l': got no ends"),
    "loop with one end": (ARM + "<loop name='l' type='ball'><predecessor link='a'/></loop>", "got 1 of <predecessor>"),
    "loop to nowhere": (
        ARM + "<constraint name='l' type='ball'><parent link='a'/><child link='q'/></constraint>",
        AT + "<constraint> 'l': unknown link 'q'",
    ),
    "loop on one link": (
        ARM + "<constraint name='l' type='ball'><parent link='a'/><child link='a'/></constraint>",
        AT + "loop 'l': got both ends on 'a'",
    ),
    "loop named as a joint": (
        ARM + "<constraint name='j' type='ball'><parent link='a'/><child link='b'/></constraint>",
        AT + "loop 'j': got the name 'j' that is taken",
    ),
    # geometry
    "out of the roots": (visual("<mesh filename='../../../etc/hostname'/>"), AT + "<mesh> of link 'a': path: got"),
    "absolute": (visual("<mesh filename='/etc/hostname'/>"), "got '/etc/hostname', wanted a path inside"),
    "file scheme": (visual("<mesh filename='file:///etc/hostname'/>"), "got 'file:///etc/hostname'"),
    "out of a package": (visual("<mesh filename='package://p/../../x'/>"), "wanted a path inside its package"),
    "net": (visual("<mesh filename='https://x.org/a.stl'/>"), "wanted a file of this machine"),
    "no shape": (visual(""), AT + "<geometry> of link 'a': got nothing in it, wanted a shape"),
    "odd shape": (visual("<torus radius='1'/>"), "got <torus>, wanted one of box, sphere"),
    "negative size": (visual("<box size='1 -1 1'/>"), "wanted lengths that are not negative"),
    "negative radius": (visual("<sphere radius='-1'/>"), "got radius = -1.0"),
    "mesh of no file": (visual("<mesh/>"), "got no 'filename'"),
    "quaternion": (turn("<origin quat_xyzw='0 0 0 0'/>" + LIMIT), "wanted a quaternion of length 1"),
    # other files
    "xacro": ("<xacro:property name='x' value='1'/>" + ARM, "got xacro, which is a program"),
    "xacro value": (heavy(mass="${m}"), "got xacro, which is a program"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused(case: str, tmp_path: Path) -> None:
    text, words = BAD[case]
    path = tmp_path / "r.urdf"
    path.write_text(f"<robot name='r'>{text}</robot>", encoding="utf-8")
    with pytest.raises(AppellError) as caught:
        appell.load(path)
    message = str(caught.value)
    assert message.startswith(f"file {str(path)!r}, line "), message
    assert re.search(words, message), message
    assert "\n" not in message
    assert len(message) < 500 + len(str(path))
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


OTHER = {"sdf": ("<sdf version='1.9'/>", "<sdf>: got <sdf>, wanted <robot>"), "html": ("<html/>", "wanted <robot>")}


@pytest.mark.parametrize("case", OTHER)
def test_other_files_are_refused(case: str, tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(OTHER[case][0])
    with pytest.raises(AppellError, match=OTHER[case][1]):
        appell.load(tmp_path / "r.urdf")


def test_xacro_files_are_recognised(tmp_path: Path) -> None:
    (tmp_path / "r.urdf.xacro").write_text("<robot/>")
    with pytest.raises(AppellError, match="got xacro, which is a program; wanted what it makes"):
        appell.load(tmp_path / "r.urdf.xacro")


def test_a_truncated_file_is_no_robot(tmp_path: Path) -> None:
    whole = f"<robot name='r'>{ARM}</robot>"
    path = tmp_path / "r.urdf"
    for end in range(1, len(whole) - 1, 7):
        path.write_text(whole[:end])
        with pytest.raises(AppellError, match="broken XML"):
            appell.load(path)
