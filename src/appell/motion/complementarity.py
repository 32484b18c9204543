"""Forces that push and never pull: the small problems of complementarity that contacts pose."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
SMALL = 1e-11  # relative to the largest numbers of a problem, what counts as nothing
FLAT = 1e-6  # of the largest pivot of a Cholesky factor: one that is round-off
ROUNDS = 8


class Unsolvable(Exception):
    """No forces that push can do what is asked."""


def complementary(A: Array, b: Array) -> Array:
    """p >= 0 with A p + b >= 0 and p (A p + b) = 0, for a symmetric A without negative eigenvalues.

    All that are wrongly taken to push, or not to, are exchanged at once, which ends after a few rounds as a rule; if
    not, those that push are found one after the other, the worst violated first. Where they are redundant, as four
    feet on the floor, p is the shortest of all.

    Source: lawson1974, chapter 23.
    """
    n = len(b)
    nothing = SMALL * max(float(np.abs(b).max(initial=0.0)), 1e-300)
    quick = _exchanged(A, b, nothing)
    if quick is not None:
        return _shortest(A, b, quick, A @ quick + b, nothing)
    p, w, pushing = np.zeros(n), b.copy(), np.zeros(n, bool)
    for _ in range(50 + 20 * n):
        worst = int(np.argmin(np.where(pushing, np.inf, w))) if not pushing.all() else -1
        if worst < 0 or w[worst] >= -nothing:
            return _shortest(A, b, p, w, nothing)
        pushing[worst] = True
        p = _with(A, b, p, pushing)
        w = A @ p + b
        if not pushing[worst] and w[worst] < -1e3 * nothing:
            break
    raise Unsolvable


def _exchanged(A: Array, b: Array, nothing: float) -> Array | None:
    """The answer by exchanging all that is wrong; None if that does not end, or what pushes is redundant."""
    pushing = b < -nothing
    for _ in range(ROUNDS):
        p, free = np.zeros(len(b)), np.flatnonzero(pushing)
        B = A[np.ix_(free, free)]
        if redundant(B):
            return None
        p[free] = np.linalg.solve(B, -b[free])
        wrong = np.where(pushing, p < 0, A @ p + b < -nothing)
        if not wrong.any():
            return p
        pushing ^= wrong
    return None


def redundant(A: Array) -> bool:
    """Whether a symmetric matrix, or one of many, has no inverse but for round-off."""
    if not A.size:
        return False
    try:
        pivots = np.linalg.cholesky(A).diagonal(axis1=-2, axis2=-1)
    except np.linalg.LinAlgError:
        return True
    return bool((pivots.min(-1) < FLAT * pivots.max(-1)).any())


def _with(A: Array, b: Array, p: Array, pushing: Array) -> Array:
    """The forces that make the chosen constraints hold, those left out that would pull; changes `pushing`."""
    while pushing.any():
        free = np.flatnonzero(pushing)
        wanted = np.zeros_like(p)
        wanted[free] = held(A[np.ix_(free, free)], -b[free])
        if (wanted[free] > 0).all():
            return wanted
        pulls = free[wanted[free] <= 0]
        step = float(np.min(p[pulls] / (p[pulls] - wanted[pulls] + 1e-300)))
        p = p + step * (wanted - p)
        gone = pulls[p[pulls] <= SMALL * np.abs(p).max(initial=1e-300)]
        pushing[gone if len(gone) else pulls[:1]] = False
        p = np.where(pushing, p, 0.0)
    return np.zeros_like(p)


def held(A: Array, b: Array) -> Array:
    """The shortest x with A x = b; where A is singular, as nearly as can be."""
    if len(b) == 1:
        return b / A[0, 0] if A[0, 0] > 0 else np.zeros(1)
    if len(b) == 0:
        return np.zeros(0)
    size = np.sqrt(np.maximum(A.diagonal(), 1e-300))
    C = A / np.outer(size, size)
    return np.linalg.lstsq(C, b / size, rcond=1e-11)[0] / size


def _shortest(A: Array, b: Array, p: Array, w: Array, nothing: float) -> Array:
    """Of all solutions the shortest, which treats alike what is alike, if it pushes."""
    tight = np.flatnonzero(np.abs(w) <= 10 * nothing)
    if len(tight) <= np.count_nonzero(p) or not p.any():
        return p
    even = np.linalg.lstsq(A[np.ix_(tight, tight)], -b[tight], rcond=1e-11)[0]
    other = np.zeros_like(p)
    other[tight] = even
    good = (even >= 0).all() and (A @ other + b >= -10 * nothing).all()
    return other if good else p
