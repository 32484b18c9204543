"""How stiff and how damped an error is brought to nought."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ShapeError
from ..model.joints import per_freedom
from ..robot import Robot

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Gains:
    """Of e, its derivative and its integral: one number for all joints, or one for each."""

    kp: Any
    kd: Any
    ki: Any = 0.0

    @staticmethod
    def of(bandwidth: Any, damping: Any = 1.0, integral: Any = 0.0) -> Gains:
        """By poles, in rad/s: those of s^2 + 2 damping bandwidth s + bandwidth^2, and one at -integral, if not 0."""
        w, z, p = (np.asarray(x, float) for x in (bandwidth, damping, integral))
        if not ((w > 0) & (z > 0) & (p >= 0)).all():
            raise ShapeError(f"bandwidth {bandwidth}, damping {damping}, integral {integral}: wanted positive numbers")
        return Gains(w * w + 2 * z * w * p, 2 * z * w + p, p * w * w)

    def each(self, n: int) -> tuple[list[float], list[float], list[float]]:
        """The numbers of n joints."""
        return numbers("kp", self.kp, n), numbers("kd", self.kd, n), numbers("ki", self.ki, n)


def numbers(name: str, given: Any, n: int, least: float = 0.0) -> list[float]:
    """n numbers, none below `least`; one stands for all."""
    try:
        x = np.broadcast_to(np.asarray(given, float), (n,))
    except (TypeError, ValueError):
        raise ShapeError(f"{name} is {given!r}, wanted a number or {n} of them") from None
    if not (np.isfinite(x) & (x >= least)).all():
        raise ShapeError(f"{name} is {given!r}, wanted finite numbers, {least:g} or more")
    return x.tolist()


def of_model(robot: Robot, key: str) -> Array:
    """What the model says of its joints' `effort_limit` or `velocity_limit`; infinite where it says nothing."""
    found = np.concatenate([per_freedom(b.joint, key) for b in robot.bodies] or [np.zeros(0)])
    return np.where(found > 0, found, np.inf)
