"""Motions that show what is to be identified: sums of sines, chosen by what they tell, within limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..control.fourier import Fourier, waves
from ..errors import DataError
from ..robot import Robot
from .base import BaseParameters, base_parameters
from .information import Information
from .limits import Limits

Array = np.ndarray[Any, Any]
ROOM = 0.98  # of every limit is used while searching: between samples a motion may go a little farther
PENALTIES = (1e1, 1e3, 1e5)  # for what is beyond a limit, in turn
BLIND = 1e5  # a condition number, columns of one length, of motions that tell nothing
FINE = 8  # times more samples to check limits than to search


@dataclass(frozen=True, eq=False)
class Excitation:
    """A periodic trajectory, from rest, its condition number (columns of one length), and how near limits are."""

    trajectory: Fourier
    base: BaseParameters
    condition: float
    determinant: float
    use: dict[str, Array]  # of each limit, the largest part that is used; by joint, or by box

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits leave, and what holds the motion back."""
        tight = [f"{name} of joint {k + 1}" for name, x in self.use.items() if name != "boxes"
                 for k in np.flatnonzero(x > 0.97)]  # fmt: skip
        return (
            f"condition number {self.condition:.4g}, columns of one length, for {len(self.base)} base parameters",
            f"limits that are used up: {', '.join(tight) if tight else 'none'}",
        )


def excite(
    robot: Robot, limits: Limits, *groups: str, harmonics: int = 5, period: float = 10.0, samples: int = 100,
    criterion: str = "condition", noise: Any = None, starts: int = 3, seed: int = 0, steps: int = 150,
    progress: Callable[[str], None] | None = None,
) -> Excitation:  # fmt: skip
    """The Fourier trajectory, of some random starts the best, that tells most of the base parameters within limits.

    `criterion` is "condition" or "determinant" (D-optimality), of the regressor weighed by the joints' `noise`, by
    default by their force limits, or all alike. The motion begins and ends each period at rest, without acceleration.
    """
    if harmonics < 2 or samples <= 2 * harmonics:
        raise DataError(
            f"{harmonics} harmonics in {samples} samples, wanted 2 or more, and more samples than twice that"
        )
    base = base_parameters(robot, *groups)
    given = limits.force if noise is None else np.broadcast_to(np.asarray(noise, float), (robot.nv,))
    noise = np.where(np.isfinite(given), given, 1.0)
    if not (noise > 0).all():
        raise DataError(f"noise is {noise}, wanted numbers above 0")
    search = _Search(robot, limits, Information(base, noise, criterion), harmonics, period, samples)
    found: list[tuple[float, Fourier]] = []
    for k in range(starts):
        trajectory = search.shrunk(search.best(np.random.default_rng((seed, k)), steps))
        found.append((search.cost(trajectory), trajectory))
        if progress is not None:
            progress(f"start {k + 1} of {starts}: {criterion} {np.exp(found[-1][0]):.4g}")
    best = min(found, key=lambda x: x[0])[1]
    values = {c: Information(base, noise, c).cost(*best(search.t))[0] for c in ("condition", "determinant")}
    told = Excitation(best, base, float(np.exp(values["condition"])), values["determinant"], search.use(best))
    if told.condition > BLIND:
        found_out = "; ".join(told.notes)
        raise DataError(f"within the limits no motion was found that tells the parameters apart: {found_out}")
    return told


