"""Contacts in time: what closes strikes, what cannot rise rests, and what is pressed no more opens.

An `Encounter` watches all gaps of a simulation and, in phases in which contacts stay closed, their forces.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..errors import SimulationError
from .complementarity import Unsolvable
from .contact import Contacts
from .events import After, Met, Phase, Watch
from .impact import Blow, Law, Struck, energy_created, struck
from .impacts import Impact, Meeting, angle
from .pressed import Margins, Pressed
from .rate import Rate
from .rest import SLOW, Rest, Touch
from .settle import NEAR, RISE, Opening, settled, slow

Array = np.ndarray[Any, Any]
NOISE = 1e-11  # of the fastest approach: normal velocities that are none
REPEATED = 1000  # impacts at one time, or within no time, after which bouncing is called endless
AT_ONCE = 50  # impacts at one time, after which those that lose energy are taken as one without restitution
NO_TIME = 1e-12  # seconds


class Encounter:
    """All contacts of a simulation; a `Watch` of its gaps."""

    def __init__(
        self, contacts: Contacts, rate: Rate, others: tuple[Watch, ...], restitution: Array, friction: Array, law: Law,
        gap_tolerance: float,
    ) -> None:  # fmt: skip
        self.contacts, self.rate, self.others, self.gap = contacts, rate, others, gap_tolerance
        self.law: Law = law
        self.restitution, self.friction = restitution, friction
        self.rest = Rest(contacts, rate, friction)
        self.slack = np.zeros(len(contacts))  # how deep a contact that only grazes may go by round-off
        self.last, self.row = -np.inf, 0
        self.gaps = contacts.gaps
        self.y, self.dy = np.zeros(rate.size), np.zeros(rate.size)
        self.free = rate.bound(self.y, self.dy)

    # -- watching ---------------------------------------------------------------------------------------------

    @property
    def directions(self) -> Array:
        """Only falling matters."""
        return np.full(len(self.contacts), -1)

    def values(self, t: Array, q: Array, v: Array) -> Array:
        """Gaps of what is open, 1 for what is closed."""
        g = self.gaps(q, v, t.reshape(-1, 1))[0] + self.slack
        g[:, self.rest.which] = 1.0
        return g

    def sides(self, t: float, q: Array, v: Array) -> Array:
        """Everything is open."""
        return np.ones(len(self.contacts))

    def acceleration(self, t: float, q: Array, v: Array) -> Array:
        """What every freedom's acceleration would be without contacts."""
        self.y[: len(q)], self.y[len(q) : len(q) + len(v)] = q, v
        self.free(t)
        return self.rate.split(self.dy)[1].copy()

    def accelerations(self, t: Array, q: Array, v: Array) -> Array:
        """The same at many states."""
        if type(self.rate) is not Rate:  # dry joints take their part
            return np.array([self.acceleration(*state) for state in zip(t.tolist(), q, v, strict=True)])
        rate, tau = self.rate, self.rate.torque.along(t, q, v)
        if rate.wrench is None:
            return rate.accelerations(q, v, tau)
        return rate.accelerations(q, v, tau, rate.wrench.along(t, q, v))

    # -- what comes of it ---------------------------------------------------------------------------------------

    def begin(self, t: float, q: Array, v: Array) -> After:
        """The start: nothing may be inside a wall; what touches strikes or rests."""
        seen = self.rest.touch(t, q, v)
        deepest = int(np.argmin(np.nan_to_num(seen.g, nan=np.inf)))  # in the middle of a circle nothing is nearest
        if seen.g[deepest] < -self.gap:
            depth, where = -float(seen.g[deepest]), self.contacts.label(deepest)
            raise SimulationError(f"it starts {depth:.3g} m inside a wall, {where} at t = {t:.15g}, wanted all outside")
        return self._after(t, q, v)

    def meet(self, met: Met) -> After:
        """An impact."""
        self._count(met.t)
        return self._after(met.t, met.q.copy(), met.v.copy(), met.which)

    def eases(self, t: float, q: Array, v: Array, first: int) -> After:
        """One of the closed contacts is pressed no more, or begins to slide or to stick: one of their margins fell."""
        self._count(t)
        held, a = self.rest.which, self.acceleration(t, q, v)
        k = first % len(held)
        try:
            if first < len(held):
                self.rest.decide(t, q, v, a, held, leaving=int(held[k]))
            elif self.rest.sticks[k]:
                self.rest.slips(k, t, q, v, a)
            else:
                self.rest.decide(t, q, v, a, held)
        except Unsolvable:
            raise SimulationError(self._contradiction(t, q, v)) from None
        return self._on(t, q, v, ())

    def _count(self, t: float) -> None:
        """Refuses what would never end."""
        self.row = self.row + 1 if t - self.last <= NO_TIME * max(1.0, abs(t)) else 0
        self.last = t
        if self.row > REPEATED:
            raise SimulationError(f"endless bouncing at t = {t:.15g}: {REPEATED} impacts or changes within no time")

    def _after(self, t: float, q: Array, v: Array, met: tuple[int, ...] = ()) -> After:
        """Impacts until nothing closes, then rest for what is pressed."""
        impacts: list[Impact] = []
        came = np.zeros(len(self.contacts))
        while True:
            seen = self.rest.touch(t, q, v)
            near = seen.g <= self.gap
            still = NOISE * max(1.0, float(np.abs(seen.rate[near]).max(initial=0.0)))
            if not (near & (seen.rate < -still)).any():
                break
            if len(impacts) >= REPEATED:
                where = f"at t = {t:.15g}, {self._named(near)}"
                raise SimulationError(f"endless bouncing {where}: {REPEATED} impacts at once")
            which, e = self._meet(near, seen.rate <= still, len(impacts))
            came[which] = seen.rate[which]
            try:
                v, impact = self._strike(t, q, v, seen, which, e)
            except Unsolvable:
                raise SimulationError(self._contradiction(t, q, v)) from None
            impacts.append(impact)
        fallen = np.isin(np.arange(len(near)), met) & (seen.rate > still)
        try:
            if impacts or (fallen & near).any():
                v = self._settle(t, q, v, seen, np.flatnonzero(near), fallen & (not impacts), came, impacts)
                seen = self.rest.touch(t, q, v)
            touching = np.flatnonzero(near & (seen.rate <= still))
            self.rest.decide(t, q, v, self.acceleration(t, q, v), touching)
        except Unsolvable:
            raise SimulationError(self._contradiction(t, q, v)) from None
        return self._on(t, q, v, impacts)

    def _settle(
        self, t: float, q: Array, v: Array, seen: Touch, which: Array, hops: Array, came: Array, impacts: list[Impact]
    ) -> Array:  # fmt: skip
        """The velocities without those of bounces too small to be followed; the last impact is told of them."""
        near = seen.of(which)
        free = near.J @ self.acceleration(t, q, v) + near.c
        rise = np.maximum(RISE * self.gap, NEAR * np.abs(near.g))
        if not (hops[which].any() or slow(near.rate, free, rise).any()):
            return v
        stuck = self._stuck(near, which)
        T = self.rest.across(t, q, near.of(stuck), which[stuck]) if stuck.any() else np.zeros((0, 2, len(v)))
        rows, up = np.concatenate([near.J, *T]), np.concatenate([near.rate, *near.along[stuck]])
        MJ = self.rate.moved(q, rows.T)
        A = rows @ MJ
        found = settled(Opening(0.5 * (A + A.T), up, free, rise), hops[which])
        if not found.rests.any():
            return v
        v = v + MJ @ found.impulse
        if impacts:
            lost = np.where(came[which] < -NOISE, 1 - self.restitution[which], 1.0)
            left = float((found.hop / np.where(lost > 0, lost, np.inf)).max())
            impacts[-1] = replace(impacts[-1], energy_after=self._energy(q, v), settled=t + left)
        return v

    def _stuck(self, near: Touch, which: Array) -> Array:
        """Which contacts do not slide, though they could, because of friction."""
        return (self.friction[which] > 0) & (np.linalg.norm(near.slip, axis=1) <= SLOW)

    def _energy(self, q: Array, v: Array) -> float:
        return float(sum(self.contacts.robot.energy(q, v)))

    def _on(self, t: float, q: Array, v: Array, impacts: Any) -> After:
        """How it goes on."""
        seen = self.rest.touch(t, q, v)
        grazes = (seen.g <= self.gap) & (np.abs(seen.rate) <= NOISE)
        self.slack = np.where(grazes, 1e-13 + np.maximum(-seen.g, 0.0), 0.0)
        if not len(self.rest.which):
            return After(q, v, Phase(self.rate, (self, *self.others)), impacts=impacts)
        phase = Phase(Pressed(self.rate, self.rest), (self, Margins(self, self.rest.which), *self.others))
        return After(q, v, phase, impacts=impacts)

    # -- one impact -------------------------------------------------------------------------------------------

    def _meet(self, near: Array, closing: Array, before: int) -> tuple[Array, Array]:
        """Which contacts take part in an impact, and their restitution: those that do not separate already.

        Without restitution all that are near can be held open at once, as nothing is given back; and impacts that
        call forth each other at one time, ever weaker, are ended so.
        """
        e = self.restitution
        if before >= AT_ONCE and (e[near] < 1.0).all():
            e = np.zeros_like(e)
        which = np.flatnonzero(near if not e[near].any() else near & closing)
        return which, e[which]

    def _strike(self, t: float, q: Array, v: Array, seen: Touch, which: Array, e: Array) -> tuple[Array, Impact]:
        meets = seen.of(which)
        blow = Blow(partial(self.rate.moved, q), v, meets.J, meets.rate, e, self.friction[which])
        if blow.friction.any():
            blow = replace(blow, T=self.rest.across(t, q, meets, which), slipping=meets.along)
        found = self._struck(t, blow, which)
        meetings = self._meetings(meets, found, which)
        return found.v, Impact(t, meetings, self._energy(q, v), self._energy(q, found.v))

    def _struck(self, t: float, blow: Blow, which: Array) -> Struck:
        found = struck(blow, self.law)
        if (made := energy_created(blow, found)) > 0:
            other = "impact_law='poisson'" if self.law == "newton" else "the same restitution at all contacts"
            raise SimulationError(
                f"the law of {self.law.capitalize()} would create {made:.3g} J at t = {t:.15g}, "
                f"{self._named(which)}; wanted none: {other} may do"
            )
        return found

    def _meetings(self, meets: Touch, found: Struck, which: Array) -> tuple[Meeting, ...]:
        rubbed = np.linalg.norm(found.rubbed, axis=1)
        least = NOISE * found.impulse.max()
        return tuple(
            Meeting(
                self.contacts.names[k][0], self.contacts.names[k][1],
                angle(meets.u[i], meets.n[i], meets.rate[i]), float(meets.rate[i]),
                float(found.opening[i]), float(found.impulse[i]), float(rubbed[i]),
            )
            for i, k in enumerate(which)
            if found.impulse[i] > least or meets.rate[i] < -NOISE
        )  # fmt: skip

    # -- words ------------------------------------------------------------------------------------------------

    def _named(self, which: Array) -> str:
        which = np.flatnonzero(which) if which.dtype == bool else which
        names = [self.contacts.label(int(k)) for k in which[:4]]
        return ", ".join(names) + (" and more" if len(which) > 4 else "")

    def _contradiction(self, t: float, q: Array, v: Array) -> str:
        near = self.rest.touch(t, q, v).g <= self.gap
        return f"walls contradict each other at t = {t:.15g}: nothing that pushes keeps open {self._named(near)}"
