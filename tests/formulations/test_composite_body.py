"""The mass matrix: symmetric, positive, the columns of inverse dynamics, twice the kinetic energy."""

from __future__ import annotations

from typing import Any

import numpy as np

from .readings import Case, cases, close, first, rows


@cases
@rows("mass_matrix")
def test_agrees_with_the_oracle(case: Case, row: Any) -> None:
    M = case.ask(row, case.q)
    close(M, case.oracle.crba(case.q))
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0.0


@cases
@rows("mass_matrix")
def test_columns_are_unit_accelerations(case: Case, row: Any) -> None:
    rest = np.zeros_like(case.v)
    held = case.ask(first("gravity_forces"), case.q)
    pushed = [case.ask(first("inverse_dynamics"), case.q, rest, e) - held for e in np.eye(len(rest))]
    close(case.ask(row, case.q), np.column_stack(pushed))


@cases
@rows("mass_matrix")
def test_gives_the_kinetic_energy(case: Case, row: Any) -> None:
    kinetic = case.ask(first("energy"), case.q, case.v)[0]
    close(0.5 * case.v @ case.ask(row, case.q) @ case.v, kinetic)


@cases
@rows("inverse_mass_matrix")
def test_inverse(case: Case, row: Any) -> None:
    M = case.ask(first("mass_matrix"), case.q)
    W = case.ask(row, case.q)
    assert np.array_equal(W, W.T)
    close(W @ M, np.eye(len(M)), 1e-14 * float(np.linalg.cond(M)) + 1e-12)
