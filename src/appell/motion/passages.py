"""Where a motion passed singular configurations of its loops, found on its polynomials when it is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..closing.closeness import Closeness
from .events import Happened
from .steps import Steps

if TYPE_CHECKING:
    from .tied import Tied

Array = np.ndarray[Any, Any]
NAME = "singular configuration of the loops"
WITHIN = np.linspace(0.0, 1.0, 9)[:-1]  # of each step, where it is looked at
WORTH = 50.0  # so many times what is spare elsewhere: worth a closer look
GOLDEN = (5**0.5 - 1) / 2
ROUNDS = 60


def passages(rate: Tied, steps: Steps) -> list[Happened]:
    """An event for each time at which the loops leave a freedom more than elsewhere, if only for an instant."""
    near = rate.singular
    if not isinstance(near, Closeness) or not len(steps):  # of many loops it would take long
        return []

    def spare(t: Array) -> Array:
        q = np.ascontiguousarray(rate.split(rate.unit(steps.at(t)))[0])
        return near.freedoms(q, near.weights)[:, 0] - near.mobility

    t = np.append((steps.t[:, None] + WITHIN * steps.h[:, None]).reshape(-1), steps.end)
    seen = spare(t)
    before, after = np.append(-np.inf, seen[:-1]), np.append(seen[1:], -np.inf)
    found = []
    for k in np.flatnonzero((seen >= before) & (seen >= after) & (seen > WORTH * near.spare)):
        at = _highest(spare, t[max(k - 1, 0)], t[min(k + 1, len(t) - 1)])
        q, v, _ = rate.split(rate.unit(steps.at(np.array([at])))[0])
        if near(np.ascontiguousarray(q)):
            found.append(Happened(NAME, at, q.copy(), v.copy(), 0))
    return found


def _highest(f: Any, a: float, b: float) -> float:
    """Where a function with one peak between a and b is highest, by golden sections."""
    x, y = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
    fx, fy = f(np.array([x, y]))
    for _ in range(ROUNDS):
        if fx > fy:
            b, y, fy = y, x, fx
            x = b - GOLDEN * (b - a)
            fx = f(np.array([x]))[0]
        else:
            a, x, fx = x, y, fy
            y = a + GOLDEN * (b - a)
            fy = f(np.array([y]))[0]
    return float(x if fx > fy else y)
