"""The robots that are measured, as ``appell-robot/1`` mappings, and states for them."""

from __future__ import annotations

from typing import Any

import numpy as np

import appell

from .task import Array

ZOO = {"puma": "puma560", "7r": "panda", "quadruped": "quadruped", "humanoid": "humanoid"}
CHAINS = (10, 30, 100, 300, 1000, 10_000)
NAMES = (*ZOO, *(f"chain{n}" for n in CHAINS))
DISTINCT = 64  # configurations; a longer batch repeats them with other velocities and accelerations


def load(name: str) -> dict[str, Any]:
    """The robot of that name, without friction and springs (the peers' models have none)."""
    robot = appell.zoo.chain(int(name[5:])) if name.startswith("chain") else appell.load(ZOO[name])
    data = robot.to_dict()
    for body in data["bodies"]:
        for key in ("damping", "coulomb", "stiffness"):
            body["joint"].pop(key, None)
    return data


def state(d: dict[str, Any], seed: int, count: int) -> tuple[Array, Array, Array]:
    """Arrays (count, nq), (count, nv), (count, nv) of random states, quaternions of unit length."""
    from tests.oracles.random_robots import random_state

    states = [random_state(d, seed + i) for i in range(min(count, DISTINCT))]
    q, v, a = (np.array([s[k] for s in states])[np.arange(count) % len(states)] for k in range(3))
    rng = np.random.default_rng(seed)
    return q, v + 0.1 * rng.normal(size=v.shape), a + rng.normal(size=a.shape)
