"""The regressor K of a robot: forces are tau = K(q, v, a) phi, linear in what is to be identified."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..analysis import regressor_columns
from ..closing.coordinates import freedom_names
from ..closures import closures_of
from ..errors import ModelError, unknown
from ..formulations.reduced_regressor import reduced_regressor
from ..formulations.regressor import MET, regressor
from ..formulations.table import Formulation, Question
from ..model.joints import joint_type, resistances
from ..model.lift import MOMENTS, parameters, part, unlifted
from ..model.tree import Freedom, Resistance
from ..model.walk import structural_resistance
from ..robot import Robot
from ..spatial import Twist

if TYPE_CHECKING:
    from ..closing.reduced import Reduced

Array = np.ndarray[Any, Any]
GROUPS = {"moments": MOMENTS, "rotor": ("rotor",), "friction": ("damping", "coulomb", "preload"),
          "springs": ("stiffness", "preload")}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Regressor:
    """K(q, v, a) of the parameters `names`: (..., rows, len(names)), one state or a batch, by a compiled kernel.

    Rows are the forces in all joints of the tree; or those of `coordinates`, joints that tell how a closed mechanism
    moves, which are its motors as a rule: then loops stay closed in a motion, and what they carry is in no row.
    """

    robot: Robot
    names: tuple[str, ...]
    coordinates: tuple[str, ...] = ()

    @staticmethod
    def of(robot: Robot, *groups: str, coordinates: Iterable[str] = ()) -> Regressor:
        """Of all parameters of some groups: "moments", "rotor", "friction", "springs"; by default of the moments, and
        of what the robot has of the others."""
        told = tuple(coordinates)
        return Regressor(robot, chosen(robot, groups, bool(told)), told)

    @cached_property
    def reduced(self) -> Reduced:
        """The mechanism in its coordinates."""
        return self.robot.reduced(list(self.coordinates))

    @property
    def labels(self) -> tuple[str, ...]:
        """What the rows are forces of."""
        return self.reduced.names if self.coordinates else tuple(freedom_names(self.robot.mechanism))

    @property
    def rows(self) -> int:
        """How many forces one state has."""
        return self.reduced.n if self.coordinates else self.robot.nv

    @cached_property
    def kernel(self) -> Any:
        """The bare compiled callable f(q, v, a, *, out=None)."""
        from ..kernel.make import make

        tree, given = self.stage
        asks = Question(("q", "v", "a"), (("K", self.shape),), "forces by parameters")
        row = Formulation("gibbs_appell", "regressor", self.text, "mata2002", rolls=False, asks=asks)
        return make(row, tree, **given).callable

    @property
    def text(self) -> Callable[..., Any]:
        """The page that K is read from."""
        return reduced_regressor if self.coordinates else regressor

    @property
    def shape(self) -> tuple[int | str, int]:
        """Of K at one state."""
        return self.rows if self.coordinates else "nv", len(self.names)

    @property
    def stage(self) -> tuple[Any, dict[str, Any]]:
        """The tree that the text walks, and what else it is given."""
        known, cut = tree_columns(self.robot), cut_columns(self.robot) if self.coordinates else {}
        for name in self.names:
            if name not in known and name not in cut:
                raise unknown("parameter of a regressor", name, [*known, *cut])
        tree = self.robot.light_tree if self.coordinates else self.robot.tree
        if not self.coordinates:
            return tree, {"columns": tuple(known[n] for n in self.names), "bodies": tree.bodies}
        loops = {cut[n][0] for n in self.names if n in cut}
        closures = enumerate(closures_of(self.robot.mechanism, tree))
        felt = tuple(_resisting(self.robot, k, x, k in loops) for k, x in closures)
        order = [(k, n) for k in sorted(loops) for n in range(len(felt[k].freedoms))]
        places = {name: (order.index((k, n)), j) for name, (k, n, j) in cut.items() if k in loops}
        columns = tuple(known[n] if n in known else places[n] for n in self.names)
        return tree, {"columns": columns, "bodies": tree.bodies, "closures": felt, "chosen": self.reduced.chosen}

    def __call__(self, q: Any, v: Any, a: Any, *, out: Any = None) -> Array:
        return self.kernel(q, v, a, out=out) if out is not None else self.kernel(q, v, a)

    @property
    def values(self) -> Array:
        """The numbers that the robot has for the parameters."""
        known = every_parameter(self.robot)
        return np.array([known[name] for name in self.names])

    def forces(self, q: Any, v: Any, a: Any) -> Array:
        """What the robot, as it is, needs in each row."""
        actuators = list(self.coordinates) or None
        return self.robot.inverse_dynamics(q, v, a, **({"actuators": actuators} if actuators else {}))


def tree_columns(robot: Robot) -> dict[str, int]:
    """Where each parameter of bodies and joints stands among the columns of the tree's text."""
    m, found = robot.mechanism, regressor_columns(robot)
    first = len(MOMENTS) * robot.n
    starts = {b.name: start for b, start in zip(robot.bodies, m.v_starts, strict=False)}
    for name, (owner, key, _) in unlifted(m).items():
        if owner in starts:
            k, _, kind = key.rpartition(".")
            if kind in MET:
                found[name] = first + len(MET) * (starts[owner] + int(k)) + MET.index(kind)
    return found


def cut_columns(robot: Robot) -> dict[str, tuple[int, int, int]]:
    """Which loop, which freedom of its joint, and which resistance each parameter of a cut joint is."""
    loops, found = {loop.name: k for k, loop in enumerate(robot.loops)}, dict[str, tuple[int, int, int]]()
    for name, (owner, key, _) in unlifted(robot.mechanism).items():
        k, _, kind = key.rpartition(".")
        if owner in loops and kind in MET:
            found[name] = loops[owner], int(k or 0), MET.index(kind)
    return found


def _resisting(robot: Robot, k: int, closure: Any, asked: bool) -> Any:
    """A closure whose freedoms are felt if it is asked for, and otherwise not."""
    if not hasattr(closure, "freedoms"):
        return closure
    kind = joint_type(robot.loops[k].joint)
    mets = resistances(robot.loops[k].joint) or (Resistance(),) * kind.freedoms
    place = 0 if kind.is_scalar else None
    felt = tuple(Freedom(0, Twist(), structural_resistance(met), place) for met in mets)
    return replace(closure, freedoms=felt if asked else ())


def chosen(robot: Robot, groups: Iterable[str], closed: bool = False) -> tuple[str, ...]:
    """The names of some groups; by default of the moments and of what the robot has of the others."""
    for group in groups:
        if group not in GROUPS:
            raise unknown("group of parameters", group, GROUPS)
    known, own = [*tree_columns(robot)], every_parameter(robot)
    known += [*cut_columns(robot)] if closed else []
    parts = {x for group in groups for x in GROUPS[group]}
    return tuple(n for n in known if (part(n) in parts if groups else part(n) in MOMENTS or own[n]))


def every_parameter(robot: Robot) -> dict[str, float]:
    """The numbers that a robot has, by name."""
    return parameters(robot.mechanism) | {name: x.value for name, x in unlifted(robot.mechanism).items()}


def motors(robot: Robot, given: Sequence[str] = ()) -> tuple[str, ...]:
    """The coordinates of a mechanism, or none of a tree; a closed one cannot do without."""
    if robot.mechanism.closed and not given:
        raise ModelError(
            f"robot {robot.name!r} has loops, and which joints drive it is not said: wanted the names of its motors"
        )
    return tuple(given)
