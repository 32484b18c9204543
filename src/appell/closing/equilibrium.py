"""Where a closed mechanism stays at rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import analysis
from ..analysis import LONGEST, one
from ..errors import AppellError
from . import kernels
from .mobility import motions

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
STEPS, HALVINGS = 100, 30


def equilibrium(robot: Robot, q: Any, tau: Any) -> Array:
    """A configuration near q where tau, springs and gravity do not move the robot, its loops closed."""
    if not robot.mechanism.closed:
        return analysis.equilibrium(robot, q, tau)
    return _closed(robot, one("q", q, robot.nq), one("tau", tau, robot.nv))


def _closed(robot: Robot, q: Array, tau: Array, tolerance: float = 1e-12) -> Array:
    """The closed configuration.

    Newton's method on the accelerations at rest, along the motions N that the loops leave; loops are closed after
    every step, and steps halved while they do not help.
    """
    still = np.zeros(robot.nv)
    q = robot.assemble(q).q
    scale = max(float(np.abs(robot.bias(q, still) - tau).max()), 1.0)
    left, N = _left(robot, q, tau)
    for _ in range(STEPS):
        if np.abs(left).max(initial=0.0) <= tolerance * scale:
            return q
        a = robot.forward_dynamics(q, still, tau)
        slope = robot.forward_dynamics_derivatives(q, still, tau)[0] @ N
        step = -N @ np.linalg.lstsq(slope, a, rcond=1e-10)[0]
        step *= min(1.0, LONGEST / max(float(np.abs(step).max()), LONGEST))
        for _ in range(HALVINGS):
            there = robot.assemble(robot.integrate(q, step)).q
            after, motion = _left(robot, there, tau)
            if np.linalg.norm(after) < np.linalg.norm(left):
                break
            step = step / 2
        else:
            break
        q, left, N = there, after, motion
    if np.abs(left).max(initial=0.0) <= 1e3 * tolerance * scale:
        return q
    raise AppellError(
        f"no equilibrium of {robot.name!r} found near q: a force of {np.abs(left).max():.3g} is left over, wanted 0"
    )


def _left(robot: Robot, q: Array, tau: Array) -> tuple[Array, Array]:
    """What the motions that loops leave feel of all forces; and these motions."""
    _, A, _ = kernels.equations(robot)(q, np.zeros(robot.nv))
    N = motions(A)
    return N.T @ (robot.bias(q, np.zeros(robot.nv)) - tau), N
