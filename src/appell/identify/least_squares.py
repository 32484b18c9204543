"""Ways to the base parameters from one triangular factor: they agree, and differ in what they say of single ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .factors import Triangle

Array = np.ndarray[Any, Any]
ROUNDING = 1e-12
WEIGHTS = np.geomspace(1e-16, 1e2, 181)  # that ridge regression chooses among


class Solution(NamedTuple):
    """beta, its covariance for noise of variance 1, and a vector of all parameters that a method comes by."""

    beta: Array
    covariance: Array
    phi: Array
    ridge: Ridge | None = None


class Ridge(NamedTuple):
    """Weights that were tried, their scores in generalised cross-validation, the one taken, and its bias as a ratio."""

    weights: Array
    scores: Array
    weight: float
    shrunk: float  # the largest part of a direction that is taken away


def by_qr(data: Triangle, P: Array, Z: Array) -> Solution:
    """Householder's triangles on the columns of base parameters."""
    from scipy.linalg import solve_triangular

    Q, U = np.linalg.qr(data.R @ Z)
    beta = solve_triangular(U, Q.T @ data.z)
    inverse = solve_triangular(U, np.eye(len(U)))
    return Solution(beta, inverse @ inverse.T, Z @ beta)


def by_pivoted_qr(data: Triangle, P: Array, Z: Array) -> Solution:
    """On all columns, those taken that pivots choose; the other parameters are put to zero."""
    from scipy.linalg import qr, solve_triangular

    rank = len(P)
    factors: Any = qr(data.R, mode="economic", pivoting=True)
    Q, U, order = factors
    U, first = U[:rank, :rank], order[:rank]
    phi = np.zeros(data.R.shape[1])
    phi[first] = solve_triangular(U, Q[:, :rank].T @ data.z)
    inverse = P[:, first] @ solve_triangular(U, np.eye(rank))
    return Solution(P @ phi, inverse @ inverse.T, phi)


def by_svd(data: Triangle, P: Array, Z: Array) -> Solution:
    """On all columns, by as many singular values as there are base parameters: the shortest vector that fits."""
    U, s, V = np.linalg.svd(data.R)
    U, s, V = U[:, : len(P)], s[: len(P)], V[: len(P)]
    phi = V.T @ ((U.T @ data.z) / s)
    inverse = P @ (V.T / s)
    return Solution(P @ phi, inverse @ inverse.T, phi)


def by_pseudo_inverse(data: Triangle, P: Array, Z: Array) -> Solution:
    """The pseudo-inverse of all columns: the same vector."""
    s = np.linalg.svd(data.R, compute_uv=False)
    last = float(s[len(P) - 1])
    after = max(float(s[len(P)]) if len(P) < len(s) else 0.0, ROUNDING * last)
    inverse = np.linalg.pinv(data.R, rcond=np.sqrt(after * last) / float(s[0]))
    phi = inverse @ data.z
    spread = P @ inverse
    return Solution(P @ phi, spread @ spread.T, phi)


def by_ridge(data: Triangle, P: Array, Z: Array) -> Solution:
    """|U gamma - z|^2 + weight |gamma|^2 in columns of one length, the weight by generalised cross-validation.

    The score is n |residual|^2 / (n - trace of the hat matrix)^2; the covariance is that of a biased estimate.
    """
    size = np.linalg.norm(data.R @ Z, axis=0)
    U, s, V = np.linalg.svd(data.R @ Z / size, full_matrices=False)
    y = U.T @ data.z
    outside = data.rest + float(np.sum(data.z**2) - np.sum(y**2))

    def score(weight: float) -> float:
        kept = s**2 / (s**2 + weight * s[0] ** 2)
        return data.count * (outside + float(np.sum(((1 - kept) * y) ** 2))) / (data.count - kept.sum()) ** 2

    scores = np.array([score(w) for w in WEIGHTS])
    weight = float(WEIGHTS[int(np.argmin(scores))])
    kept = s**2 / (s**2 + weight * s[0] ** 2)
    beta = (V.T @ (kept * y / s)) / size
    inverse = (V.T * (kept / s)) / size[:, None]
    ridge = Ridge(WEIGHTS, scores, weight, float(1 - kept.min()))
    return Solution(beta, inverse @ inverse.T, Z @ beta, ridge)


METHODS: dict[str, Callable[[Triangle, Array, Array], Solution]] = {
    "qr": by_qr,
    "pivoted_qr": by_pivoted_qr,
    "svd": by_svd,
    "pseudo_inverse": by_pseudo_inverse,
    "ridge": by_ridge,
}
