"""What is wrong with measurements: time that goes back, gaps, numbers that are none, forces at a limit."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import DataError
from .signals import Signals

Array = np.ndarray[Any, Any]
JUMP = 1.5  # sampling times in one step of time are a gap
STUCK = 5  # samples in a row at the very largest force are a limit, not a measurement


def in_order(found: dict[str, Array], source: str, mend: bool, notes: list[str]) -> dict[str, Array]:
    t = found["t"]
    k = np.flatnonzero(~(np.diff(t) > 0) & np.isfinite(np.diff(t)))
    if not k.size:
        return found
    how = "stands still" if t[k[0] + 1] == t[k[0]] else "runs backwards"
    what = f"time {how} at row {k[0] + 2}, t = {t[k[0]]:g}"
    if not mend:
        raise DataError(f"{source}: {what} ({k.size} such rows), wanted rising time, or mend=True (--mend) to sort it")
    order = np.unique(t, return_index=True)[1]
    notes.append(f"{what}: sorted, {len(t) - len(order)} of {len(t)} rows left out as doubles")
    return {name: x[order] for name, x in found.items()}


def finite(found: dict[str, Array], notes: list[str]) -> dict[str, Array]:
    good = np.all([np.isfinite(x).reshape(len(x), -1).all(1) for x in found.values()], axis=0)
    if good.all():
        return found
    if not good.any():
        raise DataError("no row of the data is all numbers, wanted some without NaN")
    first = int(np.argmin(good))
    text = f"{int((~good).sum())} of {len(good)} rows hold NaN or infinity"
    notes.append(f"{text}, the first is row {first + 1}: left out")
    return {name: x[good] for name, x in found.items()}


def believed(signals: Signals, tau: Array, notes: list[str]) -> Array:
    """Weights that are 0 where a force stays at its largest or least value."""
    weight = np.ones_like(tau)
    for j, x in enumerate(tau.T):
        for end in (x.max(initial=-np.inf), x.min(initial=np.inf)):
            at = x == end
            starts = np.flatnonzero(np.diff(np.concatenate([[0], at, [0]])) == 1)
            ends = np.flatnonzero(np.diff(np.concatenate([[0], at, [0]])) == -1)
            runs = [(s, e) for s, e in zip(starts, ends, strict=True) if e - s >= STUCK]
            if runs and np.ptp(x) > 0:
                count = sum(e - s for s, e in runs)
                for s, e in runs:
                    weight[s:e, j] = 0.0
                name = signals.motors[j] if signals.motors else f"tau{j + 1}"
                notes.append(f"{name} stands at {end:.6g} for {count} samples: a limit was reached; left out")
    return weight


def pieces_of(t: Array, notes: list[str]) -> list[slice]:
    """Where time goes on without a gap."""
    if len(t) < 2:
        raise DataError(f"the data has {len(t)} rows, wanted many")
    step = float(np.median(np.diff(t)))
    gaps = np.flatnonzero(np.diff(t) > JUMP * step)
    for k in gaps[:5].tolist():
        notes.append(f"a gap of {t[k + 1] - t[k]:.4g} s after t = {t[k]:.6g} s: filtered on either side apart")
    if gaps.size > 5:
        notes.append(f"and {gaps.size - 5} more gaps")
    edges = [0, *(gaps + 1).tolist(), len(t)]
    return [slice(a, b) for a, b in pairwise(edges)]


def later(t: Array, tau: Array, pieces: list[slice], delay: float) -> Array:
    """Forces at the times at which they take effect, a delay after their rows."""
    if not abs(delay) < (t[-1] - t[0]) / 2:
        raise DataError(f"delay is {delay!r} s, wanted a time, far shorter than the data")
    if not delay:
        return tau
    parts = [np.stack([np.interp(t[p] - delay, t[p], x) for x in tau[p].T], -1) for p in pieces]
    return np.concatenate(parts)
