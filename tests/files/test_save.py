"""Robots into files by the end of their names, and from one format into another."""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import pytest
from urdf_text import ARM, INERTIA, LIMIT, joint, link

pytest.importorskip("typer")

from typer.testing import CliRunner

import appell
from appell import cli
from appell.errors import ModelError
from appell.files.save import written

pytestmark = pytest.mark.filterwarnings("ignore:robot .*radii of gyration", "ignore:nothing of mass")


def test_the_end_of_the_name_tells_the_format(tmp_path: Path) -> None:
    arm = appell.load("panda")
    for end in (".toml", ".urdf", ".URDF", ".xml", ".sdf", ".csv"):
        arm.save(tmp_path / f"arm{end}")
        assert appell.load(tmp_path / f"arm{end}").mass_matrix(arm.neutral()) == pytest.approx(
            arm.mass_matrix(arm.neutral())
        )
    with pytest.raises(ModelError, match=r"got a \.step file, wanted one of \.csv, \.mjcf, \.sdf, \.toml, \.urdf, "):
        arm.save(tmp_path / "arm.step")
    with pytest.raises(ModelError, match=r"got loops='comment' for a \.toml file"):
        arm.save(tmp_path / "arm.toml", loops="comment")
    ends = ["URDF", "csv", "sdf", "toml", "urdf", "xml"]
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"arm.{end}" for end in ends]


def test_what_others_will_not_find_is_warned_of(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"moon\.urdf' holds gravity, in an attribute that only Appell reads"):
        appell.Robot.from_dict(appell.load("panda").to_dict() | {"gravity": [0, 0, -1.6]}).save(tmp_path / "moon.urdf")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        appell.load("panda").save(tmp_path / "arm.urdf")


def test_a_bound_robot_is_not_written_without_a_choice(tmp_path: Path) -> None:
    closed = appell.load("four_bar")
    with pytest.raises(ModelError, match="got what URDF has no word for"):
        closed.save(tmp_path / "a.urdf")
    assert not list(tmp_path.iterdir())
    with pytest.warns(UserWarning, match="in a tag that is proposed"):
        closed.save(tmp_path / "a.urdf", loops="constraint")
    again = appell.load(tmp_path / "a.urdf")
    assert [x.name for x in again.loops] == [x.name for x in closed.loops]


def test_meshes_are_told_from_the_new_folder(tmp_path: Path) -> None:
    visual = "<visual><geometry><mesh filename='meshes/a.stl'/></geometry></visual>"
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    text = link("a", INERTIA + visual) + link("b") + joint("j", "a", "b")
    (tmp_path / "old" / "r.urdf").write_text(f"<robot name='r'>{text}</robot>")
    robot = appell.load(tmp_path / "old" / "r.urdf")
    robot.save(tmp_path / "new" / "r.urdf")
    again = appell.load(tmp_path / "new" / "r.urdf", roots=tmp_path)
    assert again.mechanism.shapes[0].file == "../old/meshes/a.stl"
    robot.save(tmp_path / "old" / "s.urdf")
    assert appell.load(tmp_path / "old" / "s.urdf").mechanism.shapes == robot.mechanism.shapes


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(cli.application(), list(arguments))
    assert result.exit_code == code, result.output
    return result.output


def test_convert(tmp_path: Path) -> None:
    assert "6 bodies, 6 freedoms of joints" in run("convert", "puma560", str(tmp_path / "p.urdf"))
    run("convert", str(tmp_path / "p.urdf"), str(tmp_path / "p.toml"))
    again, puma = appell.load(tmp_path / "p.toml"), appell.load("puma560")
    assert again.inverse_dynamics(*[[0.5] * 6] * 3) == pytest.approx(puma.inverse_dynamics(*[[0.5] * 6] * 3), rel=1e-13)
    assert "got what URDF has no word for" in run("convert", "four_bar", str(tmp_path / "f.urdf"), code=2)
    run("convert", "four_bar", str(tmp_path / "f.urdf"), "--loops", "comment")
    assert "<!-- loop: " in (tmp_path / "f.urdf").read_text()
    assert "could not be read" in run("convert", str(tmp_path / "no.urdf"), "x.toml", code=2)


def test_inspect(tmp_path: Path) -> None:
    text = link("a") + "<gazebo/>\n<gazebo/>\n" + link("b", "") + joint("j", "a", "b")
    path = tmp_path / "r.urdf"
    path.write_text(f"<robot name='r'>{text}</robot>")
    page = run("inspect", str(path))
    for words in (
        "2 bodies, 1 coordinates, 1 freedoms of joints, 1 kg",
        "• b: revolute j about (1, 0, 0), 0 kg",
        "nothing of mass and no rotor moves with joint(s) 'j': M is singular",
        "<gazebo>: settings of a simulator (2 times); lines 2, 3",
    ):
        assert words in page
    assert '"ignored": [' in run("inspect", str(path), "--json")
    path.write_text(
        f"<robot name='r'>{ARM}<loop name='l' type='ball'><predecessor link='a'/><successor link='b'/></loop></robot>"
    )
    page = run("inspect", str(path))
    assert "loop l: ball between a and b" in page
    assert "mobility 1 by rank, -2 by counting (Gruebler)" in page


def test_inspect_marks_impossible_inertias_and_missing_meshes(tmp_path: Path) -> None:
    odd = "<inertial><mass value='1'/><inertia ixx='9' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
    mesh = "<visual><geometry><mesh filename='a.stl'/></geometry></visual>"
    path = tmp_path / "r.urdf"
    path.write_text(
        f"<robot name='r'>{link('a', INERTIA + mesh)}{link('b', odd)}{joint('j', 'a', 'b', 'revolute', LIMIT)}</robot>"
    )
    assert "wanted the largest not above the sum" in run("inspect", str(path), code=2)
    page = run("inspect", str(path), "--unphysical")
    assert "1, 1, 9" in page
    assert "impossible" in page
    assert "shapes: 1 mesh; 1 of 1 meshes are not there, as a.stl" in page


@pytest.mark.slow
def test_ten_thousand_links_take_no_time(tmp_path: Path) -> None:
    """Far below 5 s to read, and to write in any format."""
    n = 10_000
    links = "".join(link(f"l{k}") for k in range(n + 1))
    joints = "".join(joint(f"j{k}", f"l{k - 1}", f"l{k}") for k in range(1, n + 1))
    (tmp_path / "long.urdf").write_text(f"<robot name='long'>{links}{joints}</robot>")
    start = time.process_time()
    robot = appell.load(tmp_path / "long.urdf")
    assert time.process_time() - start < 5
    assert robot.nv == n
    for end in (".urdf", ".xml", ".sdf"):
        text = written(robot.mechanism, end).text
        assert len(text) < 10_000_000
    assert time.process_time() - start < 20
