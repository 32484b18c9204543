"""Where the watched functions pass zero, on the polynomials between steps: none missed that the step resolves.

Each function is sampled at the extremes of a Chebyshev polynomial of every step. Where the constant term of its
Chebyshev series outweighs all others, it has no zero, and that settles nearly all steps. Elsewhere it is sampled
finely, and every minimum of its size is followed down: so two passings within one step are seen as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .steps import Steps, weights_at

if TYPE_CHECKING:
    from .events import Watch
    from .rate import Rate

Array = np.ndarray[Any, Any]
DEGREE, FINE, ZOOM, ZOOMS = 8, 48, 8, 18
NODES = 0.5 - 0.5 * np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)
GRID = np.linspace(0.0, 1.0, FINE + 1)
UNRESOLVED = 8.0  # how much the last two terms of a series may stand for what was left away


def _series() -> Array:
    """From values at the nodes to Chebyshev coefficients."""
    k = np.arange(DEGREE + 1)
    values = np.cos(np.pi * np.outer(k, DEGREE - k) / DEGREE)
    ends = np.where((k == 0) | (k == DEGREE), 0.5, 1.0)
    return values * ends[:, None] * ends * 2 / DEGREE


SERIES = _series()
AT_NODES = {k: weights_at(NODES, k) for k in (3, 7)}


@dataclass(frozen=True)
class Hit:
    """Zeros at one instant: in which step, when, and which functions of which watches, with their ways."""

    step: int
    t: float
    found: tuple[tuple[Watch, int, int], ...]


class Lookout:
    """The watches of a phase, and on which side of zero each function is."""

    def __init__(self, watches: tuple[Watch, ...], rate: Rate, t: float, y: Array) -> None:
        self.watches, self.rate = watches, rate
        self.directions = np.concatenate([w.directions for w in watches])
        self.owners = [(w, k) for w in watches for k in range(len(w.directions))]
        q, v, _ = rate.split(y)
        self.fresh = np.zeros(len(self.owners), bool)  # whether a function starts from a zero that is dealt with
        told = np.concatenate([w.sides(t, q, v) for w in watches])
        now = self.values(t, y)
        self.fresh = told != 0
        self.sides = np.where(self.fresh, told, np.sign(now))

    def _values(self, t: Array, y: Array) -> Array:
        q, v, _ = self.rate.split(self.rate.unit(y))
        return np.concatenate([w.values(t, q, v) for w in self.watches], axis=1)

    def values(self, t: float, y: Array) -> Array:
        """All functions at one state."""
        return self._values(np.array([t]), y[None].copy())[0]

    def first(self, steps: Steps) -> Hit | None:
        """The first zero that matters in a row of steps."""
        t = steps.t[:, None] + NODES * steps.h[:, None]
        y = steps.sampled(AT_NODES[steps.F.shape[1]])
        g = self._values(t.reshape(-1), y.reshape(-1, y.shape[-1])).reshape(*t.shape, -1)
        terms = np.abs(np.einsum("kj,mjc->mkc", SERIES, g))
        others = terms[:, 1:].sum(1) + UNRESOLVED * terms[:, -2:].sum(1)
        quiet = (terms[:, 0] > others) & (np.sign(g[:, 0]) == np.sign(g[:, -1]))
        for m in range(len(steps)):
            near = ~quiet[m] | (np.sign(g[m, -1]) != self.sides)
            if near.any() and (hit := self._in_step(steps, m, np.flatnonzero(near))):
                return hit
            self.fresh[quiet[m]] = False
        return None

    def passed(self, hit: Hit) -> None:
        """Goes on behind a hit that changed nothing."""
        for watch, k, way in hit.found:
            at = self.place(watch, k)
            self.sides[at], self.fresh[at] = way, True

    def place(self, watch: Watch, k: int) -> int:
        """Where among all functions the k-th of a watch stands."""
        return next(i for i, (w, j) in enumerate(self.owners) if w is watch and j == k)

    # -- one step -----------------------------------------------------------------------------------------------

    def _in_step(self, steps: Steps, m: int, which: Array) -> Hit | None:
        one = steps[m : m + 1]
        fine = self._at(one, GRID)
        found, ends = [], {}
        for c in which:
            zero, ends[c] = self._zero(one, c, fine[:, c])
            if zero is not None:
                found.append((zero[0], *self.owners[c], zero[1]))
        if not found:
            for c in which:
                self.sides[c], self.fresh[c] = ends[c], False
            return None
        t = min(x for x, *_ in found)
        together = tuple((w, k, way) for x, w, k, way in found if x - t <= 4 * np.spacing(abs(t) + steps.h[m]))
        return Hit(m, t, together)

    def _at(self, one: Steps, x: Array) -> Array:
        y = one.sampled(weights_at(x, one.F.shape[1]))[0]
        return self._values(one.t[0] + x * one.h[0], y)

    def _zero(self, one: Steps, c: int, fine: Array) -> tuple[tuple[float, int] | None, float]:
        """The first zero of a function that matters: (time, way) or None; and its side at the end of the step."""

        watch, k = self.owners[c]

        def g(x: Array) -> Array:
            y = self.rate.unit(one.sampled(weights_at(x, one.F.shape[1]))[0])
            return watch.values(one.t[0] + x * one.h[0], *self.rate.split(y)[:2])[:, k]

        side, wanted, start = self.sides[c], self.directions[c], GRID[0]
        xs, values = _with_dips(g, GRID, fine, side if self.fresh[c] else 0.0)
        for x, value in zip(xs, values, strict=True):
            sign = np.sign(value)
            if sign == 0 or (x == 0.0 and self.fresh[c]):
                continue
            if side == 0:
                side = sign
            if sign != side:
                side = sign
                if wanted in (0, sign):
                    least = float(np.spacing(abs(one.t[0]) + one.h[0]) / one.h[0]) / 4
                    at = _root(g, start, x, sign, least, bool(self.fresh[c]) and start == 0.0)
                    return (float(one.t[0] + at * one.h[0]), int(sign)), sign
            start = x
        return None, side


def _with_dips(g: Callable[[Array], Array], x: Array, values: Array, fresh: float) -> tuple[Array, Array]:
    """Samples of a function, and where its size has a minimum without a change of sign, the bottom of that."""
    size = np.abs(values)
    more: list[tuple[float, float]] = []
    for j in range(len(x)):
        left, right = max(j - 1, 0), min(j + 1, len(x) - 1)
        low = size[j] <= size[left] and size[j] <= size[right] and size[j] > 0
        one_sided = np.sign(values[left]) == np.sign(values[j]) == np.sign(values[right])
        if low and one_sided and not (j == 0 and fresh):
            bottom = _bottom(g, x[left], x[right], np.sign(values[j]), (x[j], values[j]))
            if bottom is not None:
                more.append(bottom)
    if not more:
        return x, values
    xs, both = np.append(x, [b[0] for b in more]), np.append(values, [b[1] for b in more])
    order = np.argsort(xs, kind="stable")
    return xs[order], both[order]


def _bottom(
    g: Callable[[Array], Array], a: float, b: float, side: float, lowest: tuple[float, float]
) -> tuple[float, float] | None:
    """Where side * g passes below zero between a and b, if it does: down from minimum to minimum of finer samples."""
    for _ in range(ZOOMS):
        x = np.linspace(a, b, ZOOM + 1)
        values = side * g(x)
        j = int(np.argmin(values))
        if values[j] < 0:
            return float(x[j]), float(side * values[j])
        around = values[max(j - 1, 0) : j + 2]
        if values[j] > 2 * (around.max() - values[j]) + 1e-300 and _ > 0:
            return None  # what is left of the dip cannot reach zero
        a, b = float(x[max(j - 1, 0)]), float(x[min(j + 1, ZOOM)])
        if b - a <= 4 * np.spacing(1.0):
            break
    return None


def _root(g: Callable[[Array], Array], a: float, b: float, sign: float, least: float, fresh: bool) -> float:
    """Where g passes zero between a, before it, and b, where it has the sign; the Illinois method, then halving.

    A bracket as narrow as `least` is narrow enough. A fresh a is a zero itself, and g's sign there is round-off.
    """
    fa, fb = (float(x) for x in g(np.array([a, b])))
    fa = 0.0 if fresh else fa
    while fa * sign >= 0:  # it starts from a zero that is dealt with: look for the other side
        x = a + 0.5 * (b - a)
        if b - a <= least:
            return a
        fx = float(g(np.array([x]))[0])
        if fx * sign >= 0:
            b, fb = x, fx
        else:
            a, fa = x, fx
    last = 0.0
    for k in range(200):
        x = b - fb * (b - a) / (fb - fa) if k < 60 and fb != fa else 0.5 * (a + b)
        if not a < x < b:
            x = 0.5 * (a + b)
        if x in (a, b) or b - a <= least:
            break
        fx = float(g(np.array([x]))[0])
        if fx * sign >= 0:
            fa = 0.5 * fa if last > 0 else fa
            b, fb, last = x, fx, 1.0
        else:
            fb = 0.5 * fb if last < 0 else fb
            a, fa, last = x, fx, -1.0
        if fx == 0:
            return x
    return b
