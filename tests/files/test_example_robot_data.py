"""Every URDF of example-robot-data, read here and by Pinocchio: the same dynamics, standing and floating."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("pinocchio")

import appell
from appell.show.robot_files import beside_pinocchio

SHARE = [Path(p) / "cmeel.prefix" / "share" / "example-robot-data" / "robots" for p in sys.path]
FILES = sorted(path for folder in SHARE if folder.is_dir() for path in folder.rglob("*.urdf"))
pytestmark = pytest.mark.skipif(not FILES, reason="example-robot-data is not installed")
SOME = ("anymal", "talos_reduced", "panda", "ur5_robot", "so100", "romeo")  # so100: axes that are all but parallel
REFUSED = {
    "alex_psyonic_hands.urdf": "unknown joint 'index_q1'",  # a mimic of a joint that is not there
    "romeo_laas_small.urdf": "wanted a path inside",  # meshes in /usr
    "romeo_small.urdf": "the largest not above the sum",
    "ur3.urdf": "got no <link>",
}


def check(path: Path, floating: bool) -> None:
    row = beside_pinocchio(path, floating, states=20, unroll=False)
    if path.name in REFUSED:
        assert REFUSED[path.name] in row.sentence
        return
    if row.sentence == "nothing moves":
        assert row.bodies and not floating
        return
    assert row.agreement is not None, row.sentence
    assert row.agreement.inverse_dynamics < 1e-13
    assert row.agreement.mass_matrix < 1e-13
    if row.agreement.condition < 1e15:
        assert row.agreement.forward_dynamics < max(1e-11, 1e-18 * row.agreement.condition)


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("path", [f for f in FILES if f.stem in SOME], ids=lambda p: p.stem)
def test_some_agree(path: Path, floating: bool) -> None:
    check(path, floating)


@pytest.mark.slow
@pytest.mark.parametrize("floating", [False, True])
def test_all_agree(floating: bool) -> None:
    assert len(FILES) > 60
    for path in FILES:
        check(path, floating)


def test_talos_is_read_in_no_time() -> None:
    path = next(f for f in FILES if f.stem == "talos_full_v2")
    spent = []
    for _ in range(5):
        start = time.process_time()
        appell.load(path)
        spent.append(time.process_time() - start)
    assert min(spent) < 0.1
