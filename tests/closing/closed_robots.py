"""Closed mechanisms for the tests: any tree, tied together where it happens to be."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import appell

Array = np.ndarray[Any, Any]
KINDS = ("revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "ball", "fixed")
G = 9.81


def tied(kind: str, seed: int, n: int = 7, floating: bool = False) -> tuple[appell.Robot, Array]:
    """A random tree with a loop of a kind between two of its bodies, closed at the configuration that comes along."""
    tree = appell.zoo.tree(n, seed, floating, "mixed")
    q, _ = tree.random_state(seed)
    rng = np.random.default_rng(seed)
    a, b = (str(name) for name in rng.choice(["base", *(x.name for x in tree.bodies)], 2, replace=False))
    R, p = np.linalg.qr(rng.normal(size=(3, 3)))[0], 0.2 * rng.normal(size=3)
    R *= np.linalg.det(R)
    on_a = np.block([[R, p[:, None]], [np.zeros((1, 3)), 1]])
    on_b = np.linalg.solve(_pose(tree, q, b), _pose(tree, q, a) @ on_a)
    ends = {"body_a": a, "placement_a": _placement(on_a), "body_b": b, "placement_b": _placement(on_b)}
    loop = {"name": "loop", "joint": joint(kind, rng), **ends}
    return quietly({**tree.to_dict(), "loops": [loop]}), q


def joint(kind: str, rng: Any) -> dict[str, Any]:
    """A joint about any axes."""
    axes = {"axis": rng.normal(size=3)} if kind not in ("ball", "fixed") else {}
    axes |= {"axis2": rng.normal(size=3)} if kind == "universal" else {}
    pitch = {"pitch": 0.1} if kind == "helical" else {}
    return {"type": kind, **{key: (x / np.linalg.norm(x)).tolist() for key, x in axes.items()}, **pitch}


def quietly(data: dict[str, Any]) -> appell.Robot:
    """A robot from plain data, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return appell.Robot.from_dict(data)


def rod(name: str, parent: str, at: float) -> dict[str, Any]:
    inertia = {"ixx": 0.0, "iyy": 1 / 12, "izz": 1 / 12, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0}
    joint = {"name": f"{name}_joint", "type": "revolute", "axis": [0.0, 0.0, 1.0]}
    where = {"position": [at, 0.0, 0.0]}
    return {"name": name, "parent": parent, "joint": joint, "placement": where, "mass": 1.0,
            "com": [0.5, 0.0, 0.0], "inertia": inertia}  # fmt: skip


def ladder(n: int) -> appell.Robot:
    """n parallelograms of rods of 1 m and 1 kg side by side, on hinges in space: three equations too many in each."""
    bodies, loops = [rod("crank0", "base", 0.0)], []
    for k in range(1, n + 1):
        bodies += [rod(f"bar{k}", f"crank{k - 1}", 1.0), rod(f"crank{k}", "base", float(k))]
        end = {"position": [1.0, 0.0, 0.0]}
        ends = {"body_a": f"bar{k}", "placement_a": end, "body_b": f"crank{k}", "placement_b": end}
        loops.append({"name": f"pin{k}", "joint": {"type": "revolute", "axis": [0.0, 0.0, 1.0]}, **ends})
    head = {"format": "appell-robot/1", "name": f"ladder{n}", "gravity": [0.0, -G, 0.0]}
    return appell.Robot.from_dict({**head, "bodies": bodies, "loops": loops})


def turned(robot: appell.Robot, angle: float, rate: float) -> tuple[Any, Any]:
    """All cranks at an angle, all bars level."""
    sense = np.array([1.0 if b.name.startswith("crank") else -1.0 for b in robot.bodies])
    return angle * sense, rate * sense


def _pose(tree: appell.Robot, q: Array, name: str) -> Array:
    return np.eye(4) if name == "base" else tree.pose(q, name)


def _placement(T: Array) -> dict[str, Any]:
    return {"position": T[:3, 3].tolist(), "rotation": T[:3, :3].tolist()}
