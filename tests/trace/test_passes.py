"""Passes: what is not needed goes, products join sums, and every reading gives the same numbers."""

from __future__ import annotations

from typing import Any

import pytest
from oracles.traced import CASES, PAGES, Case, case, error, inputs, plain_array, rolled, unrolled

from appell.formulations.table import Formulation
from appell.trace.chain import in_registers
from appell.trace.expr import Expr, Graph
from appell.trace.passes import cleaned, with_fma, without_dead_code
from appell.trace.program import Array, Loop, Program, Store, blocks
from appell.write.interpret import interpret

X = Array("x", "lane", (4,))
Y = Array("y", "memory", (1,))
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda f: f.name)
each_case = pytest.mark.parametrize(
    "given", [pytest.param(c, id=k, marks=() if k == "tree" else pytest.mark.slow) for k, c in CASES.items()]
)


def program(text: Any) -> Program:
    """The Program of y = text(four inputs)."""
    graph = Graph()
    graph.store(Y, (0,), 0, text(*(graph.load(X, (k,)) for k in range(4))))
    return Program("small", (X,), (Y,), graph.block)


def test_what_no_output_needs_goes() -> None:
    def text(x: Any, y: Any, z: Any, u: Any) -> Any:
        (y * z).sin()
        return x + u

    assert program(text).count() == {"load": 4, "mul": 1, "sin": 1, "add": 1}
    assert without_dead_code(program(text)).count() == {"load": 2, "add": 1}


def test_what_is_met_with_one_sign_has_it() -> None:
    made = cleaned(program(lambda x, y, z, u: -(x - y) / z))
    assert made.count() == {"load": 3, "sub": 1, "div": 1}
    assert cleaned(program(lambda x, y, z, u: -(0.5 * x) / z)).count() == {"load": 2, "mul": 1, "div": 1}
    assert cleaned(program(lambda x, y, z, u: -(1.5 - y) / z)).count() == {"load": 2, "add": 1, "div": 1}
    both = cleaned(program(lambda x, y, z, u: (x - y).sin() + -(x - y) / z))
    assert both.count() == {"load": 3, "sub": 1, "sin": 1, "neg": 1, "div": 1, "add": 1}


@pytest.mark.parametrize("unroll", [True, False])
@each_page
@each_case
def test_no_difference_is_taken_twice(given: Case, page: Formulation, unroll: bool) -> None:
    made = (unrolled if unroll else rolled)(page, given.tree)
    for block in blocks(made.body):
        found = {(x.args[0], x.args[1]) for x in block.items if isinstance(x, Expr) and x.op == "sub"}
        assert not {(y, x) for x, y in found} & found


@pytest.mark.parametrize("unroll", [True, False])
@each_page
@each_case
def test_every_statement_is_used(given: Case, page: Formulation, unroll: bool) -> None:
    made = (unrolled if unroll else rolled)(page, given.tree)
    items = [x for b in blocks(made.body) for x in b.items]
    used = {a for x in items if isinstance(x, Expr) for a in x.args if isinstance(a, Expr)}
    used |= {x.value for x in items if isinstance(x, Store)}
    assert all(x in used for x in items if isinstance(x, Expr))
    assert without_dead_code(made).text() == made.text()


def test_columns_and_lookups_are_those_that_are_read() -> None:
    arm, tree = rolled(PAGES[2], CASES["arm"].tree), rolled(PAGES[2], CASES["tree"].tree)
    assert "mass.0" in arm.columns and "gravity.2" not in arm.columns
    assert arm.lookups == ()
    assert set(tree.lookups) == {"kind", "parent", "q_index", "v_index"}


@pytest.mark.parametrize(
    "text, wanted",
    [
        (lambda x, y, z, u: x * y + z, {"fma": 1}),
        (lambda x, y, z, u: x * y - z, {"fms": 1}),
        (lambda x, y, z, u: z - x * y, {"fnma": 1}),
        (lambda x, y, z, u: x * y + z * u, {"mul": 1, "fma": 1}),
        (lambda x, y, z, u: (x * y + z) * (x * y).sin(), {"mul": 2, "add": 1, "sin": 1}),
    ],
)
def test_products_that_only_feed_sums_join_them(text: Any, wanted: dict[str, int]) -> None:
    made = with_fma(program(text))
    assert {k: v for k, v in made.count().items() if k != "load"} == wanted
    at = [0.3, 0.7, -1.1, 2.3]
    (got,), (plain,) = interpret(made, at), interpret(program(text), at)
    assert got == pytest.approx(plain, rel=1e-15)


@pytest.mark.parametrize("unroll", [True, False])
@each_page
@each_case
def test_passes_keep_the_numbers(given: Case, page: Formulation, unroll: bool) -> None:
    made = (unrolled if unroll else rolled)(page, given.tree)
    x = inputs(page, given.state)
    (fused,) = interpret(with_fma(made), *x, tree=given.tree)
    assert error(fused.ravel(), plain_array(page, given.tree, x)) < 1e-13
    assert with_fma(made).count()["add"] < made.count()["add"]


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "helical"])
@each_page
def test_chains_carry_in_registers_and_give_the_same(page: Formulation, kind: str) -> None:
    tree, state = case(4, 7, joints=kind)
    made = rolled(page, tree)
    lean, x = in_registers(made), inputs(page, state)
    assert sum(len(i.carries) for i in lean.body.items if isinstance(i, Loop)) > 0
    (got,), (wanted,) = interpret(lean, *x, tree=tree), interpret(made, *x, tree=tree)
    assert error(got, wanted) < 1e-15
