"""Motions that show what is to be identified: sums of sines, chosen by what they tell, within limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..closing.coordinates import freedom_names
from ..control.fourier import Fourier, waves
from ..errors import DataError
from ..robot import Robot
from .base import BaseParameters, base_parameters
from .information import Information
from .limits import Limits
from .regressor import motors
from .ways import Driven, Open, ways_of

Array = np.ndarray[Any, Any]
ROOM = 0.98  # of every limit is used while searching: between samples a motion may go a little farther
PENALTIES = (1e1, 1e3, 1e5)  # for what is beyond a limit, in turn
BLIND = 1e5  # a condition number, columns of one length, of motions that tell nothing
ASTRAY, SMALLER = 1e9, 10  # a cost that no motion has; how often a start is made smaller
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
        regressor = self.base.regressor
        joints = dict.fromkeys(self.use, freedom_names(regressor.robot.mechanism)) | {"force": [*regressor.labels]}
        tight = [f"{name} of {joints[name][k]}" for name, x in self.use.items() if name != "boxes"
                 for k in np.flatnonzero(x > 0.97)]  # fmt: skip
        return (
            f"condition number {self.condition:.4g}, columns of one length, for {len(self.base)} base parameters",
            f"limits that are used up: {', '.join(tight) if tight else 'none'}",
        )


def excite(
    robot: Robot, limits: Limits, *groups: str, harmonics: int = 5, period: float = 10.0, samples: int = 100,
    criterion: str = "condition", noise: Any = None, starts: int = 3, seed: int = 0, steps: int = 150,
    coordinates: Sequence[str] = (), progress: Callable[[str], None] | None = None,
) -> Excitation:  # fmt: skip
    """The Fourier trajectory, of some random starts the best, that tells most of the base parameters within limits.

    `criterion` is "condition" or "determinant" (D-optimality), of the regressor weighed by the joints' `noise`, by
    default by their force limits, or all alike. The motion begins and ends each period at rest, without acceleration.
    It is that of all joints; or, from where a closed mechanism is at home, of `coordinates`, the joints of its motors.
    """
    if harmonics < 2 or samples <= 2 * harmonics:
        raise DataError(
            f"{harmonics} harmonics in {samples} samples, wanted 2 or more, and more samples than twice that"
        )
    base = base_parameters(robot, *groups, coordinates=motors(robot, coordinates))
    ways = ways_of(base.regressor)
    force = limits.force[ways.freedoms]
    given = force if noise is None else np.broadcast_to(np.asarray(noise, float), force.shape)
    noise = np.where(np.isfinite(given), given, 1.0)
    if not (noise > 0).all():
        raise DataError(f"noise is {noise}, wanted numbers above 0")
    search = _Search(ways, limits, Information(base, noise, criterion), harmonics, period, samples)
    found: list[tuple[float, Fourier]] = []
    for k in range(starts):
        trajectory = search.shrunk(search.best(np.random.default_rng((seed, k)), steps))
        found.append((search.cost(trajectory), trajectory))
        if progress is not None:
            progress(f"start {k + 1} of {starts}: {criterion} {np.exp(found[-1][0]):.4g}")
    best = min(found, key=lambda x: x[0])[1]
    ways.forget()
    values = {c: search.value(best, Information(base, noise, c)) for c in ("condition", "determinant")}
    told = Excitation(best, base, float(np.exp(values["condition"])), values["determinant"], search.use(best))
    if told.condition > BLIND:
        found_out = "; ".join(told.notes)
        raise DataError(f"within the limits no motion was found that tells the parameters apart: {found_out}")
    return told


@dataclass(frozen=True, eq=False)
class _Search:
    """Coefficients of a Fourier series as unknowns y; q, v and a at all samples are linear in them."""

    ways: Open | Driven
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
        return self.series(y.reshape(len(self.ways.freedoms), -1))

    def _start(self, rng: np.random.Generator) -> Array:
        """Small motions about the middle of the limits, or about home; smaller ones, where loops do not allow them."""
        home, half = self.ways.room(self.limits)
        x = np.zeros((len(home), 2 * self.harmonics + 1))
        x[:, 1:] = rng.normal(size=(len(home), 2 * self.harmonics)) * 0.8 / self.period * half[:, None]
        x[:, 0] = 0.2 * half * rng.uniform(-1, 1, len(home))
        for _ in range(SMALLER):
            y = (x + np.eye(1, x.shape[1]) * home[:, None]) @ self.free
            if self._cost(y, 1.0)[0] < ASTRAY:
                break
            x *= 0.6
        return y

    def _cost(self, y: Array, weight: float) -> tuple[float, Array]:
        Q, V, A = self.linear
        y = y.reshape(len(self.ways.freedoms), -1)
        now = tuple(np.ascontiguousarray(X @ y.T) for X in (Q, V, A))
        try:
            q, v, a = self.ways.whole(*now, quick=True)
        except DataError:  # loops that do not close: no way to go
            return ASTRAY, np.zeros(y.size)
        cost, *slopes = self.information.cost(q, v, a)
        more, *others = self._beyond(q, v, a)
        gq, gv, ga = (x + weight * z for x, z in zip(slopes, others, strict=True))
        gx, gu, gd = self.ways.back(now, q, (gq, gv, ga))
        if np.isfinite(force := self.limits.force[self.ways.freedoms]).any():
            tau, derivatives = self.ways.forces(now, q)
            over, slope = _over(tau / force, len(q))
            more += over
            some = (weight * np.einsum("tj,tjk->tk", slope / force, J) for J in derivatives)
            gx, gu, gd = (g + s for g, s in zip((gx, gu, gd), some, strict=True))
        return cost + weight * more, (gx.T @ Q + gu.T @ V + gd.T @ A).ravel()

    def _beyond(self, q: Array, v: Array, a: Array) -> tuple[float, Array, Array, Array]:
        """The mean square of what is beyond limits, in parts of them, but for forces; and its derivatives."""
        gq, gv, ga = np.zeros_like(q), np.zeros_like(v), np.zeros_like(a)
        total = 0.0
        middle, half = self.limits.middle
        for x, limit, g in ((q - middle, half, gq), (v, self.limits.speed, gv), (a, self.limits.acceleration, ga)):
            over, slope = _over(x / limit, len(q))
            total += over
            g += slope / limit
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
        t = np.linspace(0.0, self.period, FINE * self.samples, endpoint=False)
        now = trajectory(t)
        q, v, a = self.ways.whole(*now)
        middle, half = self.limits.middle
        forces = np.abs(self.ways.forces(now, q)[0]) / self.limits.force[self.ways.freedoms]
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
        try:
            return all((x <= 1.0).all() for x in self.use(trajectory).values())
        except DataError:  # it leaves the workspace
            return False

    def cost(self, trajectory: Fourier) -> float:
        """The criterion of a trajectory."""
        return self.value(trajectory, self.information)

    def value(self, trajectory: Fourier, information: Information) -> float:
        """Another criterion of it."""
        return information.cost(*self.ways.whole(*trajectory(self.t)))[0]

    @property
    def robot(self) -> Robot:
        """What is moved."""
        return self.information.base.regressor.robot


def scaled(trajectory: Fourier, size: float) -> Fourier:
    """The same about the same mean, so much larger."""
    a, b = np.asarray(trajectory.a) * size, np.asarray(trajectory.b) * size
    return Fourier(trajectory.mean, a, b, trajectory.period, trajectory.turns)


def _over(part: Array, count: int) -> tuple[float, Array]:
    """The mean over samples of squares beyond the room, and its derivatives."""
    beyond = np.maximum(np.abs(part) - ROOM, 0.0)
    return float(np.sum(beyond**2)) / count, 2 * beyond * np.sign(part) / count
