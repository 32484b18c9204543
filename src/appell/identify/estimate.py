"""Base parameters from measurements, with what can be said of their errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import DataError, unknown
from ..robot import Robot
from .base import BaseParameters, base_parameters, told_apart
from .factors import Factors, reduced
from .least_squares import METHODS, Ridge, Solution
from .measurements import Measurements
from .regressor import motors
from .rest import moving
from .robust import LOSSES, reweighted

Array = np.ndarray[Any, Any]
ROUNDS = 20  # of estimating noise and parameters in turn
SETTLED = 1e-6
LEAST_NOISE = 1e-12  # of a joint's forces
ILL = 100.0  # a condition number, columns of one length, from which on the user is warned


@dataclass(frozen=True, eq=False)
class Estimate:
    """Base parameters, their covariance, and each joint's noise; `notes` says what a reader must know."""

    base: BaseParameters
    values: Array
    covariance: Array
    sigma: Array  # standard deviation of the residuals of each joint
    factors: Factors
    method: str
    condition: float  # of the weighted regressor on base parameters
    scaled_condition: float  # the same with columns of one length
    untold: tuple[str, ...]  # base parameters that these data leave out or tell only in sums with others
    phi: Array  # a vector of all parameters that has these base values; see `notes` on single ones
    ridge: Ridge | None
    notes: tuple[str, ...]

    @property
    def robot(self) -> Robot:
        """The robot as it was thought to be."""
        return self.base.regressor.robot

    @property
    def errors(self) -> Array:
        """Standard errors of the values."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def freedom(self) -> int:
        """Measurements less parameters."""
        return int(self.factors.counts.sum()) - len(self.values)

    def interval(self, level: float = 0.95) -> Array:
        """Confidence intervals (r, 2) of the values."""
        from scipy.special import stdtrit

        wide = float(stdtrit(self.freedom, 0.5 + level / 2)) * self.errors
        return np.stack([self.values - wide, self.values + wide], -1)

    @cached_property
    def full(self) -> Array:
        """Of all parameter vectors with these base values the one nearest to the robot's own numbers."""
        own = self.base.regressor.values
        return own + np.linalg.pinv(self.base.matrix) @ (self.values - self.base.matrix @ own)

    def forces(self, q: Any, v: Any, a: Any) -> Array:
        """tau for a motion, by the estimated parameters."""
        return self.base.regressor(q, v, a) @ self.phi

    def __str__(self) -> str:
        rows = zip(self.base.names, self.values, self.errors, self.base.forms, strict=True)
        wide = max(map(len, self.base.names), default=0)
        lines = [f"{n:<{wide}} {x:> 13.6g} +- {e:<10.3g} {f}" for n, x, e, f in rows]
        return "\n".join([*lines, "", *(f"note: {note}" for note in self.notes)])


def estimate(
    robot: Robot, data: Measurements, *groups: str, method: str = "qr", weights: str = "joint",
    robust: str | None = None, base: BaseParameters | None = None, tolerance: float = 1e-7,
    progress: Callable[[int], None] | None = None,
) -> Estimate:  # fmt: skip
    """The base parameters of a robot from measurements, by least squares.

    `groups` are those of `Regressor.of`; `method` is "qr", "pivoted_qr", "svd", "pseudo_inverse" or "ridge"; `weights`
    "joint" weighs each joint by its noise, found by turns, "none" takes all forces as they are; `robust` is "huber" or
    "tukey", which weigh outliers down, pass by pass. A direction that moves forces less than `tolerance`, beside
    others, counts as not excited.
    """
    _check(method, weights, robust)
    base = base or base_parameters(robot, *groups, coordinates=motors(robot, data.coordinates))
    if base.regressor.coordinates != tuple(data.coordinates):
        got, wanted = (", ".join(x) or "all joints" for x in (data.coordinates, base.regressor.coordinates))
        raise DataError(f"the data hold forces on {got}, and the base parameters were asked for with {wanted}")
    data = moving(data, base.regressor)
    factors = reduced(base.regressor, data.blocks(), progress)
    first = from_factors(base, factors, method, weights, tolerance, data.notes)
    if robust is not None:
        first = reweighted(first, data, robust, lambda f: from_factors(base, f, method, weights, tolerance, data.notes))
    return first if data.seen is None else replace(first, covariance=first.covariance * data.seen.likeness)


