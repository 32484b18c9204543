"""The loop of a batch: every lane goes on from its own time; where something happens is dealt with together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .batch_contact import Moment, Touching
from .batch_crossing import doubtful, first
from .batch_fleet import Fleet, Own
from .batch_steps import Stages, Trial

Array = np.ndarray[Any, Any]
SAFETY, LEAST, MOST = 0.9, 0.2, 10.0  # how boldly a step's size follows its error
EPS = float(np.finfo(float).eps)
LANDINGS = 40  # tries to find one event
LANDED = 1e-2  # of the gap's tolerance: as near as an event is found
SPENT = 1e-7  # of the largest force in a lane's contacts: none
MANY, BRIEF = 500, 1e-4  # so many events in so small a part of the time: they have no end
RUNNING, REACHED, VANISHED, ENDLESS, UNSOLVABLE, INSIDE = range(6)


@dataclass
class Lanes:
    """The lanes of a block: where each is, how it goes on, and what was asked of it."""

    own: Own
    t: Array
    y: Array
    slope: Array
    h: Array
    g: Array  # gaps and their rates, in the walls' own measures
    rate: Array
    held: Array  # 1 or 0
    f: Array  # in what is held
    slack: Array  # how far below zero open contacts were by round-off when they were left
    row: Array  # the next of the times
    status: Array
    lost: Array  # energy, by impacts
    struck: Array  # how many impacts
    steps: Array
    since: Array  # when the last MANY events began
    events: Array


@dataclass(frozen=True)
class Group:
    """Lanes that step together: what they have of their own, what is held in them, what slack their gaps have."""

    own: Own
    held: Array | None
    slack: Array

    def of(self, rows: Any) -> Group:
        """The same of fewer lanes."""
        return Group(self.own.of(rows), None if self.held is None else self.held[rows], self.slack[rows])


class Rows:
    """States at the times asked for."""

    def __init__(self, times: Array, count: int, size: int) -> None:
        self.times = times
        self.y = np.full((count, len(times), size), np.nan)
        self.lost = np.full((count, len(times)), np.nan)


class Follow:
    """A block of lanes as it goes on."""

    def __init__(
        self, fleet: Fleet, stages: Stages, touching: Touching | None, lanes: Lanes, rows: Rows, step: float | None
    ) -> None:  # fmt: skip
        self.fleet, self.stages, self.touching = fleet, stages, touching
        self.lanes, self.rows, self.step = lanes, rows, step
        self.grow = np.full(len(lanes.t), MOST)
        self.landed = LANDED * touching.gap if touching else 0.0

    def until_the_end(self) -> None:
        """All lanes to the last of the times, or to where they cannot be followed."""
        self._begin()
        L = self.lanes
        while (on := L.status == RUNNING).any():
            holding = L.held.any(1)
            for i in (np.flatnonzero(on & ~holding), np.flatnonzero(on & holding)):
                if len(i):
                    self._advance(i)

    def _begin(self) -> None:
        L = self.lanes
        L.status[~np.isfinite(L.y).all(1)] = VANISHED
        if self.touching:
            g = self.fleet.gaps(*self.fleet.split(L.y)[:2], L.t.reshape(-1, 1), *L.own.parameters)[0]
            still = np.zeros((len(L.t), self.fleet.nv))
            steep = self.fleet.closing(L.y[:, : self.fleet.nq], still, still, L.t.reshape(-1, 1), *L.own.parameters)[1]
            L.status[(g < -self.touching.gap * steep).any(1)] = INSIDE
            self._happen(np.flatnonzero(L.status == RUNNING))
        else:
            self._renewed(np.flatnonzero(L.status == RUNNING))
        self._arrived(np.flatnonzero(L.status == RUNNING))
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
        group = Group(L.own.of(i), L.held[i] if L.held[i[0]].any() else None, L.slack[i])
        trial = self.stages.step(L.t[i], L.y[i], L.slope[i], h, group.own, group.held)
        good = self._sized(i, h, trial)
        L.steps[i] += good
        if not good.all():
            i, h, group, trial = i[good], h[good], group.of(good), _of(trial, good)
        if not len(i):
            return
        if self.touching is None:
            self._move(i, L.t[i] + h, trial, h == left[good])
            return
        self._watch(i, h, group, trial, h == left[good])

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
            factor = np.clip(SAFETY * error ** (-1 / self.stages.tableau.order), LEAST, self.grow[i])
        cut = good & (h < L.h[i])
        L.h[i] = np.where(cut, np.maximum(h * factor, L.h[i]), h * np.where(good, factor, np.minimum(factor, 1.0)))
        self.grow[i] = np.where(good, MOST, 1.0)
        lost = L.h[i] < 4 * EPS * np.maximum(np.abs(L.t[i]), EPS)
        L.status[i[lost]] = VANISHED
        return good & ~lost

    def _watch(self, i: Array, h: Array, group: Group, trial: Trial, ends: Array) -> None:
        """Looks for what happens within steps that are exact."""
        L, t1 = self.lanes, self.lanes.t[i] + h
        g, rate = self._gaps(t1, trial.y, group)
        odd = doubtful(L.g[i], L.rate[i], g, rate, h[:, None]).any(1)
        if group.held is not None:
            odd |= (trial.f < 0).any(1)
        quiet = ~odd
        if quiet.any():
            self._move(i[quiet], t1[quiet], _of(trial, quiet), ends[quiet], g[quiet], rate[quiet])
        if odd.any():
            k, part = i[odd], _of(trial, odd)
            found, at = self._found(k, h[odd], group.of(odd), part, g[odd], rate[odd])
            free = ~found
            if free.any():
                self._move(k[free], t1[odd][free], _of(part, free), ends[odd][free], g[odd][free], rate[odd][free])
            if found.any():
                self._land(k[found], at)

    def _gaps(self, t: Array, y: Array, group: Group) -> tuple[Array, Array]:
        """Gaps and rates of what is open; 1 and 0 of what is held."""
        q, v, _ = self.fleet.split(y)
        g, rate = self.fleet.gaps(q, v, t.reshape(-1, 1), *group.own.parameters)
        g += group.slack
        if group.held is not None:
            g[group.held > 0], rate[group.held > 0] = 1.0, 0.0
        return g, rate

    def _move(self, i: Array, t: Array, trial: Trial, ends: Array, g: Any = None, rate: Any = None) -> None:
        """Makes steps."""
        L = self.lanes
        self.fleet.settle(trial.y, trial.slope)
        L.t[i], L.y[i], L.slope[i] = np.where(ends, self.rows.times[L.row[i]], t), trial.y, trial.slope
        if g is not None:
            L.g[i], L.rate[i], L.f[i] = g, rate, trial.f
            if L.held[i[0]].any():
                self._project(i)
        if ends.any():
            self._arrived(i[ends])

    def _project(self, i: Array) -> None:
        """Brings held contacts back to their walls, by the shortest way."""
        L, fleet = self.lanes, self.fleet
        own, t, held = L.own.of(i), L.t[i].reshape(-1, 1), L.held[i]
        q, v, work = (x.copy() for x in fleet.split(L.y[i]))
        g = fleet.gaps(q, v, t, *own.parameters)[0]
        dq = fleet.response(q, t, held, g, *own.parameters)[1]
        q = fleet.robot.integrate(q, dq)
        rate = fleet.gaps(q, v, t, *own.parameters)[1]
        v += fleet.response(q, t, held, rate, *own.parameters)[1]
        L.y[i] = np.concatenate([q, v, work], 1)

    def _arrived(self, i: Array) -> None:
        """Lanes that are at one of the times."""
        L, times = self.lanes, self.rows.times
        i = i[times[L.row[i]] <= L.t[i]]
        while len(i):
            self.rows.y[i, L.row[i]], self.rows.lost[i, L.row[i]] = L.y[i], L.lost[i]
            L.row[i] += 1
            over = L.row[i] == len(times)
            L.status[i[over]] = REACHED
            L.row[i[over]] -= 1
            i = i[~over]
            i = i[times[L.row[i]] <= L.t[i]]

    # -- events -------------------------------------------------------------------------------------------------

    def _found(
        self, i: Array, h: Array, group: Group, trial: Trial, g: Array, rate: Array
    ) -> tuple[Array, tuple[Array, Trial]]:  # fmt: skip
        """Which steps have an event; when it is, and the ends of steps that lead there.

        Steps from the same start narrow it down between a, before it, and b, where something is amiss.
        """
        L, k = self.lanes, len(i)
        a, b = np.zeros(k), h.copy()
        ga, ra, fa = L.g[i].copy(), L.rate[i].copy(), L.f[i].copy()
        gb, rb, fb = g.copy(), rate.copy(), trial.f.copy()
        strength = np.abs(fa).max(1) + np.abs(fb).max(1)
        end = _of(trial, slice(None))
        found, on = np.zeros(k, bool), np.arange(k)
        for _ in range(LANDINGS):
            x = self._next(ga[on], ra[on], fa[on], gb[on], rb[on], fb[on], b[on] - a[on])
            on, x = on[np.isfinite(x)], x[np.isfinite(x)]
            if not len(on):
                break
            s = np.minimum(a[on] + x * (b[on] - a[on]), b[on])
            part, start = group.of(on), i[on]
            there = self.stages.step(L.t[start], L.y[start], L.slope[start], s, part.own, part.held)
            gs, rs = self._gaps(L.t[start] + s, there.y, part)
            inside, pulled = (gs < -self.landed).any(1), (there.f < 0).any(1)
            firmly = (there.f < -SPENT * strength[on, None]).any(1)
            near = ((np.abs(gs) <= self.landed) & (rs < 0)).any(1)
            amiss = inside | pulled
            tight = (b[on] - a[on] <= 8 * np.spacing(np.abs(L.t[i[on]]) + h[on])) | (s <= 0.0)
            done = ((near | pulled) & ~inside & ~firmly) | (tight & amiss)
            now, after, before = on[done], on[amiss & ~done], on[~amiss & ~done]
            found[now], b[now] = True, s[done]
            for array, new in ((end.y, there.y), (end.slope, there.slope), (end.f, there.f)):
                array[now] = new[done]
            late, soon = amiss & ~done, ~amiss & ~done
            b[after], gb[after], rb[after], fb[after] = s[late], gs[late], rs[late], there.f[late]
            a[before], ga[before], ra[before], fa[before] = s[soon], gs[soon], rs[soon], there.f[soon]
            on = on[~done]
        return found, (b[found], _of(end, found))

    def _next(self, ga: Array, ra: Array, fa: Array, gb: Array, rb: Array, fb: Array, h: Array) -> Array:
        """The fraction of an interval at which something happens first: inf if nothing does."""
        x = np.full(ga.shape, np.inf)
        k, c = np.nonzero(doubtful(ga, ra, gb, rb, h[:, None]))
        if len(k):
            x[k, c] = first(ga[k, c], ra[k, c], gb[k, c], rb[k, c], h[k], np.full(len(k), self.landed))
        with np.errstate(all="ignore"):
            gone = np.where(fb < 0, np.maximum(fa, 0.0) / (np.maximum(fa, 0.0) - fb), np.inf)
        return np.minimum(x.min(1), gone.min(1))

    def _land(self, i: Array, at: tuple[Array, Trial]) -> None:
        """Ends steps at events, and goes on from what these leave behind."""
        L, (s, end) = self.lanes, at
        self.fleet.settle(end.y, end.slope)
        L.t[i] += s
        L.y[i] = end.y
        self._happen(i)
        self._arrived(i[L.status[i] == RUNNING])

    def _happen(self, i: Array) -> None:
        L, own = self.lanes, self.lanes.own.of(i)
        q, v, work = (x.copy() for x in self.fleet.split(L.y[i]))
        before = self.fleet.energy(q, v, own)
        moment = Moment(L.t[i], q, v, own, L.held[i], np.zeros(len(i), bool))
        counts = self.touching.meet(moment)  # type: ignore[union-attr]
        L.lost[i] += before - self.fleet.energy(q, v, own)
        L.y[i], L.held[i] = np.concatenate([q, v, work], 1), moment.held
        L.struck[i] += counts
        L.status[i[moment.bad]] = UNSOLVABLE
        self._count(i)
        self._renewed(i)

    def _count(self, i: Array) -> None:
        """Gives up lanes whose events have no end."""
        L = self.lanes
        L.events[i] += 1
        full = i[L.events[i] % MANY == 0]
        brief = L.t[full] - L.since[full] <= BRIEF * (self.rows.times[-1] - self.rows.times[0])
        L.status[full[brief]] = ENDLESS
        L.since[full] = L.t[full]

    def _renewed(self, i: Array) -> None:
        """Derivatives and gaps of states that are new."""
        L = self.lanes
        own, t, y, dy = L.own.of(i), L.t[i], L.y[i], np.empty((len(i), self.fleet.size))
        held = L.held[i]
        self.fleet.derive(t, y, dy, own)
        if self.touching is not None:
            k, f = np.flatnonzero(held.any(1)), np.zeros_like(held)
            if len(k):
                part, forces = dy[k], f[k]
                self.fleet.derive_held(t[k], y[k], part, own.of(k), held[k], forces)
                dy[k], f[k] = part, forces
            L.slack[i] = 0.0
            g = self._gaps(t, y, Group(own, held, L.slack[i]))[0]
            L.slack[i] = np.maximum(-g, 0.0)
            L.g[i], L.rate[i] = self._gaps(t, y, Group(own, held, L.slack[i]))
            L.f[i] = f
        L.slope[i] = dy


def _of(trial: Trial, rows: Any) -> Trial:
    return Trial(trial.y[rows], trial.slope[rows], trial.f[rows], trial.error[rows])
