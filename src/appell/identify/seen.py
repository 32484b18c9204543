"""Forces as filtered measurements show them: a model's must go through the same filter before they are compared.

Dry friction jumps where a joint turns round, and a filter makes a slope of that. With F the filter, F tau = (F K) phi
holds whatever F is; F tau = K phi does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .filtering import WIDTH, lost, smoothed

Array = np.ndarray[Any, Any]
SIZE = 4096  # samples that are filtered at once, or a few times what a filter spoils


@dataclass(frozen=True, eq=False)
class Seen:
    """A motion at all its samples, and which of them are `kept` after filtering up to `limit` Hz."""

    q: Array
    v: Array
    a: Array
    kept: Array  # places of samples, rising
    pieces: Array  # the number of the piece, without a gap, that each sample belongs to
    step: float
    limit: float

    @property
    def likeness(self) -> float:
        """How many samples say as much as one would alone: neighbours share their noise, what is slow all of it."""
        every = float(np.median(np.diff(self.kept))) if len(self.kept) > 1 else 1.0
        return max(1.0, 0.5 / (self.step * every * WIDTH * self.limit))

    def part(self, some: Any) -> Seen:
        """Fewer of the samples kept."""
        return replace(self, kept=self.kept[some])

    def forces(self, asked: Callable[[Array, Array, Array], Array]) -> Array:
        """A model's forces, (kept, ...), filtered."""
        return np.concatenate([c.filtered(asked(*c.motion)) for c in self.chunks()])

    def filtered(self, signal: Array) -> Array:
        """A signal with a row for each sample, (kept, ...)."""
        return np.concatenate([c.filtered(signal[c.some]) for c in self.chunks()])

    def chunks(self) -> Iterator[Chunk]:
        """Stretches of samples, with as much around what is kept as the filter spoils."""
        around = 2 * lost(self.step, self.limit)
        size, start = max(SIZE, 4 * around), 0
        while start < len(self.kept):
            first = self.kept[start]
            far = np.searchsorted(self.kept, first + size)
            other = start + int(np.argmax(self.pieces[self.kept[start:]] != self.pieces[first]))
            end = min(far, other) if other > start else far
            low, high = np.searchsorted(self.pieces, [self.pieces[first], self.pieces[first] + 1])
            some = slice(int(max(low, first - around)), int(min(high, self.kept[end - 1] + around + 1)))
            yield Chunk(self, some, slice(start, int(end)))
            start = int(end)


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some of the samples, and those of the kept ones among them."""

    seen: Seen
    some: slice
    kept: slice

    @property
    def motion(self) -> tuple[Array, Array, Array]:
        """q, v and a of all samples."""
        return self.seen.q[self.some], self.seen.v[self.some], self.seen.a[self.some]

    def filtered(self, signal: Array) -> Array:
        """A signal (samples, ...), where it is kept."""
        flat = smoothed(signal.reshape(len(signal), -1), self.seen.step, self.seen.limit)
        rows = flat[self.seen.kept[self.kept] - self.some.start]
        return rows.reshape(len(rows), *signal.shape[1:])
