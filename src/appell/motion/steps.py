"""Steps in a row, and what lies between their ends: one polynomial each, evaluated at many times at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Steps:
    """y(t) = y0 + F0 x + F1 x (1-x) + F2 x^2 (1-x) + F3 x^2 (1-x)^2 + ..., with x = (t - t0) / h of each step."""

    t: Array  # (m,), where each step begins
    h: Array  # (m,)
    y: Array  # (m, n), the state there
    F: Array  # (m, k, n)

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, which: slice) -> Steps:
        return Steps(self.t[which], self.h[which], self.y[which], self.F[which])

    @property
    def end(self) -> float:
        """When the last one ends."""
        return float(self.t[-1] + self.h[-1])

    def sampled(self, weights: Array) -> Array:
        """States (m, s, n) at the same s fractions of every step, whose `weights_at` are given."""
        return weights @ self.F + self.y[:, None]

    def at(self, t: Array, side: str = "right") -> Array:
        """States (k, n) at times; where one step ends and another begins, that of the side asked for."""
        i = np.clip(np.searchsorted(self.t, t, side=side) - 1, 0, len(self.t) - 1)  # type: ignore[call-overload]
        return self.of(i, t)

    def of(self, i: Array, t: Array) -> Array:
        """States (k, n) at times by the polynomials of certain steps."""
        x = (t - self.t[i]) / self.h[i]
        return np.einsum("kj,kjn->kn", weights_at(x, self.F.shape[1]), self.F[i]) + self.y[i]


def weights_at(x: Array, count: int) -> Array:
    """What each of a step's polynomials is worth at fractions x: (k, count)."""
    x = np.asarray(x, float)
    out = np.empty((*x.shape, count))
    out[..., 0] = x
    for j in range(1, count):
        out[..., j] = out[..., j - 1] * (x if j % 2 == 0 else 1 - x)
    return out


def joined(parts: Iterable[Steps]) -> Steps:
    """All steps of several rows."""
    rows = list(parts)
    return Steps(*(np.concatenate([getattr(p, name) for p in rows]) for name in ("t", "h", "y", "F")))
