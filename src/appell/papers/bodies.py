"""All bodies of a machine in the plane at once, each with its own equations: what every hinge carries.

The traditional way, for comparison: 3 equations for each body, solved for the forces of all hinges and of one drive.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..robot import Robot

Array = np.ndarray[Any, Any]


def reactions_at_once(robot: Robot, q: Array, v: Array, a: Array, drive: int) -> tuple[Array, dict[str, Array]]:
    """(tau, forces): of the drive at a joint, and of every hinge, in the world: on a body from its parent, or on body
    b of a loop from body a; for rows of states. All hinges turn about z, and gravity has no part along it."""
    angle, origin, centre, moved, spun = _moved(robot, q, v, a)
    bodies, hinges = robot.bodies, len(robot.bodies) + len(robot.loops)
    E = np.zeros((len(q), 3 * len(bodies), 2 * hinges + 1))
    wanted = np.zeros((len(q), 3 * len(bodies)))
    for k, b in enumerate(bodies):
        wanted[:, 3 * k : 3 * k + 2] = b.mass * (moved[k] - robot.gravity[:2])
        wanted[:, 3 * k + 2] = b.inertia.izz * spun[k]
        _push(E, k, 2 * k, origin[k] - centre[k], 1)
        if (p := robot.mechanism.parents[k]) >= 0:
            _push(E, p, 2 * k, origin[k] - centre[p], -1)
    for n, loop in enumerate(robot.loops, len(bodies)):
        i, j = (robot.mechanism.index[name] for name in (loop.body_a, loop.body_b))
        x = origin[j] + _turned(angle[j], loop.placement_b.position)
        _push(E, j, 2 * n, x - centre[j], 1)
        _push(E, i, 2 * n, x - centre[i], -1)
    E[:, 3 * drive + 2, -1] = 1.0
    if (p := robot.mechanism.parents[drive]) >= 0:
        E[:, 3 * p + 2, -1] = -1.0
    found = np.linalg.solve(E, wanted[..., None])[..., 0]
    names = [*(b.joint.name for b in bodies), *(loop.name for loop in robot.loops)]
    return found[:, -1], {name: found[:, 2 * n : 2 * n + 2] for n, name in enumerate(names)}


def _push(E: Array, body: int, column: int, arm: Array, sense: int) -> None:
    """A force on a body at a point: its two components, and their moments about the mass centre."""
    for k in (0, 1):
        E[:, 3 * body + k, column + k] += sense
    E[:, 3 * body + 2, column] -= sense * arm[:, 1]
    E[:, 3 * body + 2, column + 1] += sense * arm[:, 0]


def _moved(robot: Robot, q: Array, v: Array, a: Array) -> tuple[list[Array], ...]:
    """Angles, origins, mass centres, the accelerations of these, and angular accelerations of all bodies."""
    none = np.zeros(len(q))
    at = {-1: (none, none, none, np.zeros((len(q), 2)), np.zeros((len(q), 2)))}
    angle, origin, centre, moved, spun = [], [], [], [], []
    for k, b in enumerate(robot.bodies):
        turn, w, dw, o, swing = at[robot.mechanism.parents[k]]
        r = _turned(turn, b.placement.position)
        o, swing = o + r, swing + _swung(w, dw, r)
        turn, w, dw = turn + q[:, k], w + v[:, k], dw + a[:, k]
        at[k] = (turn, w, dw, o, swing)
        c = _turned(turn, b.com)
        for found, x in zip(
            (angle, origin, centre, moved, spun), (turn, o, o + c, swing + _swung(w, dw, c), dw), strict=True
        ):
            found.append(x)
    return angle, origin, centre, moved, spun


def _turned(turn: Array, vector: Any) -> Array:
    """A vector of the plane, turned."""
    c, s = np.cos(turn), np.sin(turn)
    return np.stack([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]], -1)


def _swung(w: Array, dw: Array, r: Array) -> Array:
    """The acceleration of a point at r about one that stands still."""
    return dw[:, None] * np.stack([-r[:, 1], r[:, 0]], -1) - (w * w)[:, None] * r
