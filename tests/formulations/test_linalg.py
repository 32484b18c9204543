"""Factors of symmetric matrices: against NumPy, and what they cost on the matrix of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from appell.linalg import inverse, ldl, solve, udu
from appell.scalar import Count, Dim

from .readings import close

N = 6


def matrix(n: int = N) -> Any:
    A = np.random.default_rng(n).normal(size=(n, n))
    return A @ A.T + np.eye(n)


def dense(entries: Any, n: int = N) -> Any:
    return np.array([[entries[i, j] for j in range(n)] for i in range(n)])


@pytest.mark.parametrize("factorise, backwards", [(udu, False), (ldl, True)])
def test_factors(factorise: Any, backwards: bool) -> None:
    M = matrix()
    f = factorise(M, range(N))
    U = np.eye(N)
    for k, column in f.columns.items():
        for i, u in column.items():
            U[i, k] = u
    assert np.array_equal(U, np.tril(U) if backwards else np.triu(U))
    D = np.diag([1 / f.inverse_pivots[k] for k in range(N)])
    close(U @ D @ U.T, M)


@pytest.mark.parametrize("order", [range(N), [3, 1, 0, 5, 2, 4]])
def test_solve_and_inverse(order: Any) -> None:
    M, b = matrix(), np.random.default_rng(1).normal(size=N)
    x = solve(M, b, order)
    close([x[k] for k in range(N)], np.linalg.solve(M, b))
    close(dense(inverse(M, order)), np.linalg.inv(M))


def test_triangular_solves() -> None:
    f, b = udu(matrix(), range(N)), {k: float(k + 1) for k in range(N)}
    U = np.eye(N)
    for k, column in f.columns.items():
        for i, u in column.items():
            U[i, k] = u
    close(list(f.without_upper(b).values()), np.linalg.solve(U, list(b.values())))
    close(list(f.without_lower(b).values()), np.linalg.solve(U.T, list(b.values())))


def star(zero: Any, scalar: Any) -> dict[tuple[int, int], Any]:
    """A trunk, 0, with branches that do not feel each other."""
    return {(i, j): scalar if i == j or 0 in (i, j) else zero for i in range(N) for j in range(N)}


def test_a_tree_has_no_fill_in() -> None:
    counts = []
    for zero in (0, 0.0):
        scalar = Count()
        factors = udu(star(zero if zero == 0 and type(zero) is int else scalar, scalar), range(N))
        factors.solve([scalar] * N)
        counts.append(scalar.tally)
    assert counts[0]["div"] == counts[1]["div"] == N
    assert counts[0]["mul"] == 2 * (N - 1) + 2 * (N - 1) + N
    assert counts[0]["mul"] < counts[1]["mul"] / 2


def test_singular_parts_do_not_meet() -> None:
    """Two robots on one base: the inverse of a block matrix is structurally zero off its blocks."""
    M = {(i, j): 2.0 + (i == j) if (i < 3) == (j < 3) else 0 for i in range(N) for j in range(N)}
    W = inverse(M, range(N))
    assert all(type(W[i, j]) is int and W[i, j] == 0 for i in range(3) for j in range(3, N))
    close(dense(W), np.linalg.inv(dense(M)))


def test_dimensions() -> None:
    """Rows of a length and of an angle: kg, kg m and kg m^2 in one matrix."""
    reach = [Dim(), Dim(m=1), Dim()]
    M = {(i, j): Dim(kg=1) * reach[i] * reach[j] for i in range(3) for j in range(3)}
    W = inverse(M, range(3))
    assert all(W[i, j] * M[i, j] == Dim() for i in range(3) for j in range(3))
