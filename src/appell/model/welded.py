"""Bodies on fixed joints are one to the motion: the inertia of the whole, where that of a part is impossible."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .rotation import orthonormal, stacked
from .topology import depth_first

if TYPE_CHECKING:
    from .mechanism import Mechanism


def carriers(mechanism: Mechanism) -> list[int]:
    """The body that each body is welded to, over fixed joints; itself if it moves, -1 if it stands."""
    found = list(range(len(mechanism.bodies)))
    for i in depth_first(mechanism.parents):
        if mechanism.bodies[i].joint.type == "fixed":
            p = mechanism.parents[i]
            found[i] = found[p] if p >= 0 else -1
    return found


def whole(mechanism: Mechanism, carrier: int, members: list[int], matter: np.ndarray) -> np.ndarray:
    """The inertia tensor about its mass centre of all that is welded to a carrier."""
    stand = {carrier: (np.eye(3), np.zeros(3))}
    mass, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    inside = set(members)
    for i in (k for k in depth_first(mechanism.parents) if k in inside):
        body = mechanism.bodies[i]
        if i != carrier:
            R, r = stand[mechanism.parents[i]]
            stand[i] = R @ orthonormal(stacked([body.placement]))[0], r + R @ np.array(body.placement.position)
        R, r = stand[i]
        c = r + R @ np.array(body.com)
        mass, first = mass + body.mass, first + body.mass * c
        second = second + R @ matter[i] @ R.T + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
    c = first / mass if mass else first
    return second - mass * (c @ c * np.eye(3) - np.outer(c, c))
