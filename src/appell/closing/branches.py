"""The ways in which a mechanism can be put together while enough of it is held."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import AssemblyError
from .coordinates import freedom_names
from .mobility import AWAY, independent_columns, motions
from .newton import Closed, closed
from .refused import cannot
from .scaled import Scaled
from .search import apart, around, nearest, turning, unwound

Array = np.ndarray[Any, Any]
SAME = 1e-5  # closer configurations are one: where two branches meet, they are found to half of all digits
ROUNDS, TRIES = 4, 24  # searches go on until so many rounds of so many have brought nothing new
MOST, NEAR = 4000, 1e-9


def branches(scaled: Scaled, start: Array, target: Array, free: Array, tolerance: float) -> list[Closed]:
    """All closed configurations with some coordinates held, the nearest to the start first.

    Held are those that were asked for; if none were, independent ones where the start has them.
    """
    if free.all():
        first = nearest(scaled, start, free, tolerance)
        _, A = scaled.at(first.q)
        free, target = free.copy(), first.q
        free[independent_columns(motions(A))] = False
    found = _found(scaled, target, free, tolerance)
    if not found:
        raise cannot(scaled, nearest(scaled, target, free, tolerance), free)
    return sorted(found, key=lambda c: _place(scaled, start, c.q))


def _found(scaled: Scaled, target: Array, free: Array, tolerance: float) -> list[Closed]:
    rng, found, idle, tried = np.random.default_rng(1), [], 0, 0
    starts = [target]
    while idle < ROUNDS and tried < MOST:
        before = len(found)
        for start in starts:
            c = closed(scaled, start, free)
            if c.gap <= tolerance and not any(_same(scaled, c.q, other.q) for other in found):
                _check_isolated(scaled, c.q, free)
                found.append(unwound(scaled, target, c, free))
        tried, idle = tried + len(starts), idle + 1 if len(found) == before else 0
        starts = list(around(scaled, target, free, 2.5, rng, TRIES))
    return found


def _same(scaled: Scaled, q0: Array, q1: Array) -> bool:
    """Whether all bodies stand alike: whole turns do not count."""
    way = q1 - q0
    way = np.where(turning(scaled), (way + np.pi) % (2 * np.pi) - np.pi, way)
    off = scaled.robot.difference(q0, q0 + way) / scaled.measures
    return bool(np.abs(off).max(initial=0.0) < SAME)


def _place(scaled: Scaled, start: Array, q: Array) -> tuple[float, tuple[float, ...]]:
    """For an order that is always the same: by the distance from the start, then by coordinates."""
    off = scaled.robot.difference(start, q) / scaled.measures
    return round(float(np.linalg.norm(off)), 6), tuple(np.round(off, 6))


def _check_isolated(scaled: Scaled, q: Array, free: Array) -> None:
    """Refuse what can move while all that was asked for is held. Where it only seems so branches meet."""
    N = _loose(scaled, q, free)
    if not N.size:
        return
    step = np.zeros(len(free))
    step[free] = AWAY * N[:, 0]
    there = closed(scaled, scaled.moved(q, step), free)
    if there.gap > NEAR or apart(scaled, q, there.q) < 1e-3 * AWAY or not _loose(scaled, there.q, free).size:
        return
    names = [n for n, x in zip(freedom_names(scaled.robot.mechanism), free, strict=True) if x]
    more = [names[k] for k in independent_columns(N)]
    raise AssemblyError(
        f"{scaled.robot.name!r} has branches without number: {N.shape[1]} freedom(s) are left, wanted more "
        f"coordinates fixed, as {', '.join(more)}"
    )


def _loose(scaled: Scaled, q: Array, free: Array) -> Array:
    """The motions that are left to the free coordinates."""
    _, A = scaled.at(q)
    return motions(A[scaled.binds][:, free])
