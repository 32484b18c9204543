"""Python text and the interpreter: both give the numbers of the plain reading; every table has every operation."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from oracles.traced import AWAY, CASES, PAGES, Case, case, error, inputs, plain_array, rolled, unrolled

from appell.errors import ShapeError
from appell.formulations.table import Formulation
from appell.model.tree import Tree
from appell.trace.chain import in_registers
from appell.trace.operations import OPERATIONS
from appell.trace.reading import read
from appell.trace.tangent import tangent
from appell.write import c, interpret, python
from appell.write.interpret import interpret as run
from appell.write.python import python_source
from appell.write.statements import identifier

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda f: f.name)
each_case = pytest.mark.parametrize("given", CASES.values(), ids=CASES)


def loaded(text: str, folder: Path) -> ModuleType:
    """A text as a module."""
    path = folder / "written.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("written", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tables(tree: Tree) -> tuple[Any, ...]:
    return tree.columns, tree.lookups, tree.n, tree.nq, tree.nv


@pytest.mark.parametrize("table", [python.SPELLING, c.SPELLING, c.SINGLE, interpret.FUNCTIONS], ids=range(4))
def test_every_table_has_every_operation(table: dict[str, Any]) -> None:
    assert table.keys() == OPERATIONS.keys()


@each_page
@each_case
def test_the_text_of_an_unrolled_program_runs(given: Case, page: Formulation, tmp_path: Path) -> None:
    x = inputs(page, given.state)
    f = vars(loaded(python_source(unrolled(page, given.tree)), tmp_path))[page.computes]
    assert error(f(*x).ravel(), plain_array(page, given.tree, x)) < 1e-13


@each_page
@each_case
def test_the_text_of_a_rolled_program_runs(given: Case, page: Formulation, tmp_path: Path) -> None:
    x = inputs(page, given.state)
    f = vars(loaded(python_source(rolled(page, given.tree), "f"), tmp_path))["f"]
    assert error(f(*x, *tables(given.tree)).ravel(), plain_array(page, given.tree, x)) < 1e-13


@each_case
def test_the_text_of_walks_away_from_the_base_runs(given: Case, tmp_path: Path) -> None:
    text = python_source(rolled(AWAY, given.tree), "f")
    got = vars(loaded(text, tmp_path))["f"](given.state[0], *tables(given.tree))
    assert error(got.ravel(), plain_array(AWAY, given.tree, given.state[:1])) < 1e-13
    assert "for i1 in range(i0 + 1, " in text


def test_the_text_of_a_tangent_in_registers_runs(tmp_path: Path) -> None:
    tree, state = case(9, 5)
    made = in_registers(tangent(rolled(PAGES[0], tree)))
    text = python_source(made, "f")
    got = vars(loaded(text, tmp_path))["f"](*state, *state, *tables(tree))
    for y, wanted in zip(got, run(made, *state, *state, tree=tree)):
        assert error(y, wanted) < 1e-15
    assert "    for i0 in range(1, n + 1):" in text and ", c2" in text


def test_the_text_is_for_people() -> None:
    text = python_source(rolled(PAGES[2], CASES["tree"].tree))
    assert text.startswith("import numpy as np\n\n\ndef mass_matrix(q, columns, lookups, n, nq, nv):\n")
    assert "\n        if kind[i0] == 0:  # revolute\n" in text and "\n            while i1:\n" in text
    assert "np.cos(" in text and "    return M\n" in text and max(map(len, text.splitlines())) < 110


@pytest.mark.parametrize("unroll", [True, False])
@each_page
def test_a_batch_is_its_rows(page: Formulation, unroll: bool) -> None:
    tree, state = CASES["floating"]
    made = (unrolled if unroll else rolled)(page, tree)
    x = inputs(page, state)
    many = [np.stack([v, v[::-1].copy() if k else v, 0.5 * v]) for k, v in enumerate(x)]
    many[0][1] *= 2.0  # a quaternion of any norm will do
    (got,) = run(made, *many, tree=tree)
    for k in range(3):
        (row,) = run(made, *(v[k] for v in many), tree=tree)
        assert (got[k] == row).all()


def test_leading_axes_broadcast_and_nan_stays_in_its_row() -> None:
    tree, (q, v, a) = CASES["arm"]
    made = rolled(PAGES[1], tree)
    many = np.broadcast_to(q, (2, 3, q.size)).copy()
    many[1, 2, 0] = np.nan
    (got,) = run(made, many, v, np.broadcast_to(a, (3, a.size)), tree=tree)
    assert got.shape == (2, 3, tree.nv)
    assert np.isnan(got).any(axis=-1).tolist() == [[False] * 3, [False, False, True]]
    assert (got[0, 0] == run(made, q, v, a, tree=tree)[0]).all()


@each_page
def test_single_precision(page: Formulation) -> None:
    tree, state = CASES["arm"]
    x = inputs(page, state)
    for made in (unrolled(page, tree), rolled(page, tree)):
        (got,) = run(made, *x, tree=tree, dtype="f4")
        assert got.dtype == np.float32
        assert 1e-9 < error(got.ravel(), plain_array(page, tree, x)) < 1e-4


def test_wide_inputs() -> None:
    tree, state = CASES["arm"]
    wrench = np.random.default_rng(3).normal(size=(4, len(tree.bodies), 6))
    (flat,) = run(read(PAGES[0], tree, wrench=True), *state, wrench)
    (one,) = run(read(PAGES[0], tree, wrench=True), *state, wrench[2])
    assert flat.shape == (4, tree.nv) and (flat[2] == one).all()


def test_refusals() -> None:
    tree, (q, v, a) = CASES["arm"]
    made = rolled(PAGES[0], tree)
    with pytest.raises(ShapeError, match="got 2 inputs and wants q, v, a"):
        run(made, q, v, tree=tree)
    with pytest.raises(ShapeError, match="got no tree and wants one"):
        run(made, q, v, a)
    with pytest.raises(ShapeError, match=r"'v' of 'inverse_dynamics' got shape \(4,\) and wants \(5,\)"):
        run(made, q, v[:4], a, tree=tree)


NAMES = {"q": "q", "for": "for_2", "7 R/arm": "x7_R_arm", "Größe": "Gr__e", "t12": "t12_", "__": "x", "": "x"}


@pytest.mark.parametrize("name, legal", NAMES.items())
def test_names_become_legal(name: str, legal: str) -> None:
    taken = {"for"}
    assert identifier(name, taken) == legal and legal.isidentifier()
    assert identifier(name, taken) != legal
