"""Impacts and rest of many lanes at once: by Newton's law, and never pulling.

Contacts are measured as their walls measure; with the response that fits, nothing depends on that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .batch_fleet import Fleet, Own
from .complementarity import Unsolvable, complementary

Array = np.ndarray[Any, Any]
NOISE = 1e-11  # of the fastest approach: normal velocities that are none
PULLS = 1e-12  # of the largest push
AGAIN = 100  # rounds of impacts at one time
FLIPS = 200  # choices of what pushes


@dataclass(frozen=True)
class Striking:
    """Impacts as rows: one of each contact that closed."""

    lane: Array
    t: Array
    contact: Array
    attack_angle: Array  # degrees
    velocity_before: Array
    velocity_after: Array
    impulse: Array


@dataclass
class Moment:
    """Some lanes at the times of their events: what of them changes there is changed here."""

    t: Array
    q: Array
    v: Array
    own: Own
    held: Array  # (k, m), 1 or 0
    bad: Array  # lanes in which no forces do what is asked


class Touching:
    """What becomes of lanes whose contacts close, rest or open."""

    def __init__(self, fleet: Fleet, restitution: Array, gap: float, rest: float) -> None:
        self.fleet, self.restitution, self.gap, self.rest = fleet, restitution, gap, rest
        self.rows: list[Striking] = []

    def meet(self, at: Moment) -> Array:
        """Impacts until nothing closes, then rest for what is pressed; how many impacts each lane had."""
        fleet, k = self.fleet, len(at.t)
        counts, when = np.zeros(k, int), at.t.reshape(-1, 1)
        a = self._free(at)
        bend, steep = fleet.closing(at.q, at.v, a, when, *at.own.parameters)
        g, rate = fleet.gaps(at.q, at.v, when, *at.own.parameters)
        near = (g <= self.gap * steep) | (at.held > 0)
        for _ in range(AGAIN):
            still = NOISE * np.maximum(1.0, np.abs(np.where(near, rate, 0.0)).max(1, keepdims=True))
            hit = (near & (rate < -still)).any(1) & ~at.bad
            if not hit.any():
                break
            i = np.flatnonzero(hit)
            self._strike(at, i, near[i] & (rate[i] <= still[i]), rate, steep)
            counts[i] += 1
        at.bad |= hit
        if counts.any():
            bend = fleet.closing(at.q, at.v, self._free(at), when, *at.own.parameters)[0]
        self._settle(at, near, rate, bend, steep, still)
        return counts

    def _free(self, at: Moment) -> Array:
        """Accelerations without contacts."""
        y = np.concatenate([at.q, at.v, np.zeros((len(at.t), self.fleet.size - self.fleet.counted))], 1)
        dy = np.empty_like(y)
        self.fleet.derive(at.t, y, dy, at.own)
        return self.fleet.split(dy)[1]

    # -- impacts ------------------------------------------------------------------------------------------------

    def _strike(self, at: Moment, i: Array, which: Array, rate: Array, steep: Array) -> None:
        """One impact of some lanes: changes their v and rates."""
        own, before, e = at.own.of(i), rate[i].copy(), self.restitution[at.own.lanes[i]]
        f, dv, _, bad = self.pushed(at.t[i], at.q[i], own, which, (1 + e) * before)
        seen = self.fleet.touching(at.q[i], at.v[i], at.t[i].reshape(-1, 1), *own.parameters)
        at.v[i] += dv
        at.bad[i] |= bad
        rate[i] = self.fleet.gaps(at.q[i], at.v[i], at.t[i].reshape(-1, 1), *own.parameters)[1]
        lane, c = np.nonzero((f > NOISE * f.max(1, keepdims=True)) & which)
        n, u, s = seen[4][lane, c], seen[5][lane, c], steep[i[lane], c]
        along = np.einsum("ki,ki->k", u, n)
        angle = np.degrees(np.arctan2(np.linalg.norm(u - along[:, None] * n, axis=1), np.abs(along)))
        self.rows.append(Striking(
            own.lanes[lane], at.t[i[lane]], c, angle, before[lane, c] / s, rate[i[lane], c] / s, f[lane, c] * s,
        ))  # fmt: skip

    def pushed(self, t: Array, q: Array, own: Own, which: Array, b: Array) -> tuple[Array, Array, Array, Array]:
        """f >= 0 with w = b + A f >= 0 among the contacts chosen, one of both zero; (f, change of v, w, where none is).

        Principal pivots by the least index end for every positive definite A.

        Source: pfeiffer1996, the inequalities; murty1974, the pivots.
        """
        held = which & (b < 0)
        f, dv, w = self.fleet.response(q, t.reshape(-1, 1), held.astype(float), b, *own.parameters)
        nothing = PULLS * np.abs(np.where(which, b, 0.0)).max(1, keepdims=True)
        i = np.arange(len(t))
        for _ in range(FLIPS):
            pulls = f[i] < -PULLS * np.abs(f[i]).max(1, keepdims=True)
            wrong = np.where(held[i], pulls, which[i] & (w[i] < -nothing[i]))
            odd = wrong.any(1) & np.isfinite(f[i]).all(1)
            if not odd.any():
                break
            place, i = wrong.argmax(1)[odd], i[odd]
            held[i, place] = ~held[i, place]
            f[i], dv[i], w[i] = self.fleet.response(
                q[i], t[i].reshape(-1, 1), held[i].astype(float), b[i], *own.of(i).parameters
            )  # fmt: skip
        else:
            f[i] = np.nan
        bad = np.zeros(len(t), bool)
        for k in np.flatnonzero(~np.isfinite(f).all(1)):
            bad[k] = not self._alone(t, q, own, which, b, f, dv, w, int(k))
        return f, dv, w, bad

    def _alone(
        self, t: Array, q: Array, own: Own, which: Array, b: Array, f: Array, dv: Array, w: Array, k: int
    ) -> bool:  # fmt: skip
        """One lane whose contacts are redundant, by the solver that takes that; whether there is an answer."""
        fleet, c, row = self.fleet, np.flatnonzero(which[k]), slice(k, k + 1)
        still, when, more = np.zeros((1, fleet.nv)), t[row].reshape(-1, 1), own.of(row).parameters
        steep = fleet.closing(q[row], still, still, when, *more)[1][0]
        J = fleet.touching(q[row], still, when, *more)[3][0] * steep[:, None]
        MJ = np.linalg.solve(fleet.mass_matrix(q[row], *more)[0], J.T)
        f[k] = 0.0
        try:
            f[k, c] = complementary(J[c] @ MJ[:, c], b[k, c])
        except Unsolvable:
            f[k] = np.nan
        dv[k] = MJ @ f[k]
        w[k] = b[k] + J @ dv[k]
        return bool(np.isfinite(f[k]).all())

    # -- rest ---------------------------------------------------------------------------------------------------

    def _settle(self, at: Moment, near: Array, rate: Array, bend: Array, steep: Array, still: Array) -> None:
        """What is pressed and rises next to nothing rests; of what rests, that is held which pushes."""
        most = 2 * self.rest * steep
        slow = near & (rate > still) & (rate * rate <= most * np.abs(bend).max(1, keepdims=True))
        touching = near & (rate <= still)
        i = np.flatnonzero(slow.any(1) & ~at.bad)
        if len(i):
            sinking = self._sinking(at, i, slow[i], touching[i], rate[i], bend[i], most[i])
            touching[i] |= sinking
            still_held = (touching[i] & sinking.any(1, keepdims=True)).astype(float)
            own, when = at.own.of(i), at.t[i].reshape(-1, 1)
            at.v[i] += self.fleet.response(at.q[i], when, still_held, rate[i], *own.parameters)[1]
        at.held[:] = 0.0
        i = np.flatnonzero(touching.any(1) & ~at.bad)
        if len(i):
            own, when = at.own.of(i), at.t[i].reshape(-1, 1)
            one = Moment(at.t[i], at.q[i], at.v[i], own, at.held[i], at.bad[i])
            pull = self.fleet.closing(one.q, one.v, self._free(one), when, *own.parameters)[0]
            f, _, _, bad = self.pushed(one.t, one.q, own, touching[i], pull)
            at.held[i], at.bad[i] = (f > 0) & touching[i], one.bad | bad

    def _sinking(
        self, at: Moment, i: Array, slow: Array, touching: Array, rate: Array, bend: Array, most: Array
    ) -> Array:  # fmt: skip
        """Those of the slow contacts that come back before they have risen: pressed by all but each other."""
        _, _, w, bad = self.pushed(at.t[i], at.q[i], at.own.of(i), touching, bend)
        at.bad[i] |= bad
        return slow & (rate * rate <= most * np.maximum(-w, 0.0))
