"""The loop of a simulation: smooth motion until something happens; what that leaves behind; and on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..errors import SimulationError
from .dry import Rubbed
from .events import After, Met, Phase
from .integrate import Counts, StepFailure, Stepper
from .lookout import Hit, Lookout
from .record import Record

if TYPE_CHECKING:
    from .steps import Steps

Array = np.ndarray[Any, Any]
Maker: TypeAlias = "Callable[[Any, Counts], Stepper]"  # an integrator for a right-hand side
LANDINGS = 3  # tries to end a step where an event is, each nearer
MANY, BRIEF = 1000, 1e-6  # so many events in so small a part of the time asked for: they have no end


class Follow:
    """A motion as it goes on: a phase, its integrator, its lookout, and the record of all."""

    def __init__(self, record: Record, phase: Phase, t: float, y: Array, make: Maker) -> None:
        self.record, self.make = record, make
        self.stop, self.start, self.end = -inf, t, t
        self.hits: deque[float] = deque(maxlen=MANY)
        self._enter(phase, t, y, 0.0)

    def until(self, end: float) -> str | None:
        """Moves on to the end; the sentence of an event that ended it before."""
        self.end = end
        while self.stepper.t < end:
            stop = min(end, self._next_stop())
            while self.stepper.t < stop:
                sentence = self._advance(stop)
                if sentence is not None:
                    return sentence
        return None

    def _enter(self, phase: Phase, t: float, y: Array, guess: float) -> None:
        """Begins a phase."""
        self.phase = phase
        self._begin_laws(t, y)
        self._settle_friction(t, y)
        self.stepper = self.make(phase.rate, self.record.counts)
        self.stepper.restart(t, y, guess)
        self.lookout = Lookout(phase.watches, phase.rate, t, y) if phase.watches else None

    def _settle_friction(self, t: float, y: Array) -> None:
        """Who sticks from now on; not while contacts stay closed as well, which would have to be solved at once."""
        rate = self.phase.rate
        if rate.dry is None:
            return
        if not isinstance(rate, Rubbed):
            text = "joints have dry friction without smoothing while contacts stay closed; wanted smoothing"
            raise SimulationError(f"{text}, at t = {t:.15g}")
        q, v, _ = rate.split(y)
        rate.dry.decide(t, q, v)

    def _begin_laws(self, t: float, y: Array) -> None:
        q, v, _ = self.phase.rate.split(y)
        for law in self.phase.rate.laws:
            law.begin(t, q, v)

    def _next_stop(self) -> float:
        """When a law will not be smooth; if it is not smooth now, the derivative is new."""
        t, y = self.stepper.t, self.stepper.y
        if t == self.stop:
            self._begin_laws(t, y)
            self.stepper.restart(t, y)
        self.stop = min(law.next_stop(t) for law in self.phase.rate.laws)
        return self.stop

    def _advance(self, stop: float) -> str | None:
        """One row of steps, or as far as something happens."""
        steps = self.stepper.advance(stop)
        hit = self.lookout.first(steps) if self.lookout else None
        if hit is None:
            self.record.moved(steps, self.stepper.y)
            return None
        if hit.step:
            self.record.moved(steps[: hit.step], steps.y[hit.step])
        return self._happen(hit, *self._land(steps[hit.step : hit.step + 1], hit))

    # -- an event -----------------------------------------------------------------------------------------------

    def _land(self, step: Steps, hit: Hit) -> tuple[float, Array]:
        """Ends the step where the event is, by steps that are more exact than the polynomial that showed it."""
        start, t = float(step.t[0]), hit.t
        if t <= start:
            self.stepper.back(step)
            return start, step.y[0].copy()
        watch, k, _ = hit.found[0]
        place = self.lookout.place(watch, k)  # type: ignore[union-attr]
        slope = self._slope(step, t, place)
        for _ in range(LANDINGS):
            landed = self.stepper.landing(step, t)
            value = self.lookout.values(t, self.stepper.y)[place]  # type: ignore[union-attr]
            off = -value / slope if slope else 0.0
            if not abs(off) > np.spacing(t) or abs(off) > 1e-3 * float(step.h[0]) or t + off <= start:
                break
            t = float(t + off)
        self.record.residual = max(self.record.residual, abs(float(value)))  # type: ignore[possibly-undefined]
        self.record.moved(landed, self.stepper.y)  # type: ignore[possibly-undefined]
        return self.stepper.t, self.stepper.y

    def _slope(self, step: Steps, t: float, place: int) -> float:
        """How fast a function passes zero."""
        d = min(1e-4 * float(step.h[0]), t - float(step.t[0]))
        at = np.array([t - d, min(t + d, step.end)])
        before, after = (self.lookout.values(*x)[place] for x in zip(at, step.at(at), strict=True))  # type: ignore[union-attr]
        return float((after - before) / (at[1] - at[0]))

    def _happen(self, hit: Hit, t: float, y: Array) -> str | None:
        """Asks every watch what comes after its zeros."""
        self.hits.append(t)
        if len(self.hits) == MANY and t - self.hits[0] <= BRIEF * (self.end - self.start):
            names = ", ".join({repr(e.name) for e in self.record.events[-3:] if hasattr(e, "name")})
            raise StepFailure(f"events without end at t = {t:.15g}: {names}")
        changed, end, phase = False, None, None
        self.lookout.passed(hit)  # type: ignore[union-attr]
        for watch in self.phase.watches:
            found = [(k, way) for owner, k, way in hit.found if owner is watch]
            after = watch.meet(self._met(t, y, found)) if found else After()
            y, jumped = self._jumped(t, y, after)
            changed, phase, end = changed or jumped, after.phase or phase, end or after.end
        if changed or phase:
            self._enter(phase or self.phase, t, y, self.stepper.h)
        return end

    def _met(self, t: float, y: Array, found: list[tuple[int, int]]) -> Met:
        q, v, _ = self.phase.rate.split(y)
        return Met(t, q, v, tuple(k for k, _ in found), tuple(way for _, way in found), self.phase)

    def _jumped(self, t: float, y: Array, after: After) -> tuple[Array, bool]:
        """The state that a watch left, and whether it is another one."""
        self.record.events += after.events
        self.record.impacts += after.impacts
        if after.q is None and after.v is None:
            return y, False
        then = y.copy()
        q, v, _ = self.phase.rate.split(then)
        q[:] = q if after.q is None else after.q
        v[:] = v if after.v is None else after.v
        self.record.jumped(t, y, then)
        return then, True
