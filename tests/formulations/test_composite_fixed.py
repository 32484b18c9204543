"""The mass matrix in the base's axes keeps its digits however far from the base a robot is."""

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
    exact = robot.mass_matrix(near, method="composite_body")
    for unroll in (True, False):
        M = robot.mass_matrix(away, method="composite_fixed", unroll=unroll)
        assert np.abs(M - exact).max() < allowed * np.abs(exact).max()


def test_long_robots_ask_it() -> None:
    assert appell.zoo.chain(41).formulation("mass_matrix").name == "composite_fixed"
    assert appell.zoo.chain(40).formulation("mass_matrix").name == "composite_body"
