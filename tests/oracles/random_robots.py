"""Random mechanisms as ``appell-robot/1`` mappings, with states in Appell's conventions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .pinocchio_model import widths

Array = np.ndarray
Rng = np.random.Generator

# Never "fixed" or "free" next to the base by chance: those are asked for by name.
KINDS: dict[str, tuple[str, ...]] = {
    "mixed": ("fixed", "revolute", "prismatic", "helical", "cylindrical", "universal", "ball", "planar"),
    "simple": ("revolute", "prismatic"),
    "mujoco": ("fixed", "revolute", "prismatic", "cylindrical", "universal", "ball", "planar"),
}


def random_robot(
    seed: int,
    n: int,
    joints: str = "revolute",
    floating: bool = False,
    shape: str = "chain",
    order: str = "depth",
    rotors: bool = False,
) -> dict[str, Any]:
    """A mechanism of n bodies; `joints` is a key of KINDS or one joint type; `order` depth or shuffled."""
    rng = np.random.default_rng(seed)
    kinds = KINDS.get(joints, (joints,))
    bodies = [_body(rng, i, kinds, floating, shape, rotors) for i in range(n)]
    rank = _depth_first(bodies) if order == "depth" else _shuffled(rng, bodies)
    gravity = [0.0, 0.0, -9.81] if rng.random() < 0.5 else rng.normal(0.0, 6.0, 3).tolist()
    frames = [{"name": "tool", "body": f"body{n - 1}", "placement": _placement(rng)}]
    return {
        "format": "appell-robot/1",
        "name": f"random_{seed}_{n}_{joints}",
        "gravity": gravity,
        "bodies": [bodies[i] for i in rank],
        "frames": frames,
        "loops": [],
    }


def random_state(d: dict[str, Any], seed: int) -> tuple[Array, Array, Array]:
    """(q, v, a): angles within a turn, unit quaternions, rates of order one."""
    rng = np.random.default_rng(seed)
    q = [_coordinates(rng, body["joint"]) for body in d["bodies"]]
    nv = sum(widths(body["joint"])[1] for body in d["bodies"])
    return np.concatenate([np.zeros(0), *q]), rng.normal(size=nv), rng.normal(size=nv)


def _coordinates(rng: Rng, joint: dict[str, Any]) -> Array:
    if joint["type"] in ("ball", "free"):
        quaternion = rng.normal(size=4)
        quaternion /= np.linalg.norm(quaternion)
        return quaternion if joint["type"] == "ball" else np.concatenate([rng.normal(size=3), quaternion])
    return rng.uniform(-np.pi, np.pi, widths(joint)[0])


def _body(rng: Rng, i: int, kinds: tuple[str, ...], floating: bool, shape: str, rotors: bool) -> dict[str, Any]:
    parent = _parent(rng, i, shape, floating)
    kind = "free" if floating and i == 0 else str(rng.choice(kinds))
    if kind == "fixed" and parent == "base":
        kind = kinds[-1]
    return {
        "name": f"body{i}",
        "parent": parent,
        "joint": _joint(rng, i, kind, rotors),
        "placement": _placement(rng),
        **_inertia(rng),
    }


def _parent(rng: Rng, i: int, shape: str, floating: bool) -> str:
    if i == 0:
        return "base"
    if shape == "chain":
        return f"body{i - 1}"
    lowest = 0 if floating else -1  # a floating tree hangs on its free body as a whole
    pick = int(rng.integers(max(lowest, i - 6), i))
    return "base" if pick < 0 else f"body{pick}"


def _joint(rng: Rng, i: int, kind: str, rotors: bool) -> dict[str, Any]:
    joint: dict[str, Any] = {"name": f"joint{i}", "type": kind, "axis": _axis(rng)}
    if kind == "helical":
        joint["pitch"] = float(rng.uniform(-0.3, 0.3))
    if kind == "universal":
        joint["axis2"] = _second_axis(rng, np.array(joint["axis"]))
    if rotors and kind in ("revolute", "prismatic", "helical"):
        joint |= {"rotor_inertia": float(rng.uniform(1e-4, 1e-2)), "gear": float(rng.uniform(1.0, 20.0))}
    return joint


def _axis(rng: Rng) -> list[float]:
    """One of +-x, +-y, +-z, or any direction, with even chances."""
    if rng.random() < 0.5:
        return (float(rng.choice([-1.0, 1.0])) * np.eye(3)[rng.integers(3)] + 0.0).tolist()
    axis = rng.normal(size=3)
    return (axis / np.linalg.norm(axis)).tolist()


def _second_axis(rng: Rng, first: Array) -> list[float]:
    while True:
        axis = np.array(_axis(rng))
        if abs(float(axis @ first)) < 0.8:  # nearly parallel axes would make M nearly singular
            return axis.tolist()


def _rotation(rng: Rng) -> Array:
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.sign(np.linalg.det(q))


def _placement(rng: Rng) -> dict[str, Any]:
    """Half of the rotations are aligned with the axes, a few offsets are zero."""
    rotation = _rotation(rng)
    if rng.random() < 0.5:
        permuted = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)
        rotation = permuted * np.linalg.det(permuted) + 0.0
    position = rng.uniform(-0.6, 0.6, 3) * (rng.random(3) < 0.8)
    return {"position": position.tolist(), "rotation": rotation.tolist()}


def _inertia(rng: Rng) -> dict[str, Any]:
    """Mass, centre and the inertia of a random cloud of points, which is physical by construction."""
    points = rng.normal(size=(8, 3)) * rng.uniform(0.05, 0.3, 3)
    points -= points.mean(axis=0)
    mass = float(rng.uniform(0.3, 5.0))
    second = mass * points.T @ points / 8.0
    m = np.trace(second) * np.eye(3) - second
    names = {"ixx": m[0, 0], "iyy": m[1, 1], "izz": m[2, 2], "ixy": m[0, 1], "ixz": m[0, 2], "iyz": m[1, 2]}
    inertia = {key: float(value) for key, value in names.items()}
    return {"mass": mass, "com": rng.uniform(-0.3, 0.3, 3).tolist(), "inertia": inertia}


def _depth_first(bodies: list[dict[str, Any]]) -> list[int]:
    children: dict[str, list[int]] = {}
    for i, body in enumerate(bodies):
        children.setdefault(body["parent"], []).append(i)
    order, stack = [], children["base"][::-1]
    while stack:
        order.append(stack.pop())
        stack += children.get(f"body{order[-1]}", [])[::-1]
    return order


def _shuffled(rng: Rng, bodies: list[dict[str, Any]]) -> list[int]:
    """A random order in which every parent still stands before its children."""
    ready, order = [i for i, b in enumerate(bodies) if b["parent"] == "base"], []
    while ready:
        order.append(ready.pop(int(rng.integers(len(ready)))))
        ready += [i for i, b in enumerate(bodies) if b["parent"] == f"body{order[-1]}"]
    return order
