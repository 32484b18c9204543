"""References lead into declared folders, and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from appell.errors import ModelError
from appell.files.places import Roots, roots_of


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A ROS package with a mesh, beside a secret."""
    for folder in ("ws/arm/urdf", "ws/arm/meshes", "ws/hand/meshes"):
        (tmp_path / folder).mkdir(parents=True)
    for file in ("ws/arm/package.xml", "ws/arm/meshes/a.stl", "ws/hand/meshes/h.stl", "secret"):
        (tmp_path / file).write_text("")
    return tmp_path / "ws" / "arm"


def found(roots: Roots, reference: str) -> str:
    path = roots.find(reference)
    assert path is not None
    return path.name


def test_a_package_is_a_root(package: Path) -> None:
    roots = roots_of(package / "urdf" / "arm.urdf")
    same = ("../meshes/a.stl", "package://arm/meshes/a.stl", "package:///arm/meshes/a.stl", "model://arm/meshes/a.stl")
    for reference in (*same, r"..\meshes\a.stl", str(package / "meshes" / "a.stl"), f"file://{package}/meshes/a.stl"):
        assert found(roots, reference) == "a.stl"
    assert roots.find("package://hand/meshes/h.stl") is None


def test_declared_folders_are_roots(package: Path) -> None:
    path = package / "urdf" / "arm.urdf"
    for root in (package.parent, package.parent / "hand"):
        assert found(roots_of(path, [root]), "package://hand/meshes/h.stl") == "h.stl"
    with pytest.raises(ModelError, match="wanted folders"):
        roots_of(path, [package / "none"])


def test_a_file_of_no_package_has_its_own_folder(tmp_path: Path) -> None:
    roots = roots_of(tmp_path / "arm.urdf")
    assert found(roots, "meshes/a.stl") == "a.stl"
    assert found(roots, "x/../a.stl") == "a.stl"
    with pytest.raises(ModelError, match="or `roots=` with its folder"):
        roots.find("../a.stl")


OUT = (
    "../../../secret",
    "/etc/hostname",
    "file:///etc/hostname",
    "package://arm/../../secret",
    "package://arm/../hand/x",
)
OUT += (
    "package://../secret",
    "package://..",
    "package://",
    "http://a/b",
    "ftp://x",
    "meshes/../../../../secret",
    "a\0b",
)
OUT += (r"..\..\..\secret", "package://arm/meshes/../../hand/x")


@pytest.mark.parametrize("reference", OUT)
def test_nothing_leads_out(package: Path, reference: str) -> None:
    with pytest.raises(ModelError, match="path: got"):
        roots_of(package / "urdf" / "arm.urdf").find(reference)


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need rights there")
def test_symbolic_links_do_not_lead_out(package: Path) -> None:
    (package / "meshes" / "link.stl").symlink_to(package.parents[1] / "secret")
    (package / "meshes" / "folder").symlink_to(package.parents[1])
    (package / "meshes" / "inside.stl").symlink_to(package / "meshes" / "a.stl")
    roots = roots_of(package / "urdf" / "arm.urdf")
    for reference in ("../meshes/link.stl", "package://arm/meshes/folder/secret"):
        with pytest.raises(ModelError, match="path: got"):
            roots.find(reference)
    assert found(roots, "../meshes/inside.stl") == "a.stl"
