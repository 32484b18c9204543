"""Impacts and rest of many lanes at once: by Newton's law, and never pulling.

Contacts are measured as their walls measure; with the response that fits, nothing depends on that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..complementarity import Unsolvable, complementary
from ..settle import NEAR, RISE, STRONGER
from .fleet import Fleet, Own
from .lanes import ENDLESS, RUNNING, UNSOLVABLE

Array = np.ndarray[Any, Any]
NOISE = 1e-11  # of the fastest approach: normal velocities that are none
PULLS = 1e-12  # of the largest push
AT_ONCE, AGAIN = 50, 500  # impacts at one time: after the first many without restitution, after the second endless
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
    fate: Array  # what becomes of each lane, as its status

    @property
    def when(self) -> Array:
        """The times as kernels take them."""
        return self.t.reshape(-1, 1)

    def of(self, i: Array) -> Moment:
        """The same of fewer lanes."""
        return Moment(self.t[i], self.q[i], self.v[i], self.own.of(i), self.held[i], self.fate[i])


@dataclass
class Near:
    """All contacts of some lanes: their rates, those that are near, how gaps bend, how high a hop is left out."""

    rate: Array
    near: Array
    bend: Array
    rise: Array
    steep: Array  # slopes of the walls' measures, 1 per metre where they measure in metres

    @property
    def still(self) -> Array:
        """Velocities that are none, (k, 1)."""
        return noise(np.where(self.near, self.rate, 0.0))

    def slow(self, rate: Array) -> Array:
        """Which contacts open so slowly that they may have to rest: a first look."""
        high = 2 * STRONGER * self.rise * np.abs(self.bend).max(1, keepdims=True)
        return self.near & (rate > self.still) & (rate * rate <= high)

    def of(self, i: Array) -> Near:
        """The same of fewer lanes."""
        return Near(self.rate[i], self.near[i], self.bend[i], self.rise[i], self.steep[i])


def noise(rate: Array) -> Array:
    """Normal velocities of each lane that are none, beside its others."""
    return NOISE * np.maximum(1.0, np.abs(rate).max(1, keepdims=True))


class Touching:
    """What becomes of lanes whose contacts close, rest or open."""

    def __init__(self, fleet: Fleet, restitution: Array, gap: float) -> None:
        self.fleet, self.restitution, self.gap = fleet, restitution, gap
        self.rows: list[Striking] = []

    def inside(self, t: Array, q: Array, v: Array, own: Own) -> Array:
        """Which lanes have something inside a wall."""
        still, when = np.zeros_like(v), t.reshape(-1, 1)
        g = self.fleet.gaps(q, v, when, *own.parameters)[0]
        steep = self.fleet.closing(q, still, still, when, *own.parameters)[1]
        return (g < -self.gap * steep).any(1)

    def meet(self, at: Moment) -> Array:
        """Impacts until nothing closes, then rest for what is pressed; how many impacts each lane had."""
        counts = np.zeros(len(at.t), int)
        now = self._near(at)
        for _ in range(AGAIN):
            hit = (now.near & (now.rate < -now.still)).any(1) & (at.fate == RUNNING)
            if not hit.any():
                break
            self._strike(at, np.flatnonzero(hit), now, counts)
            counts[hit] += 1
        else:
            at.fate[hit] = ENDLESS  # type: ignore[possibly-undefined]
        if counts.any():
            now.bend = self.fleet.closing(at.q, at.v, self._free(at), at.when, *at.own.parameters)[0]
        self._settle(at, now)
        self._hold(at, now)
        return counts

    def _near(self, at: Moment) -> Near:
        bend, steep = self.fleet.closing(at.q, at.v, self._free(at), at.when, *at.own.parameters)
        g, rate = self.fleet.gaps(at.q, at.v, at.when, *at.own.parameters)
        near = (g <= self.gap * steep) | (at.held > 0)
        return Near(rate, near, bend, np.maximum(RISE * self.gap * steep, NEAR * np.abs(g)), steep)

    def _free(self, at: Moment) -> Array:
        """Accelerations without contacts."""
        y = np.concatenate([at.q, at.v, np.zeros((len(at.t), self.fleet.size - self.fleet.counted))], 1)
        dy = np.empty_like(y)
        self.fleet.derive(at.t, y, dy, at.own)
        return self.fleet.split(dy)[1]

    # -- impacts ------------------------------------------------------------------------------------------------

    def _strike(self, at: Moment, i: Array, now: Near, counts: Array) -> None:
        """One impact of some lanes: changes their v and rates."""
        part, here = at.of(i), now.of(i)
        e = self._given_back(part.own, here, counts[i])
        back = (np.where(here.near, e, 0.0) > 0).any(1, keepdims=True)
        which = here.near & (~back | (here.rate <= here.still))
        f, dv, _, bad = self._pushed(part, which, (1 + e) * here.rate)
        u, n = self._approach(part)
        part.v += dv
        at.v[i] = part.v
        at.fate[i[bad]] = UNSOLVABLE
        now.rate[i] = after = self.fleet.gaps(part.q, part.v, part.when, *part.own.parameters)[1]
        lane, c = np.nonzero((f > NOISE * f.max(1, keepdims=True)) & which)
        u, n, s = u[lane, c], n[lane, c], here.steep[lane, c]
        before, impulse = here.rate[lane, c] / s, f[lane, c] * s
        rows = part.own.lanes[lane], part.t[lane], c, _angle(u, n), before, after[lane, c] / s, impulse
        self.rows.append(Striking(*rows))

    def _given_back(self, own: Own, here: Near, before: Array) -> Array:
        """Restitution; none after many impacts at one time, if those lose energy."""
        e = self.restitution[own.lanes]
        tired = (before >= AT_ONCE) & (np.where(here.near, e, 0.0) < 1.0).all(1)
        return np.where(tired[:, None], 0.0, e)

    def _approach(self, at: Moment) -> tuple[Array, Array]:
        """The velocities of all points against their walls, and the normals."""
        seen = self.fleet.touching(at.q, at.v, at.when, *at.own.parameters)
        return seen[5], seen[4]

    def _pushed(
        self, at: Moment, which: Array, b: Array, firm: Array | None = None
    ) -> tuple[Array, Array, Array, Array]:  # fmt: skip
        """f >= 0 with w = b + A f >= 0 among the contacts chosen, one of both zero; (f, change of v, w, where none is).

        What is firm has w = 0 and any f. Principal pivots by the least index end for every positive definite A.

        Source: pfeiffer1996, the inequalities; murty1974, the pivots.
        """
        always = np.zeros_like(which) if firm is None else firm
        held = (which & (b < 0)) | always
        f, dv, w = self._response(at, held, b)
        nothing = PULLS * np.abs(np.where(which, b, 0.0)).max(1, keepdims=True)
        i = np.arange(len(b))
        for _ in range(FLIPS):
            pulls = (f[i] < -PULLS * np.abs(f[i]).max(1, keepdims=True)) & ~always[i]
            wrong = np.where(held[i], pulls, which[i] & (w[i] < -nothing[i]))
            odd = wrong.any(1) & np.isfinite(f[i]).all(1)
            if not odd.any():
                break
            place, i = wrong.argmax(1)[odd], i[odd]
            held[i, place] = ~held[i, place]
            f[i], dv[i], w[i] = self._response(at.of(i), held[i], b[i])
        else:
            f[i] = np.nan
        bad = np.zeros(len(b), bool)
        for k in np.flatnonzero(~np.isfinite(f).all(1)):
            row = slice(int(k), int(k) + 1)
            bad[k] = not self._alone(at.of(np.array([k])), which[k] | always[k], b[k], f[row], dv[row], w[row])
        return f, dv, w, bad

    def _response(self, at: Moment, held: Array, b: Array) -> tuple[Array, Array, Array]:
        return self.fleet.response(at.q, at.when, held.astype(float), b, *at.own.parameters)

    def _alone(self, at: Moment, which: Array, b: Array, f: Array, dv: Array, w: Array) -> bool:
        """One lane whose contacts are redundant, by the solver that takes that; whether there is an answer."""
        fleet, c, still, more = self.fleet, np.flatnonzero(which), np.zeros_like(at.v), at.own.parameters
        steep = fleet.closing(at.q, still, still, at.when, *more)[1][0]
        J = fleet.touching(at.q, still, at.when, *more)[3][0] * steep[:, None]
        MJ = np.linalg.solve(fleet.mass_matrix(at.q, *more)[0], J.T)
        f[0] = 0.0
        try:
            f[0, c] = complementary(J[c] @ MJ[:, c], b[c])
        except Unsolvable:
            f[0] = np.nan
        dv[0] = MJ @ f[0]
        w[0] = b + J @ dv[0]
        return bool(np.isfinite(f).all())

    # -- rest ---------------------------------------------------------------------------------------------------

    def _settle(self, at: Moment, now: Near) -> None:
        """What is pressed and rises next to nothing comes to rest, and so does what that slows down."""
        i = np.flatnonzero(now.slow(now.rate).any(1) & (at.fate == RUNNING))
        part, here = at.of(i), now.of(i)
        firm, rate, moved, on = np.zeros_like(here.near), here.rate.copy(), np.zeros_like(part.v), np.arange(len(i))
        while len(on):
            sinks, bad = self._sinking(part.of(on), here.of(on), rate[on], firm[on])
            part.fate[on[bad]] = UNSOLVABLE
            firm[on] |= sinks
            on = on[sinks.any(1)]
            near = here.near[on]
            _, moved[on], rate[on], bad = self._pushed(part.of(on), near, here.rate[on], firm[on])
            part.fate[on[bad]] = UNSOLVABLE
            on = on[~bad]
        at.v[i], at.fate[i], now.rate[i] = part.v + moved, part.fate, rate

    def _sinking(self, at: Moment, here: Near, rate: Array, firm: Array) -> tuple[Array, Array]:
        """Which slow contacts come back before they have risen; in which lanes nothing can be told."""
        presses = here.near & ((rate <= here.still) | firm)
        w, bad = self._pushed(at, presses, here.bend)[2:]
        returns = rate * rate <= 2 * here.rise * np.maximum(-w, 0.0)
        return here.slow(rate) & ~firm & returns & ~bad[:, None], bad

    def _hold(self, at: Moment, now: Near) -> None:
        """Of what touches and does not rise, that is held which pushes."""
        touching = now.near & (now.rate <= now.still)
        at.held[:] = 0.0
        i = np.flatnonzero(touching.any(1) & (at.fate == RUNNING))
        if not len(i):
            return
        part = at.of(i)
        bend = self.fleet.closing(part.q, part.v, self._free(part), part.when, *part.own.parameters)[0]
        f, _, _, bad = self._pushed(part, touching[i], bend)
        at.held[i] = (f > 0) & touching[i]
        at.fate[i[bad]] = UNSOLVABLE


def _angle(u: Array, n: Array) -> Array:
    """Degrees between velocities and normals."""
    along = np.einsum("ki,ki->k", u, n)
    return np.degrees(np.arctan2(np.linalg.norm(u - along[:, None] * n, axis=1), np.abs(along)))
