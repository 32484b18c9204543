"""The regressor K of a robot: forces are tau = K(q, v, a) phi, linear in what is to be identified."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..analysis import regressor_columns
from ..errors import unknown
from ..formulations.regressor import regressor
from ..formulations.table import Formulation, Question
from ..model.lift import MOMENTS, numbers, parameters, part
from ..robot import Robot

Array = np.ndarray[Any, Any]
GROUPS = {"moments": MOMENTS, "rotor": ("rotor",), "friction": ("damping", "coulomb", "preload"),
          "springs": ("stiffness", "preload")}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Regressor:
    """K(q, v, a) of the parameters `names`: (..., nv, len(names)), one state or a batch, by a compiled kernel."""

    robot: Robot
    names: tuple[str, ...]

    @staticmethod
    def of(robot: Robot, *groups: str) -> Regressor:
        """Of all parameters of some groups: "moments", "rotor", "friction", "springs"; by default of the moments, and
        of what the robot has of the others."""
        return Regressor(robot, chosen(robot, groups))

    @cached_property
    def kernel(self) -> Any:
        """The bare compiled callable f(q, v, a, *, out=None)."""
        from ..kernel.make import make

        known = regressor_columns(self.robot)
        for name in self.names:
            if name not in known:
                raise unknown("parameter of a regressor", name, known)
        given = {"bodies": self.robot.tree.bodies, "columns": tuple(known[name] for name in self.names)}
        row = Formulation("gibbs_appell", "regressor", regressor, "mata2002", rolls=False, asks=asked(len(self.names)))
        return make(row, self.robot.tree, **given).callable

    def __call__(self, q: Any, v: Any, a: Any, *, out: Any = None) -> Array:
        return self.kernel(q, v, a, out=out) if out is not None else self.kernel(q, v, a)

    @property
    def values(self) -> Array:
        """The numbers that the robot has for the parameters."""
        return numbers(self.robot.mechanism, self.names)


def asked(columns: int) -> Question:
    """A question for K with so many columns."""
    return Question(("q", "v", "a"), (("K", ("nv", columns)),), "forces by parameters")


def chosen(robot: Robot, groups: Iterable[str]) -> tuple[str, ...]:
    """The names of some groups; by default of the moments and of what the robot has of the others."""
    for group in groups:
        if group not in GROUPS:
            raise unknown("group of parameters", group, GROUPS)
    known, own = regressor_columns(robot), parameters(robot.mechanism)
    parts = {x for group in groups for x in GROUPS[group]}
    return tuple(n for n in known if (part(n) in parts if groups else part(n) in MOMENTS or own[n]))
