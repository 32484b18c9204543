"""The mass matrix and derivatives in the base's axes keep their digits however far from the base a robot is."""

from __future__ import annotations

import numpy as np
import pytest

import appell


@pytest.mark.parametrize(("far", "allowed"), [(0.0, 2e-14), (1e3, 1e-12), (1e6, 1e-9)])
def test_a_tree_far_away(far: float, allowed: float) -> None:
    robot = appell.zoo.tree(12, 5, floating=True, joints="mixed")
    q, _ = robot.random_state(1)
    near, away = q.copy(), q.copy()
    near[:3] = 0.0
    away[:3] = far * np.array([0.6, -0.64, 0.48])
    v = np.cos(np.arange(robot.nv))
    exact = robot.inverse_dynamics_derivatives(near, v, -v, method="composite_body")
    for unroll in (True, False):
        ask = {"method": "composite_fixed", "unroll": unroll}
        M, *found = robot.mass_matrix(away, **ask), *robot.inverse_dynamics_derivatives(away, v, -v, **ask)
        for one, other in zip([M, *found], [exact[2], *exact], strict=True):
            assert np.abs(one - other).max() < allowed * np.abs(other).max()


def test_long_robots_ask_it() -> None:
    assert appell.zoo.chain(41).formulation("mass_matrix").name == "composite_fixed"
    assert appell.zoo.chain(40).formulation("mass_matrix").name == "composite_body"
