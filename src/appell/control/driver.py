"""What a control loop needs of a robot, true or simulated: to be read, and to be given volts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

Array = np.ndarray[Any, Any]


class Measurement(NamedTuple):
    """What the cards of a PC tell in one sample; arrays have an entry for each joint."""

    t: float  # s, by the PC's clock
    counts: Array  # of the incremental encoders, 0 where the robot was switched on
    index: Array  # whether an index pulse came since the last sample
    latched: Array  # the counts at the last index pulse
    potentiometers: Array  # V
    hot: Array  # whether a motor's thermal switch is open


class Driver(Protocol):
    """A robot behind its cards. `read` waits for the next sample; what is written holds until something else is."""

    @property
    def period(self) -> float:
        """Seconds from sample to sample."""
        ...

    def read(self) -> Measurement:
        """The next sample."""
        ...

    def write(self, volts: Any, outputs: Sequence[bool] | None = None) -> None:
        """Voltages for the amplifiers, and if they are to change the digital outputs, of which the tool hangs."""
        ...
