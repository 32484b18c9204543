"""The right-hand side of free motion, from compiled kernels: y = (q, v, work), dy = (dq, a, power)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..asking import OnBodies, on_bodies
from ..closures import closures_of, loops_resist
from ..formulations import cut_resistance
from ..formulations.rates import rates
from ..formulations.table import Formulation, Question
from ..model.manifold import quaternions

if TYPE_CHECKING:
    from ..robot import Robot
    from .integrate import Tolerances
    from .laws import Law
    from .steps import Steps

Array = np.ndarray[Any, Any]
WORKS = 3  # of actuators, of wrenches, lost to friction
RATES = Formulation(
    *("links", "rates", rates, ""),
    asks=Question(("q", "v", "tau"), (("dq", ("nq",)), ("power", (WORKS,))), "rates of coordinates and of work"),
)


class Rate:
    """How a robot moves while nothing strikes it: dq, accelerations, powers."""

    dry: Any = None  # what knows of joints that stick, where there are any
    together: slice | None = None  # what of a state is measured by its largest number

    def __init__(self, robot: Robot, torque: Law, wrench: Law | None = None, method: str | None = None) -> None:
        self.robot, self.torque, self.wrench = robot, torque, wrench
        self.method = robot.formulation("forward_dynamics", method).name
        self.accelerations = self._accelerations(robot, method, () if wrench is None else ("wrench",))
        self.rates = on_bodies(robot, rates_kernel(robot, wrench is not None))
        self.mass_matrix = robot.kernel("mass_matrix")
        self.nq, self.nv = robot.nq, robot.nv
        self.counted, self.size = self.nq + self.nv, self.nq + self.nv + WORKS
        self.quaternions = quaternions(robot.mechanism)
        self.laws: list[Law] = [torque] if wrench is None else [torque, wrench]

    def _accelerations(self, robot: Robot, method: str | None, inputs: tuple[str, ...]) -> Any:
        """What gives accelerations for (q, v, tau), and for wrenches if they are among the inputs."""
        return robot.kernel("forward_dynamics", method=method, inputs=inputs)

    def begin(self, q: Array, v: Array) -> tuple[Array, Array]:
        """The start as the motion can have it."""
        return q, v

    def reachable(self, tolerances: Tolerances) -> Tolerances:
        """The tolerances, as far as rounding lets them be met."""
        return tolerances

    def noted(self, steps: Steps) -> list[Any]:
        """Events that were not looked for on the way."""
        return []

    def bound(self, y: Array, dy: Array) -> Callable[[float], Any]:
        """A function of time that reads y and writes dy, always the same arrays."""
        q, v = self.split(y)[:2]
        dq, a, power = self.split(dy)
        torque, wrench, both = self.torque, self.wrench, (dq, power)
        accelerations, slopes = self.accelerations, self.rates

        def free(t: float) -> None:
            tau = torque.at(t, q, v)
            accelerations(q, v, tau, out=a)
            slopes(q, v, tau, out=both)

        def pushed(t: float) -> None:
            tau, w = torque.at(t, q, v), wrench.at(t, q, v)  # type: ignore[union-attr]
            accelerations(q, v, tau, taken(accelerations, w), out=a)
            slopes(q, v, tau, taken(slopes, w), out=both)

        return free if wrench is None else pushed

    def moved(self, q: Array, impulses: Array) -> Array:
        """The velocities that impulses on the freedoms make at once, one per column; at one state or at many."""
        M = self.mass_matrix(q)
        return self.solve(M, impulses)[1] if M.ndim == 2 else np.linalg.solve(M, impulses)

    @cached_property
    def solve(self) -> Callable[..., Any]:
        """LAPACK's for symmetric positive matrices: factor, solution, failure; imported if something touches."""
        from scipy.linalg.lapack import dposv  # pyright: ignore[reportAttributeAccessIssue]

        return dposv

    def split(self, y: Array) -> tuple[Array, Array, Array]:
        """q, v and work of a state, or of many."""
        a, b = self.nq, self.nq + self.nv
        return y[..., :a], y[..., a:b], y[..., b:]

    def settle(self, t: float, y: Array, dy: Array) -> None:
        """Quaternions of unit length. Their motion scales with them, so this turns no direction and costs no order."""
        for k in self.quaternions:
            p = y[k : k + 4]
            norm = float(np.sqrt(p @ p))
            p /= norm
            dy[k : k + 4] /= norm

    def unit(self, y: Array) -> Array:
        """States (k, n) with quaternions of unit length."""
        for k in self.quaternions:
            y[..., k : k + 4] /= np.linalg.norm(y[..., k : k + 4], axis=-1, keepdims=True)
        return y


def rates_kernel(robot: Robot, wrench: bool) -> Any:
    """The compiled rates of a robot."""
    from ..kernel.make import make

    key = ("rates", wrench)
    if key not in robot._kernels:
        row, tree, resists = RATES, robot.light_tree, loops_resist(robot.mechanism)
        if resists:
            text = partial(cut_resistance.rates(RATES.text), closures=closures_of(robot.mechanism, tree))
            row = replace(RATES, text=text)
        unroll = resists or robot.nv <= RATES.unrolled_up_to
        robot._kernels[key] = make(row, tree, unroll=unroll, wrench=wrench)
    return robot._kernels[key]


def taken(function: Any, wrench: Array) -> Array:
    """Wrenches as a kernel takes them without further ado: in one row, if not carried to links first."""
    return wrench if isinstance(function, OnBodies) else wrench.reshape(-1)
