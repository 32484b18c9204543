"""Closed mechanisms subsystem by subsystem: what is determinate is solved first, and its wrenches are passed on."""

from __future__ import annotations

from dataclasses import dataclass

from ..orthogonal import Orthogonal
from .equations import equations
from .still import Still
from .world import World


@dataclass(frozen=True)
class Subsystem:
    """A part of the spanning tree from which the forces of some equations and drives follow.

    There are as many freedoms as equations and drives together; what else pushes on the part is known before.
    """

    freedoms: tuple[int, ...]
    equations: tuple[int, ...]
    drives: tuple[int, ...]


@dataclass(frozen=True)
class Determined:
    """Subsystems in the order in which they become determinate."""

    parts: tuple[Subsystem, ...]
    driven: tuple[int, ...]


class Subsystems:
    """All joints of a closed mechanism from those that are driven, subsystem by subsystem, in one configuration."""

    def __init__(self, robot, q, closures, determined):
        self.robot, self.q, self.closures, self.determined = robot, q, closures, determined
        self.driven = determined.driven
        self.rows = [by for *_, by in equations(World(robot), q, Still(), closures)]
        self.factors = [self._columns(part) for part in determined.parts]

    def _columns(self, part):
        """What unit forces of a part's equations and drives do to its freedoms, ready to be solved."""
        columns = {("f", k): {z: x for z, x in self.rows[k].items() if z in part.freedoms} for k in part.equations}
        columns |= {("tau", k): {k: 1} for k in part.drives}
        return Orthogonal.of(columns, columns)

    def rates(self, driven, adds=None):
        """All rates from those of driven joints; accelerations, where velocities add something to them.

        From the last subsystem to the first the matrices of `solved`, transposed, give the rates: the rates of drives
        are given, cut joints do not open, A u = 0, and accelerations do not open them, A du + c = 0:

            A_j u_j = -(A u of what is known),    or    A_j du_j = -(A du of what is known) - c          (1)

        Source: saha2010, the transpose of (42).
        """
        u = self.robot.vector()
        for part, E in reversed([*zip(self.determined.parts, self.factors, strict=True)]):
            wanted = {("tau", k): driven[k] for k in part.drives}
            for k in part.equations:
                known = sum(x * u[z] for z, x in self.rows[k].items() if z not in part.freedoms)
                wanted["f", k] = -known - (adds[k] if adds else 0)
            for z, x in E.least(wanted).items():  # (1)
                u[z] = x
        return u

    def adds(self, v):
        """What velocities add to the equations of accelerations."""
        return [c for _, _, c, _ in equations(World(self.robot), self.q, v, self.closures)]

    def solved(self, forces):
        """(tau, f): what drives give and what closes the loops, for the forces of all joints of the tree.

        The forces f of cut joints push on the tree with A' f, drives with tau. In a subsystem j, with the forces
        N_j' w* of its motion, those of its neighbours being known,

            A_j' f + tau = N_j' w* - (A' f of what is known)                                             (2)

        has as many unknowns as there are freedoms: the subsystem is determinate.

        Source: saha2010, (42), its unknowns on the left; where no subsystem is determinate (44) is solved as one.
        """
        tau, f = {}, {}
        for part, E in zip(self.determined.parts, self.factors, strict=True):
            known = {z: sum(self.rows[k].get(z, 0) * x for k, x in f.items()) for z in part.freedoms}
            found = E.solve({z: forces[z] - known[z] for z in part.freedoms})  # (2)
            f |= {k: found["f", k] for k in part.equations}
            tau |= {k: found["tau", k] for k in part.drives}
        return tau, f

    def driving(self, forces):
        """What driven joints must give for the forces of all joints, by their places."""
        return self.solved(forces)[0]
