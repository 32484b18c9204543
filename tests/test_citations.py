"""Every answer knows its papers, and a wheel carries them."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import appell
from appell.citations import CHECKOUT, bibliography, everything, keys_of, page
from appell.errors import UnknownName
from appell.formulations.composed import forward_dynamics
from appell.formulations.gibbs_appell import gibbs_appell
from appell.formulations.table import FORMULATIONS, Formulation

HOME = Path(__file__).resolve().parents[1]
CITING = [row for row in everything() if row.source]


@pytest.mark.parametrize("row", CITING, ids=lambda f: f"{f.name}-{f.computes}")
def test_every_row_has_its_papers(row: Formulation) -> None:
    found = appell.cite(row)
    assert row.keys and found.keys[: len(row.keys)] == row.keys
    assert found.keys == keys_of(row) and set(found.keys) <= set(bibliography())


def test_an_entry_is_whole() -> None:
    text = CHECKOUT.read_text(encoding="utf-8")
    for key, entry in bibliography().items():
        assert entry in text and entry.startswith("@") and entry.partition("{")[2].startswith(key + ",")
        assert entry.count("{") == entry.count("}") and entry.count("\n  title ") == 1
    assert len(bibliography()) == text.count("\n@")


def test_methods_keys_and_rows_are_cited_once_in_their_order() -> None:
    arm = appell.load("scara")
    row = arm.formulation("forward_dynamics", "articulated_body")
    assert appell.cite("newton_euler", "luh1980", row, "gibbs_appell").keys[:2] == ("luh1980", "featherstone1983")
    assert str(appell.cite("mata2002", "luh1980")) == "\n\n".join(bibliography()[k] for k in ("mata2002", "luh1980"))
    assert repr(appell.cite("mata2002")) == bibliography()["mata2002"]
    assert set(appell.cite().keys) == {key for row in everything() for key in keys_of(row)}


def test_a_robot_tells_which_method_answers() -> None:
    small, long = appell.load("scara"), appell.zoo.chain(50)
    assert appell.cite("forward_dynamics", robot=small) != appell.cite("forward_dynamics", robot=long)
    for robot in (small, long):
        keys = appell.cite("forward_dynamics", robot=robot).keys
        assert keys == keys_of(robot.formulation("forward_dynamics"))
        assert set(keys) < set(appell.cite("forward_dynamics").keys)


def test_the_page_is_what_is_wrapped() -> None:
    rows = {(row.name, row.computes): row for row in FORMULATIONS}
    for question in ("inverse_dynamics", "bias", "gravity_forces"):
        assert page(rows["gibbs_appell", question]) is gibbs_appell
    assert page(rows["composite_body", "forward_dynamics"]) is forward_dynamics


def test_a_stranger_is_named() -> None:
    with pytest.raises(UnknownName, match="did you mean 'gibbs_appell'"):
        appell.cite("gibs_appell")


@pytest.mark.slow
def test_a_wheel_carries_the_bibliography(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    code = f"import hatchling.build as b; print(b.build_wheel({str(tmp_path)!r}))"
    name = subprocess.check_output([sys.executable, "-c", code], cwd=HOME, text=True).split()[-1]
    with zipfile.ZipFile(tmp_path / name) as wheel:
        wheel.extractall(tmp_path / "site")
    told = subprocess.check_output(
        [sys.executable, "-c", "import appell; print(appell.__file__); print(appell.cite('mata2002'))"],
        cwd=tmp_path / "site", text=True,
    )  # fmt: skip
    assert told.startswith(str(tmp_path)) and "@article{mata2002," in told