@dataclass(frozen=True, eq=False)
class _Search:
    """Coefficients of a Fourier series as unknowns y; q, v and a at all samples are linear in them."""

    robot: Robot
    limits: Limits
    information: Information
    harmonics: int
    period: float
    samples: int

    @cached_property
    def t(self) -> Array:
        """The samples of a period."""
        return np.arange(self.samples) * (self.period / self.samples)

    @cached_property
    def linear(self) -> tuple[Array, Array, Array]:
        """q, v, a (samples, unknowns of one joint): unknowns are the mean, and what leaves rest at the start."""
        s, c, k = waves(self.t, self.harmonics, self.period)
        one, none = np.ones((self.samples, 1)), np.zeros((self.samples, 1))
        q, v, a = np.hstack([one, s / k, -c / k]), np.hstack([none, c, s]), np.hstack([none, -s * k, c * k])
        return q @ self.free, v @ self.free, a @ self.free

    @cached_property
    def free(self) -> Array:
        """Coefficients (mean, a, b) from unknowns: sum a_k = 0 is rest, sum k b_k = 0 no acceleration, at t = 0."""
        h = self.harmonics
        rest = np.zeros((2, 2 * h + 1))
        rest[0, 1 : h + 1] = 1.0
        rest[1, h + 1 :] = np.arange(1, h + 1)
        _, _, V = np.linalg.svd(rest)
        return V[2:].T

    def series(self, y: Array) -> Fourier:
        """The trajectory of unknowns (joints, unknowns of one)."""
        x = y @ self.free.T
        return Fourier(x[:, 0], x[:, 1 : self.harmonics + 1], x[:, self.harmonics + 1 :], self.period)

    def best(self, rng: np.random.Generator, steps: int) -> Fourier:
        """From one random start, by quasi-Newton steps with growing penalties."""
        from scipy.optimize import minimize

        y = self._start(rng)
        for weight in PENALTIES:
            options = {"maxiter": steps, "maxcor": 20}
            y = minimize(self._cost, y.ravel(), args=(weight,), jac=True, method="L-BFGS-B", options=options).x
        return self.series(y.reshape(self.robot.nv, -1))

    def _start(self, rng: np.random.Generator) -> Array:
        """Small motions about the middle of the limits."""
        n = self.robot.nv
        middle, half = _middle(self.limits)
        half = np.minimum(half, np.pi)
        x = np.zeros((n, 2 * self.harmonics + 1))
        x[:, 1:] = rng.normal(size=(n, 2 * self.harmonics)) * 0.8 / self.period * half[:, None]
        x[:, 0] = middle + 0.2 * half * rng.uniform(-1, 1, n)
        return x @ self.free

    def _cost(self, y: Array, weight: float) -> tuple[float, Array]:
        Q, V, A = self.linear
        y = y.reshape(self.robot.nv, -1)
        q, v, a = (np.ascontiguousarray(X @ y.T) for X in (Q, V, A))
        cost, *slopes = self.information.cost(q, v, a)
        more, *others = self._beyond(q, v, a)
        gq, gv, ga = (x + weight * z for x, z in zip(slopes, others, strict=True))
        return cost + weight * more, (gq.T @ Q + gv.T @ V + ga.T @ A).ravel()

    def _beyond(self, q: Array, v: Array, a: Array) -> tuple[float, Array, Array, Array]:
        """The mean square of what is beyond limits, in parts of them, and its derivatives."""
        gq, gv, ga = np.zeros_like(q), np.zeros_like(v), np.zeros_like(a)
        total = 0.0
        middle, half = _middle(self.limits)
        for x, limit, g in ((q - middle, half, gq), (v, self.limits.speed, gv), (a, self.limits.acceleration, ga)):
            over, slope = _over(x / limit, len(q))
            total += over
            g += slope / limit
        if np.isfinite(self.limits.force).any():
            over, slope = _over(self.robot.inverse_dynamics(q, v, a) / self.limits.force, len(q))
            total += over
            for g, J in zip((gq, gv, ga), self.robot.inverse_dynamics_derivatives(q, v, a), strict=True):
                g += np.einsum("tj,tjk->tk", slope / self.limits.force, J)
        for box in self.limits.boxes:
            low, high = np.array(box.low), np.array(box.high)
            half = (high - low) / 2
            place = self.robot.pose(q, box.frame)[:, :3, 3]
            over, slope = _over((place - (low + high) / 2) / half, len(q))
            total += over
            gq += np.einsum("tj,tjk->tk", slope / half, self.robot.jacobian(q, box.frame)[:, :3])
        return total, gq, gv, ga

    def use(self, trajectory: Fourier) -> dict[str, Array]:
        """The largest part of each limit that a motion uses."""
        q, v, a = trajectory(np.linspace(0.0, self.period, FINE * self.samples, endpoint=False))
        middle, half = _middle(self.limits)
        forces = np.abs(self.robot.inverse_dynamics(q, v, a)) / self.limits.force
        used = {
            "position": np.abs(q - middle) / half, "speed": np.abs(v) / self.limits.speed,
            "acceleration": np.abs(a) / self.limits.acceleration, "force": forces,
        }  # fmt: skip
        found = {name: x.max(0) for name, x in used.items()}
        boxes = []
        for box in self.limits.boxes:
            low, high = np.array(box.low), np.array(box.high)
            place = self.robot.pose(q, box.frame)[:, :3, 3]
            boxes.append(float((np.abs(place - (low + high) / 2) / ((high - low) / 2)).max()))
        return found | {"boxes": np.array(boxes)}

    def shrunk(self, trajectory: Fourier) -> Fourier:
        """The motion about its mean made smaller until every limit is kept, to the last sample of a fine grid."""
        if self._keeps(trajectory):
            return trajectory
        if not self._keeps(scaled(trajectory, 0.0)):
            needed = {n: x for n, x in self.use(scaled(trajectory, 0.0)).items() if x.size}
            name, used = max(needed.items(), key=lambda x: x[1].max())
            where = "" if name == "boxes" else f" of joint {int(used.argmax()) + 1}"
            raise DataError(f"no motion keeps to the limits: at rest {used.max():.3g} of the {name}{where} is needed")
        low, high = 0.0, 1.0
        for _ in range(40):
            mid = (low + high) / 2
            low, high = (mid, high) if self._keeps(scaled(trajectory, mid)) else (low, mid)
        return scaled(trajectory, low)

    def _keeps(self, trajectory: Fourier) -> bool:
        return all((x <= 1.0).all() for x in self.use(trajectory).values())

    def cost(self, trajectory: Fourier) -> float:
        """The criterion of a trajectory."""
        return self.information.cost(*trajectory(self.t))[0]


def scaled(trajectory: Fourier, size: float) -> Fourier:
    """The same about the same mean, so much larger."""
    a, b = np.asarray(trajectory.a) * size, np.asarray(trajectory.b) * size
    return Fourier(trajectory.mean, a, b, trajectory.period, trajectory.turns)


def _middle(limits: Limits) -> tuple[Array, Array]:
    """The middle of the positions, and half their room: two turns from where there is one limit, endless without."""
    low, high = (np.where(np.isfinite(x), x, 0.0) for x in (limits.low, limits.high))
    below, above = np.isfinite(limits.low), np.isfinite(limits.high)
    low, high = np.where(below, low, high - 4 * np.pi), np.where(above, high, low + 4 * np.pi)
    return np.where(below | above, (low + high) / 2, 0.0), np.where(below | above, (high - low) / 2, np.inf)


def _over(part: Array, count: int) -> tuple[float, Array]:
    """The mean over samples of squares beyond the room, and its derivatives."""
    beyond = np.maximum(np.abs(part) - ROOM, 0.0)
    return float(np.sum(beyond**2)) / count, 2 * beyond * np.sign(part) / count
