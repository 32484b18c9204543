"""Programs as text: the same in every run, shared where structures are equal, different where numbers are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from oracles.random_robots import random_robot
from oracles.traced import CASES, PAGES, rolled, unrolled

from appell.formulations.table import Formulation
from appell.model.lower import lower
from appell.model.mechanism import Mechanism
from appell.model.tree import Tree
from appell.trace.passes import with_fma
from appell.trace.pattern import Pattern
from appell.trace.tangent import tangent

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda f: f.name)


def tree_of(seed: int, n: int, change: Any = None, **how: Any) -> Tree:
    d = random_robot(seed, n, **how)
    if change:
        change(d)
    return lower(Mechanism.from_dict(d))


HASHES = """
import sys
from oracles.traced import CASES, PAGES, rolled, unrolled
from appell.trace.derivative import jacobian
from appell.trace.passes import with_fma
from appell.trace.tangent import tangent
for case in (CASES[name] for name in sys.argv[1:]):
    for page in PAGES:
        for made in (unrolled(page, case.tree), rolled(page, case.tree)):
            print(made.hash, with_fma(made).hash, tangent(made).hash)
        print(jacobian(unrolled(page, CASES["arm"].tree)).hash)
"""


@pytest.mark.parametrize("names", [["arm"], pytest.param([*CASES], marks=pytest.mark.slow)], ids=["one", "all"])
def test_the_same_text_in_every_process(names: list[str]) -> None:
    here = Path(__file__).resolve().parents[1]
    seen = set()
    for seed in ("0", "4711"):
        paths = os.pathsep.join([str(here), *(p for p in sys.path if p)])
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths}
        seen.add(subprocess.check_output([sys.executable, "-c", HASHES, *names], env=env, text=True))
    (text,) = seen
    assert len(text.split()) == len(names) * len(PAGES) * 7


@each_page
def test_equal_structures_share_a_rolled_program(page: Formulation) -> None:
    trees = [tree_of(seed, n) for seed, n in ((11, 6), (12, 6), (13, 9))]
    assert len({Pattern.of(t) for t in trees}) == 1
    assert len({rolled(page, t).hash for t in trees}) == 1


@each_page
def test_other_structures_do_not(page: Formulation) -> None:
    ways: list[dict[str, Any]] = [{}, {"shape": "tree"}, {"joints": "simple"}, {"floating": True}]
    trees = [tree_of(11, 6, **way) for way in ways]
    assert len({rolled(page, t).hash for t in trees}) == len(trees)


@each_page
def test_other_numbers_make_another_unrolled_program(page: Formulation) -> None:
    def heavier(d: dict[str, Any]) -> None:
        d["bodies"][-1]["mass"] *= 1 + 1e-15

    assert unrolled(page, tree_of(11, 4)).hash != unrolled(page, tree_of(11, 4, heavier)).hash
    assert rolled(page, tree_of(11, 4)).hash == rolled(page, tree_of(11, 4, heavier)).hash


@each_page
def test_a_rolled_program_does_not_grow(page: Formulation) -> None:
    sizes = [sum(rolled(page, tree_of(7, n)).count().values()) for n in (3, 30)]
    assert sizes[0] == sizes[1]


@each_page
def test_texts_tell_passes_apart(page: Formulation) -> None:
    made = unrolled(page, CASES["arm"].tree)
    assert len({made.text(), with_fma(made).text(), tangent(made).text()}) == 3


def test_text_shows_loops_and_numbers() -> None:
    text = rolled(PAGES[0], CASES["tree"].tree).text()
    assert text.startswith("program inverse_dynamics\nlane q['nq']\n")
    assert "for i0 outward, revolute:" in text
    assert "\n  tau[v_index[i0]] = %" in text or "\n  tau[v_index[i0]+1] = %" in text
    assert "kinds revolute" in text
