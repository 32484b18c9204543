"""From one vector to another along a straight line: how the way is shared out over the time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ShapeError
from .trajectory import Array, Motion, within


@dataclass(frozen=True, eq=False)
class Ramp:
    """From one vector to another in a straight line."""

    start: Any
    end: Any
    t_end: float

    def __post_init__(self) -> None:
        if not 0 < self.t_end < np.inf:
            raise ShapeError(f"trajectory: t_end is {self.t_end!r}, wanted a time above 0")

    def _moved(self, s: Array, ds: Array, dds: Array) -> Motion:
        q0 = np.asarray(self.start, float)
        way = np.asarray(self.end, float) - q0
        return Motion(q0 + np.multiply.outer(s, way), np.multiply.outer(ds, way), np.multiply.outer(dds, way))

    def _share(self, t: Any) -> Array:
        """Which part of the time is over: 0 before the start, 1 after the end."""
        return np.clip(np.asarray(t, float) / self.t_end, 0.0, 1.0)


class Uniform(Ramp):
    """At constant speed from the first instant to the last."""

    def __call__(self, t: Any) -> Motion:
        s = within(t, self.t_end) / self.t_end
        return self._moved(s, np.full_like(s, 1 / self.t_end), np.zeros_like(s))


class Cycloid(Ramp):
    """From rest to rest, without a jump of the acceleration; at rest before and after.

    Source: saha2010, (22).
    """

    def __call__(self, t: Any) -> Motion:
        w = 2 * np.pi / self.t_end
        x = w * self.t_end * self._share(t)
        s, ds, dds = x - np.sin(x), w * (1 - np.cos(x)), w * w * np.sin(x)
        return self._moved(*(x / (2 * np.pi) for x in (s, ds, dds)))


class MinimumJerk(Ramp):
    """From rest to rest with the least integral of the squared jerk, which is a quintic; at rest before and after."""

    def __call__(self, t: Any) -> Motion:
        x, T = self._share(t), self.t_end
        s = x**3 * (10 - 15 * x + 6 * x * x)
        return self._moved(s, 30 * (x * (1 - x)) ** 2 / T, 60 * x * (1 - x) * (1 - 2 * x) / T**2)


@dataclass(frozen=True, eq=False)
class Trapezoid(Ramp):
    """From rest to rest: for a share of the time speeding up, then at constant speed, then braking as long."""

    share: float = 0.25

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.share <= 0.5:
            raise ShapeError(f"a trapezoid accelerates for {self.share!r} of its time, wanted above 0 and at most 0.5")

    @staticmethod
    def at_most(start: Any, end: Any, speed: Any, acceleration: Any) -> Trapezoid:
        """As fast as limits for each entry allow, all of them together."""
        way = np.abs(np.subtract(end, start, dtype=float))
        v, a = np.broadcast_to(speed, way.shape), np.broadcast_to(acceleration, way.shape)
        if not ((v > 0) & (a > 0)).all() or not way.any():
            raise ShapeError(f"a trapezoid over {way} at {v}, {a}, wanted a way, and speeds and accelerations above 0")
        far = way[way > 0]
        peak = float(np.min(v[way > 0] / far))  # speed and acceleration of the share of the way that is done
        slope = float(np.min(a[way > 0] / far))
        peak = min(peak, np.sqrt(slope))
        rise = peak / slope
        t_end = 1 / peak + rise
        return Trapezoid(start, end, t_end, min(rise / t_end, 0.5))

    def __call__(self, t: Any) -> Motion:
        x, r, T = self._share(t), self.share, self.t_end
        peak = 1 / (1 - r)
        inside = (np.asarray(t) >= 0) & (np.asarray(t) <= T)
        rising, falling = (x < r) & inside, (x > 1 - r) & inside
        ends = np.where(x < r, peak * x * x / (2 * r), 1 - peak * (1 - x) ** 2 / (2 * r))
        s = np.where((x < r) | (x > 1 - r), ends, peak * (x - r / 2))
        ds = peak * np.minimum(1.0, np.minimum(x, 1 - x) / r)
        return self._moved(s, ds / T, peak / r * (rising * 1.0 - falling * 1.0) / T**2)


@dataclass(frozen=True, eq=False)
class Quintic(Ramp):
    """The polynomial of fifth degree with given velocities and accelerations at both ends."""

    v_start: Any = 0.0
    v_end: Any = 0.0
    a_start: Any = 0.0
    a_end: Any = 0.0

    def __call__(self, t: Any) -> Motion:
        T = self.t_end
        q0, v0, a0, q1, v1, a1 = np.broadcast_arrays(
            *(np.asarray(x, float) for x in (self.start, self.v_start, self.a_start, self.end, self.v_end, self.a_end))
        )
        d = q1 - q0
        c = [
            q0, v0 * T, a0 * T**2 / 2,
            10 * d - (6 * v0 + 4 * v1) * T - (1.5 * a0 - 0.5 * a1) * T**2,
            -15 * d + (8 * v0 + 7 * v1) * T + (1.5 * a0 - a1) * T**2,
            6 * d - 3 * (v0 + v1) * T - 0.5 * (a0 - a1) * T**2,
        ]  # fmt: skip
        x = within(t, T) / T
        powers = [np.multiply.outer(x**k, np.ones_like(q0)) for k in range(6)]
        q = sum(c[k] * powers[k] for k in range(6))
        v = sum(k * c[k] * powers[k - 1] for k in range(1, 6)) / T
        a = sum(k * (k - 1) * c[k] * powers[k - 2] for k in range(2, 6)) / T**2
        return Motion(q, v, a)  # type: ignore[arg-type]
