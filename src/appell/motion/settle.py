"""Bounces too small to be followed: contacts that are pressed and hardly open come to rest at once.

Pure functions of what is near at one instant; nothing here knows a robot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .complementarity import complementary, held

Array = np.ndarray[Any, Any]
RISE = 1e-3  # of the gap's tolerance: a bounce that rises less is left out, and the contact rests
NEAR = 4.0  # times how far from its wall a contact is left: the same
NOISE = 1e-11  # metres per second: normal velocities that are none
STRONGER = 10.0  # how much harder than in free motion contacts are pressed at most by each other


@dataclass(frozen=True)
class Opening:
    """k contacts at one instant, none of which closes; the rows after them are velocities along walls that stick."""

    A: Array  # the velocities that unit impulses make
    up: Array  # normal velocities, and those along walls
    free: Array  # (k,) normal accelerations if nothing pushed
    rise: Array  # (k,) heights below which a hop is left out


@dataclass(frozen=True)
class Settled:
    """Which contacts rest from now on, by which impulses, and how long the hop would last that each leaves out."""

    rests: Array  # (k,)
    impulse: Array  # of all rows
    hop: Array  # (k,)


def slow(up: Array, free: Array, rise: Array) -> Array:
    """Which contacts open so slowly that they may have to rest: a first look."""
    return (up > NOISE) & (up * up <= 2 * STRONGER * rise * np.abs(free).max(initial=0.0))


def settled(near: Opening, hops: Array) -> Settled:
    """What comes to rest: the hops, all that is pressed and would rise next to nothing, and what that slows down."""
    k = len(hops)
    rests, lasts = hops.copy(), np.zeros(k)
    while True:
        f = _held_open(near, rests)
        up = (near.up + near.A @ f)[:k]
        doubtful = slow(up, near.free, near.rise) & ~rests
        if not doubtful.any():
            return Settled(rests, f, lasts)
        pressed = _pressed(near.A[:k, :k], near.free, (up <= NOISE) | rests)
        more = doubtful & (up * up <= 2 * pressed * near.rise)
        if not more.any():
            return Settled(rests, f, lasts)
        lasts[more] = 2 * up[more] / pressed[more]
        rests |= more


def _pressed(A: Array, free: Array, firm: Array) -> Array:
    """How fast contacts would close if only the firm ones pushed."""
    f = np.zeros(len(free))
    f[firm] = complementary(A[np.ix_(firm, firm)], free[firm])
    return np.maximum(-(free + A @ f), 0.0)


def _held_open(near: Opening, rests: Array) -> Array:
    """Impulses that leave what rests or sticks without velocity, and push where others would close through that.

    Velocities are projected onto those with J v = 0 for what rests and J v >= 0 for the others, so energy goes down.
    """
    A, up, o = near.A, near.up, np.flatnonzero(~rests)
    f, s = np.zeros(len(up)), np.append(np.flatnonzero(rests), np.arange(len(rests), len(up)))
    if not rests.any():
        return f
    B = A[np.ix_(s, s)]
    still = held(B, up[s])
    f[s] = -still
    then = up[o] - A[np.ix_(o, s)] @ still
    if len(o) and then.min() < -NOISE:
        X = np.stack([held(B, A[s, k]) for k in o], 1)
        C = A[np.ix_(o, o)] - A[np.ix_(o, s)] @ X
        f[o] = complementary(0.5 * (C + C.T), then)
        f[s] -= X @ f[o]
    return f
