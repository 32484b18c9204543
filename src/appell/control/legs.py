"""Legs of parallel robots in closed form: the joints of a leg whose end is to stand at a place.

Angles solve  a cos q + b sin q = c;  of each leg there are two solutions or one, not a number where it does not reach.
Vectors of many targets are rows; solutions stand in a new first axis.

Source: merlet2006, legs of every kind.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
BOTH = np.array([1.0, -1.0])[:, None]


def waves(a: Array, b: Array, c: Array) -> Array:
    """Both angles with a cos q + b sin q = c; where they meet rounding is forgiven."""
    with np.errstate(invalid="ignore", divide="ignore"):
        cosine = c / np.hypot(a, b)
        cosine = np.where(np.abs(np.abs(cosine) - 1) < 1e-14, np.sign(cosine), cosine)
        return np.arctan2(b, a) + BOTH * np.arccos(cosine)


def turned(u: Array, angle: Array, x: Array) -> Array:
    """Vectors turned about a direction."""
    angle = np.asarray(angle)[..., None]
    along = np.sum(u * x, -1, keepdims=True) * u
    return along + np.cos(angle) * (x - along) + np.sin(angle) * np.cross(u, x)


def about(u: Array, x: Array, y: Array) -> Array:
    """The angle about u that takes x to y."""
    x, y = x - np.sum(u * x, -1, keepdims=True) * u, y - np.sum(u * y, -1, keepdims=True) * u
    return np.arctan2(np.sum(u * np.cross(x, y), -1), np.sum(x * y, -1))


def two_bars(u: Array, a: Array, v: Array, e: Array, p: Array) -> Array:
    """(2, B, 2): turns about u at the origin and about v, parallel to it, at a on the first bar, take e to p.

    All in the axes of the first joint; e from a.
    """
    c = (np.sum((p - np.sum(u * p, -1, keepdims=True) * u) ** 2, -1) - _across(u, a) - _across(u, e)) / 2
    sense = np.sign(u @ v)
    flat = a - (a @ u) * u
    second = waves(np.full_like(c, flat @ e), np.full_like(c, flat @ np.cross(u, e)), c)
    first = about(u, a + turned(u, second, e), np.broadcast_to(p, (2, *p.shape)))
    return np.stack([first, sense * second], -1)


def _across(u: Array, x: Array) -> float:
    return float(x @ x - (x @ u) ** 2)


def two_arcs(u: Array, w: Array, v: Array, x: Array) -> Array:
    """(2, B, 2): turns about u and about w, which the first carries, take the direction v to x."""
    c = w @ v - (u @ w) * (x @ u)
    flat = w - (u @ w) * u
    first = waves(x @ flat, x @ np.cross(u, w), c)
    back = turned(u, -first, np.broadcast_to(x, (2, *x.shape)))
    return np.stack([first, about(w, np.broadcast_to(v, back.shape), back)], -1)


def arm(u: Array, a: Array, length: float, p: Array) -> Array:
    """(2, B): turns about u after which the end a of an arm is so far from p."""
    c = (np.sum(p * p, -1) + a @ a - length**2) / 2 - (a @ u) * (p @ u)
    return waves(p @ (a - (a @ u) * u), p @ np.cross(u, a), c)
