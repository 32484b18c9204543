"""Coulomb's conditions hold after the solution, whoever sticks, slides or opens."""

from __future__ import annotations

import numpy as np
import pytest

from appell.motion.friction import rubbing

Array = np.ndarray


def check(W: Array, u: Array, mu: Array, f: Array, floor: Array | None = None) -> None:
    """The conditions of the docstring."""
    w, least = W @ f + u, np.zeros(len(mu)) if floor is None else floor
    scale = np.abs(u).max()
    n, across = f[::3], f.reshape(-1, 3)[:, 1:]
    assert (n >= least - 1e-12).all()
    assert (w[::3] >= -1e-9 * scale).all()
    assert np.abs((n - least) * w[::3]).max() <= 1e-9 * scale
    size = np.linalg.norm(across, axis=1)
    assert (size <= mu * n + 1e-9).all()
    for k, slip in enumerate(w.reshape(-1, 3)[:, 1:]):
        if np.linalg.norm(slip) > 1e-8 * scale:
            assert across[k] == pytest.approx(-mu[k] * n[k] * slip / np.linalg.norm(slip), abs=1e-8)


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize("friction", [0.0, 0.2, 0.6])
def test_conditions_hold(k: int, friction: float, rng: np.random.Generator) -> None:
    for _ in range(10):
        B = rng.normal(size=(3 * k, 3 * k + 3))
        W, u, mu = B @ B.T, rng.normal(size=3 * k), np.full(k, friction)
        check(W, u, mu, rubbing(W, u, mu))


def test_a_floor_is_given_back_at_least(rng: np.random.Generator) -> None:
    B = rng.normal(size=(6, 9))
    W, u, mu, floor = B @ B.T, rng.normal(size=6), np.array([0.3, 0.3]), np.array([0.1, 0.2])
    check(W, u, mu, rubbing(W, u, mu, floor), floor)


def test_what_slides_already_keeps_its_direction() -> None:
    f = rubbing(np.eye(3), np.array([-2.0, 0.0, 0.0]), np.array([0.5]), slide=np.array([[0.6, 0.8]]))
    assert f == pytest.approx([2.0, -0.6, -0.8])
