"""Measured motions without their noise, and how fast they are: at every sample, stretch by stretch without a gap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import DataError
from ..robot import Robot
from .filtering import amplitudes, cut_off, differentiated, lost, smoothed, too_short
from .turning import continuous, rates, unit

Array = np.ndarray[Any, Any]
JITTER = 0.02  # of a sampling time is none


@dataclass(frozen=True, eq=False)
class Smooth:
    """Signals t, q, v, a and, as they were measured, tau and weight, at even times; where pieces are, by number."""

    signals: dict[str, Array]
    pieces: Array
    step: float
    limit: float  # of the filter, in Hz
    spectrum: tuple[Array, Array]

    def kept(self, thin: bool, notes: list[str]) -> Array:
        """Places of samples that the filter leaves independent, but for those that it spoils at the ends."""
        every = max(1, int(0.5 / (self.step * self.limit) + 1e-6)) if thin else 1
        if every > 1:
            notes.append(f"one sample of {every} is kept: the filter leaves no more independent")
        spoilt, edges = lost(self.step, self.limit), np.flatnonzero(np.diff(self.pieces, prepend=-1, append=-1))
        return np.concatenate([np.arange(a + spoilt, b - spoilt, every) for a, b in pairwise(edges.tolist())])


def smooth(
    robot: Robot, found: dict[str, Array], pieces: Sequence[slice], cutoff: float | None, notes: list[str]
) -> Smooth:  # fmt: skip
    """Every piece smoothed and differentiated by itself."""
    q = continuous(robot, found["q"])
    found = {**found, "q": q}
    if not np.ptp(q, axis=0).max(initial=0.0) > 0:
        raise DataError("no joint moves in the data, wanted a motion that excites the robot")
    step = float(np.median(np.diff(found["t"])))
    longest = max(pieces, key=lambda p: p.stop - p.start)
    limit = cut_off(q[longest], step) if cutoff is None else float(cutoff)
    if not 0 < limit < 0.5 / step:
        raise DataError(f"cutoff is {limit:g} Hz, wanted above 0 and below {0.5 / step:g} Hz, half the sampling rate")
    chosen = " (chosen by the spectrum of q)" if cutoff is None else ""
    notes.append(f"filtered without delay up to {limit:.4g} Hz{chosen}")
    done = [x for p in pieces if (x := _piece(robot, found, p, step, limit, notes)) is not None]
    if not done:
        raise DataError(f"no piece of the data is long enough to be filtered at {limit:.4g} Hz")
    signals = {name: np.concatenate([x[name] for x in done]) for name in done[0]}
    number = np.repeat(np.arange(len(done)), [len(x["t"]) for x in done])
    return Smooth(signals, number, step, limit, amplitudes(q[longest], step))


def _piece(
    robot: Robot, found: dict[str, Array], piece: slice, step: float, limit: float, notes: list[str]
) -> dict[str, Array] | None:  # fmt: skip
    signals = {name: x[piece] for name, x in found.items()}
    t = signals["t"]
    if too_short(len(t), step, limit):
        notes.append(f"the piece from t = {t[0]:.6g} to {t[-1]:.6g} s is too short to be filtered: left out")
        return None
    if np.abs(np.diff(t) - step).max() > JITTER * step:
        notes.append(f"sampling times from t = {t[0]:.6g} s differ by up to {np.ptp(np.diff(t)):.3g} s: made even")
        signals = _even(signals, step)
    soft = {name: smoothed(signals[name], step, limit) for name in ("q", "v", "a") if name in signals}
    q = unit(robot, soft["q"])
    v = soft["v"] if "v" in soft else rates(robot, q, step)
    a = soft["a"] if "a" in soft else differentiated(v, step)
    return {**signals, "q": q, "v": v, "a": a}


def _even(signals: dict[str, Array], step: float) -> dict[str, Array]:
    """The signals at times that are evenly spaced; weights are not mixed."""
    t = signals["t"]
    at = t[0] + step * np.arange(round((t[-1] - t[0]) / step) + 1)
    nearest = np.clip(np.searchsorted(t, at - step / 2), 0, len(t) - 1)
    even = {n: np.stack([np.interp(at, t, c) for c in x.T], -1) for n, x in signals.items() if x.ndim == 2}
    return {**even, "t": at, "weight": signals["weight"][nearest]}
