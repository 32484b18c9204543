"""Measurements made ready to identify from: gaps found, noise filtered, velocities and accelerations derived."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import DataError
from ..model.manifold import quaternions
from ..robot import Robot
from .factors import Block
from .filtering import cut_off, differentiated, lost, smoothed, too_short
from .table import Table, of_robot, table

Array = np.ndarray[Any, Any]
JUMP = 1.5  # sampling times in one step of time are a gap
JITTER = 0.02  # of a sampling time is none
STUCK = 5  # samples in a row at the very largest force are a limit, not a measurement
SIZE = 4096  # samples of a block


@dataclass(frozen=True, eq=False)
class Measurements:
    """Samples (N, ..) of motion and force; `weight` (N, nv) is 0 where a force is not to be believed."""

    t: Array
    q: Array
    v: Array
    a: Array
    tau: Array
    weight: Array | None = None
    cutoff: float | None = None  # of the filter, in Hz
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.t)

    def blocks(self, weight: Array | None = None) -> Iterator[Block]:
        """The samples in blocks, as `reduced` takes them; a further weight multiplies their own."""
        both = self.weight if weight is None else weight if self.weight is None else weight * self.weight
        whole = Block(self.q, self.v, self.a, self.tau, both)
        for k in range(0, len(self), SIZE):
            yield whole.part(slice(k, k + SIZE))

    def part(self, some: Any) -> Measurements:
        """Some of the samples."""
        weight = None if self.weight is None else self.weight[some]
        return replace(self, **{n: getattr(self, n)[some] for n in ("t", "q", "v", "a", "tau")}, weight=weight)


def measurements(
    robot: Robot, data: Any, *, cutoff: float | None = None, mend: bool = False, thin: bool = True
) -> Measurements:  # fmt: skip
    """Measurements of a robot from a `Table` or a mapping of columns: t, q1.., tau1.., and v, a if they were measured.

    Where v or a are missing, all signals are filtered without delay (Butterworth, order 4, both ways) up to `cutoff` in
    Hz, by default where the motion ends in the spectrum, v and a are derived, and with `thin` as many samples are kept
    as the filter leaves independent. Samples that are no numbers, gaps and forces at a limit are left out, and noted.
    Time that runs backwards or stands still is an error, unless `mend` puts it in order.
    """
    given = data if isinstance(data, Table) else table(data)
    found = of_robot(robot, given)
    notes = list(given.notes)
    found = _in_order(found, given.source, mend, notes)
    found = _finite(found, notes)
    weight = _believed(robot, found["tau"], notes)
    pieces = _pieces(found["t"], notes)
    if "v" in found and "a" in found and cutoff is None:
        signals: Any = found
        return Measurements(**signals, weight=weight, notes=tuple(notes))
    return _filtered(robot, found, weight, pieces, cutoff, thin, notes)


def _in_order(found: dict[str, Array], source: str, mend: bool, notes: list[str]) -> dict[str, Array]:
    t = found["t"]
    k = np.flatnonzero(~(np.diff(t) > 0) & np.isfinite(np.diff(t)))
    if not k.size:
        return found
    how = "stands still" if t[k[0] + 1] == t[k[0]] else "runs backwards"
    what = f"time {how} at row {k[0] + 2}, t = {t[k[0]]:g}"
    if not mend:
        raise DataError(f"{source}: {what} ({k.size} such rows), wanted rising time, or mend=True to sort and thin out")
    order = np.unique(t, return_index=True)[1]
    notes.append(f"{what}: sorted, {len(t) - len(order)} of {len(t)} rows left out as doubles")
    return {name: x[order] for name, x in found.items()}


def _finite(found: dict[str, Array], notes: list[str]) -> dict[str, Array]:
    good = np.all([np.isfinite(x).reshape(len(x), -1).all(1) for x in found.values()], axis=0)
    if good.all():
        return found
    if not good.any():
        raise DataError("no row of the data is all numbers, wanted some without NaN")
    first = int(np.argmin(good))
    text = f"{int((~good).sum())} of {len(good)} rows hold NaN or infinity"
    notes.append(f"{text}, the first is row {first + 1}: left out")
    return {name: x[good] for name, x in found.items()}


def _believed(robot: Robot, tau: Array, notes: list[str]) -> Array | None:
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
                notes.append(f"tau{j + 1} stands at {end:.6g} for {count} samples: a limit was reached; left out")
    return None if weight.all() else weight


def _pieces(t: Array, notes: list[str]) -> list[slice]:
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


def _filtered(
    robot: Robot, found: dict[str, Array], weight: Array | None, pieces: list[slice], cutoff: float | None,
    thin: bool, notes: list[str],
) -> Measurements:  # fmt: skip
    """Every piece smoothed and differentiated by itself."""
    if quaternions(robot.mechanism):
        raise DataError(f"robot {robot.name!r} has a quaternion in q: measure v and a, they are not derived from it")
    step = float(np.median(np.diff(found["t"])))
    longest = max(pieces, key=lambda p: p.stop - p.start)
    limit = cut_off(found["q"][longest], step) if cutoff is None else float(cutoff)
    if not 0 < limit < 0.5 / step:
        raise DataError(f"cutoff is {limit:g} Hz, wanted above 0 and below {0.5 / step:g} Hz, half the sampling rate")
    chosen = " (chosen by the spectrum of q)" if cutoff is None else ""
    notes.append(f"filtered without delay up to {limit:.4g} Hz{chosen}")
    every = max(1, int(0.5 / (step * limit) + 1e-6)) if thin else 1
    done = [_piece(found, weight, p, step, limit, every, notes) for p in pieces]
    rows = [x for x in done if x is not None]
    if not rows:
        raise DataError(f"no piece of the data is long enough to be filtered at {limit:.4g} Hz")
    if every > 1:
        notes.append(f"one sample of {every} is kept: the filter leaves no more independent")
    t, q, v, a, tau, w = (np.concatenate(x) for x in zip(*rows, strict=True))
    return Measurements(t, q, v, a, tau, None if w.all() else w, limit, tuple(notes))


def _piece(
    found: dict[str, Array], weight: Array | None, piece: slice, step: float, limit: float, every: int,
    notes: list[str],
) -> tuple[Array, ...] | None:  # fmt: skip
    signals = {name: x[piece] for name, x in found.items()}
    t = signals["t"]
    signals["weight"] = np.ones_like(signals["tau"]) if weight is None else weight[piece]
    if too_short(len(t), step, limit):
        notes.append(f"the piece from t = {t[0]:.6g} to {t[-1]:.6g} s is too short to be filtered: left out")
        return None
    if np.abs(np.diff(t) - step).max() > JITTER * step:
        notes.append(f"sampling times from t = {t[0]:.6g} s differ by up to {np.ptp(np.diff(t)):.3g} s: made even")
        signals = _even(signals, step)
    soft = {name: smoothed(signals[name], step, limit) for name in ("q", "v", "a", "tau") if name in signals}
    v = soft["v"] if "v" in soft else differentiated(soft["q"], step)
    a = soft["a"] if "a" in soft else differentiated(v, step)
    k = lost(step, limit)
    some = slice(k, len(v) - k, every)
    return tuple(x[some] for x in (signals["t"], soft["q"], v, a, soft["tau"], signals["weight"]))


def _even(signals: dict[str, Array], step: float) -> dict[str, Array]:
    """The signals at times that are evenly spaced; weights are not mixed."""
    t = signals["t"]
    at = t[0] + step * np.arange(round((t[-1] - t[0]) / step) + 1)
    nearest = np.clip(np.searchsorted(t, at - step / 2), 0, len(t) - 1)
    even = {n: np.stack([np.interp(at, t, c) for c in x.T], -1) for n, x in signals.items() if x.ndim == 2}
    return {**even, "t": at, "weight": signals["weight"][nearest]}
