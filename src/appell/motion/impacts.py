"""What is kept of every impact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Meeting:
    """One contact's part in an impact; velocities along the wall's normal are positive away from it."""

    point: str
    wall: str
    attack_angle: float  # degrees, between the velocity before and the wall's normal
    velocity_before: float
    velocity_after: float
    impulse: float  # along the normal, newton seconds
    tangential_impulse: float

    @property
    def normal_velocity_change(self) -> float:
        """How much faster it leaves than it came."""
        return self.velocity_after - self.velocity_before


@dataclass(frozen=True)
class Impact:
    """All contacts that close at one time, as one."""

    t: float
    contacts: tuple[Meeting, ...]
    energy_before: float
    energy_after: float
    settled: float | None = None  # when the endlessly many impacts end that follow, ever faster, and are left out

    @property
    def points(self) -> tuple[str, ...]:
        """The points that strike."""
        return tuple(c.point for c in self.contacts)

    @property
    def walls(self) -> tuple[str, ...]:
        """What they strike."""
        return tuple(c.wall for c in self.contacts)

    @property
    def energy_lost(self) -> float:
        """Kinetic energy that is gone."""
        return self.energy_before - self.energy_after


def angle(u: Array, n: Array, closing: float) -> float:
    """Degrees between a velocity against a wall and the wall's normal."""
    along = float(u @ n)
    return float(np.degrees(np.arctan2(np.linalg.norm(u - along * n), abs(closing))))
