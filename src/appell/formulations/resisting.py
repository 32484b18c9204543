"""Freedoms of joints that close loops and resist, where they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..linalg import is_zero
from ..scalar import Scalar
from .cut_freedom import cut_freedoms
from .equations import resolved
from .still import ByPlace, Still
from .world import World


@dataclass(frozen=True)
class Met:
    """A freedom of a cut joint where it is: its coordinate and rate, each at the place 0, the coefficients of the rate,
    and what of its acceleration no acceleration makes."""

    z: Any
    value: ByPlace
    rate: ByPlace
    bias: Scalar
    by: Mapping[int, Scalar]


def met(robot, q, v, closures) -> Iterator[Met]:
    """Every freedom of a cut joint that resists."""
    resisting = [x for x in closures if getattr(x, "freedoms", ())]
    world = World(robot)
    for _ in world.outward(q, v, Still()) if resisting else ():
        pass
    for closure in resisting:
        x = world.o[closure.b.link] + world.arm(closure.b)
        rows = resolved(world, closure, x, cut_freedoms(world, closure))
        for z, (value, rate, bias, by) in zip(closure.freedoms, rows, strict=True):
            moving = {t: y for t, y in by.items() if not is_zero(y)}
            yield Met(z, ByPlace({0: value}), ByPlace({0: rate}), bias, moving)
