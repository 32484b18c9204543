"""Trees branch by branch: the published cut into branches, what falls freely, and what a branch is worth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.few import few

from appell.formulations.gibbs_appell_branch import inertia_matrix
from appell.model import zoo
from appell.model.lower import lower
from appell.model.tree import Place, Tree
from appell.model.walk import Coordinates, Walk
from appell.trace.counting import of_text

from .readings import CASES, Array, Case, close, first, row, rows
from .test_table import chain

M, ID = (row("gibbs_appell_tree", what) for what in ("mass_matrix", "inverse_dynamics"))


def of_paper() -> Tree:
    return lower(zoo.load("shafei_tree"))


def test_the_branches_of_the_paper() -> None:
    """Fig 5: the links of its four branches, of which the first two, then two, three and three are virtual."""
    branches = [
        [(z.index, b.mass) for b in branch.outward() for z in b.freedoms] for branch in Walk(of_paper()).branches()
    ]
    links = [[k - 1 for k, _ in branch[2:]] for branch in branches]  # X1 and X2 of the base come first
    assert links == [[1, 2, 3, 4], [1, 2, 5, 6, 7], [1, 2, 5, 8], [1, 2, 5, 9, 10]]
    assert [sum(mass == 0 for _, mass in branch[2:]) for branch in branches] == [0, 2, 3, 3]


def test_the_branches_add_up_to_the_mass_of_the_base() -> None:
    """Each link weighs on the base once, in the branch in which it is real."""
    tree, q = of_paper(), np.random.default_rng(1).normal(size=12)
    parts = [inertia_matrix(branch, Coordinates(q.tolist()))[0, 0] for branch in Walk(tree).branches()]
    np.testing.assert_allclose(parts, [4, 3, 1, 2], rtol=1e-14)
    assert ask(tree, q)[0, 0] == pytest.approx(10, rel=1e-14)


def ask(tree: Tree, q: Array) -> Array:
    found = M.text(Walk(tree), Coordinates(q.tolist()))
    return np.array([[found[i, j] for j in range(tree.nv)] for i in range(tree.nv)], float)


@rows("forward_dynamics")
def test_what_is_let_go_falls_as_one(row: Any) -> None:
    """At rest and without forces a free robot falls with gravity, whatever it looks like, and no joint moves."""
    case = Case(3)
    root, rest = case.tree.links[0], np.zeros_like(case.v)
    assert root.kind == "free"
    R = case.ask(first("pose"), case.q, place=Place(root.index))[:3, :3]
    falling = rest.copy()
    falling[root.v_index : root.v_index + 3] = R.T @ np.array([*case.tree.gravity])
    close(case.ask(row, case.q, rest, rest), falling, 1e-14 * np.linalg.cond(case.ask(M, case.q)))


@pytest.mark.parametrize("case", CASES[1::2], ids=lambda c: c.data["name"])
def test_matrix_and_forces_have_one_gibbs_function(case: Case) -> None:
    """M comes from traces over pairs of links, tau from the accelerations: it is linear in them with the slope M."""
    rest = np.zeros_like(case.a)
    tau = case.ask(ID, case.q, case.v, case.a) - case.ask(ID, case.q, case.v, rest)
    close(tau, case.ask(M, case.q) @ case.a, 1e-12)


@pytest.mark.parametrize("n", few(range(3, 13), 3, 6))
def test_its_text_costs_less_than_published(n: int) -> None:
    """Table 1 of shafei2018 at one branch: there M and the right-hand side, joint forces apart, of 4x4 products."""
    parts = [of_text(row("gibbs_appell_tree", what), chain(n)) for what in ("mass_matrix", "bias")]
    assert sum(x.mul for x in parts) <= 253.5 * n**2 + 815.5 * n + 297
    assert sum(x.add for x in parts) <= 146 * n**2 + 643 * n + 165
