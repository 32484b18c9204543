"""Parameters that matter could have: every body's mass, first and second moments as those of masses in space.

With Euler's tensor J, the pseudo-inertia [[J, s], [s', m]] of a body is the sum of m x x' over its points, x = (r, 1).
It is positive exactly where matter of positive density can make it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import DataError, unknown
from ..model.lift import MOMENTS, part
from ..robot import Robot
from .estimate import Estimate
from .factors import Triangle

Array = np.ndarray[Any, Any]
THIN = 1e-6  # of a body's size squared: the least second moment about any axis
NOT_NEGATIVE = ("damping", "coulomb", "rotor", "stiffness")
# Where MOMENTS stand in a pseudo-inertia.
INDEX = ((3, 3), (0, 3), (1, 3), (2, 3), (0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
METHODS = ("log_cholesky", "lmi")


@dataclass(frozen=True, eq=False)
class Consistent:
    """All parameters, physical ones, that fit the measurements; where these do not tell, near to the model's."""

    found: Estimate
    phi: Array
    excess: float  # by how much the weighted squares of the residuals are more than without physics
    method: str

    @property
    def values(self) -> dict[str, float]:
        """The parameters by name."""
        return dict(zip(self.found.base.regressor.names, map(float, self.phi), strict=True))

    @property
    def robot(self) -> Robot:
        """The robot with these parameters."""
        return self.found.robot.with_parameters(self.values)

    @property
    def notes(self) -> tuple[str, ...]:
        """What physics costs."""
        usual = len(self.found.values)
        text = f"matter explains the measurements with a chi-square {self.excess:.3g} above that of free parameters"
        if self.excess > 3 * usual:
            return (f"{text}, where noise explains about {usual}: the measurements or the model's geometry are off",)
        return (text,)


def consistent(found: Estimate, method: str = "log_cholesky", belief: float = 1.0) -> Consistent:
    """Physically consistent parameters for the measurements behind an estimate, by maximum likelihood.

    What the measurements cannot tell is taken from the robot's own numbers, believed up to a factor of exp(belief).
    "log_cholesky" needs nothing else, "lmi" is a convex program and needs cvxpy with Clarabel.
    """
    if method not in METHODS:
        raise unknown("method of consistent parameters", method, METHODS)
    if not 0 < belief < np.inf:
        raise DataError(f"belief is {belief!r}, wanted a positive number")
    data = found.factors.together(found.sigma)
    solve = _by_log_cholesky if method == "log_cholesky" else _by_lmi
    phi = solve(found, data, pseudo_inertias(found), belief)
    least = found.base.spread @ found.values
    excess = np.sum((data.R @ phi - data.z) ** 2) - np.sum((data.R @ least - data.z) ** 2)
    return Consistent(found, phi, float(excess), method)


def pseudo_inertias(found: Estimate) -> dict[str, Array]:
    """Of every body whose ten moments are asked for, by the model's numbers, made positive; of a body that has no mass
    there, by the measurements' numbers."""
    names, own = found.base.regressor.names, found.base.regressor.values
    place = {name: k for k, name in enumerate(names)}
    result = {}
    for body in (b.name for b in found.robot.bodies if f"{b.name}.mass" in place):
        ten = [place[f"{body}.{x}"] for x in MOMENTS]
        result[body] = _positive(_matrix(own[ten] if own[ten[0]] > 0 else found.full[ten]))
    return result


def _positive(P: Array) -> Array:
    """The nearest matrix that matter can have, sizes weighed alike: rods and points are thickened."""
    m = max(P[3, 3], 1e-3)
    length = np.sqrt(max(np.trace(P[:3, :3]) / m, float(P[:3, 3] @ P[:3, 3]) / m**2, 1e-6))
    D = np.sqrt(m) * np.array([length, length, length, 1.0])
    values, axes = np.linalg.eigh(P / np.outer(D, D))
    return (axes * np.maximum(values, THIN)) @ axes.T * np.outer(D, D)


def _matrix(ten: Array) -> Array:
    P = np.zeros((4, 4))
    for (i, j), x in zip(INDEX, ten, strict=True):
        P[i, j] = P[j, i] = x
    return P


def _moments(P: Array) -> Array:
    return np.array([P[k] for k in INDEX])


def log_cholesky(P: Array) -> Array:
    """The ten numbers theta with P = U U', U upper triangular and its diagonal exp(theta[:4]), its last entry last.

    Source: rucker2022, up to the order and the scale of the entries.
    """
    U = np.linalg.cholesky(P[::-1, ::-1])[::-1, ::-1]
    return np.concatenate([np.log(np.diag(U)), U[UPPER]])


UPPER = np.triu_indices(4, 1)


