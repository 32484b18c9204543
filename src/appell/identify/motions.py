"""Random motions of a robot, in which whatever forces can tell shows: of a closed one, with its loops closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..closing.kernels import equations
from ..closing.scaled import Scaled
from ..model.manifold import quaternions

if TYPE_CHECKING:
    from .regressor import Regressor

Array = np.ndarray[Any, Any]
SEED = 20030114
STEPS, STEP = 12, 0.4  # from a closed configuration to others, and the way of the fastest joint in each
STEEP = 30.0  # rates of joints, for unit rates of the coordinates, beyond which a singularity is too near
ROUNDS, CLOSED = 8, 1e-11  # of Newton; what may be left open, in parts of the size


def random_motions(regressor: Regressor, count: int, seed: int = SEED) -> tuple[Array, Array, Array]:
    """(q, v, a), (count, ..) each; always the same for a seed."""
    robot, rng = regressor.robot, np.random.default_rng(seed)
    if regressor.coordinates:
        return _closed(regressor, count, rng)
    q, v, a = rng.uniform(-np.pi, np.pi, (count, robot.nq)), *rng.normal(size=(2, count, robot.nv))
    for k in quaternions(robot.mechanism):
        p = rng.normal(size=(count, 4))
        q[:, k : k + 4] = p / np.linalg.norm(p, axis=1, keepdims=True)
    return q, v, a


def _closed(regressor: Regressor, count: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Random ways along what the loops leave, from a regular configuration, all at once and closed after every step."""
    robot, reduced = regressor.robot, regressor.reduced
    start = min((x.q for x in robot.regulars), key=lambda q: np.abs(reduced.basis(q)).max())
    steep = max(STEEP, 3 * float(np.abs(reduced.basis(start)).max()))
    q, scaled = np.tile(start, (count, 1)), Scaled.of(robot)
    for _ in range(STEPS):
        step = np.einsum("tij,tj->ti", reduced.basis(q), rng.normal(size=(count, reduced.n)))
        there, well = _back(scaled, robot.integrate(q, step * (STEP / np.abs(step).max(1, keepdims=True))))
        fastest = np.abs(reduced.basis(there)).reshape(count, -1).max(1)
        well &= np.isfinite(fastest) & (fastest < steep)
        q[well] = there[well]
    u, du = rng.normal(size=(2, count, reduced.n))
    return q, reduced.velocities(q, u), reduced.accelerations(q, u, du)


def _back(scaled: Scaled, q: Array) -> tuple[Array, Array]:
    """Configurations brought onto the loops, and which of them got there."""
    still, left = np.zeros(scaled.robot.nv), np.zeros(len(q))
    for _ in range(ROUNDS):
        g, A, _ = equations(scaled.robot)(q, still)
        g, A = (g / scaled.units)[:, scaled.binds], (A / scaled.units[:, None] * scaled.measures)[:, scaled.binds]
        left = np.abs(g).max(1, initial=0.0)
        step = -(np.linalg.pinv(A, rcond=1e-9) @ g[..., None])[..., 0]
        q = scaled.robot.integrate(q, np.clip(step, -STEP, STEP) * scaled.measures)
    return q, left < CLOSED
