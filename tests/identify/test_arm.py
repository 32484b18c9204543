"""A 7R arm with friction end to end: excited, measured with noise, identified, held to another motion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import appell
from appell.identify import Limits, estimate, excite, measurements, validate
from appell.robot import Robot

NOISE, CUTOFF, RATE = np.array([0.5, 0.5, 0.4, 0.4, 0.1, 0.1, 0.1]), 25.0, 500


def rubbing() -> Robot:
    data = appell.load("panda").to_dict()
    for k, body in enumerate(b for b in data["bodies"] if b["joint"]["type"] == "revolute"):
        body["joint"] |= {"damping": 0.6 - 0.05 * k, "coulomb": 0.8 - 0.08 * k}
    return Robot.from_dict(data)


def recorded(robot: Robot, series: Any, seed: int, noise: Any) -> Any:
    """Positions of encoders and torques, twenty seconds of them."""
    t, rng = np.arange(20 * RATE) / RATE, np.random.default_rng(seed)
    q, v, a = series(t)
    tau, seen = robot.inverse_dynamics(q, v, a) + noise * rng.normal(size=q.shape), q + 2e-6 * rng.normal(size=q.shape)
    named = {f"q{k + 1} [rad]": x for k, x in enumerate(seen.T)} | {f"tau{k + 1} [N m]": x for k, x in enumerate(tau.T)}
    return measurements(robot, {"t [s]": t} | named, cutoff=CUTOFF)


@pytest.mark.slow
def test_forces_of_another_motion_are_predicted_to_the_noise():
    robot, model = rubbing(), appell.load("panda")
    limits = Limits.of(robot, speed=1.5, acceleration=5.0)
    first, second = (excite(robot, limits, starts=1, steps=40, samples=60, seed=s).trajectory for s in (1, 2))
    found = estimate(model, recorded(robot, first, 1, NOISE), "moments", "friction")
    other, exact = recorded(robot, second, 2, NOISE), recorded(robot, second, 2, 0.0)
    floor = np.sqrt(np.mean((other.tau - exact.tau) ** 2, axis=0))
    np.testing.assert_allclose(floor, NOISE * np.sqrt(2 * CUTOFF / RATE), rtol=0.1)
    assert (validate(found, other).rms / floor).max() < 1.05
    assert (validate(model, other).rms / floor).min() > 2.0
