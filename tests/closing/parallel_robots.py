"""Parallel robots for the tests, tied together where they happen to be; and what they do, by matrices alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import appell
from appell.closures import closures_of, names_of
from appell.formulations.closed import constraints
from appell.formulations.newton_euler import newton_euler
from appell.formulations.resistance import inverse
from appell.model.walk import Coordinates, Walk

from .closed_robots import joint, quietly

Array = np.ndarray[Any, Any]


@dataclass
class Moving:
    """A closed robot in motion: all of it from the rates of what drives it."""

    robot: appell.Robot
    q: Array
    drives: list[int]
    v: Array
    a: Array
    N: Array  # all velocities by those of the drives
    condition: float  # of the equations for them

    @staticmethod
    def of(robot: appell.Robot, q: Array, drives: list[int], seed: int = 0) -> Moving:
        """In a random motion."""
        rng, n = np.random.default_rng(seed), len(drives)
        S = np.eye(robot.nv)[drives]
        _, A, _ = equations(robot, q, np.zeros(robot.nv))
        N = np.linalg.lstsq(np.vstack([A, S]), np.vstack([0 * A[:, :n], np.eye(n)]), rcond=1e-10)[0]
        v = N @ rng.normal(size=n)
        _, _, c = equations(robot, q, v)
        a = np.linalg.lstsq(np.vstack([A, S]), np.concatenate([-c, rng.normal(size=n)]), rcond=1e-10)[0]
        assert np.abs(A @ v).max() < 1e-12 * np.abs(v).max() and np.abs(A @ a + c).max() < 1e-12 * np.abs(a).max()
        return Moving(robot, q, drives, v, a, N, float(np.linalg.cond(np.vstack([A[np.abs(A).max(1) > 1e-12], S]))))

    def torques(self) -> Array:
        """The forces of the drives."""
        return self.N.T @ self.tree_forces()

    def forces(self, seed: int = 1) -> Array:
        """Forces in all joints that bring about the motion, and some that loops carry."""
        _, A, _ = equations(self.robot, self.q, self.v)
        carried = A.T @ np.random.default_rng(seed).normal(size=len(A))
        return self.tree_forces() + carried

    def tree_forces(self) -> Array:
        """What moves the tree, its loops open, read plainly."""
        state = (Coordinates(x.tolist()) for x in (self.q, self.v, self.a))
        return array(inverse(newton_euler)(Walk(self.robot.tree), *state), self.robot.nv)

    @property
    def state(self) -> tuple[Coordinates, Coordinates, Coordinates]:
        """(q, v, a) for texts, without what they are not to know."""
        given = [np.full(self.robot.nv, np.nan), np.full(self.robot.nv, np.nan)]
        for x, whole in zip(given, (self.v, self.a), strict=True):
            x[self.drives] = whole[self.drives]
        return tuple(Coordinates(x.tolist()) for x in (self.q, *given))  # type: ignore[return-value]


def equations(robot: appell.Robot, q: Array, v: Array) -> tuple[Array, Array, Array]:
    """(g, A, c), read plainly."""
    m, closures = len(names_of(robot.mechanism)), closures_of(robot.mechanism, robot.tree)
    g, A, c = constraints(Walk(robot.tree), Coordinates(q.tolist()), Coordinates(v.tolist()), closures)
    return array(g, m), array(A, m, robot.nv), array(c, m)


def array(answer: Any, *shape: int) -> Array:
    """What a text gave, as numbers."""
    return np.array([float(answer[k[0] if len(k) == 1 else k]) for k in np.ndindex(*shape)]).reshape(shape)


def moments(rng: Any, mass: float = 1.0) -> dict[str, Any]:
    """Any matter."""
    points = 0.2 * rng.normal(size=(6, 3))
    c = points.mean(0)
    J = mass / 6 * np.einsum("ni,nj->ij", points - c, points - c)
    I = np.trace(J) * np.eye(3) - J
    inertia = {"ixx": I[0, 0], "iyy": I[1, 1], "izz": I[2, 2], "ixy": I[0, 1], "ixz": I[0, 2], "iyz": I[1, 2]}
    return {"mass": mass, "com": c.tolist(), "inertia": {k: float(x) for k, x in inertia.items()}}


NOTHING = {"mass": 0.0, "com": [0.0] * 3, "inertia": dict.fromkeys(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), 0.0)}


def body(name: str, parent: str, kind: Any, rng: Any, place: Any = None, matter: Any = None) -> dict[str, Any]:
    """A body of any matter on a joint of any axes, anywhere on its parent."""
    made = joint(kind, rng) if isinstance(kind, str) else kind
    where = place or {"position": (0.3 * rng.normal(size=3)).tolist(), "rotation": turned(rng).tolist()}
    return {"name": name, "parent": parent, "joint": {"name": f"{name}_joint", **made}, "placement": where,
            **(matter or moments(rng))}  # fmt: skip


def turned(rng: Any) -> Array:
    """Any rotation."""
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return R * np.linalg.det(R)


def tied(bodies: list[Any], ties: list[tuple[str, str, Any]], rng: Any, q: Any = None) -> tuple[appell.Robot, Array]:
    """A robot with a loop for every (body, body, joint or kind), closed at the configuration that comes along."""
    data = {"format": "appell-robot/1", "name": "tied", "gravity": [0.3, -1.0, -9.81], "bodies": bodies, "frames": []}
    open_ = quietly({**data, "loops": []})
    q = open_.random_state(int(rng.integers(1000)))[0] if q is None else q
    loops = []
    for k, (a, b, kind) in enumerate(ties):
        on_a = np.eye(4)
        on_a[:3, :3], on_a[:3, 3] = turned(rng), 0.2 * rng.normal(size=3)
        on_b = np.linalg.solve(open_.pose(q, b), open_.pose(q, a) @ on_a)
        loops.append({"name": f"loop{k}", "joint": joint(kind, rng), "body_a": a, "placement_a": _placement(on_a),
                      "body_b": b, "placement_b": _placement(on_b)})  # fmt: skip
    return quietly({**data, "loops": loops}), q


def _placement(T: Array) -> dict[str, Any]:
    return {"position": T[:3, 3].tolist(), "rotation": T[:3, :3].tolist()}


def platform(legs: list[list[str]], cut: str, seed: int, carried: bool = True) -> tuple[appell.Robot, Array]:
    """Legs of joints from the base to a platform, which the first carries, or which floats and is tied to all."""
    rng, bodies, ties = np.random.default_rng(seed), [], []
    for n, kinds in enumerate(legs):
        parent = "base"
        for k, kind in enumerate(kinds):
            bodies.append(body(f"leg{n}_{k}", parent, kind, rng))
            parent = f"leg{n}_{k}"
        if n or not carried:
            ties.append((parent, "platform", cut))
        else:
            bodies.append(body("platform", parent, "ball" if cut == "ball" else cut, rng))
    if not carried:
        bodies.append(body("platform", "base", {"type": "free"}, rng))
    return tied(bodies, ties, rng)
