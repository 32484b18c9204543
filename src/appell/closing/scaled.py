"""The equations of a mechanism in numbers that can be compared: lengths in units of its size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..closures import holonomic, names_of
from ..model.mechanism import Coupling
from . import kernels
from .coordinates import joint_ranges, size, slides
from .large import large, large_of

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

    @property
    def large(self) -> bool:
        """Whether the equations are kept as sparse matrices."""
        return large(self.robot)

    def at(self, q: Array) -> tuple[Array, Array]:
        """(g, A) of all equations."""
        g, A = self.equations(q)
        return g, A.toarray() if self.large else A

    def equations(self, q: Array) -> tuple[Array, Any]:
        """The same, A a sparse matrix if the robot is large."""
        if not self.closed:
            return np.zeros(0), np.zeros((0, self.robot.nv))
        asked = large_of(self.robot).equations if self.large else kernels.equations(self.robot)
        g, A, _ = asked(q, np.zeros(self.robot.nv))
        return g / self.units, self.scaled(A, 1 / self.units)

    def senses(self, q: Array) -> tuple[Array, Any]:
        """(s, S): how far axes are from meeting the right way round; S as A is."""
        asked = large_of(self.robot).senses if self.large else kernels.senses(self.robot)
        if asked is None:
            return np.zeros(0), np.zeros((0, self.robot.nv))
        s, S = asked(q)
        return s, self.scaled(S, np.ones(len(s)))

    def scaled(self, A: Any, by: Array) -> Any:
        """A matrix with its rows and columns in units."""
        if not self.large:
            return A * by[:, None] * self.measures
        from scipy.sparse import diags_array

        return (diags_array(by) @ A @ diags_array(self.measures)).tocsr()

    def moved(self, q: Array, step: Array) -> Array:
        """q after a step, which is measured in `measures`."""
        return self.robot.integrate(q, step * self.measures)


def _units(robot: Robot, names: list[str], length: float, measures: Array) -> Array:
    """What to measure each equation by: lengths by the size, couplings by the joint that follows."""
    ranges = joint_ranges(robot.mechanism)
    couplings = [x for x in robot.constraints if isinstance(x, Coupling)]
    units = {f"{x.name}: coupling": float(measures[ranges[x.joint][0]]) for x in couplings}
    return np.array([units.get(n, 1.0 if n.endswith(ANGLES) else length) for n in names])
