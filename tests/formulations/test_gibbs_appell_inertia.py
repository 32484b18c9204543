"""The mass matrix as a Hessian: of the Gibbs function itself, and what it costs, against the paper's table."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.few import few

from appell.model.tree import Place
from appell.trace.counting import operations

from .readings import CASES, Array, Case, close, first, row
from .test_table import chain

ROW = row("gibbs_appell_inertia", "mass_matrix")


def cross(u: Array) -> Array:
    """The matrix of u x."""
    x, y, z = u
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def gibbs_function(case: Case, a: Array) -> float:
    """1/2 sum m |x..|^2 over all points, which move with x.. + O (their place in the link), from the links' moments."""
    total = 0.0
    for b in case.tree.links:
        at = {"place": Place(b.index)}
        x, dw = np.split(case.ask(first("acceleration"), case.q, case.v, a, **at), 2)
        w = case.ask(first("velocity"), case.q, case.v, **at)[3:]
        R = case.ask(first("pose"), case.q, **at)[:3, :3]
        O = cross(dw) + cross(w) @ cross(w)
        s, J = R @ np.array([*b.first]), R @ np.array([[*x] for x in b.second.matrix]) @ R.T
        total += b.mass * x @ x / 2 + x @ O @ s + np.trace(O @ J @ O.T) / 2
    return total


@pytest.mark.parametrize("case", CASES[:4], ids=lambda c: c.data["name"])
def test_it_is_the_hessian_of_the_gibbs_function(case: Case) -> None:
    """S is quadratic in a, so one second difference is exact, whatever v and a are and however long it is."""
    M = case.ask(ROW, case.q)
    for z in (z for b in case.tree.links for z in b.freedoms):
        M[z.index, z.index] -= z.rotor
    for d in np.random.default_rng(case.seed).normal(size=(3, len(case.a))):
        S = [gibbs_function(case, case.a + k * d) for k in (-1, 0, 1)]
        close(d @ M @ d, S[0] - 2 * S[1] + S[2], 1e-10)


@pytest.mark.parametrize("n", few(range(3, 13), 3, 6))
def test_its_program_costs_no_more_than_published(n: int) -> None:
    """Table 2 of mata2002, on its own kind of robot: general, revolute, modified Denavit-Hartenberg, no regrouping."""
    cost = operations(ROW, chain(n), unroll=True)
    assert cost.mul <= 11.5 * n * n + 19.5 * n - 49
    assert cost.add <= 8.5 * n * n + 31.5 * n - 69
    assert cost.div == 0
