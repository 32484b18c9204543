"""The right-hand side of closed mechanisms: loops stay closed, by the shortest way back after every step.

Accelerations are those of the closed state nearest to the one asked for: between the stages of a step loops open a
little, and near a singular configuration that would be felt. Where all bars of a parallelogram come into one line,
equations of the loops depend on each other as nowhere else: they say nothing of the accelerations in one direction, and
two motions cross. The one goes on to which the velocity is tangent: its accelerations there are those of its neighbours
before and behind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from ..closing.closeness import Closeness, Looseness
from ..closing.kernels import count, equations, response
from ..closing.large import large, large_of
from ..closures import names_of
from ..errors import ModelError, SimulationError
from .events import Happened
from .integrate import EPS
from .passages import passages
from .rate import Rate, rates_kernel, taken

if TYPE_CHECKING:
    from ..robot import Robot
    from .integrate import Tolerances
    from .laws import Law
    from .steps import Steps

Array = np.ndarray[Any, Any]
CLOSED = 4e-16  # of the robot's extent, but a metre or radian at least: off by no more, a loop is closed
NEARLY = 1e-6  # a start that is off by less is closed without a word
TRIES = 4  # to close what a step has opened
FAR, DOUBLINGS = 3e-3, 7  # from a neighbour to the next, in radians or metres; how often twice as far
BESIDE = (5 / 6, -10 / 21, 5 / 28, -5 / 126, 1 / 252)  # what the nearest neighbours on both sides count, the next, ...
FEWER = (0.75, -0.3, 0.05)  # what the nearer ones count without the others
BOUND, HARDLY = 1e-2, 0.3  # the part of a freedom too many that is left where equations still bind, or just so
ROUGH = 1e-2  # by how much both may differ where the motion goes on straight, of accelerations and squared velocities


class Tied(Rate):
    """A right-hand side whose accelerations keep loops closed.

    Velocities are measured by the largest of them: loops let them change together alone, and next to a singular
    configuration those that should be zero are as far from it as rounding makes them.
    """

    def __init__(self, robot: Robot, torque: Law, wrench: Law | None = None, method: str | None = None) -> None:
        super().__init__(robot, torque, wrench, method)
        many = large_of(robot) if large(robot) else None
        self.equations = many.equations if many else equations(robot)
        self.response = many.response if many else response(robot)
        self.count = count(robot)
        self.together = slice(self.nq, self.nq + self.nv)
        self.still, self.slopes = np.zeros(robot.nv), rates_kernel(robot, False).callable
        self.singular: Closeness | Looseness | None = None

    def _accelerations(self, robot: Robot, method: str | None, inputs: tuple[str, ...]) -> Any:
        return large_of(robot).accelerations if large(robot) else super()._accelerations(robot, method, inputs)

    def bound(self, y: Array, dy: Array) -> Callable[[float], Any]:
        """A function of time that closes the loops of y, reads it and writes dy, always the same arrays."""
        regular, a = super().bound(y, dy), self.split(dy)[1]
        q, v, _ = self.split(y)

        def tied(t: float) -> None:
            if self.singular is not None and self.singular(q) and (found := self.beside(t, q, v)) is not None:
                regular(t)
                a[:] = found
            else:
                q[:], v[:] = self.project(q, v)
                regular(t)

        return tied

    def begin(self, q: Array, v: Array) -> tuple[Array, Array]:
        """A start with closed loops: one that is nearly so is made so, another is refused."""
        g, A, _ = self.equations(q, v)
        if not (off := np.abs(g)).max() <= NEARLY:
            k = int(np.argmax(off))
            raise ModelError(f"{self._named(k)} is open by {off[k]:.3g} at the start; robot.assemble(q0) closes it")
        rate, fast = np.abs(A @ v), max(1.0, np.abs(v).max())
        if rate.max() > NEARLY * fast:
            k = int(np.argmax(rate))
            text = f"v0 would open {self._named(k)} at {rate[k]:.3g} per second; it was changed as little as needed"
            warn(f"simulate: {text}", stacklevel=3)
        q, v = self.project(q, v)
        self.singular = Closeness.about(self.robot, q, v, self.project)
        if not v.any() and self.singular(q) and self.singular.left(q) > HARDLY:
            raise SimulationError("it rests where its loops are singular and several motions begin; wanted a velocity")
        return q, v

    def _named(self, k: int) -> str:
        return f"loop equation {names_of(self.robot.mechanism)[k]!r}"

    def beside(self, t: float, q: Array, v: Array) -> Array | None:
        """The accelerations of a motion through a singular configuration, from those before and behind it.

        None if these do not fit together: then the motion passes close by, and turns. And if all of them are as near
        to it while the equations bind well enough: then the mechanism has become a wide one.
        """
        tau = self.torque.at(t, q, v)
        pushed = () if self.wrench is None else (taken(self.accelerations, self.wrench.at(t, q, v)),)
        size, far, dq = float(np.abs(v).max()), FAR, self.slopes(q, v, self.still)[0]
        for _ in range(DOUBLINGS):
            sides = [k * way * far / size for k in range(1, len(BESIDE) + 1) for way in (-1, 1)]
            states = [self.project(self.unit(q + x * dq), v) for x in sides]
            near = [self.singular(x) for x, _ in states]  # type: ignore[misc]
            if all(near) and self.singular.left(q) < BOUND:  # type: ignore[union-attr]
                return None
            if not any(near):
                found = np.array([self.accelerations(*state, tau, *pushed) for state in states])
                a, fewer = (np.repeat(w, 2) @ found[: 2 * len(w)] for w in (BESIDE, FEWER))
                return a if np.abs(a - fewer).max() <= ROUGH * (np.abs(a).max() + size * size) else None
            far *= 2
        if self.singular.left(q) < HARDLY:  # type: ignore[union-attr]
            return None
        raise SimulationError(f"its loops stay singular at t = {t:.15g}, where several motions go on")

    def moved(self, q: Array, impulses: Array) -> Array:
        """The velocities that impulses on the freedoms make at once, loops closed, one per column; at one or many."""
        if q.ndim > 1:
            return np.array([self.moved(*state) for state in zip(q, impulses, strict=True)])
        none = np.zeros(self.count)
        return np.array([self.response(q, b, none)[0] for b in np.ascontiguousarray(impulses.T)]).reshape(-1, self.nv).T

    def reachable(self, tolerances: Tolerances) -> Tolerances:
        """A long row of loops hands on what rounding does to each: errors of its longest waves grow with n squared."""
        least = EPS * self.nv**2 if large(self.robot) else 0.0
        return replace(tolerances, rtol=max(tolerances.rtol, least))

    def noted(self, steps: Steps) -> list[Happened]:
        """Singular configurations on the way."""
        return passages(self, steps)

    # -- drift ------------------------------------------------------------------------------------------------

    def settle(self, t: float, y: Array, dy: Array) -> None:
        """Loops closed, and velocities that keep them so."""
        super().settle(t, y, dy)
        q, v, _ = self.split(y)
        q[:], v[:] = self.project(q, v)

    def project(self, q: Array, v: Array) -> tuple[Array, Array]:
        """(q, v) brought back to closed loops by the least change, as masses weigh it."""
        g, A, _ = self.equations(q, v)
        off, least = np.abs(g).max(), CLOSED * max(1.0, np.abs(q).max())
        for _ in range(TRIES):
            if off <= least:
                break
            there = self.unit(q + self.slopes(q, self.response(q, self.still, -g)[0], self.still)[0])
            closer, B, _ = self.equations(there, v)
            before, off = off, np.abs(closer).max()
            if not off < before:
                break
            q, g, A = there, closer, B
        return q, v + self.response(q, self.still, -(A @ v))[0]
