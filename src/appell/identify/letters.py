"""Shares of closed mechanisms in letters: masses move through joints that were cut, where lengths divide.

A share is found by numbers. It is written as a product of lengths and of their inverses if one does that fits as well
in a mechanism whose lengths are all a little different; then it is no accident of these lengths.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from ..model.lift import LENGTHS
from ..model.mechanism import Mechanism, Placement
from .form import OVER, Form, Lengths

Rows = Mapping[int, np.ndarray]
CHANGED = 0.03  # of every length, at most
LONGEST, MANY = 4, 5000  # lengths and inverses in a product; products of one length that are tried at most
FITS = 1e-7  # of a share


def lengths_of(mechanism: Mechanism) -> dict[str, float]:
    """Every length that is not zero, by name, and its inverse: of joints in their parents, and of cut joints."""
    places = {f"{b.name}.{x}": b.placement.position[k] for b in mechanism.bodies for k, x in enumerate(LENGTHS)}
    for loop in mechanism.loops:
        for side, place in (("a", loop.placement_a), ("b", loop.placement_b)):
            places |= {f"{loop.name}.{side}.{axis}": place.position[k] for k, axis in enumerate("xyz")}
    found = {name: x for name, x in places.items() if x}
    return found | {f"{OVER}{name}": 1 / x for name, x in found.items()}


def varied(mechanism: Mechanism) -> Mechanism:
    """The mechanism with all lengths a little different."""
    rng = np.random.default_rng(1)

    def moved(place: Placement) -> Placement:
        x = np.array(place.position) * (1 + CHANGED * rng.uniform(-1, 1, 3))
        return replace(place, position=tuple(x.tolist()))

    bodies = tuple(replace(b, placement=moved(b.placement)) for b in mechanism.bodies)
    loops = tuple(
        replace(x, placement_a=moved(x.placement_a), placement_b=moved(x.placement_b)) for x in mechanism.loops
    )
    return replace(mechanism, bodies=bodies, loops=loops)


def lettered(here: Mechanism, there: Mechanism, shares: Rows, others: Rows) -> dict[int, list[Form | float]]:
    """The shares `here`, each a product of lengths if that also gives the share `there`, else the number."""
    products = _products(lengths_of(here), lengths_of(there))
    return {
        k: [_letters(x, y, products) for x, y in zip(row, others[k], strict=True)] if k in others else list(row)
        for k, row in shares.items()
    }


def _products(here: Mapping[str, float], there: Mapping[str, float]) -> list[tuple[Lengths, float, float]]:
    """Products of few lengths, short ones first, and what they are here and there."""
    names = sorted(set(here) & set(there))
    found = []
    for count in range(1, LONGEST + 1):
        if comb(len(names) + count - 1, count) > MANY:
            break
        for some in combinations_with_replacement(names, count):
            if not any(f"{OVER}{name}" in some for name in some):
                x, y = (float(np.prod([lengths[n] for n in some])) for lengths in (here, there))
                found.append((some, x, y))
    return found


def _letters(x: float, y: float, products: Sequence[tuple[Lengths, float, float]]) -> Form | float:
    """A share as a sign times a product."""
    if abs(x) < FITS or abs(abs(x) - 1) < FITS:
        return x
    for some, p, r in products:
        for sign in (1.0, -1.0):
            if abs(x - sign * p) < FITS * abs(x) and abs(y - sign * r) < FITS * abs(y):
                return Form({("", some): sign})
    return x
