"""Coulomb's friction in small problems of contact: impulses in cones, as the laws of impact and of rest need them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .complementarity import Unsolvable

Array = np.ndarray[Any, Any]
ENOUGH, NEARLY = 1e-13, 1e-5  # of the largest velocity
ROUNDS = (20, 20, 40, 80, 200, 500, 1500)  # sweeps before each try of Newton's method


def rubbing(W: Array, u: Array, friction: Array, floor: Array | None = None, slide: Array | None = None) -> Array:
    """Impulses f = (normal, tangent, tangent) of each contact, with the velocities w = W f + u after them, such that

        f_n >= floor, w_n >= 0, one of both an equality; |f_t| <= mu f_n, and f_t opposes w_t where that is not zero.

    The same for forces and accelerations, where `slide` (k, 2) holds the directions of contacts that slide already.

    Sweeps over the contacts find who sticks, slides and opens; Newton's method on the same conditions ends it.

    Source: jean1999 for the sweeps, alart1991 for Newton's method.
    """
    k = len(friction)
    problem = W, u, friction, np.zeros(k) if floor is None else floor, _ways(slide, k), _steps(W)
    f = np.zeros(3 * k)
    f[::3] = problem[3]
    scale = max(float(np.abs(u).max(initial=0.0)), 1e-300)
    for rounds in ROUNDS:
        for _ in range(rounds):
            _sweep(*problem, f)
        found = _polished(*problem, f, scale)
        if found is not None:
            return found
    if _off(*problem, f) <= NEARLY * scale:  # redundant contacts on the brink: slow, and good enough
        return f
    raise Unsolvable


def _ways(slide: Array | None, k: int) -> Array:
    return np.zeros((k, 2)) if slide is None else slide


def _steps(W: Array) -> Array:
    """For each contact how far a normal and a tangential velocity move its impulse."""
    k = len(W) // 3
    blocks = np.array([W[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] for i in range(k)]).reshape(k, 3, 3)
    tangential = np.array([np.linalg.norm(b[1:, 1:], 2) for b in blocks])
    normal = blocks[:, 0, 0]
    moves = tangential > 1e-14 * normal  # else nothing can slide here
    return np.stack([1 / np.maximum(normal, 1e-300), moves / np.where(moves, tangential, 1.0)], 1)


def _sweep(W: Array, u: Array, friction: Array, least: Array, ways: Array, steps: Array, f: Array) -> None:
    for i in range(len(friction)):
        a = 3 * i
        f[a] = max(least[i], f[a] - steps[i, 0] * (W[a] @ f + u[a]))
        most, t = friction[i] * f[a], slice(a + 1, a + 3)
        if ways[i].any():
            f[t] = -most * ways[i]
        else:
            f[t] = _in_disk(f[t] - steps[i, 1] * (W[t] @ f + u[t]), most)


def _in_disk(x: Array, radius: float) -> Array:
    size = float(np.hypot(*x))
    return x if size <= radius else x * (radius / size)


def _polished(
    W: Array, u: Array, friction: Array, least: Array, ways: Array, steps: Array, start: Array, scale: float
) -> Array | None:  # fmt: skip
    """Newton's method from where the sweeps came to; None if it does not get there."""
    f = start.copy()
    for _ in range(12):
        F, slope = _conditions(W, u, friction, least, ways, steps, f)
        if np.abs(F * _speeds(steps)).max() <= ENOUGH * scale:
            return f
        f = f - np.linalg.lstsq(slope, F, rcond=1e-13)[0]
    return f if _off(W, u, friction, least, ways, steps, f) <= 1e3 * ENOUGH * scale else None


def _off(W: Array, u: Array, friction: Array, least: Array, ways: Array, steps: Array, f: Array) -> float:
    """By how much the conditions are missed, as a velocity."""
    return float(np.abs(_conditions(W, u, friction, least, ways, steps, f)[0] * _speeds(steps)).max())


def _speeds(steps: Array) -> Array:
    return 1 / np.repeat(steps[:, :1], 3, 1).reshape(-1)


def _conditions(
    W: Array, u: Array, friction: Array, least: Array, ways: Array, steps: Array, f: Array
) -> tuple[Array, Array]:  # fmt: skip
    """What must vanish, f minus what a sweep would make of it all at once, and its derivative."""
    n, w = len(f), W @ f + u
    F, slope, one = f.copy(), np.eye(n), np.eye(n)
    for i, mu in enumerate(friction):
        a, t = 3 * i, slice(3 * i + 1, 3 * i + 3)
        moved = one[a] - steps[i, 0] * W[a]
        pushes = f[a] - steps[i, 0] * w[a] > least[i]
        F[a] -= f[a] - steps[i, 0] * w[a] if pushes else least[i]
        slope[a] -= moved if pushes else 0.0
        x = f[t] - steps[i, 1] * w[t]
        X, size, radius = one[t] - steps[i, 1] * W[t], float(np.hypot(*x)), mu * f[a]
        if ways[i].any():
            F[t] -= -radius * ways[i]
            slope[t] += mu * np.outer(ways[i], one[a])
        elif size <= radius:
            F[t] -= x
            slope[t] -= X
        elif size > 0.0:
            d = x / size
            F[t] -= radius * d
            slope[t] -= (radius / size) * (X - np.outer(d, d @ X)) + mu * np.outer(d, one[a])
    return F, slope
