"""Measurements made ready to identify from: gaps found, noise filtered, velocities and accelerations derived."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..robot import Robot
from .closed_data import whole
from .factors import Block
from .seen import Seen
from .signals import signals_of
from .smoothing import Smooth, smooth
from .sound import believed, finite, in_order, later, pieces_of
from .table import Table, table

Array = np.ndarray[Any, Any]
BLOCK = 4096  # samples of a block


class Spectrum(NamedTuple):
    """Amplitudes (.., n) of coordinates as they were measured, by their frequencies in Hz."""

    frequency: Array
    amplitude: Array


@dataclass(frozen=True, eq=False)
class Measurements:
    """Samples (N, ..) of motion and force; `weight`, of tau's shape, is 0 where a force is not to be believed.

    Of a closed mechanism tau are the forces on `coordinates`, the joints of its motors; q, v and a are all joints'.
    Where forces were filtered, `seen` has the motion at all samples, as a model's forces must be filtered as well.
    """

    t: Array
    q: Array
    v: Array
    a: Array
    tau: Array
    weight: Array | None = None
    cutoff: float | None = None  # of the filter, in Hz
    notes: tuple[str, ...] = ()
    coordinates: tuple[str, ...] = ()
    seen: Seen | None = None
    spectrum: Spectrum | None = None  # of what was filtered

    def __len__(self) -> int:
        return len(self.t)

    def blocks(self, weight: Array | None = None) -> Iterator[Block]:
        """The samples in blocks, as `reduced` takes them; a further weight multiplies their own."""
        both = self.weight if weight is None else weight if self.weight is None else weight * self.weight
        if self.seen is None:
            whole = Block(self.q, self.v, self.a, self.tau, both)
            yield from (whole.part(slice(k, k + BLOCK)) for k in range(0, len(self), BLOCK))
            return
        for chunk in self.seen.chunks():
            some = None if both is None else both[chunk.kept]
            yield Block(*chunk.motion, self.tau[chunk.kept], some, chunk.filtered)

    def forces(self, asked: Callable[[Array, Array, Array], Array]) -> Array:
        """What a model says of these forces: its own for the motion, filtered as they were."""
        return asked(self.q, self.v, self.a) if self.seen is None else self.seen.forces(asked)

    def part(self, some: Any) -> Measurements:
        """Some of the samples."""
        fewer = {n: getattr(self, n)[some] for n in ("t", "q", "v", "a", "tau")}
        weight = None if self.weight is None else self.weight[some]
        return replace(self, **fewer, weight=weight, seen=None if self.seen is None else self.seen.part(some))


def measurements(
    robot: Robot, data: Any, *, cutoff: float | None = None, mend: bool = False, thin: bool = True,
    delay: float = 0.0, actuators: Sequence[str] = (), guess: Any = None, branch: str | None = None,
) -> Measurements:  # fmt: skip
    """Measurements of a robot from a `Table` or a mapping of columns: t, q1.., tau1.., and v, a if they were measured.

    Where v or a are missing, all signals are filtered without delay (Butterworth, order 4, both ways) up to `cutoff` in
    Hz, by default where the motion ends in the spectrum, v and a are derived, and with `thin` as many samples are kept
    as the filter leaves independent. Samples that are no numbers, gaps and forces at a limit are left out, and noted.
    Time that runs backwards or stands still is an error, unless `mend` puts it in order. Forces take effect `delay` s
    after the positions of their row were read: of commands that a loop holds, half a period at least.

    Of a closed mechanism the data hold forces of its motors (or of `actuators`) and coordinates of as many joints as
    it has freedoms; how all others move follows, from the configuration nearest to a guess or on a branch, as
    `Robot.assemble` has them.
    """
    given = data if isinstance(data, Table) else table(data)
    signals, notes = signals_of(robot, given, actuators), list(given.notes)
    found = finite(in_order(signals.of(given, notes), given.source, mend, notes), notes)
    found["weight"] = believed(signals, found["tau"], notes)
    pieces, soft = pieces_of(found["t"], notes), None
    found["tau"] = later(found["t"], found["tau"], pieces, delay)
    if "v" not in found or "a" not in found or cutoff is not None:
        soft = smooth(robot, found, pieces, cutoff, notes)
        found = soft.signals
    found = whole(signals, found, guess, branch, notes) if signals.coordinates else found
    if soft is not None:
        return _filtered(soft, found, thin, notes, signals.coordinates)
    weight = None if found["weight"].all() else found.pop("weight")
    exact: Any = {name: found[name] for name in ("t", "q", "v", "a", "tau")}
    return Measurements(**exact, weight=weight, notes=tuple(notes), coordinates=signals.coordinates)


def _filtered(
    soft: Smooth, found: dict[str, Array], thin: bool, notes: list[str], coordinates: tuple[str, ...]
) -> Measurements:  # fmt: skip
    """Forces filtered, and those samples kept that are independent then."""
    kept = soft.kept(thin, notes)
    seen = Seen(found["q"], found["v"], found["a"], kept, soft.pieces, soft.step, soft.limit)
    tau, doubted = seen.filtered(found["tau"]), seen.filtered(1.0 - found["weight"])
    weight = (np.abs(doubted) < 1e-3) * 1.0
    exact: dict[str, Any] = {name: found[name][kept] for name in ("t", "q", "v", "a")}
    told: dict[str, Any] = {"weight": None if weight.all() else weight, "seen": seen, "coordinates": coordinates}
    return Measurements(
        **exact, tau=tau, **told, cutoff=soft.limit, notes=tuple(notes), spectrum=Spectrum(*soft.spectrum)
    )
