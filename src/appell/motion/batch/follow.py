"""The loop of a batch: every lane goes on from its own time; where something happens is dealt with together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .fleet import Fleet
from .landing import Landing
from .lanes import ENDLESS, INSIDE, INTERRUPTED, RUNNING, VANISHED, Group, Lanes, Rows, Start
from .steps import Stages, Trial
from .touching import Moment, Touching, noise

Array = np.ndarray[Any, Any]
SAFETY, LEAST, MOST = 0.9, 0.2, 10.0  # how boldly a step's size follows its error
EPS = float(np.finfo(float).eps)
MANY, BRIEF = 500, 1e-4  # so many events in so small a part of the time: they have no end


class Follow:
    """A block of lanes as it goes on."""

    def __init__(
        self, fleet: Fleet, stages: Stages, touching: Touching | None, lanes: Lanes, rows: Rows, step: float | None
    ) -> None:  # fmt: skip
        self.fleet, self.stages, self.touching = fleet, stages, touching
        self.lanes, self.rows, self.step = lanes, rows, step
        self.landing = None if touching is None else Landing(fleet, stages, touching.gap)

    def until_the_end(self, stopped: Callable[[], bool]) -> None:
        """All lanes to the last of the times, or to where they cannot be followed, or until somebody stops it."""
        self._begin()
        L = self.lanes
        while (on := L.status == RUNNING).any():
            if stopped():
                L.status[on] = INTERRUPTED
                return
            holding = L.held.any(1)
            for i in (np.flatnonzero(on & ~holding), np.flatnonzero(on & holding)):
                if len(i):
                    self._advance(i)

    def _begin(self) -> None:
        L = self.lanes
        L.status[~np.isfinite(L.y).all(1)] = VANISHED
        if self.touching is None:
            self._renew(np.flatnonzero(L.status == RUNNING))
        else:
            L.status[self.touching.inside(L.t, *self.fleet.split(L.y)[:2], L.own)] = INSIDE
            self._happen(np.flatnonzero(L.status == RUNNING))
        self.rows.keep(L, np.flatnonzero(L.status == RUNNING))
        L.h[:] = self.step or self._first_steps()

    def _first_steps(self) -> Array:
        """Sizes whose errors are moderate."""
        L, s = self.lanes, self.stages
        near = s.atol + s.rtol * np.abs(L.y)
        d0, d1 = (np.sqrt(np.mean((x / near) ** 2, axis=1)) for x in (L.y, L.slope))
        span = self.rows.times[-1] - L.t
        with np.errstate(all="ignore"):
            h = np.where((d0 > 1e-5) & (d1 > 1e-5), 0.1 * d0 / d1, 1e-4)
        return np.minimum(np.where(np.isfinite(h), h, 1e-4), np.maximum(span, EPS))

    # -- a step -------------------------------------------------------------------------------------------------

    def _advance(self, i: Array) -> None:
        """One step of some lanes, all with or all without contacts that are held."""
        L = self.lanes
        left = self.rows.times[L.row[i]] - L.t[i]
        h = np.where(1.01 * L.h[i] >= left, left, L.h[i])
        start = self._start(i)
        trial = self.stages.step(start.t, start.y, start.slope, h, start.group.own, start.group.held)
        good = self._sized(i, h, trial)
        L.steps[i] += good
        ends = h == left
        if not good.all():
            i, h, start, trial, ends = i[good], h[good], start.of(good), trial.of(good), ends[good]
        if not len(i):
            return
        if self.landing is None:
            self._move(i, start.t + h, trial, ends)
        else:
            self._watch(i, start, h, trial, ends)

    def _start(self, i: Array) -> Start:
        L = self.lanes
        group = Group(L.own.of(i), L.held[i] if L.held[i[0]].any() else None, L.slack[i])
        return Start(group, L.t[i], L.y[i], L.slope[i], L.g[i], L.rate[i], L.f[i])

    def _sized(self, i: Array, h: Array, trial: Trial) -> Array:
        """Which steps are exact enough; the sizes of the next."""
        L = self.lanes
        if self.step:
            lost = ~np.isfinite(trial.y.sum(1))
            L.status[i[lost]] = VANISHED
            return ~lost
        error = np.where(np.isfinite(trial.error), trial.error, 1e18)
        good = error <= 1.0
        with np.errstate(divide="ignore"):
            factor = np.clip(SAFETY * error ** (-1 / self.stages.tableau.order), LEAST, L.grow[i])
        cut = good & (h < L.h[i])
        L.h[i] = np.where(cut, np.maximum(h * factor, L.h[i]), h * np.where(good, factor, np.minimum(factor, 1.0)))
        L.grow[i] = np.where(good, MOST, 1.0)
        lost = L.h[i] < 4 * EPS * np.maximum(np.abs(L.t[i]), EPS)
        L.status[i[lost]] = VANISHED
        return good & ~lost

    def _watch(self, i: Array, start: Start, h: Array, trial: Trial, ends: Array) -> None:
        """Looks for what happens within steps that are exact."""
        landing: Any = self.landing
        g, rate = landing.gaps(start.t + h, trial.y, start.group)
        odd = landing.doubts(start, h, trial, g, rate)
        hit = np.zeros(len(i), bool)
        if odd.any():
            hit[odd], s, end = landing.found(start.of(odd), h[odd], trial.of(odd), g[odd], rate[odd])
        free = ~hit
        if free.any():
            self._move(i[free], (start.t + h)[free], trial.of(free), ends[free], g[free], rate[free])
        if hit.any():
            self._land(i[hit], s, end)  # type: ignore[possibly-undefined]

    def _move(self, i: Array, t: Array, trial: Trial, ends: Array, g: Any = None, rate: Any = None) -> None:
        """Makes steps."""
        L = self.lanes
        self.fleet.settle(trial.y, trial.slope)
        L.t[i], L.y[i], L.slope[i] = np.where(ends, self.rows.times[L.row[i]], t), trial.y, trial.slope
        if g is not None:
            L.g[i], L.rate[i], L.f[i] = g, rate, trial.f
            self._project(i)
        if ends.any():
            self.rows.keep(L, i[ends])

    def _project(self, i: Array) -> None:
        """Brings held contacts back to their walls, by the shortest way."""
        L, fleet = self.lanes, self.fleet
        if not L.held[i[0]].any():
            return
        own, t, held = L.own.of(i), L.t[i].reshape(-1, 1), L.held[i]
        q, v, work = (x.copy() for x in fleet.split(L.y[i]))
        g = fleet.gaps(q, v, t, *own.parameters)[0]
        dq = fleet.response(q, t, held, g, *own.parameters)[1]
        q = fleet.robot.integrate(q, dq)
        rate = fleet.gaps(q, v, t, *own.parameters)[1]
        v += fleet.response(q, t, held, rate, *own.parameters)[1]
        L.y[i] = np.concatenate([q, v, work], 1)

    # -- events -------------------------------------------------------------------------------------------------

    def _land(self, i: Array, s: Array, end: Trial) -> None:
        """Ends steps at events, and goes on from what these leave behind."""
        L = self.lanes
        self.fleet.settle(end.y, end.slope)
        L.t[i] += s
        L.y[i] = end.y
        self._project(i)
        self._happen(i)
        self.rows.keep(L, i[L.status[i] == RUNNING])

    def _happen(self, i: Array) -> None:
        L, own = self.lanes, self.lanes.own.of(i)
        q, v, work = (x.copy() for x in self.fleet.split(L.y[i]))
        before = self.fleet.energy(q, v, own)
        moment = Moment(L.t[i], q, v, own, L.held[i], np.full(len(i), RUNNING))
        counts = self.touching.meet(moment)  # type: ignore[union-attr]
        L.lost[i] += before - self.fleet.energy(q, v, own)
        L.y[i], L.held[i] = np.concatenate([q, v, work], 1), moment.held
        L.struck[i] += counts
        L.status[i] = moment.fate
        self._count(i)
        self._renew(i)

    def _count(self, i: Array) -> None:
        """Gives up lanes whose events have no end."""
        L = self.lanes
        L.events[i] += 1
        full = i[L.events[i] % MANY == 0]
        brief = L.t[full] - L.since[full] <= BRIEF * (self.rows.times[-1] - self.rows.times[0])
        L.status[full[brief]] = ENDLESS
        L.since[full] = L.t[full]

    def _renew(self, i: Array) -> None:
        """Derivatives and gaps of states that are new."""
        L = self.lanes
        own, t, y, dy = L.own.of(i), L.t[i], L.y[i], np.empty((len(i), self.fleet.size))
        self.fleet.derive(t, y, dy, own)
        if self.landing is not None:
            held = L.held[i]
            k, f = np.flatnonzero(held.any(1)), np.zeros_like(held)
            if len(k):
                part, forces = dy[k], f[k]
                self.fleet.derive_held(t[k], y[k], part, own.of(k), held[k], forces)
                dy[k], f[k] = part, forces
            g, rate = self.landing.gaps(t, y, Group(own, held, np.zeros_like(held)))
            L.slack[i] = np.maximum(-g, 0.0)
            L.g[i], L.rate[i] = np.maximum(g, 0.0), np.where(np.abs(rate) > noise(rate), rate, 0.0)
            L.f[i] = f
        L.slope[i] = dy
