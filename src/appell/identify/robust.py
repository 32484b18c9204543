"""Outliers weighed down: iteratively reweighted least squares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .factors import Factors, reduced
from .measurements import Measurements

if TYPE_CHECKING:
    from .estimate import Estimate

Array = np.ndarray[Any, Any]
NORMAL = 1.4826  # the median of absolute residuals, times this, is the standard deviation of normal noise
ROUNDS, SETTLED = 50, 1e-6


def huber(x: Array) -> tuple[Array, Array]:
    """(weight, slope of weight x) for residuals x in units of the noise: beyond 1.345, as a constant force."""
    far = np.abs(x) > 1.345
    return np.where(far, 1.345 / np.maximum(np.abs(x), 1e-300), 1.0), np.where(far, 0.0, 1.0)


def tukey(x: Array) -> tuple[Array, Array]:
    """The same: beyond 4.685, not at all."""
    u = np.minimum((x / 4.685) ** 2, 1.0)
    return (1 - u) ** 2, (1 - u) * (1 - 5 * u)


LOSSES: dict[str, Callable[[Array], tuple[Array, Array]]] = {"huber": huber, "tukey": tukey}


def reweighted(first: Estimate, data: Measurements, name: str, solve: Callable[[Factors], Estimate]) -> Estimate:
    """An estimate that goes on until its weights settle; errors by Huber's formula for such estimates."""
    loss, now = LOSSES[name], first
    if name == "tukey":  # which needs a good start
        now = reweighted(first, data, "huber", solve)
    for _ in range(ROUNDS):
        weight, _ = loss(_residuals(now, data)[0])
        before, now = now, solve(reduced(now.base.regressor, data.blocks(weight)))
        if len(now.values) != len(before.values):
            break
        if np.abs(now.values - before.values).max() < SETTLED * max(1e-300, float(np.abs(now.errors).max())):
            break
    x, noise = _residuals(now, data)
    weight, slope = loss(x)
    return _with_errors(now, data, name, weight * x, slope, noise, int((weight < 0.5).sum()))


def _residuals(now: Estimate, data: Measurements) -> tuple[Array, Array]:
    """Residuals in units of each joint's noise, which the median tells."""
    off = data.tau - data.forces(now.forces)
    noise = np.maximum(NORMAL * np.median(np.abs(off), axis=0), 1e-300)
    return off / noise, noise


def _with_errors(
    now: Estimate, data: Measurements, name: str, psi: Array, slope: Array, noise: Array, out: int
) -> Estimate:
    """The covariance (K' K)^-1 E psi^2 / (E psi')^2, joint by joint, of measurements that all count."""
    n, r = psi.size, len(now.values)
    scale = noise * np.sqrt((psi**2).mean(0) * n / max(n - r, 1)) / slope.mean(0)
    R = reduced(now.base.regressor, data.blocks()).together(scale).R @ now.base.spread
    covariance = np.linalg.inv(R.T @ R)
    note = f"{out} of {n} measurements have less than half their weight ({name})"
    return replace(now, covariance=covariance, sigma=scale, notes=(*now.notes, note))
