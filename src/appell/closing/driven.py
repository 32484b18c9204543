"""Closed mechanisms by what drives them: the papers' own algorithms, compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from ..asking import Identity, freedoms
from ..formulations import driven as texts
from ..formulations.denoc_parallel import Legs
from ..formulations.legs import Parallel
from ..formulations.table import Formulation, Question
from .legs import parallel

if TYPE_CHECKING:
    from ..robot import Robot


@dataclass(frozen=True)
class Driven:
    """A closed mechanism, some joints that drive it, and the way by which all others follow.

    Kernels take one state or many. Of v and a those of driven joints are read, the others follow.
    """

    robot: Robot
    structure: Parallel

    @cached_property
    def inverse_dynamics(self) -> Callable[..., Any]:
        """(tau, v, a) at (q, v, a): the forces of the drives, in their order, and the motion of all joints."""
        outputs = (("tau", (len(self.structure.driven),)), ("rates", ("nv",)), ("accelerations", ("nv",)))
        return self._kernel("driving_forces", texts.inverse_dynamics, ("q", "v", "a"), outputs)

    @cached_property
    def forward_dynamics(self) -> Callable[..., Any]:
        """a at (q, v, tau): the accelerations of all joints for forces in all of them."""
        return self._kernel("driven_motion", texts.forward_dynamics, ("q", "v", "tau"), (("a", ("nv",)),))

    def _kernel(self, what: str, text: Any, inputs: tuple[str, ...], outputs: Any) -> Callable[..., Any]:
        from ..kernel.make import make

        asks = Question(inputs, outputs, "what drives a closed mechanism")
        row = Formulation("denoc_parallel", what, partial(text, way=self.way), "saha2010", rolls=False, asks=asks)
        owner = Identity(self.robot.mechanism, self.robot.identity)
        return make(row, self.robot.light_tree, owner=owner).callable

    @cached_property
    def way(self) -> Callable[..., Any]:
        """What makes a way of a robot and a configuration."""
        return partial(Legs, parallel=self.structure)


def driven_by(robot: Robot, joints: Iterable[str] = (), **options: Any) -> Driven:
    """A parallel robot driven by joints, or else by the first of every leg."""
    places = [k for name in joints for k in sorted(freedoms(robot, (name,)))]
    return Driven(robot, parallel(robot, robot.light_tree, places, **options))
