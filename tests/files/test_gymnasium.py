"""Every MJCF of gymnasium, read here and by MuJoCo: the same dynamics."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("mujoco")

import mujoco

from appell.show.robot_files import beside_mujoco

FOUND = find_spec("gymnasium")
FILES = sorted(Path(FOUND.origin).parent.rglob("*.xml")) if FOUND and FOUND.origin else []
pytestmark = pytest.mark.skipif(not FILES, reason="gymnasium is not installed")
SOME = ("ant", "hopper", "inverted_pendulum")
REFUSED = {"swimmer.xml": "not read: line 3: density of <option>: no forces of a fluid"}
mujoco.set_mju_user_warning(lambda _: None)  # or they would go into a file of the current folder


def check(path: Path) -> None:
    row = beside_mujoco(path, states=20, unroll=False)
    if path.name in REFUSED:
        assert row.sentence == REFUSED[path.name]
        return
    assert row.agreement is not None, row.sentence
    assert row.agreement.inverse_dynamics < 1e-13
    assert row.agreement.mass_matrix < 1e-13
    assert row.agreement.forward_dynamics < 1e-12


@pytest.mark.parametrize("path", [f for f in FILES if f.stem in SOME], ids=lambda p: p.stem)
def test_some_agree(path: Path) -> None:
    check(path)


@pytest.mark.slow
def test_all_agree() -> None:
    assert len(FILES) >= 14
    for path in FILES:
        check(path)
