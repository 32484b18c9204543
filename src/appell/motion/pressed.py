"""Contacts that stay closed for a while: the right-hand side with their forces, and the watch of when that ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .events import After, Met
from .rate import Rate
from .rest import Rest

if TYPE_CHECKING:
    from .encounter import Encounter

Array = np.ndarray[Any, Any]


class Margins:
    """A `Watch` of how firmly the contacts that are closed now stay as they are."""

    def __init__(self, encounter: Encounter, which: Array) -> None:
        self.encounter, self.which = encounter, which

    @property
    def directions(self) -> Array:
        """Only falling matters."""
        return np.full(2 * len(self.which), -1)

    def values(self, t: Array, q: Array, v: Array) -> Array:
        """The margins of all."""
        return self.encounter.rest.margins(t, q, v, self.encounter.accelerations(t, q, v))

    def sides(self, t: float, q: Array, v: Array) -> Array:
        """All are pressed."""
        return np.ones(2 * len(self.which))

    def meet(self, met: Met) -> After:
        """What comes of it, if nothing struck at the same time."""
        if self.encounter.rest.which is not self.which:
            return After()
        return self.encounter.eases(met.t, met.q.copy(), met.v.copy(), met.which[0])


class Pressed(Rate):
    """A right-hand side with closed contacts."""

    def __init__(self, rate: Rate, rest: Rest) -> None:
        self.__dict__.update(rate.__dict__)
        self.open, self.rest = rate, rest

    def bound(self, y: Array, dy: Array) -> Callable[[float], Any]:
        """A function of time that reads y and writes dy."""
        free, push = self.open.bound(y, dy), self.rest.push
        q, v, _ = self.split(y)
        _, a, power = self.split(dy)

        def held(t: float) -> None:
            free(t)
            push(t, q, v, a, power)

        return held

    def settle(self, t: float, y: Array, dy: Array) -> None:
        """Closed contacts are brought back to their walls."""
        q, v, _ = self.split(y)
        q[:], v[:] = self.rest.project(t, q, v)
        self.open.settle(t, y, dy)
