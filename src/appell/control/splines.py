"""Through points at given times: by cubic splines, or straight from one to the next."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import ShapeError
from .trajectory import Motion, within


@dataclass(frozen=True, eq=False)
class Spline:
    """A cubic spline through points (k, n) at times (k), the first 0: accelerations are continuous.

    It begins and ends with the velocities `v_start` and `v_end`, by default at rest.
    """

    times: Any
    points: Any
    v_start: Any = 0.0
    v_end: Any = 0.0

    def __post_init__(self) -> None:
        _check("spline", self.times, self.points)

    @property
    def t_end(self) -> float:
        return float(np.asarray(self.times)[-1])

    @cached_property
    def _curve(self) -> Any:
        from scipy.interpolate import CubicSpline

        points = np.asarray(self.points, float)
        ends = [np.broadcast_to(np.asarray(v, float), points.shape[1:]) for v in (self.v_start, self.v_end)]
        bounds: Any = ((1, ends[0]), (1, ends[1]))
        return CubicSpline(np.asarray(self.times, float), points, bc_type=bounds)

    def __call__(self, t: Any) -> Motion:
        t = np.clip(within(t, self.t_end), 0.0, self.t_end)
        return Motion(self._curve(t), self._curve(t, 1), self._curve(t, 2))


@dataclass(frozen=True, eq=False)
class Ramps:
    """Straight from point to point (k, n) at times (k), the first 0, each at constant speed: what jumps is left to the
    controller."""

    times: Any
    points: Any

    def __post_init__(self) -> None:
        _check("ramps", self.times, self.points)

    @property
    def t_end(self) -> float:
        return float(np.asarray(self.times)[-1])

    def __call__(self, t: Any) -> Motion:
        t = within(t, self.t_end)
        times, points = np.asarray(self.times, float), np.asarray(self.points, float)
        k = np.clip(np.searchsorted(times, t, "right") - 1, 0, len(times) - 2)
        way, time = points[k + 1] - points[k], times[k + 1] - times[k]
        wide = (..., *[None] * (points.ndim - 1))
        v = way / time[wide]
        return Motion(points[k] + v * (t - times[k])[wide], v, np.zeros_like(v))


def _check(what: str, times: Any, points: Any) -> None:
    t, p = np.asarray(times, float), np.asarray(points, float)
    if t.ndim != 1 or len(t) < 2 or t[0] != 0 or not (np.diff(t) > 0).all():
        raise ShapeError(f"{what}: times are {t}, wanted two or more that rise from 0")
    if p.ndim < 1 or len(p) != len(t) or not np.isfinite(p).all():
        raise ShapeError(f"{what}: points have shape {p.shape}, wanted ({len(t)}, ...) finite numbers")
