"""A simulated robot as the PC of valera2003 sees it: behind encoders, potentiometers, converters and amplifiers.

Source: valera2003, section 3, for what there is; how large, how noisy and how late is the user's to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..errors import ShapeError
from ..robot import Robot
from .driver import Measurement
from .electronics import Encoders, Motors, Potentiometers
from .load import Load
from .plant import plant_of

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Timing:
    """When samples come: every `period`, up to `jitter` late; volts take `delay` from the sample to the motor."""

    period: float
    delay: float = 0.0
    jitter: float = 0.0

    def __post_init__(self) -> None:
        if not (self.period > 0 and 0 <= self.delay < self.period and 0 <= self.jitter < self.period):
            text = f"a period of {self.period} s, a delay of {self.delay} s, a jitter of {self.jitter} s"
            raise ShapeError(f"a device got {text}; wanted a period above 0, and the others from 0 to less than that")


class Device:
    """A robot that was switched on at q: a `Driver`. Its dry friction is exact, and at rest `static`.

    The load is carried while the first digital output is on. `push` adds forces of the joints, as a function of time:
    what the model does not know. `q`, `v` and `force` are the truth, which no PC sees.
    """

    def __init__(
        self, robot: Robot, q: Any, encoders: Encoders, potentiometers: Potentiometers, motors: Motors,
        timing: Timing, *, static: Any = None, load: Load | None = None, outputs: Sequence[bool] = (False, False),
        push: Callable[[float], Any] | None = None, seed: int = 0,
    ) -> None:  # fmt: skip
        self.plants = {False: plant_of(robot, static)}
        self.plants[True] = plant_of(load.on(robot), static) if load else self.plants[False]
        self.robot, self.timing, self.push, self.outputs = robot, timing, push, tuple(outputs)
        self.encoders, self.potentiometers, self.motors = encoders, potentiometers, motors
        for cards in (encoders, potentiometers, motors):
            _check_sizes(cards, robot.nv)
        self.q, self.v = _numbers(robot, "q", q).copy(), np.zeros(robot.nv)
        self.t, self.samples, self.rng = 0.0, 0, np.random.default_rng(seed)
        self.force, self.waiting, self.heat = (np.zeros(robot.nv) for _ in range(3))
        self.start, self.turns = encoders.lines_passed(self.q), encoders.turns(self.q)
        self.latched = np.zeros(robot.nv, np.int64)

    @property
    def period(self) -> float:
        """Seconds from sample to sample."""
        return self.timing.period

    def read(self) -> Measurement:
        """The next sample; the first is taken at once."""
        if self.samples:
            late = self.timing.jitter * float(self.rng.random()) if self.timing.jitter else 0.0
            self._go(self.samples * self.period + late)
        self.samples += 1
        index = self._pulses()
        counts = self.encoders.lines_passed(self.q) - self.start
        volts = self.potentiometers.read(self.q, self.rng)
        return Measurement(self.t, counts, index, self.latched.copy(), volts, self.heat >= 1.0)

    def write(self, volts: Any, outputs: Sequence[bool] | None = None) -> None:
        """Voltages for the amplifiers, which hold them; and, if they are to change, digital outputs."""
        self.waiting = self.motors.force(self.motors.sent(_numbers(self.robot, "volts", volts)))
        if outputs is not None:
            if len(outputs) != len(self.outputs):
                raise ShapeError(f"outputs are {tuple(outputs)}, wanted {len(self.outputs)} of them")
            self.outputs = tuple(map(bool, outputs))

    def _go(self, until: float) -> None:
        """Moves on; what was written arrives on the way."""
        if self.timing.delay:
            self._move(min(self.timing.delay, until - self.t))
        self.force = self.waiting
        self._move(until - self.t)

    def _move(self, time: float) -> None:
        if time <= 0:
            return
        plant = self.plants[bool(self.outputs and self.outputs[0])]
        tau = self.force if self.push is None else self.force + np.asarray(self.push(self.t), float)
        self.q, self.v = plant.moved(self.q, self.v, tau, time)
        self.heat = self.motors.warmed(self.heat, self.force, time)
        self.t += time

    def _pulses(self) -> Array:
        """Which index pulses came, whose counts are latched."""
        now = self.encoders.turns(self.q)
        index = now != self.turns
        mark = self.encoders.mark(np.where(now > self.turns, now, now + 1))  # the last that was passed
        counts = self.encoders.lines_passed(mark) - self.start
        self.latched = np.where(index, counts, self.latched)
        self.turns = now
        return index


def _numbers(robot: Robot, name: str, given: Any) -> Array:
    x = np.asarray(given, float)
    if x.shape != (robot.nv,) or not np.isfinite(x).all():
        raise ShapeError(f"a device got {name} = {given!r}, wanted {robot.nv} finite numbers")
    return x


def _check_sizes(cards: Any, n: int) -> None:
    """Values for every joint, or one for all."""
    for part in fields(cards):
        if np.shape(getattr(cards, part.name)) not in ((), (1,), (n,)):
            what = f"{type(cards).__name__.lower()} got {part.name} of shape {np.shape(getattr(cards, part.name))}"
            raise ShapeError(f"{what}, wanted a number or {n} of them")
