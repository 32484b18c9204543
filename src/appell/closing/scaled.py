"""The equations of a mechanism in numbers that can be compared: lengths in units of its size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..closures import holonomic, names_of
from ..model.mechanism import Coupling
from . import kernels
from .coordinates import joint_ranges, size, slides

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
ANGLES = (": tilt about x", ": tilt about y", ": turn about z", ": angle between the axes")


@dataclass(frozen=True)
class Scaled:
    """A robot's equations g(q) = 0 and A(q) v = 0, each divided by `units`; v by `measures`."""

    robot: Robot
    names: list[str]
    binds: Array  # which equations bind positions
    units: Array
    measures: Array
    size: float

    @staticmethod
    def of(robot: Robot) -> Scaled:
        """The equations of a robot."""
        m, length = robot.mechanism, size(robot.mechanism)
        measures = np.where(slides(m), length, 1.0)
        names = names_of(m)
        return Scaled(robot, names, holonomic(m), _units(robot, names, length, measures), measures, length)

    @property
    def closed(self) -> bool:
        """Whether there is any equation."""
        return bool(self.names)

    def at(self, q: Array) -> tuple[Array, Array]:
        """(g, A) of all equations."""
        if not self.closed:
            return np.zeros(0), np.zeros((0, self.robot.nv))
        g, A, _ = kernels.equations(self.robot)(q, np.zeros(self.robot.nv))
        return g / self.units, A / self.units[:, None] * self.measures

    def senses(self, q: Array) -> tuple[Array, Array]:
        """(s, S): how far axes are from meeting the right way round."""
        asked = kernels.senses(self.robot)
        if asked is None:
            return np.zeros(0), np.zeros((0, self.robot.nv))
        s, S = asked(q)
        return s, S * self.measures

    def moved(self, q: Array, step: Array) -> Array:
        """q after a step, which is measured in `measures`."""
        return self.robot.integrate(q, step * self.measures)


def _units(robot: Robot, names: list[str], length: float, measures: Array) -> Array:
    """What to measure each equation by: lengths by the size, couplings by the joint that follows."""
    ranges = joint_ranges(robot.mechanism)
    couplings = [x for x in robot.constraints if isinstance(x, Coupling)]
    units = {f"{x.name}: coupling": float(measures[ranges[x.joint][0]]) for x in couplings}
    return np.array([units.get(n, 1.0 if n.endswith(ANGLES) else length) for n in names])
