"""Closed mechanisms by what drives them: the papers' own algorithms, compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..asking import Identity
from ..closures import closures_of, names_of
from ..errors import ModelError, unknown
from ..formulations import reactions
from ..formulations.by_drives import BY_DRIVES
from ..formulations.closed_subsystems import Determined, Subsystems
from ..formulations.denoc_parallel import Legs
from ..formulations.legs import Parallel
from ..formulations.table import Formulation, Question, Shape
from ..model.tree import Place
from .coordinates import freedom_names, freedoms_of
from .legs import parallel
from .subsystems import determined
from .told import checked

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
METHODS = ("denoc_parallel", "closed_subsystems")


@dataclass(frozen=True)
class Loads:
    """What drives give, what every equation of a loop takes, and the wrenches (force, moment) that joints carry.

    `joints` has what a body gets from its parent, in the body's axes about its origin; `loops` what body b of a loop
    gets from body a, in the base's axes about the origin of its place on b.
    """

    tau: Array
    f: Array
    joints: dict[str, Array]
    loops: dict[str, Array]


def _seen(place: Place, wrench: Array) -> Array:
    """A wrench on a link, in the axes of a body on it and about the body's origin."""
    R, r = np.array([[float(x) for x in row] for row in place.R]), np.array([float(x) for x in place.r])
    force, moment = wrench[..., :3], wrench[..., 3:]
    return np.concatenate([force @ R, (moment - np.cross(r, force)) @ R], -1)


@dataclass(frozen=True)
class Driven:
    """A closed mechanism, some joints that drive it, and a method that finds all others from these.

    One state or many. Of v and a those of driven joints are read, the others follow. Where drives are singular they do
    not tell all motion: an error says which; rows of a batch are NaN, as are answers of kernels.
    """

    robot: Robot
    method: str
    structure: Parallel | Determined
    _kernels: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def inverse_dynamics(self, q: Any, v: Any, a: Any, **options: Any) -> tuple[Array, Array, Array]:
        """(tau, v, a): the forces of the drives, in their order, and the motion of all joints."""
        return self._told("inverse_dynamics", options, q, v, a)

    def forward_dynamics(self, q: Any, v: Any, tau: Any, **options: Any) -> Array:
        """The accelerations of all joints for forces in all of them."""
        return self._told("forward_dynamics", options, q, v, tau)

    def kernel(self, what: str) -> Callable[..., Any]:
        """The bare compiled callable of a question: f(q, v, a, *, out=None)."""
        from ..kernel.make import make

        if what not in self._kernels:
            row, tree = (self._loads(), self.robot.tree) if what == "loads" else (self.row(what), self.robot.light_tree)
            owner = Identity(self.robot.mechanism, self.robot.identity)
            self._kernels[what] = make(row, tree, owner=owner).callable
        return self._kernels[what]

    def _told(self, what: str, options: dict[str, Any], *given: Any) -> Any:
        """An answer; an error where the drives are singular. Of many states these rows are no numbers."""
        found = self.kernel(what)(*given, **options)
        return checked(self.robot, self._names, self.structure.driven, found, given)

    @cached_property
    def _names(self) -> list[str]:
        names = freedom_names(self.robot.mechanism)
        return [names[k] for k in self.structure.driven]

    def row(self, what: str) -> Formulation:
        """The row of the formulations' table for a question, bound to this robot and its drives."""
        all_joints: Shape = ("nv",)
        drives: Shape = (len(self.structure.driven),)
        known = {
            "inverse_dynamics": (
                ("q", "v", "a"), (("tau", drives), ("rates", all_joints), ("accelerations", all_joints)),
            ),
            "forward_dynamics": (("q", "v", "tau"), (("a", all_joints),)),
        }  # fmt: skip
        if what not in known:
            raise unknown("question", what, known)
        inputs, outputs = known[what]
        row = next(row for row in BY_DRIVES if (row.name, row.computes) == (self.method, what))
        asks = Question(inputs, outputs, "what drives a closed mechanism")
        return replace(row, text=partial(row.text, way=self.way), asks=asks)

    def loads(self, q: Any, v: Any, a: Any) -> Loads:
        """What drives give and what every joint carries, by `closed_subsystems`, which alone tells it."""
        tau, through, *closing = self._told("loads", {}, q, v, a)
        f, cut = closing or (np.zeros((*tau.shape[:-1], 0)), np.zeros((*tau.shape[:-1], 0, 6)))
        m, tree = self.robot.mechanism, self.robot.tree
        joints = {b.joint.name: _seen(place, through[..., place.link - 1, :])
                  for b, place in zip(m.bodies, tree.bodies, strict=True) if b.joint.type != "fixed"}  # fmt: skip
        return Loads(tau, f, joints, {x.name: cut[..., k, :] for k, x in enumerate(m.loops)})

    def _loads(self) -> Formulation:
        if not isinstance(self.structure, Determined):
            raise ModelError(f"loads by {self.method} are not to be had, wanted closed_subsystems")
        closures = closures_of(self.robot.mechanism, self.robot.tree)
        way = partial(Subsystems, closures=closures, determined=self.structure)
        outputs: list[tuple[str, Shape]] = [("tau", (len(self.structure.driven),)), ("through", (self.robot.tree.n, 6))]
        if closures:
            outputs += [("f", (len(names_of(self.robot.mechanism)),)), ("cut", (len(closures), 6))]
        asks = Question(("q", "v", "a"), tuple(outputs), "what joints carry")
        text = partial(reactions.loads, way=way, closures=closures)
        return Formulation(self.method, "loads", text, "saha2010", False, asks=asks)

    @cached_property
    def way(self) -> Callable[..., Any]:
        """What makes a way of a robot and a configuration."""
        if isinstance(self.structure, Parallel):
            return partial(Legs, parallel=self.structure)
        closures = closures_of(self.robot.mechanism, self.robot.light_tree)
        return partial(Subsystems, closures=closures, determined=self.structure)


def driven_by(robot: Robot, method: str, joints: Iterable[str] = (), **options: Any) -> Driven:
    """A closed mechanism as a method of METHODS sees it, driven by joints, or else by those that the method finds."""
    if method not in METHODS:
        raise unknown("method for what drives a closed mechanism", method, METHODS)
    places = freedoms_of(robot.mechanism, joints)
    if method == "denoc_parallel":
        return Driven(robot, method, parallel(robot, robot.light_tree, places, **options))
    return Driven(robot, method, determined(robot, places))
