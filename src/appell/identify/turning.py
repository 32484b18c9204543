"""Coordinates that turn freely: quaternions made continuous, kept at unit length, and differentiated along the turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.manifold import quaternions
from ..robot import Robot
from .filtering import differentiated

Array = np.ndarray[Any, Any]


def continuous(robot: Robot, q: Array) -> Array:
    """q whose quaternions do not change their sign from one sample to the next: both signs mean the same."""
    q = q.copy() if (places := quaternions(robot.mechanism)) and q.shape[1] == robot.nq else q
    for k in places if q.shape[1] == robot.nq else ():
        p = q[:, k : k + 4]
        turned = np.where((p[1:] * p[:-1]).sum(1) < 0, -1.0, 1.0)
        q[1:, k : k + 4] *= np.cumprod(turned)[:, None]
    return q


def unit(robot: Robot, q: Array) -> Array:
    """q with quaternions of unit length."""
    for k in quaternions(robot.mechanism) if q.shape[1] == robot.nq else ():
        q[:, k : k + 4] /= np.linalg.norm(q[:, k : k + 4], axis=1, keepdims=True)
    return q


def rates(robot: Robot, q: Array, step: float) -> Array:
    """v by central differences of five points, along the turn of quaternions: the error is of fourth order as well."""
    if not quaternions(robot.mechanism):
        return differentiated(q, step)
    v = np.empty((len(q), robot.nv))
    near, far = robot.difference(q[1:-3], q[3:-1]), robot.difference(q[:-4], q[4:])
    v[2:-2] = (8 * near - far) / (12 * step)
    v[:2], v[-2:] = v[2], v[-3]  # which filters spoil anyway
    return v
