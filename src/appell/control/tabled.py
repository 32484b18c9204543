"""A trajectory worked out beforehand, for loops that have no time for it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import ShapeError
from .trajectory import Motion, Trajectory, within


@dataclass(frozen=True, eq=False)
class Tabled:
    """A trajectory of joints known every `step` seconds; cubics through positions and velocities lie between.

    At its instants it is the trajectory; in between it is off by about step^4 / 384 of the fourth derivative.
    """

    inner: Trajectory
    step: float = 1e-3

    def __post_init__(self) -> None:
        if not 0 < self.step <= self.inner.t_end:
            raise ShapeError(f"a table got the step {self.step!r}, wanted one from 0 to {self.inner.t_end:g} s")

    @property
    def t_end(self) -> float:
        return self.inner.t_end

    @cached_property
    def rows(self) -> tuple[Any, Motion]:
        """(t, motion) at the instants of the table."""
        t = np.linspace(0.0, self.t_end, max(2, round(self.t_end / self.step) + 1))
        return t, self.inner(t)

    def __call__(self, t: Any) -> Motion:
        t = within(t, self.t_end)
        times, (q, v, a) = self.rows
        h = times[1]
        k = np.clip((t / h).astype(int), 0, len(times) - 2)
        x = (t / h - k)[..., None]
        d = q[k + 1] - q[k]
        b, c = 3 * d - h * (2 * v[k] + v[k + 1]), h * (v[k] + v[k + 1]) - 2 * d
        place = q[k] + x * (h * v[k] + x * (b + x * c))
        return Motion(place, v[k] + x * (2 * b + 3 * x * c) / h, (1 - x) * a[k] + x * a[k + 1])
