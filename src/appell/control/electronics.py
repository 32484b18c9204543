"""What stands between the joints of a robot and the numbers of a PC: encoders, potentiometers, amplifiers, motors.

Every value is a number for all joints or one for each. The same objects serve both sides: a simulated device turns
angles into counts and volts into forces with them, the control loop counts back into angles and forces into volts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import ShapeError

Array = np.ndarray[Any, Any]
TURN = 2 * np.pi
ROUNDING = 1e-9  # of a count: an index pulse that stands on a line is on its upper side


@dataclass(frozen=True, eq=False)
class Encoders:
    """Incremental encoders with an index pulse once a turn of their shaft.

    `lines` per turn, of which each gives `edges` counts; `gear` turns of the shaft for one of the joint; `index` is
    the angle of the shaft at which the pulse comes, with the joint's zero as zero.
    """

    lines: Any
    gear: Any = 1.0
    index: Any = 0.0
    edges: int = 4

    def __post_init__(self) -> None:
        if not (np.all(np.asarray(self.lines) > 0) and np.all(np.asarray(self.gear) != 0) and self.edges in (1, 2, 4)):
            text = f"lines {self.lines}, gear {self.gear}, edges {self.edges}"
            raise ShapeError(f"encoders got {text}; wanted lines above 0, a gear that is not 0, and 1, 2 or 4 edges")

    @cached_property
    def resolution(self) -> Array:
        """The angle of the joint for one count, with the sign of the gear."""
        return TURN / (np.asarray(self.lines, float) * self.edges * np.asarray(self.gear, float))

    def lines_passed(self, q: Array) -> Array:
        """How many counts lie between zero and q."""
        return np.floor(q / self.resolution + ROUNDING).astype(np.int64)

    def turns(self, q: Array) -> Array:
        """How many index pulses lie between zero and q."""
        return np.floor((q * np.asarray(self.gear) - np.asarray(self.index)) / TURN)

    def mark(self, turn: Array) -> Array:
        """The joint's angle at an index pulse."""
        return (turn * TURN + np.asarray(self.index)) / np.asarray(self.gear)

    def nearest(self, q: Array) -> Array:
        """The index mark that is nearest to q."""
        return self.mark(np.round((q * np.asarray(self.gear) - np.asarray(self.index)) / TURN))


@dataclass(frozen=True, eq=False)
class Potentiometers:
    """From `low` to `high` of the joint 0 to `volts`, with white noise of `noise` volts, through a converter."""

    low: Any
    high: Any
    noise: Any = 0.0
    volts: float = 5.0
    bits: int | None = 12

    def __post_init__(self) -> None:
        if not np.all(np.asarray(self.high, float) > np.asarray(self.low, float)):
            raise ShapeError(f"potentiometers from {self.low} to {self.high}, wanted low < high")
        if not np.all(np.asarray(self.noise, float) >= 0):
            raise ShapeError(f"potentiometers got a noise of {self.noise} V, wanted 0 or more")

    @cached_property
    def span(self) -> Array:
        """The angle for all of the volts."""
        return np.asarray(self.high, float) - np.asarray(self.low, float)

    def read(self, q: Array, rng: np.random.Generator) -> Array:
        """Volts at q, as the converter tells them."""
        u = (q - np.asarray(self.low)) / self.span * self.volts + np.asarray(self.noise) * rng.standard_normal(len(q))
        return converted(u, 0.0, self.volts, self.bits)

    def angle(self, volts: Array) -> Array:
        """q from volts."""
        return np.asarray(self.low) + np.asarray(volts) / self.volts * self.span


@dataclass(frozen=True, eq=False)
class Motors:
    """Amplifiers that turn volts into forces of the joints, and how warm the motors get.

    Voltages go through a converter of `bits` (None: as fine as numbers are) and within +-`volts`. Warmth follows the
    squared force with the time `cooling`: at `forever` N m, for ever, it comes just to where the switch opens.
    """

    force_per_volt: Any
    volts: float = 10.0
    bits: int | None = 12
    forever: Any = np.inf
    cooling: Any = 600.0

    def __post_init__(self) -> None:
        if not np.all(np.asarray(self.force_per_volt, float) != 0) or not 0 < self.volts < np.inf:
            text = f"force_per_volt {self.force_per_volt}, volts {self.volts}"
            raise ShapeError(f"motors got {text}; wanted a constant that is not 0, and a limit above 0")
        if not (np.all(np.asarray(self.forever) > 0) and np.all(np.asarray(self.cooling) > 0)):
            raise ShapeError(f"motors got forever {self.forever}, cooling {self.cooling}; wanted numbers above 0")

    @staticmethod
    def of(constant: Any, gear: Any, amperes_per_volt: Any, **rest: Any) -> Motors:
        """By the motor's torque constant in N m/A, its gear, and the amplifier's current for a volt."""
        force = np.asarray(constant, float) * np.asarray(gear, float) * np.asarray(amperes_per_volt, float)
        return Motors(force, **rest)

    @cached_property
    def limit(self) -> Array:
        """The largest force."""
        return np.abs(np.asarray(self.force_per_volt, float)) * self.volts

    def voltage(self, force: Array) -> Array:
        """The volts for a force, within the limit."""
        return np.clip(force / np.asarray(self.force_per_volt, float), -self.volts, self.volts)

    def sent(self, volts: Array) -> Array:
        """What comes out of the converter."""
        return converted(volts, -self.volts, self.volts, self.bits)

    def force(self, volts: Array) -> Array:
        """The forces of the joints."""
        return np.asarray(volts) * np.asarray(self.force_per_volt, float)

    def warmed(self, heat: Array, force: Array, time: float) -> Array:
        """Warmth after a time under a force; from 1 on the switch is open."""
        share = np.exp(-time / np.asarray(self.cooling, float))
        return heat * share + (force / np.asarray(self.forever, float)) ** 2 * (1 - share)


def converted(x: Array, low: float, high: float, bits: int | None) -> Array:
    """What a converter makes of a voltage: 2^bits steps from low to high."""
    if bits is None:
        return np.clip(x, low, high)
    step = (high - low) / 2**bits
    return low + step * np.clip(np.round((x - low) / step), 0, 2**bits - 1)
