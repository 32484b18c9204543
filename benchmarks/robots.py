"""The robots that are measured, as ``appell-robot/1`` mappings, and states for them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import appell

from .task import Array

ZOO = {"puma": "puma560", "7r": "panda", "quadruped": "quadruped", "humanoid": "humanoid"}
FILES = {"anymal": "anymal_b_simple_description/robots/anymal.urdf", "talos": "talos_data/robots/talos_full_v2.urdf"}
CHAINS = (10, 30, 100, 300, 1000, 10_000)
NAMES = (*ZOO, *FILES, *(f"chain{n}" for n in CHAINS))
DISTINCT = 64  # configurations; a longer batch repeats them with other velocities and accelerations


def load(name: str) -> dict[str, Any]:
    """The robot of that name, without friction and springs (the peers' models have none)."""
    data = _robot(name).to_dict()
    for body in data["bodies"]:
        for key in ("damping", "coulomb", "stiffness"):
            body["joint"].pop(key, None)
    return data


def _robot(name: str) -> appell.Robot:
    """A robot of the zoo, a chain, or a real robot's URDF, which floats."""
    if name.startswith("chain"):
        return appell.zoo.chain(int(name[5:]))
    if name in FILES:
        return appell.load(_installed(FILES[name]), floating=True, geometry=False)
    return appell.load(ZOO[name])


def _installed(file: str) -> Path:
    """A file of example-robot-data, where it is installed."""
    roots = [Path(p) / "cmeel.prefix" / "share" / "example-robot-data" / "robots" for p in sys.path]
    return next((root / file for root in roots if (root / file).is_file()), Path(file))


def state(d: dict[str, Any], seed: int, count: int) -> tuple[Array, Array, Array]:
    """Arrays (count, nq), (count, nv), (count, nv) of random states, quaternions of unit length."""
    from tests.oracles.random_robots import random_state

    states = [random_state(d, seed + i) for i in range(min(count, DISTINCT))]
    q, v, a = (np.array([s[k] for s in states])[np.arange(count) % len(states)] for k in range(3))
    rng = np.random.default_rng(seed)
    return q, v + 0.1 * rng.normal(size=v.shape), a + rng.normal(size=a.shape)
