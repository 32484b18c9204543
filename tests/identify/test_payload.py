"""A load in the hand, found from forces: with the robot's model, and with a robot that was identified before."""

from __future__ import annotations

import numpy as np
import pytest

import appell
from appell.errors import UnknownName
from appell.identify import Measurements, consistent, estimate, payload
from appell.identify.payload import loaded
from identify.motions import NOISE, T, fourier, measured

PUMA = appell.load("puma560")
LOAD = {"load.mass": 2.0, "load.first.x": 0.02, "load.first.z": 0.2, "load.second.xx": 0.01, "load.second.yy": 0.012,
        "load.second.zz": 0.03, "load.second.xz": 0.002}  # fmt: skip


def carrying() -> Measurements:
    q, v, a = fourier(6)
    tau = loaded(PUMA, "link6").with_parameters(LOAD).inverse_dynamics(q, v, a)
    return Measurements(T, q, v, a, tau + np.random.default_rng(0).normal(size=tau.shape) * NOISE)


@pytest.mark.parametrize("known", ["model", "estimate"])
def test_a_load_is_found(known: str):
    robot = PUMA if known == "model" else estimate(PUMA, measured(PUMA, NOISE, 3))
    found = payload(robot, carrying(), "link6")
    wanted = np.array([LOAD.get(name, 0.0) for name in found.base.names])
    assert len(wanted) == 10
    assert (np.abs(found.values - wanted) < 4 * found.errors * (1 if known == "model" else 2)).all()
    physical = consistent(found).robot
    assert physical.bodies[-1].mass == pytest.approx(2.0, abs=0.01)
    assert physical.bodies[-1].com[2] == pytest.approx(0.1, abs=1e-3)


def test_a_load_needs_a_frame():
    with pytest.raises(UnknownName, match="unknown frame 'hand'"):
        payload(PUMA, carrying(), "hand")
