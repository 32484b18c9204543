"""The tree of shafei2018 in its circle without Appell: Pinocchio's dynamics, SciPy's integrator, NumPy's solver."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from .pinocchio_model import PinocchioOracle

Array = np.ndarray[Any, Any]
POINTS = [f"O{k}" for k in range(1, 12)]


@dataclass(frozen=True)
class Struck:
    """One impact: the points, and for each its attack angle in degrees, change of normal velocity and impulse."""

    t: float
    points: tuple[str, ...]
    numbers: Array
    energies: tuple[float, float]


@dataclass(frozen=True)
class Elsewhere:
    """The robot and its circle, as Pinocchio has them."""

    model: PinocchioOracle
    restitution: float
    radius: float = 2.5
    gap_tolerance: float = 1e-9

    def impacts(self, q: Array, v: Array, t_end: float) -> Iterator[Struck]:
        """The impacts, until the end; steps are short, so that what lies between them is as exact as they are."""
        n, t, y = len(v), 0.0, np.concatenate([q, v])
        hits = [self._hit(k) for k in range(len(POINTS))]
        while t < t_end:
            options: dict[str, Any] = {"rtol": 3e-14, "atol": 1e-16, "max_step": 2e-3, "events": hits}
            found = solve_ivp(self._rate, (t, t_end), y, "DOP853", **options)
            t, y = float(found.t[-1]), found.y[:, -1]
            if found.status == 1:
                struck, v = self._strike(t, y[:n], y[n:])
                y = np.concatenate([y[:n], v])
                yield struck

    def _rate(self, _: float, y: Array) -> Array:
        n = len(y) // 2
        return np.concatenate([y[n:], self.model.aba(y[:n], y[n:], np.zeros(n))])

    def _hit(self, k: int) -> Any:
        def gap(_: float, y: Array) -> float:
            return self.radius - float(np.linalg.norm(self.model.pose(y[: len(y) // 2], POINTS[k])[:2, 3]))

        gap.terminal, gap.direction = True, -1  # type: ignore[attr-defined]
        return gap

    def _strike(self, t: float, q: Array, v: Array) -> tuple[Struck, Array]:
        """Equation (47) of shafei2018 for all points that close, with the normal towards the centre."""
        places = [self.model.pose(q, name)[:2, 3] for name in POINTS]
        gaps = [self.radius - float(np.linalg.norm(x)) for x in places]
        normals = [-x / np.linalg.norm(x) for x in places]
        moves = [self.model.jacobian(q, name)[:2] for name in POINTS]
        near = [k for k in range(len(POINTS)) if gaps[k] <= self.gap_tolerance and normals[k] @ moves[k] @ v < 0]
        J, n, m = np.array([normals[k] @ moves[k] for k in near]), len(v), len(near)
        M = self.model.crba(q)
        bordered = np.block([[M, -J.T], [J, np.zeros((m, m))]])
        right = np.concatenate([M @ v, -self.restitution * (J @ v)])
        after, f = np.split(np.linalg.solve(bordered, right), [n])
        assert (f > 0).all()
        angles = [_angle(moves[k] @ v, normals[k]) for k in near]
        numbers = np.stack([angles, J @ (after - v), f], -1)
        energies = sum(self.model.energy(q, v)), sum(self.model.energy(q, after))
        return Struck(t, tuple(POINTS[k] for k in near), numbers, energies), after


def _angle(u: Array, n: Array) -> float:
    """Degrees between a velocity and a normal that it is against."""
    return float(np.degrees(np.arctan2(abs(u[0] * n[1] - u[1] * n[0]), -u @ n)))
