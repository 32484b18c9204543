"""Robots as TOML files: exact, atomic, and refused with the file's name."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest
from oracles.random_robots import random_robot

from appell.errors import ModelError
from appell.model import toml, zoo
from appell.model.mechanism import Mechanism

pytestmark = pytest.mark.filterwarnings("ignore:robot .*radii of gyration")


@pytest.mark.parametrize("seed", range(6))
def test_round_trip_is_exact(seed: int, tmp_path: Path) -> None:
    data = random_robot(seed, 8, joints="mixed", shape="tree", rotors=True)
    data["frames"] = [{"name": "tip", "body": "body3", "placement": data["bodies"][0]["placement"]}]
    mechanism = Mechanism.from_dict(data)
    toml.write(mechanism, tmp_path / "robot.toml")
    assert toml.read(tmp_path / "robot.toml") == mechanism
    assert tomllib.loads(toml.text(mechanism)) == data


def test_all_names_floats_and_infinite_limits_survive() -> None:
    data = random_robot(0, 2)
    odd = "a \"b\" 'c' \\ \t\n\x00\x1f\x7f\x85\u2028 é 漢 🤖 #[]="
    data["name"], data["bodies"][1]["name"] = odd, odd
    data["frames"][0]["body"] = odd
    data["bodies"][0]["joint"]["limits"] = [-float("inf"), 5e-324]
    data["gravity"] = [1e22, -1.7976931348623157e308, 0.1 + 0.2]
    mechanism = Mechanism.from_dict(data)
    assert toml.parse(toml.text(mechanism)) == mechanism


def test_an_empty_robot_survives() -> None:
    mechanism = Mechanism("nothing", (0.0, 0.0, 0.0), ())
    assert toml.parse(toml.text(mechanism)) == mechanism


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "robot.toml"
    toml.write(zoo.load("cartpole"), path)
    before = path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(ModelError, match=r"robot\.toml': could not be written \(No space left on device\)"):
        toml.write(zoo.load("scara"), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["robot.toml"]


def test_a_file_keeps_the_permissions_that_new_files_have(tmp_path: Path) -> None:
    toml.write(zoo.load("cartpole"), tmp_path / "robot.toml")
    (tmp_path / "other").write_text("")
    assert (tmp_path / "robot.toml").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_name_that_is_no_unicode_is_refused(tmp_path: Path) -> None:
    mechanism = Mechanism("bad \ud800 name", (0.0, 0.0, 0.0), ())
    with pytest.raises(ModelError, match="could not be written"):
        toml.write(mechanism, tmp_path / "robot.toml")
    assert os.listdir(tmp_path) == []


CONTENTS = {
    "x = [": "invalid TOML",
    "[" * 5000: "invalid TOML",
    'format = "appell-robot/1"': "got no 'name'",
    "": "got no 'format'",
}


@pytest.mark.parametrize("content", CONTENTS)
def test_bad_content_is_one_sentence_with_the_files_name(content: str, tmp_path: Path) -> None:
    path = tmp_path / "robot.toml"
    path.write_text(content)
    with pytest.raises(ModelError) as caught:
        toml.read(path)
    assert str(caught.value).startswith(f"file {str(path)!r}: ")
    assert CONTENTS[content] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_readable_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelError, match=r"none\.toml': could not be read \(No such file or directory\)"):
        toml.read(tmp_path / "none.toml")
    with pytest.raises(ModelError, match="got a folder, wanted a TOML file"):
        toml.read(tmp_path)
    with pytest.raises(ModelError, match="file"):
        toml.read("a\0b.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ModelError, match="bytes that are no UTF-8"):
        toml.read(tmp_path / "bytes.toml")
    with pytest.raises(ModelError, match="could not be written"):
        toml.write(zoo.load("cartpole"), tmp_path / "no folder" / "robot.toml")
    monkeypatch.setattr(toml, "LARGEST", 1)
    with pytest.raises(ModelError, match="got 2 bytes, wanted at most 1"):
        toml.read(tmp_path / "bytes.toml")
