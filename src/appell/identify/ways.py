"""How a mechanism is moved in a search: by all joints of a tree, or by the joints that drive a closed one.

Slopes of a cost by q, v and a of all joints are taken back to those by what is searched for, x and its rates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ..closing.along import along
from ..closing.coordinates import freedoms_of
from ..closing.scaled import Scaled
from ..errors import DataError
from ..robot import Robot
from ..trace.derivative import jacobian
from .closed_data import closed_near, followed
from .limits import Limits
from .regressor import Regressor

Array = np.ndarray[Any, Any]
NEAR = 1.0  # radians, or metres, from home: how far the first motions of a closed mechanism go
Three = tuple[Array, Array, Array]


class Ways(Protocol):
    """What a search asks."""

    @property
    def freedoms(self) -> list[int]:
        """The places in v of what is searched for."""
        ...

    def room(self, limits: Limits) -> tuple[Array, Array]:
        """Where a search starts, and how far it may go from there."""
        ...

    def whole(self, x: Array, u: Array, du: Array, quick: bool = False) -> Three:
        """q, v and a of all joints, near the last ones; `quick` gives up where the motion is too far from those."""
        ...

    def forget(self) -> None:
        """The next motion is found from home on, sample by sample."""
        ...

    def back(self, now: tuple[Array, ...], q: Array, slopes: Three) -> Three:
        """Slopes by x, u and du = `now`, from those by q, v and a."""
        ...

    def forces(self, now: tuple[Array, ...], q: Array) -> tuple[Array, Three]:
        """The forces that drive it, and their derivatives by x, u and du."""
        ...


@dataclass(frozen=True, eq=False)
class Open:
    """A tree, all of whose joints are driven."""

    robot: Robot

    @property
    def freedoms(self) -> list[int]:
        return list(range(self.robot.nv))

    def room(self, limits: Limits) -> tuple[Array, Array]:
        middle, half = limits.middle
        return middle, np.minimum(half, np.pi)

    def whole(self, x: Array, u: Array, du: Array, quick: bool = False) -> Three:
        return x, u, du

    def forget(self) -> None:
        pass

    def back(self, now: tuple[Array, ...], q: Array, slopes: Three) -> Three:
        return slopes

    def forces(self, now: tuple[Array, ...], q: Array) -> tuple[Array, Three]:
        return self.robot.inverse_dynamics(*now), self.robot.inverse_dynamics_derivatives(*now)


@dataclass(frozen=True, eq=False)
class Driven:
    """A closed mechanism by its coordinates; `last` holds, by how many they are, the configurations from which the
    next are closed."""

    regressor: Regressor
    last: dict[int, Array] = field(default_factory=dict)

    @cached_property
    def freedoms(self) -> list[int]:
        return freedoms_of(self.regressor.robot.mechanism, self.regressor.coordinates)

    def room(self, limits: Limits) -> tuple[Array, Array]:
        home = np.asarray(self.regressor.robot.assemble())[self._places]
        low, high = (x[self.freedoms] for x in (limits.low, limits.high))
        return home, np.minimum(np.minimum(high - home, home - low), NEAR)

    @cached_property
    def _places(self) -> list[int]:
        return [next(b.q_index for b in self.regressor.robot.tree.links if b.v_index == z) for z in self.freedoms]

    def whole(self, x: Array, u: Array, du: Array, quick: bool = False) -> Three:
        reduced = self.regressor.reduced
        q = self.last[len(x)] = self._closed(x, quick)
        return q, reduced.velocities(q, u), reduced.accelerations(q, u, du)

    def forget(self) -> None:
        self.last.clear()

    def _closed(self, x: Array, quick: bool) -> Array:
        robot, t = self.regressor.robot, np.arange(len(x))
        if len(x) in self.last:
            try:
                return closed_near(Scaled.of(robot), self.freedoms, self.last[len(x)], x, t)
            except DataError:
                if quick:
                    raise
        return followed(robot, self.regressor.coordinates, t, x, None, None)

    @cached_property
    def slopes(self) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Derivatives of v by x and u, and of a by x, u and du, compiled."""
        from ..kernel.make import make_of

        reduced, tree = self.regressor.reduced, self.regressor.robot.light_tree
        made = [jacobian(reduced.program(x), seeds={"q": along(reduced)}) for x in ("velocities", "accelerations")]
        first, second = (make_of(program.name, program, tree).callable for program in made)
        return first, second

    def back(self, now: tuple[Array, ...], q: Array, slopes: Three) -> Three:
        _, u, du = now
        (by_q, by_v, by_a), V = slopes, self.regressor.reduced.basis(q)
        v_x, v_u = self.slopes[0](q, u)
        a_x, a_u, a_du = self.slopes[1](q, u, du)
        pairs = ((by_q, V), (by_v, v_x), (by_a, a_x)), ((by_v, v_u), (by_a, a_u)), ((by_a, a_du),)
        x, y, z = (sum((np.einsum("tz,tzk->tk", g, J) for g, J in some), np.zeros(u.shape)) for some in pairs)
        return x, y, z

    def forces(self, now: tuple[Array, ...], q: Array) -> tuple[Array, Three]:
        _, u, du = now
        reduced = self.regressor.reduced
        return reduced.inverse_dynamics(q, u, du), reduced.inverse_dynamics_derivatives(q, u, du)


def ways_of(regressor: Regressor) -> Open | Driven:
    """How the robot of a regressor is moved."""
    if regressor.robot.nq != regressor.robot.nv:
        text = "has a quaternion in q, wanted joints with coordinates of their own"
        raise DataError(f"robot {regressor.robot.name!r} {text}")
    return Driven(regressor) if regressor.coordinates else Open(regressor.robot)
