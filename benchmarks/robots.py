"""The robots that are measured, as ``appell-robot/1`` mappings.

Each comes from Appell's own zoo where there is one; otherwise from the stand-ins below.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

Array = np.ndarray
Robot = dict[str, Any]

NAMES = (
    "puma",
    "7r",
    "quadruped",
    "humanoid",
    "chain10",
    "chain30",
    "chain100",
    "chain300",
    "chain1000",
    "chain10000",
)
ZOO = {"puma": "puma560", "7r": "panda", "quadruped": "quadruped", "humanoid": "humanoid"}

# Valera et al. 2003, tables 5 to 7: (alpha, a, d), mass, centre, moments about the centre.
PUMA = [
    ((0.0, 0.0, 0.0), 10.521, (0.0, -0.054, 0.0), (1.612, 0.5091, 1.612)),
    ((-1, 0.0, 0.0), 15.781, (0.1398, 0.0, 0.1491), (0.4898, 8.0783, 8.2672)),
    ((0.0, 0.432, 0.15), 8.767, (-0.32e-3, -0.197, 0.0), (3.3768, 0.3009, 3.3768)),
    ((1, -0.02, 0.433), 1.052, (0.0, 0.0, -0.057), (0.181, 0.181, 0.1273)),
    ((-1, 0.0, 0.0), 1.052, (0.0, -0.007, 0.0), (0.0735, 0.0735, 0.1273)),
    ((1, 0.0, 0.0), 0.351, (0.0, 0.0, 0.0372), (0.0071, 0.0071, 0.0141)),
]
# A 7R arm of the Panda's proportions: (quarter turns about x, a, d) and a mass for each link.
SEVEN = [
    ((0.0, 0.0, 0.333), 3.5),
    ((-1, 0.0, 0.0), 3.4),
    ((1, 0.0, 0.316), 3.2),
    ((1, 0.0825, 0.0), 3.1),
    ((-1, -0.0825, 0.384), 2.4),
    ((1, 0.0, 0.0), 1.8),
    ((1, 0.088, 0.0), 1.2),
]
LEG = [("x", (0.0, 0.08, 0.0), 0.6), ("y", (0.0, 0.02, 0.0), 0.9), ("y", (0.0, 0.0, -0.25), 0.25)]
HUMAN_LEG = [
    ("z", (0.0, 0.09, -0.1), 1.8),
    ("x", (0.0, 0.0, 0.0), 2.2),
    ("y", (0.0, 0.0, 0.0), 6.0),
    ("y", (0.0, 0.0, -0.38), 3.6),
    ("y", (0.0, 0.0, -0.36), 1.2),
    ("x", (0.0, 0.0, 0.0), 1.6),
]
HUMAN_ARM = [
    ("z", (0.0, 0.16, 0.23), 2.7),
    ("x", (0.05, 0.07, 0.0), 2.4),
    ("z", (0.0, 0.0, 0.0), 2.2),
    ("y", (0.02, 0.0, -0.27), 0.9),
    ("z", (-0.02, 0.0, -0.26), 1.8),
    ("x", (0.0, 0.0, 0.0), 0.4),
    ("y", (0.0, 0.0, 0.0), 0.7),
    ("y", (0.0, 0.0, -0.1), 0.3),
]


def load(name: str) -> Robot:
    """The robot of that name, without friction and springs (the peers' models have none)."""
    robot = _from_zoo(name) or _stand_in(name)
    for body in robot["bodies"]:
        for key in ("damping", "coulomb", "stiffness"):
            body["joint"].pop(key, None)
    return robot


def _from_zoo(name: str) -> Robot | None:
    try:
        appell: Any = importlib.import_module("appell")
        zoo, read = appell.zoo, appell.load
    except (ImportError, AttributeError):
        return None
    if name.startswith("chain"):
        return zoo.chain(int(name[5:])).to_dict()
    try:
        return read(ZOO[name]).to_dict()
    except ValueError:
        return None


def _stand_in(name: str) -> Robot:
    if name.startswith("chain"):
        return chain(int(name[5:]))
    return {"puma": puma, "7r": seven_r, "quadruped": quadruped, "humanoid": humanoid}[name]()


def puma() -> Robot:
    """The PUMA of Valera et al., modified Denavit-Hartenberg."""
    bodies = []
    for i, (dh, mass, com, moments) in enumerate(PUMA):
        inertia = dict(zip(("ixx", "iyy", "izz"), moments, strict=True)) | {
            "ixy": 0.0,
            "ixz": 0.0,
            "iyz": 0.0,
        }
        mass_data = {"mass": mass, "com": list(com), "inertia": inertia}
        bodies.append(_body(i, i - 1, "z", *_modified(dh), mass_data))
    return _robot("puma", bodies)


def seven_r() -> Robot:
    """A 7R arm of the Panda's proportions with full inertia tensors."""
    rng = np.random.default_rng(7)
    bodies = [_body(i, i - 1, "z", *_modified(dh), _mass(rng, m, 0.06)) for i, (dh, m) in enumerate(SEVEN)]
    return _robot("7r", bodies)


def quadruped() -> Robot:
    """A free trunk with four legs of three revolute joints."""
    rng = np.random.default_rng(12)
    bodies = [_body(0, -1, "free", np.zeros(3), np.eye(3), _mass(rng, 9.0, 0.15))]
    for x, y in ((0.2, 1), (0.2, -1), (-0.2, 1), (-0.2, -1)):
        _limb(bodies, rng, 0, LEG, y, (x, 0.0, 0.0), 0.05)
    return _robot("quadruped", bodies)


def humanoid() -> Robot:
    """A free pelvis with 32 revolute joints: two legs, a torso, two arms with grippers, a head."""
    rng = np.random.default_rng(32)
    bodies = [_body(0, -1, "free", np.zeros(3), np.eye(3), _mass(rng, 14.0, 0.12))]
    for side in (1, -1):
        _limb(bodies, rng, 0, HUMAN_LEG, side, (0.0, 0.0, 0.0), 0.07)
    torso = _limb(bodies, rng, 0, [("z", (0.0, 0.0, 0.07), 3.0), ("y", (0.0, 0.0, 0.0), 17.0)], 1, (0, 0, 0), 0.1)
    for side in (1, -1):
        _limb(bodies, rng, torso, HUMAN_ARM, side, (0.0, 0.0, 0.0), 0.05)
    _limb(bodies, rng, torso, [("y", (0.02, 0.0, 0.32), 0.7), ("z", (0.0, 0.0, 0.0), 1.4)], 1, (0, 0, 0), 0.05)
    return _robot("humanoid", bodies)


def chain(n: int) -> Robot:
    """A serial chain of n revolute joints about z, y, x in turn, with full inertia tensors."""
    rng = np.random.default_rng(n)
    reach = np.array([0.02, 0.01, 0.1])
    bodies = [_body(i, i - 1, "zyx"[i % 3], reach, np.eye(3), _mass(rng, 1.0, 0.05)) for i in range(n)]
    return _robot(f"chain{n}", bodies)


def state(d: Robot, seed: int, count: int) -> tuple[Array, Array, Array]:
    """Arrays (count, nq), (count, nv), (count, nv) of random states, quaternions of unit length."""
    from tests.oracles.random_robots import random_state

    states = [random_state(d, seed + i) for i in range(min(count, 64))]
    q, v, a = (np.array([s[k] for s in states]) for k in range(3))
    fill = np.arange(count) % len(states)
    rng = np.random.default_rng(seed)
    return (
        q[fill],
        v[fill] + 0.1 * rng.normal(size=(count, v.shape[1])),
        a[fill] + rng.normal(size=(count, v.shape[1])),
    )


def _robot(name: str, bodies: list[Robot]) -> Robot:
    base = {"format": "appell-robot/1", "name": name, "gravity": [0.0, 0.0, -9.81]}
    return base | {"bodies": bodies, "frames": [], "loops": []}


def _body(i: int, parent: int, kind: str, position: Any, rotation: Array, mass: Robot) -> Robot:
    axis = {"x": [1.0, 0.0, 0.0], "y": [0.0, 1.0, 0.0]}.get(kind, [0.0, 0.0, 1.0])
    joint = {"name": f"joint{i}", "type": "free" if kind == "free" else "revolute", "axis": axis}
    placement = {"position": [float(x) for x in position], "rotation": (rotation + 0.0).tolist()}
    where = {"name": f"body{i}", "parent": f"body{parent}" if parent >= 0 else "base"}
    return where | {"joint": joint, "placement": placement} | mass


def _modified(dh: tuple[float, float, float]) -> tuple[Array, Array]:
    """Position and rotation of a modified DH row whose alpha is a number of quarter turns."""
    quarter, a, d = dh
    c, s = (1.0, 0.0) if quarter == 0 else (0.0, float(quarter))
    rotation = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    return np.array([a, 0.0, 0.0]) + rotation @ np.array([0.0, 0.0, d]), rotation


def _mass(rng: np.random.Generator, mass: float, size: float) -> Robot:
    """A physical inertia with no zero entry: a cloud of points, rounded to what a data sheet gives."""
    points = rng.normal(size=(8, 3)) * size
    points -= points.mean(axis=0)
    second = mass * points.T @ points / 8.0
    m = np.round(np.trace(second) * np.eye(3) - second, 7)
    names = {"ixx": m[0, 0], "iyy": m[1, 1], "izz": m[2, 2], "ixy": m[0, 1], "ixz": m[0, 2], "iyz": m[1, 2]}
    com = np.round(rng.uniform(-size, size, 3), 4)
    return {"mass": mass, "com": com.tolist(), "inertia": {k: float(x) for k, x in names.items()}}


def _limb(bodies: list[Robot], rng: Any, parent: int, links: list, side: int, root: Any, size: float) -> int:
    """Hang a limb on a body, mirrored in y by `side`; returns the number of its last body."""
    for k, (axis, (x, y, z), mass) in enumerate(links):
        place = np.array([x, side * y, z]) + (np.array(root, float) if k == 0 else 0.0)
        bodies.append(_body(len(bodies), parent, axis, place, np.eye(3), _mass(rng, mass, size)))
        parent = len(bodies) - 1
    return parent
