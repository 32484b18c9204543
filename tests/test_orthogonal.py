"""Least squares and least norms by orthogonal columns: against NumPy, also where the columns nearly depend."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from appell.orthogonal import Orthogonal, transposed
from appell.scalar import Count, Dim

M, N = 9, 5


def matrix(condition: float) -> Any:
    rng = np.random.default_rng(3)
    U, V = np.linalg.qr(rng.normal(size=(M, N)))[0], np.linalg.qr(rng.normal(size=(N, N)))[0]
    return U * np.geomspace(1.0, 1.0 / condition, N) @ V


def factors(A: Any, order: Any = None) -> Orthogonal:
    rows = [dict(enumerate(row.tolist())) for row in A]
    return Orthogonal.of(transposed(rows, range(A.shape[1])), order or range(A.shape[1]))


def listed(x: Any, n: int) -> Any:
    return np.array([x[k] for k in range(n)])


@pytest.mark.parametrize("condition", (1.0, 1e4, 1e8))
@pytest.mark.parametrize("order", (None, [3, 1, 0, 4, 2]))
def test_solves_lose_no_more_than_the_condition(condition: float, order: Any) -> None:
    A, rng = matrix(condition), np.random.default_rng(4)
    x, f = rng.normal(size=N), factors(A, order)
    b = A @ x
    error = np.abs(listed(f.solve(dict(enumerate(b.tolist()))), N) - x).max()
    assert error < 1e-14 * condition
    y = listed(f.least(dict(enumerate((A.T @ rng.normal(size=M)).tolist()))), M)
    t = A.T @ y
    wanted = np.linalg.lstsq(A.T, t, rcond=None)[0]
    assert np.abs(y - wanted).max() < 1e-14 * condition
    again = listed(f.least(dict(enumerate(t.tolist()))), M)
    assert np.abs(A.T @ again - t).max() < 1e-14


def test_least_squares_where_there_is_no_solution() -> None:
    A, b = matrix(10.0), np.random.default_rng(5).normal(size=M)
    x = listed(factors(A).solve(dict(enumerate(b.tolist()))), N)
    np.testing.assert_allclose(x, np.linalg.lstsq(A, b, rcond=None)[0], atol=1e-13)


def test_columns_that_do_not_meet_cost_nothing_together() -> None:
    scalar = Count()
    apart = {k: {3 * k + i: scalar for i in range(3)} for k in range(4)}
    f = Orthogonal.of(apart, range(4))
    assert f.above == {k: {} for k in range(4)}
    assert scalar.tally["mul"] == 4 * 3
    f.solve({0: scalar})
    assert scalar.tally["mul"] == 4 * 3 + 1 + 1 + 3


def test_dimensions() -> None:
    """Rows and columns of lengths and angles: only rows in one unit can be orthogonal, columns may differ."""
    A = {0: {0: Dim(), 1: Dim()}, 1: {0: Dim(m=1), 1: Dim(m=1)}}
    x = Orthogonal.of(A, range(2)).solve({0: Dim(m=1), 1: Dim(m=1)})
    assert x == {0: Dim(m=1), 1: Dim()}