def from_factors(
    base: BaseParameters, factors: Factors, method: str = "qr", weights: str = "joint", tolerance: float = 1e-7,
    notes: tuple[str, ...] = (),
) -> Estimate:  # fmt: skip
    """The same from measurements that were reduced before."""
    plain = factors.together()
    if plain.count <= len(base):
        raise DataError(f"{plain.count} measurements for {len(base)} base parameters, wanted many more")
    if not np.abs(plain.R).max(initial=0.0) > 0:
        raise DataError("no motion in the data moves any force, wanted one that excites the robot")
    told = told_apart(base, plain.R, tolerance)
    found, sigma = _settled(told, factors, method, weights)
    left = told.spread
    R = factors.together(sigma).R @ left
    size = np.linalg.norm(R, axis=0)
    untold = tuple(n for n, f in zip(base.names, base.forms, strict=True) if f not in told.forms)
    conditions = float(np.linalg.cond(R)), float(np.linalg.cond(R / size))
    notes = (*notes, *_notes(base, told, untold, found, method, conditions[1]))
    return Estimate(
        told, found.beta, found.covariance, sigma, factors, method, *conditions, untold, found.phi, found.ridge, notes
    )


def _settled(base: BaseParameters, factors: Factors, method: str, weights: str) -> tuple[Solution, Array]:
    """Parameters and noise by turns: residuals tell the noise of each joint, and noise weighs its measurements."""
    solve, P, Z = METHODS[method], base.matrix, base.spread
    forces = np.array([t.z @ t.z + t.rest for t in factors.joints])
    counts = np.maximum(factors.counts, 1)
    least = LEAST_NOISE * np.sqrt(max(float((forces / counts).max()), 1e-300))
    sigma = np.ones(len(factors.joints))
    for _ in range(ROUNDS):
        found = solve(factors.together(sigma), P, Z)
        used = np.array([np.sum((t.R @ Z @ found.covariance) * (t.R @ Z)) for t in factors.joints]) / sigma**2
        squares = factors.squares(Z @ found.beta)
        if weights == "none":
            common = np.sqrt(squares.sum() / max(counts.sum() - len(P), 1))
            scaled = found._replace(covariance=found.covariance * common**2)
            return scaled, np.sqrt(squares / np.maximum(counts - used, 1.0))
        before, sigma = sigma, np.maximum(np.sqrt(squares / np.maximum(counts - used, 1.0)), least)
        if np.abs(sigma / before - 1).max() < SETTLED:
            break
    return solve(factors.together(sigma), P, Z), sigma


def _notes(
    base: BaseParameters, told: BaseParameters, untold: tuple[str, ...], found: Solution, method: str, condition: float
) -> list[str]:
    r, p = base.matrix.shape
    notes = []
    if p > r:
        text = f"forces tell {r} sums of the {p} parameters, never the single ones"
        if method in ("svd", "pseudo_inverse", "pivoted_qr"):
            text += f"; {_trap(told, found, method)}"
        notes.append(text)
    if untold:
        text = f"these data tell {len(told)} of the {r} base parameters"
        notes.append(f"{text}; they cannot tell, or only in sums: {', '.join(untold)}")
    if condition > ILL:
        notes.append(f"the condition number is {condition:.3g} even with columns of one length: excite the robot more")
    if found.ridge is not None:
        notes.append(
            f"ridge regression with the weight {found.ridge.weight:.2g}, by generalised cross-validation, takes up to "
            f"{found.ridge.shrunk:.2g} of a direction away: values are biased, and their errors hold for noise alone"
        )
    return notes


def _trap(told: BaseParameters, found: Solution, method: str) -> str:
    """What a reader of all parameters could fall for, with the number that shows it best."""
    names, own = told.regressor.names, told.regressor.values
    felt = np.flatnonzero(told.matrix.any(0)).tolist()
    masses = [k for k in felt if names[k].endswith(".mass")]
    worst = max(masses or felt, key=lambda k: abs(found.phi[k] - own[k]))
    which = "the shortest" if method != "pivoted_qr" else "one with as many zeros as can be"
    return (
        f"of all vectors that fit, {method} returns {which}, and what it says of single parameters means nothing: here "
        f"{names[worst]} = {found.phi[worst]:.4g}, where the model has {own[worst]:.4g}; use the sums"
    )


def _check(method: str, weights: str, robust: str | None) -> None:
    if method not in METHODS:
        raise unknown("method of estimation", method, METHODS)
    if weights not in ("joint", "none"):
        raise unknown("weights", weights, ("joint", "none"))
    if robust is not None and robust not in LOSSES:
        raise unknown("robust loss", robust, LOSSES)
