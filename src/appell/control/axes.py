"""What a controller in joint coordinates drives: every joint of a tree, or the motors of a closed mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..actuation import weighed
from ..closing.reduced import Reduced
from ..closures import closures_of
from ..errors import ModelError
from ..formulations import resistance
from ..formulations.reduced import inverse_dynamics
from ..formulations.reduction import Chosen
from ..formulations.still import ByPlace, Still
from ..robot import Robot

Array = np.ndarray[Any, Any]
SCALAR = ("revolute", "prismatic", "helical")  # joints whose coordinate is the integral of their rate


@dataclass(frozen=True)
class Axes:
    """The freedoms that are driven, by their places; of a closed mechanism they are coordinates of its motion."""

    places: tuple[int, ...]
    closures: tuple[Any, ...] = ()
    chosen: Chosen | None = None

    @staticmethod
    def of(robot: Robot, actuators: Any) -> Axes:
        """All joints of an open robot, or joints by name that tell all that a closed one does."""
        if not robot.mechanism.closed:
            if actuators is not None:
                raise ModelError(f"robot {robot.name!r} is open: a controller drives all its joints, got actuators")
            if robot.nq != robot.nv:
                raise ModelError(f"robot {robot.name!r} has a quaternion in q, wanted scalar coordinates")
            return Axes(tuple(range(robot.nv)))
        if actuators is None:
            raise ModelError(f"robot {robot.name!r} has closed loops, wanted actuators=, the joints with motors")
        found = Reduced.of(robot, [name for name, _ in weighed(actuators)])
        scalar = {b.v_index for b in robot.light_tree.links if b.kind in SCALAR}
        for name, place in zip(found.names, found.chosen.coordinates, strict=True):
            if place not in scalar:
                raise ModelError(f"actuator {name!r} is no joint of the tree with a coordinate, wanted one that is")
        return Axes(found.chosen.coordinates, closures_of(robot.mechanism, robot.light_tree), found.chosen)

    def __len__(self) -> int:
        return len(self.places)

    def positions(self, robot: Robot, q: Array) -> Array:
        """Their coordinates, of q."""
        at = {b.v_index: b.q_index for b in robot.light_tree.links}
        return np.asarray(q, float)[..., [at[k] for k in self.places]]

    def freedoms(self, robot: Any) -> list[Any]:
        """As the texts meet them."""
        by = {z.index: z for z in robot.freedoms()}
        return [by[k] for k in self.places]

    def forces(self, robot: Any, page: Any, q: Any, v: Any, a: list[Any], v_d: Any) -> list[Any]:
        """What gives the axes accelerations a; of an open robot with dry friction as at the speeds v_d."""
        if self.chosen is not None:
            tau = inverse_dynamics(robot, q, [v[z] for z in self.freedoms(robot)], a, self.closures, self.chosen)
            return [tau[k] for k in range(len(self))]
        own = ByPlace(dict(zip(self.places, a, strict=True)))
        tau = driven(robot, page, q, v, own, v_d)
        return [tau[z] for z in self.freedoms(robot)]

    def holding(self, robot: Any, page: Any, q: Any) -> list[Any]:
        """What holds the links and the springs at rest."""
        if self.chosen is not None:
            return self.forces(robot, page, q, Still(), [0] * len(self), Still())
        g = page(robot, q, Still(), Still())
        return [g[z] + resistance.resistance(z, q, Still()) for z in self.freedoms(robot)]


def driven(robot: Any, page: Any, q: Any, v: Any, a: Any, v_d: Any) -> Any:
    """The forces for accelerations a, with dry friction as at the speeds v_d."""
    tau = page(robot, q, v, a)
    for z in robot.freedoms():
        met = z.resistance
        dry = met.coulomb * resistance.way_of(met, v_d[z])
        tau[z] += met.damping * v[z] + dry + resistance.resistance(z, q, resistance.Still()) + z.rotor * a[z]
    return tau
