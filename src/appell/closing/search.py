"""Where to look for a closed configuration: from the nearest outwards, and along the motion of what is held."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..model import manifold
from ..model.joints import TYPES
from .newton import Closed, closed, least
from .scaled import Scaled

Array = np.ndarray[Any, Any]
FARTHER = (0.1, 0.3, 1.0, 3.0)  # how far from the guess searches start, radians or sizes
TRIES = 12  # at each distance
LONGEST, SHORTEST = 0.1, 1e-6  # steps along the motion of what is held


def nearest(scaled: Scaled, q: Array, free: Array, tolerance: float) -> Closed:
    """The nearest closed configuration that is found; where none is, the one that lacks least."""
    first = closed(scaled, q, free)
    if first.gap <= tolerance or not free.any():
        return unwound(scaled, q, first, free)
    least, rng = first, np.random.default_rng(1)
    for distance in FARTHER:
        found = [closed(scaled, start, free) for start in around(scaled, q, free, distance, rng)]
        good = [unwound(scaled, q, c, free) for c in found if c.gap <= tolerance]
        if good:
            return min(good, key=lambda c: apart(scaled, q, c.q))
        least = min([least, *found], key=lambda c: c.gap)
    return least


def around(scaled: Scaled, q: Array, free: Array, distance: float, rng: Any, tries: int = TRIES) -> Iterator[Array]:
    """Places about so far from q."""
    for _ in range(tries):
        yield scaled.moved(q, np.where(free, distance * rng.normal(size=len(free)), 0.0))


def apart(scaled: Scaled, q0: Array, q1: Array) -> float:
    """How far two configurations are from each other, radians or sizes."""
    return float(np.linalg.norm(scaled.robot.difference(q0, q1) / scaled.measures))


def unwound(scaled: Scaled, q: Array, found: Closed, free: Array) -> Closed:
    """The same configuration with every angle less than half a turn from q's, where that changes nothing."""
    turns = turning(scaled) & _single(scaled, free)
    back = np.where(turns, np.round((found.q - q) / (2 * np.pi)) * 2 * np.pi, 0.0)
    if not back.any():
        return found
    same = closed(scaled, found.q - back, free, steps=2)
    return same if same.gap <= max(2 * found.gap, 1e-15) else found


def turning(scaled: Scaled) -> Array:
    """Which places of q are angles whose whole turns change nothing in their joint."""
    out = np.zeros(scaled.robot.nq, bool)
    for body, start in zip(scaled.robot.bodies, scaled.robot.mechanism.q_starts, strict=False):
        kind = TYPES[body.joint.type]
        if kind.is_scalar:
            out[start : start + kind.positions] = [k == "revolute" for k in kind.chain]
    return out


def _single(scaled: Scaled, free: Array) -> Array:
    """Free coordinates, by their places in q."""
    out = np.zeros(scaled.robot.nq, bool)
    iq, iv, _ = manifold.layout(scaled.robot.mechanism)
    out[iq] = free[iv]
    return out


def led(scaled: Scaled, q: Array, target: Array, free: Array, tolerance: float) -> tuple[Closed, float]:
    """From the closed q along the motion in which the coordinates that are not free go straight to the target's.

    What follows is predicted along the way it has come, and corrected; where it would leap, steps are halved. The
    second number is the part of the way that could be gone.
    """
    way = np.where(free, 0.0, scaled.robot.difference(q, target) / scaled.measures)
    here, done, last = Closed(q, np.zeros(0), np.zeros(0)), 0.0, None
    step = min(1.0, LONGEST / max(float(np.abs(way).max(initial=0.0)), 1e-300))
    least, most = SHORTEST * step, step
    while done < 1.0 and step >= least:
        step = min(step, 1.0 - done)
        ahead = last * step if last is not None else _tangent(scaled, here.q, way, free) * step
        there = closed(scaled, _held(scaled, here.q, ahead, target if done + step == 1 else None, free), free, 20)
        came = scaled.robot.difference(here.q, there.q) / scaled.measures
        off = np.abs(came - ahead).max(initial=0.0)
        if there.gap <= tolerance and off <= 0.02 + 0.2 * np.abs(ahead).max(initial=0.0) and _short(came):
            here, done, last = there, done + step, came / step
            step = min(1.5 * step, most)
        else:
            step, last = step / 2, None if last is None or step < 8 * least else last
    return here, done


def _short(came: Array) -> bool:
    return bool(np.abs(came).max(initial=0.0) < 5 * LONGEST)


def _tangent(scaled: Scaled, q: Array, way: Array, free: Array) -> Array:
    """The velocity with which everything follows."""
    _, A = scaled.equations(q)
    A, out = A[scaled.binds], way.copy()
    out[free] = least(A[:, free], A @ way)
    return out


def _held(scaled: Scaled, q: Array, ahead: Array, target: Array | None, free: Array) -> Array:
    """q moved ahead; at the end what is held stands exactly where it was wanted."""
    there = scaled.moved(q, ahead)
    if target is None:
        return there
    exact = held_places(scaled, ~free)
    return np.where(exact, target, there)


def held_places(scaled: Scaled, held: Array) -> Array:
    """The places in q of freedoms: of all of a joint where it holds a quaternion."""
    mechanism = scaled.robot.mechanism
    out = np.zeros(mechanism.nq, bool)
    for k, body in enumerate(mechanism.bodies):
        (a, b), (i, j) = mechanism.q_starts[k : k + 2], mechanism.v_starts[k : k + 2]
        out[a:b] = held[i:j] if TYPES[body.joint.type].is_scalar else held[i:j].all()
    return out
