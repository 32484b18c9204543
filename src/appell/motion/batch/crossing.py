"""Where gaps close within steps: cubics through their values and rates at the ends, many at once."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
DOUBT = 1 / 16  # of a cubic's highest term: how far the gap may be from the cubic
HALVINGS, NEWTONS = 4, 5


def doubtful(g0: Array, r0: Array, g1: Array, r1: Array, h: Array) -> Array:
    """Where a gap is not surely open all along: its Bezier points are its bounds."""
    up, down = r0 * (h / 3), r1 * (h / 3)
    low = np.minimum(np.minimum(g0 + up, g1 - down), g1)
    low -= DOUBT * np.abs(2 * (g0 - g1) + 3 * (up + down))
    return ~(low > 0)


def first(g0: Array, r0: Array, g1: Array, r1: Array, h: Array, nothing: Array) -> Array:
    """The fraction of a step at which a gap first falls below zero, or might: inf where it does not.

    A gap that is zero at the start and rises is open; less than `nothing` is zero.
    """
    c0, c1 = np.maximum(g0, 0.0), h * r0
    c2, c3 = 3 * (g1 - c0) - h * (2 * r0 + r1), 2 * (c0 - g1) + h * (r0 + r1)
    edges = _turns(c1, c2, c3)
    values = c0 + edges * (c1 + edges * (c2 + edges * c3))
    falls = (values[:-1] >= -nothing) & (values[1:] < -nothing)
    dips = (edges[1:-1] > 0) & (edges[1:-1] < 1) & (values[1:-1] < DOUBT * np.abs(c3)) & (values[:-2] >= values[1:-1])
    found = np.full(len(c0), np.inf)
    for k in (2, 1, 0):
        if k < 2:
            found = np.where(dips[k], edges[k + 1], found)
        if falls[k].any():
            w = np.flatnonzero(falls[k])
            found[w] = _root(c0[w], c1[w], c2[w], c3[w], edges[k, w], edges[k + 1, w])
    return found


def _turns(c1: Array, c2: Array, c3: Array) -> Array:
    """0, the places between where a cubic turns, 1; in order, (4, k)."""
    root = np.sqrt(np.maximum(c2 * c2 - 3 * c1 * c3, 0.0))
    q = -(c2 + np.where(c2 < 0, -root, root))
    with np.errstate(all="ignore"):
        both = np.stack([q / (3 * c3), c1 / q])
    both = np.clip(np.where(np.isfinite(both) & (c2 * c2 > 3 * c1 * c3), both, 0.0), 0.0, 1.0)
    both.sort(axis=0)
    return np.stack([np.zeros_like(c1), both[0], both[1], np.ones_like(c1)])


def _root(c0: Array, c1: Array, c2: Array, c3: Array, a: Array, b: Array) -> Array:
    """Where a cubic that falls from a to b is zero: halvings, then Newton's steps kept between."""
    for _ in range(HALVINGS):
        x = 0.5 * (a + b)
        over = c0 + x * (c1 + x * (c2 + x * c3)) >= 0
        a, b = np.where(over, x, a), np.where(over, b, x)
    x = 0.5 * (a + b)
    for _ in range(NEWTONS):
        slope = c1 + x * (2 * c2 + 3 * x * c3)
        value = c0 + x * (c1 + x * (c2 + x * c3))
        over = value >= 0
        a, b = np.where(over, x, a), np.where(over, b, x)
        with np.errstate(all="ignore"):
            new = x - value / slope
        x = np.where((new >= a) & (new <= b), new, 0.5 * (a + b))
    return x