def from_log_cholesky(theta: Array) -> tuple[Array, Array]:
    """(the ten moments, their derivatives (10, 10) by theta)."""
    U = np.diag(np.exp(theta[:4]))
    U[UPPER] = theta[4:]
    slopes = np.empty((10, 10))
    for k in range(10):
        dU = np.zeros((4, 4))
        i, j = (k, k) if k < 4 else (UPPER[0][k - 4], UPPER[1][k - 4])
        dU[i, j] = U[i, i] if k < 4 else 1.0
        slopes[:, k] = _moments(dU @ U.T + U @ dU.T)
    return _moments(U @ U.T), slopes


def _by_log_cholesky(found: Estimate, data: Triangle, start: dict[str, Array], belief: float) -> Array:
    """Least squares over theta of every body, and over what resists in the joints, with bounds."""
    from scipy.optimize import least_squares

    names, own = found.base.regressor.names, found.base.regressor.values
    place = {name: k for k, name in enumerate(names)}
    of_bodies = [np.array([place[f"{b}.{x}"] for x in MOMENTS]) for b in start]
    others = np.array([k for k, name in enumerate(names) if part(name) not in MOMENTS], int)
    theta = np.concatenate([*map(log_cholesky, start.values()), own[others]])
    size = np.concatenate([*(_sizes(P) for P in start.values()), _scales(found)[others]]) * belief

    def moved(x: Array) -> tuple[Array, Array]:
        phi, slope = np.zeros(len(names)), np.zeros((len(names), len(x)))
        for k, at in enumerate(of_bodies):
            phi[at], slope[at, 10 * k : 10 * k + 10] = from_log_cholesky(x[10 * k : 10 * k + 10])
        phi[others] = x[10 * len(of_bodies) :]
        slope[others, 10 * len(of_bodies) + np.arange(len(others))] = 1.0
        return phi, slope

    def off(x: Array) -> Array:
        return np.concatenate([data.R @ moved(x)[0] - data.z, (x - theta) / size])

    def slopes(x: Array) -> Array:
        return np.concatenate([data.R @ moved(x)[1], np.diag(1 / size)])

    least = np.concatenate([np.full(10 * len(of_bodies), -np.inf), np.array([_least(names[k]) for k in others])])
    options: Any = {"jac": slopes, "bounds": (least, np.inf), "x_scale": size, "max_nfev": 500}
    ends = dict.fromkeys(("ftol", "xtol", "gtol"), 1e-14)
    return moved(least_squares(off, np.maximum(theta, least + 1e-12), **options, **ends).x)[0]


def _sizes(P: Array) -> Array:
    """What counts as a change by a factor e, of each number of a body's triangle."""
    U = np.linalg.cholesky(P[::-1, ::-1])[::-1, ::-1]
    rows = np.sqrt(np.sum(U**2, axis=1))
    return np.concatenate([np.ones(4), rows[UPPER[0]]])


def _scales(found: Estimate) -> Array:
    """The size of each parameter: the model's number, or what the measurements would have it be."""
    return np.maximum(np.maximum(np.abs(found.base.regressor.values), np.abs(found.full)), 1e-6)


def _least(name: str) -> float:
    return 0.0 if part(name) in NOT_NEGATIVE else -np.inf


def _by_lmi(found: Estimate, data: Triangle, start: dict[str, Array], belief: float) -> Array:
    """The same as a semidefinite program, convex, in phi itself: pseudo-inertias not negative.

    Source: wensing2018, the bounds of its Euler tensors left out; sousa2014 has the constraints.
    """
    try:
        import cvxpy as cp
    except ImportError:
        raise DataError("linear matrix inequalities need cvxpy: python -m pip install 'appell[identify]'") from None
    names = found.base.regressor.names
    place = {name: k for k, name in enumerate(names)}
    scale = _scales(found)
    x: Any = cp.Variable(len(names))  # phi in units of scale
    limits: list[Any] = [x[k] >= 0 for k, name in enumerate(names) if part(name) in NOT_NEGATIVE]
    for body, P in start.items():
        ten = [place[f"{body}.{name}"] for name in MOMENTS]
        unit = 1 / np.sqrt(np.diag(P))
        entries = {k: x[j] * scale[j] * unit[k[0]] * unit[k[1]] for k, j in zip(INDEX, ten, strict=True)}
        rows = [[entries[min(i, j), max(i, j)] for j in range(4)] for i in range(4)]
        limits.append(cp.bmat(rows) >> THIN * np.eye(4))
    own = found.base.regressor.values / scale
    rest = cp.sum_squares((data.R * scale) @ x - data.z) + cp.sum_squares(x - own) / belief**2
    problem: Any = cp.Problem(cp.Minimize(rest), limits)
    problem.solve(solver=cp.CLARABEL)
    if x.value is None:
        raise DataError(f"the semidefinite program ended {problem.status!r}, wanted a solution; is the data finite?")
    return np.asarray(x.value) * scale
