"""A control law with what it is to follow: what `simulate` takes as `torque`, and a device's loop calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import ShapeError
from .block import Block
from .trajectory import FrameMotion, Motion

Array = np.ndarray[Any, Any]
Reference = Callable[[float], Any]


class Controller:
    """A law sampled every `period` seconds: it looks at (t, q, v), follows its reference, and remembers its state.

    The reference is a configuration, a trajectory of joints or of a frame, or a function of time that gives what the
    law asks for. `sense` gives what else a law asks for, as measured forces, from (t, q, v).
    """

    def __init__(
        self, law: Block, reference: Any, period: float, sense: Callable[[float, Array, Array], Any] | None = None
    ) -> None:
        if isinstance(period, bool) or not isinstance(period, (int, float)) or not 0 < period < np.inf:
            raise ShapeError(f"a controller got the period {period!r}, wanted a time above 0")
        if law.period and abs(period / law.period - 1) > 1e-9:
            text = f"{law.name} sums over samples of {law.period:g} s"
            raise ShapeError(f"a controller got the period {period:g}, but {text}, wanted the same")
        self.law, self.period, self.sense = law, float(period), sense
        self.reference: Reference = reference if callable(reference) else standing(law, np.asarray(reference, float))
        self.reset()

    def reset(self) -> None:
        """Forgets everything: the state is that of the start."""
        self.state, self.last = self.law.start.copy(), -np.inf
        self.inputs: list[Array] = []  # what the law was given last

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """The forces of a sample; a sample before the last one begins anew."""
        if t < self.last:
            self.reset()
        self.last = t
        sensed = () if self.sense is None else self.sense(t, q, v)
        self.inputs = self.asked((*signals(self.reference(t)), *_listed(sensed)), t)
        (tau, *self.more), self.state = self.law(np.asarray(q), np.asarray(v), *self.inputs, state=self.state)
        return tau

    def asked(self, given: tuple[Any, ...], t: float) -> list[Array]:
        """What the law asks for; a law that wants positions alone leaves the rest."""
        wanted = self.law.inputs
        if len(wanted) == 1 and len(given) == 3:
            given = given[:1]
        arrays = [np.asarray(x, float).reshape(-1) for x in given]
        if [len(x) for x in arrays] != [size for _, size in wanted]:
            text = ", ".join(f"{name} ({size})" for name, size in wanted)
            got = ", ".join(str(len(x)) for x in arrays)
            raise ShapeError(f"{self.law.name} at t = {t:.6g} got signals of {got} numbers, wanted {text}")
        return arrays

    def write_c(self, path: Any, precision: Any = "double") -> None:
        """The law as C; see `Block.write_c`."""
        self.law.write_c(path, precision, self.period)


def standing(law: Block, q: Array) -> Reference:
    """A configuration as a reference: where velocities and accelerations are asked for as well, none."""
    still = [np.zeros(size) for name, size in law.inputs if name in ("v_d", "a_d")]
    return lambda t: (q, *still)


def continuous(law: Block, reference: Any) -> Callable[[float, Array, Array], Array]:
    """A law without a state as a function of time that is never sampled: for comparison with what is exact."""
    if len(law.start):
        raise ShapeError(f"{law.name} has a state and lives by samples, wanted a law without one")
    sampled = Controller(law, reference, 1.0)

    def torque(t: float, q: Array, v: Array) -> Array:
        (tau, *_), _ = law(q, v, *sampled.asked(signals(sampled.reference(t)), t), state=law.start)
        return tau

    return torque


def signals(given: Any) -> tuple[Any, ...]:
    """A reference's value as the arrays that laws ask for: of a pose its first three rows."""
    if isinstance(given, FrameMotion):
        return given.pose[:3].reshape(-1), given.velocity, given.acceleration
    return tuple(given) if isinstance(given, (Motion, tuple, list)) else (given,)


def _listed(sensed: Any) -> tuple[Any, ...]:
    return tuple(sensed) if isinstance(sensed, (tuple, list)) else (sensed,)
