"""Contacts in time: what closes strikes, what cannot rise rests, and what is pressed no more opens.

An `Encounter` watches all gaps of a simulation and, in phases in which contacts stay closed, their forces.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import SimulationError
from .complementarity import Unsolvable, complementary
from .contact import Contacts
from .events import After, Met, Phase, Watch
from .impact import Blow, Law, Struck, energy_created, struck
from .impacts import Impact, Meeting, angle
from .rate import Rate
from .rest import Rest, Touch, tangents

Array = np.ndarray[Any, Any]
RISE = 1e-3  # of the gap's tolerance: a bounce that rises less is left out, and the contact rests
NOISE = 1e-11  # of the fastest approach: normal velocities that are none
REPEATED = 1000  # impacts at one time, or within no time, after which bouncing is called endless
NO_TIME = 1e-12  # seconds


class Encounter:
    """All contacts of a simulation; a `Watch` of its gaps and of the forces in closed contacts."""

    def __init__(
        self, contacts: Contacts, rate: Rate, others: tuple[Watch, ...], restitution: Array, friction: Array, law: Law,
        gap_tolerance: float,
    ) -> None:  # fmt: skip
        self.contacts, self.rate, self.others, self.law, self.gap = contacts, rate, others, law, gap_tolerance
        self.restitution, self.friction = restitution, friction
        self.rest = Rest(contacts, friction)
        self.slack = np.zeros(len(contacts))  # how deep a contact that only grazes may go by round-off
        self.last, self.row = -np.inf, 0
        self.gaps = contacts.gaps
        self.y, self.dy = np.zeros(rate.size), np.zeros(rate.size)
        self.free = rate.bound(self.y, self.dy)

    # -- watching ---------------------------------------------------------------------------------------------

    @property
    def directions(self) -> Array:
        """Only falling matters, of gaps and of margins."""
        return np.full(len(self.contacts) + 2 * len(self.rest.which), -1)

    def values(self, t: Array, q: Array, v: Array) -> Array:
        """Gaps of what is open, 1 for what is closed, and the margins of that."""
        g = self.gaps(q, v, t.reshape(-1, 1))[0] + self.slack
        if not len(self.rest.which):
            return g
        g[:, self.rest.which] = 1.0
        margins = [self._margins(float(a), b, c) for a, b, c in zip(t, q, v, strict=True)]
        return np.concatenate([g, margins], axis=1)

    def _margins(self, t: float, q: Array, v: Array) -> Array:
        q, v = q.copy(), v.copy()
        return self.rest.margins(t, q, v, self.acceleration(t, q, v))

    def sides(self, t: float, q: Array, v: Array) -> Array:
        """Everything is open, and what is closed is pressed."""
        return np.ones(len(self.directions))

    def acceleration(self, t: float, q: Array, v: Array) -> Array:
        """What every freedom's acceleration would be without contacts."""
        self.y[: len(q)], self.y[len(q) : len(q) + len(v)] = q, v
        self.free(t)
        return self.rate.split(self.dy)[1].copy()

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
        """An impact, or a change among the contacts that are closed."""
        m, k = len(self.contacts), len(self.rest.which)
        q, v = met.q.copy(), met.v.copy()
        self._count(met.t)
        try:
            if any(i < m for i in met.which):
                return self._after(met.t, q, v)
            first = met.which[0] - m
            a = self.acceleration(met.t, q, v)
            if first < k:
                held = self.rest.which
                self.rest.decide(met.t, q, v, a, held, leaving=int(held[first]))
            elif self.rest.sticks[first - k]:
                self.rest.slips(first - k, met.t, q, v, a)
            else:
                self.rest.decide(met.t, q, v, a, self.rest.which)
        except Unsolvable:
            raise SimulationError(self._contradiction(met.t, q, v)) from None
        return self._on(met.t, q, v, ())

    def _count(self, t: float) -> None:
        """Refuses what would never end."""
        self.row = self.row + 1 if t - self.last <= NO_TIME * max(1.0, abs(t)) else 0
        self.last = t
        if self.row > REPEATED:
            raise SimulationError(f"endless bouncing at t = {t:.15g}: {REPEATED} impacts or changes within no time")

    def _after(self, t: float, q: Array, v: Array) -> After:
        """Impacts until nothing closes, then rest for what is pressed."""
        impacts: list[Impact] = []
        while True:
            seen = self.rest.touch(t, q, v)
            near = seen.g <= self.gap
            still = NOISE * max(1.0, float(np.abs(seen.rate[near]).max(initial=0.0)))
            if not (near & (seen.rate < -still)).any():
                break
            if len(impacts) >= REPEATED:
                raise SimulationError(f"endless bouncing at t = {t:.15g}, {self._named(near)}: {REPEATED} impacts at once")
            try:
                v, impact = self._strike(t, q, v, seen, np.flatnonzero(near & (seen.rate <= still)))
            except Unsolvable:
                raise SimulationError(self._contradiction(t, q, v)) from None
            impacts.append(impact)
        try:
            touching = np.flatnonzero(near & (seen.rate <= still))
            self.rest.decide(t, q, v, self.acceleration(t, q, v), touching)
        except Unsolvable:
            raise SimulationError(self._contradiction(t, q, v)) from None
        return self._on(t, q, v, impacts)

    def _on(self, t: float, q: Array, v: Array, impacts: Any) -> After:
        """How it goes on."""
        seen = self.rest.touch(t, q, v)
        grazes = (seen.g <= self.gap) & (np.abs(seen.rate) <= NOISE)
        self.slack = np.where(grazes, 1e-13 + np.maximum(-seen.g, 0.0), 0.0)
        rate = Pressed(self.rate, self.rest) if len(self.rest.which) else self.rate
        return After(q, v, Phase(rate, (self, *self.others)), impacts=impacts)

    # -- one impact -------------------------------------------------------------------------------------------

    def _strike(self, t: float, q: Array, v: Array, seen: Touch, which: Array) -> tuple[Array, Impact]:
        meets, e = seen.of(which), self.restitution[which]
        blow = Blow(self.rest.mass_matrix(q), v, meets.J, meets.rate, e, self.friction[which])
        if blow.friction.any():
            T = tangents(meets.n)
            across = np.einsum("kai,kij->kaj", T, self.contacts.sliding(q, np.array([t]))[which])
            blow = replace(blow, T=across, slipping=np.einsum("kai,ki->ka", T, meets.u))
        found = self._struck(t, blow, which)
        rests, settled = self._resting(t, q, found, which, meets.g)
        if rests.any():
            found = self._struck(t, replace(blow, restitution=np.where(rests, 0.0, e)), which)
        before, after = (float(sum(self.contacts.robot.energy(q, x))) for x in (v, found.v))
        return found.v, Impact(t, self._meetings(meets, found, which), before, after, settled)

    def _struck(self, t: float, blow: Blow, which: Array) -> Struck:
        found = struck(blow, self.law)
        if (made := energy_created(blow, found)) > 0:
            other = "impact_law='poisson'" if self.law == "newton" else "the same restitution at all contacts"
            raise SimulationError(
                f"the law of {self.law.capitalize()} would create {made:.3g} J at t = {t:.15g}, "
                f"{self._named(which)}; wanted none: {other} may do"
            )
        return found

    def _resting(self, t: float, q: Array, found: Struck, which: Array, g: Array) -> tuple[Array, float | None]:
        """Which contacts rise no more, as something presses them; and when their bounces would all be over."""
        rests, up = np.zeros(len(which), bool), found.opening
        rise = np.maximum(RISE * self.gap, 4 * np.abs(g))
        bounces = (found.impulse > 0) & (self.restitution[which] > 0) & (up > 0)
        if not bounces.any():
            return rests, None
        seen, a = self.rest.touch(t, q, found.v).of(which), self.acceleration(t, q, found.v)
        free = seen.J @ a + seen.c
        if not (bounces & (up * up <= 20 * rise * np.abs(free).max())).any():
            return rests, None
        A, over = seen.J @ np.linalg.solve(self.rest.mass_matrix(q), seen.J.T), t
        for k in np.flatnonzero(bounces):
            others = np.arange(len(which)) != k
            f = complementary(A[np.ix_(others, others)], free[others])
            pressed = -(free[k] + A[k, others] @ f)
            if pressed > 0 and up[k] ** 2 <= 2 * pressed * rise[k]:
                rests[k], e = True, self.restitution[which[k]]
                over = max(over, t + (2 * up[k] / (pressed * (1 - e)) if e < 1 else 0.0))
        return rests, over if rests.any() else None

    def _meetings(self, meets: Touch, found: Struck, which: Array) -> tuple[Meeting, ...]:
        rubbed = np.linalg.norm(found.rubbed, axis=1)
        return tuple(
            Meeting(
                *self.contacts.names[k], angle(meets.u[i], meets.n[i], meets.rate[i]), float(meets.rate[i]),
                float(found.opening[i]), float(found.impulse[i]), float(rubbed[i]),
            )
            for i, k in enumerate(which)
            if found.impulse[i] > 0 or meets.rate[i] < 0
        )  # fmt: skip

    # -- words ------------------------------------------------------------------------------------------------

    def _named(self, which: Array) -> str:
        which = np.flatnonzero(which) if which.dtype == bool else which
        names = [self.contacts.label(int(k)) for k in which[:4]]
        return ", ".join(names) + (" and more" if len(which) > 4 else "")

    def _contradiction(self, t: float, q: Array, v: Array) -> str:
        near = self.rest.touch(t, q, v).g <= self.gap
        return f"walls contradict each other at t = {t:.15g}: nothing that pushes keeps open {self._named(near)}"


class Pressed:
    """A right-hand side with closed contacts."""

    def __init__(self, rate: Rate, rest: Rest) -> None:
        self.rate, self.rest = rate, rest
        self.size, self.counted = rate.size, rate.counted

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rate, name)

    def bound(self, y: Array, dy: Array) -> Callable[[float], Any]:
        """A function of time that reads y and writes dy."""
        free, push = self.rate.bound(y, dy), self.rest.push
        q, v, _ = self.rate.split(y)
        _, a, power = self.rate.split(dy)

        def held(t: float) -> None:
            free(t)
            push(t, q, v, a, power)

        return held

    def settle(self, t: float, y: Array, dy: Array) -> None:
        """Closed contacts are brought back to their walls."""
        q, v, _ = self.rate.split(y)
        q[:], v[:] = self.rest.project(t, q, v)
        self.rate.settle(t, y, dy)
