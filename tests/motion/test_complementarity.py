"""Forces that push: the conditions hold, redundant ones are shared out evenly, contradictions are told."""

from __future__ import annotations

import numpy as np
import pytest

from appell.motion.complementarity import Unsolvable, complementary, held


@pytest.mark.parametrize("n", [1, 2, 5, 12, 40])
def test_conditions_hold(n: int, rng: np.random.Generator) -> None:
    for _ in range(20):
        B = rng.normal(size=(n, n + 2))
        A, b = B @ B.T, rng.normal(size=n)
        p = complementary(A, b)
        w = A @ p + b
        assert p.min() >= 0
        assert w.min() >= -1e-9 * np.abs(A).max() * max(p.max(), 1.0)
        assert np.abs(p * w).max() <= 1e-9 * max(np.abs(A).max() * p.max() ** 2, 1.0)


def test_redundant_constraints_share_evenly() -> None:
    corners = np.array([[1.0, x, y] for x in (-1, 1) for y in (-1, 1)])  # a square table on four feet
    p = complementary(corners @ corners.T, corners @ np.array([-8.0, 0.0, 0.0]))
    assert p == pytest.approx([2, 2, 2, 2])


def test_what_contradicts_is_told() -> None:
    A = np.array([[1.0, -1.0], [-1.0, 1.0]])  # two walls that close on one point
    with pytest.raises(Unsolvable):
        complementary(A, np.array([-1.0, -1.0]))


def test_held_is_the_shortest_solution() -> None:
    A = np.ones((3, 3))
    assert held(A, np.full(3, 3.0)) == pytest.approx([1, 1, 1])
