"""Sums of sines: periodic, so that measurements can be averaged, and known in all derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ShapeError
from .trajectory import Array, Motion


@dataclass(frozen=True, eq=False)
class Fourier:
    """q = mean + sum of (a_k sin(k w t) - b_k cos(k w t)) / (k w), w = 2 pi / period; so v = sum a_k cos + b_k sin.

    `a` and `b` are (n, harmonics). It goes on for ever; t_end is the end of the first of `turns` periods.

    Source: swevers1997, (3).
    """

    mean: Any
    a: Any
    b: Any
    period: float
    turns: int = 1

    def __post_init__(self) -> None:
        a, b = np.asarray(self.a, float), np.asarray(self.b, float)
        if a.ndim != 2 or a.shape != b.shape or np.shape(self.mean) != a.shape[:1]:
            text = f"a {a.shape}, b {b.shape}, mean {np.shape(self.mean)}, wanted (n, harmonics), the same, and (n,)"
            raise ShapeError(f"a Fourier series got {text}")
        if not 0 < self.period < np.inf:
            raise ShapeError(f"a Fourier series has the period {self.period!r}, wanted a time above 0")

    @property
    def t_end(self) -> float:
        return self.period * self.turns

    def __call__(self, t: Any) -> Motion:
        s, c, k = waves(t, np.shape(self.a)[1], self.period)
        a, b = np.asarray(self.a, float).T, np.asarray(self.b, float).T
        q = np.asarray(self.mean, float) + (s / k) @ a - (c / k) @ b
        return Motion(q, c @ a + s @ b, (c * k) @ b - (s * k) @ a)


def waves(t: Any, harmonics: int, period: float) -> tuple[Array, Array, Array]:
    """Sines and cosines (..., harmonics) at instants (...), and the frequencies in rad/s."""
    k = 2 * np.pi / period * np.arange(1, harmonics + 1)
    angle = np.multiply.outer(np.asarray(t, float), k)
    return np.sin(angle), np.cos(angle), k
