"""Motions that excite a robot, and forces with noise: what the tests of identification share."""

from __future__ import annotations

from typing import Any

import numpy as np

from appell.identify.measurements import Measurements
from appell.robot import Robot

Array = np.ndarray[Any, Any]
NOISE = np.array([0.5, 0.5, 0.3, 0.05, 0.05, 0.02])  # N m, of a PUMA's joints
T = np.linspace(0.0, 10.0, 1001)


def fourier(n: int, t: Array = T, seed: int = 3, size: float = 0.5, harmonics: int = 5) -> tuple[Array, Array, Array]:
    """(q, v, a) of one sum of sines in each joint, of period 10 s."""
    A, B = np.random.default_rng(seed).normal(size=(2, n, harmonics)) * size
    k = 2 * np.pi * 0.1 * np.arange(1, harmonics + 1)
    s, c = np.sin(np.multiply.outer(t, k)), np.cos(np.multiply.outer(t, k))
    return s @ A.T + c @ B.T, (c * k) @ A.T - (s * k) @ B.T, -(s * k * k) @ A.T - (c * k * k) @ B.T


def measured(robot: Robot, noise: Any = 0.0, seed: int = 0, **motion: Any) -> Measurements:
    """Exact motion, and forces with white noise."""
    q, v, a = fourier(robot.nv, **motion)
    tau = robot.inverse_dynamics(q, v, a)
    tau = tau + np.random.default_rng(seed).normal(size=tau.shape) * noise
    return Measurements(motion.get("t", T), q, v, a, tau)
