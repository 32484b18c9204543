"""Where within their steps lanes meet something first: narrowed down by steps from the same start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .crossing import doubtful, first
from .fleet import Fleet
from .lanes import Group, Start
from .steps import Stages, Trial

Array = np.ndarray[Any, Any]
TRIES = 40
LANDED = 1e-4  # of the gap's tolerance: as near as an event is found
SPENT = 1e-7  # of the largest force in a lane's contacts: none


@dataclass
class Bounds:
    """Ends of intervals: how far into the steps, and gaps, rates and forces there."""

    s: Array
    g: Array
    rate: Array
    f: Array

    def put(self, rows: Array, new: Bounds, which: Array) -> None:
        """Moves some ends."""
        for name in ("s", "g", "rate", "f"):
            getattr(self, name)[rows] = getattr(new, name)[which]

    def of(self, rows: Any) -> Bounds:
        """Some of them."""
        return Bounds(self.s[rows], self.g[rows], self.rate[rows], self.f[rows])


class Landing:
    """Looks for gaps that close and forces that vanish; finds them to a part of the gap's tolerance."""

    def __init__(self, fleet: Fleet, stages: Stages, gap: float) -> None:
        self.fleet, self.stages, self.landed = fleet, stages, LANDED * gap

    def gaps(self, t: Array, y: Array, group: Group) -> tuple[Array, Array]:
        """Gaps and rates of what is open; 1 and 0 of what is held."""
        q, v, _ = self.fleet.split(y)
        g, rate = self.fleet.gaps(q, v, t.reshape(-1, 1), *group.own.parameters)
        g += group.slack
        if group.held is not None:
            g[group.held > 0], rate[group.held > 0] = 1.0, 0.0
        return g, rate

    def doubts(self, start: Start, h: Array, trial: Trial, g: Array, rate: Array) -> Array:
        """In which steps something may happen."""
        odd = doubtful(start.g, start.rate, g, rate, h[:, None]).any(1)
        return np.logical_or(odd, (trial.f < 0).any(1))  # which are none where nothing is held

    def found(self, start: Start, h: Array, trial: Trial, g: Array, rate: Array) -> tuple[Array, Array, Trial]:
        """Which steps have an event; when it is; and the steps that lead there instead."""
        k = len(h)
        before = Bounds(np.zeros(k), start.g.copy(), start.rate.copy(), start.f.copy())
        after = Bounds(h.copy(), g.copy(), rate.copy(), trial.f.copy())
        strength = SPENT * (np.abs(start.f).max(1) + np.abs(trial.f).max(1))[:, None]
        end, on, done = trial.copy(), np.arange(k), np.zeros(k, bool)
        hit = self._amiss(after)
        for _ in range(TRIES):
            x = self._next(before.of(on), after.of(on), strength[on])
            on, x = on[np.isfinite(x)], x[np.isfinite(x)]
            if not len(on):
                break
            s = np.minimum(before.s[on] + x * (after.s[on] - before.s[on]), after.s[on])
            there, now = self._tried(start.of(on), s)
            amiss = self._amiss(now)
            tight = after.s[on] - before.s[on] <= 8 * np.spacing(np.abs(start.t[on]) + h[on])
            done = self._enough(now, strength[on]) | ((tight | (s <= 0.0)) & amiss)
            late, soon = amiss | done, ~(amiss | done)
            after.put(on[late], now, late)
            before.put(on[soon], now, soon)
            after.f[on[soon]] *= np.where(after.f[on[soon]] < 0, 0.5, 1.0)  # lest the same end stays for ever
            end.put(on[late], there, late)
            hit[on[late]] = True
            on = on[~done]
        return hit, after.s[hit], end.of(hit)

    def _tried(self, start: Start, s: Array) -> tuple[Trial, Bounds]:
        there = self.stages.step(start.t, start.y, start.slope, s, start.group.own, start.group.held)
        g, rate = self.gaps(start.t + s, there.y, start.group)
        return there, Bounds(s, g, rate, there.f)

    def _amiss(self, at: Bounds) -> Array:
        """Where something is inside its wall, or pulled."""
        return np.logical_or((at.g < -self.landed).any(1), (at.f < 0).any(1))

    def _enough(self, at: Bounds, strength: Array) -> Array:
        """Whether something closes or is pressed no more just here, and nothing did before."""
        closes = ((np.abs(at.g) <= self.landed) & (at.rate < 0)).any(1)
        past = (at.g < -self.landed).any(1) | (at.f < -strength).any(1)
        return np.logical_and(closes | (at.f < 0).any(1), ~past)

    def _next(self, a: Bounds, b: Bounds, strength: Array) -> Array:
        """The fraction of an interval at which something happens first, or is just over: inf if nothing does."""
        x, h = np.full(a.g.shape, np.inf), b.s - a.s
        k, c = np.nonzero(doubtful(a.g, a.rate, b.g, b.rate, h[:, None]))
        if len(k):
            nothing = np.full(len(k), self.landed)
            x[k, c] = first(a.g[k, c], a.rate[k, c], b.g[k, c], b.rate[k, c], h[k], nothing)
        f = np.maximum(a.f, 0.0)
        with np.errstate(all="ignore"):
            gone = np.where(b.f < 0, (f + 0.5 * strength) / (f - b.f), np.inf)
        return np.minimum(x.min(1), gone.min(1))
