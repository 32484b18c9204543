"""Random motions of a robot, in which whatever forces can tell shows: of a closed one, with its loops closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import AssemblyError, ModelError
from ..model.manifold import quaternions

if TYPE_CHECKING:
    from .regressor import Regressor

Array = np.ndarray[Any, Any]
SEED = 20030114
STEP = 0.4  # of the fastest joint, from one closed configuration to the next
STEEP = 30.0  # rates of joints, for unit rates of the coordinates, beyond which a singularity is too near
TRIES = 20  # of each configuration


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
    """Steps along what the loops leave, from a regular configuration, each closed again."""
    robot, reduced = regressor.robot, regressor.reduced
    here, found = robot.regular.q, list[Array]()
    for _ in range(TRIES * count):
        V = reduced.basis(here)
        if np.isfinite(V).all() and np.abs(V).max() < STEEP:
            found.append(here)
        if len(found) == count:
            break
        here = _moved(robot, here, V, rng)
    if len(found) < count:
        named = ", ".join(regressor.coordinates)
        raise ModelError(f"coordinates {named} of {robot.name!r} are singular or nearly so all around")
    u, du = rng.normal(size=(2, count, reduced.n))
    q = np.array(found)
    return q, reduced.velocities(q, u), reduced.accelerations(q, u, du)


def _moved(robot: Any, q: Array, V: Array, rng: np.random.Generator) -> Array:
    """The next configuration, or a fresh start where a step leads nowhere."""
    step = V @ rng.normal(size=V.shape[1])
    try:
        return np.array(robot.assemble(robot.integrate(q, step * (STEP / np.abs(step).max()))))
    except AssemblyError:
        return robot.regular.q
