"""The same motions by `mujoco.rollout`, its loop in C++ on one thread."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from .motion_peers import soft
from .motion_problems import Problem

Array = np.ndarray[Any, Any]


def rolled_pendulums(problem: Problem, angles: Array, step: float) -> Callable[[], Array]:
    """Soft contacts that give back what the wall does."""
    model = soft(problem, step)
    return _rolled(model, np.stack([angles, np.zeros_like(angles)], 1), round(problem.t_end / step))


def rolled_humanoids(data: dict[str, Any], q: Array, v: Array, step: float) -> Callable[[], Array]:
    """Without contacts and constraints; ends in Appell's coordinates."""
    from tests.oracles.mujoco_model import MujocoOracle, mujoco

    oracle = MujocoOracle(data)
    oracle.model.opt.timestep, oracle.model.opt.integrator = step, mujoco.mjtIntegrator.mjINT_RK4
    states = [np.concatenate([oracle.q_to_mujoco(a), oracle.v_to_mujoco(a, b)]) for a, b in zip(q, v)]
    run = _rolled(oracle.model, np.array(states), round(1.0 / step))
    order = np.argsort(oracle.iq)  # its free joint stands at the origin, so only the order differs
    return lambda: run()[:, order]


def _rolled(model: Any, states: Array, count: int) -> Callable[[], Array]:
    mujoco, rollout = (importlib.import_module(name) for name in ("mujoco", "mujoco.rollout"))
    data: Any = mujoco.MjData(model)  # type: ignore[attr-defined]
    start = np.concatenate([np.zeros((len(states), 1)), states], 1)
    room = np.empty((len(states), count, start.shape[1]))

    def run() -> Array:
        rollout.rollout(model, data, start, nstep=count, state=room)  # type: ignore[attr-defined]
        return room[:, -1, 1 : 1 + model.nq].copy()

    return run
