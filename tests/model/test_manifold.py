"""Steps on the manifold of q: exact, inverse to each other, and those of Pinocchio."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from oracles.random_robots import random_robot

from appell.errors import ShapeError
from appell.model import manifold, zoo
from appell.model.mechanism import Mechanism

pytestmark = pytest.mark.filterwarnings("ignore:robot .*radii of gyration")


def mixed(seed: int, n: int = 7) -> Mechanism:
    return Mechanism.from_dict(random_robot(seed, n, joints="mixed", floating=True, shape="tree"))


def free_body() -> Mechanism:
    return Mechanism.from_dict(random_robot(0, 1, floating=True))


@pytest.mark.parametrize("size", [1e-300, 1e-12, 1e-8, 1e-4, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_difference_is_the_inverse_of_integrate(seed: int, size: float) -> None:
    mechanism = mixed(seed)
    q, v = manifold.random_state(mechanism, seed)
    step = size * np.pi * v / np.abs(v).max() * 0.57
    there = manifold.integrate(mechanism, q, step)
    back = manifold.difference(mechanism, q, there)
    assert np.abs(back - step).max() <= 4e-15 * max(1.0, np.abs(q).max())
    again = manifold.integrate(mechanism, q, manifold.difference(mechanism, q, there))
    assert np.abs(again - there).max() <= 8e-15 * max(1.0, np.abs(q).max())


@pytest.mark.parametrize("seed", range(4))
def test_agreement_with_pinocchio(seed: int) -> None:
    pytest.importorskip("pinocchio")
    from oracles.pinocchio_model import PinocchioOracle

    mechanism = mixed(seed)
    oracle = PinocchioOracle(mechanism.to_dict())
    q, v = manifold.random_state(mechanism, seed)
    there = manifold.integrate(mechanism, q, v, 0.5)
    assert np.abs(there - oracle.integrate(q, 0.5 * v)).max() < 1e-13
    assert np.abs(manifold.difference(mechanism, q, there) - oracle.difference(q, there)).max() < 1e-12


@pytest.mark.parametrize("angle", [1e-160, 1e-16, 1e-8, 1e-5, 1e-3, 0.1, 0.499, 0.501, 1.0, 3.0])
def test_a_screw_about_z_has_its_closed_form(angle: float) -> None:
    """Turning about z at unit speed along x, the origin goes round a circle: (sin a, 1 - cos a) / a."""
    way = manifold.integrate(free_body(), [0, 0, 0, 1, 0, 0, 0], [1, 0, 2, 0, 0, angle])
    sideways = 2 * math.sin(0.5 * angle) ** 2 / angle
    wanted = [math.sin(angle) / angle, sideways, 2.0, math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle)]
    assert np.abs(way - wanted).max() < 5e-16
    assert way[1] == pytest.approx(sideways, rel=1e-14)
    back = manifold.difference(free_body(), [0, 0, 0, 1, 0, 0, 0], way)
    assert np.abs(back - [1, 0, 2, 0, 0, angle]).max() < 2e-15
    assert back[5] == pytest.approx(angle, rel=1e-14)


def test_two_half_steps_are_one_step() -> None:
    mechanism = mixed(2)
    q, v = manifold.random_state(mechanism, 2)
    half = manifold.integrate(mechanism, manifold.integrate(mechanism, q, v, 0.5), v, 0.5)
    assert np.abs(half - manifold.integrate(mechanism, q, v)).max() < 1e-14


def test_the_sign_and_the_size_of_a_quaternion_do_not_matter() -> None:
    body = free_body()
    q, v = manifold.random_state(body, 3)
    there = manifold.integrate(body, q, 0.1 * v)
    scaled = there * [1, 1, 1, -3, -3, -3, -3]
    assert np.abs(manifold.difference(body, q, scaled) - 0.1 * v).max() < 1e-14
    assert np.linalg.norm(manifold.integrate(body, scaled, v)[3:]) == pytest.approx(1.0, abs=1e-15)


def test_the_shortest_turn_is_taken() -> None:
    turned = manifold.integrate(free_body(), [0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 4.0])
    assert manifold.difference(free_body(), [0, 0, 0, 1, 0, 0, 0], turned)[5] == pytest.approx(4.0 - 2 * np.pi)


def test_batches_broadcast(rng: Any) -> None:
    mechanism = mixed(5)
    q, _ = manifold.random_state(mechanism, 5)
    steps = rng.normal(size=(4, 3, mechanism.nv))
    dt = np.array([0.1, 0.2, 0.3])
    many = manifold.integrate(mechanism, q, steps, dt)
    assert many.shape == (4, 3, mechanism.nq)
    for i in range(4):
        for j in range(3):
            assert np.array_equal(many[i, j], manifold.integrate(mechanism, q, steps[i, j], dt[j]))
    assert manifold.difference(mechanism, q, many).shape == (4, 3, mechanism.nv)


def test_a_row_of_nan_stays_in_its_row() -> None:
    body = free_body()
    q = np.stack([manifold.random_state(body, k)[0] for k in range(3)])
    q[1] = np.nan
    there = manifold.integrate(body, q, np.ones(6))
    assert np.isnan(there[1]).all()
    assert np.isfinite(there[[0, 2]]).all()


def test_shapes_are_checked() -> None:
    with pytest.raises(ShapeError, match=r"q of .*: got shape \(3,\), wanted \(\.\.\., 6\)"):
        manifold.integrate(zoo.load("stanford"), [0, 0, 0], np.zeros(6))


def test_neutral_and_random_states() -> None:
    humanoid = zoo.load("humanoid")
    q = manifold.neutral(humanoid)
    assert q[3] == 1.0
    assert np.count_nonzero(q) == 1
    first, second = manifold.random_state(humanoid, 7), manifold.random_state(humanoid, 7)
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert not np.array_equal(first[0], manifold.random_state(humanoid, 8)[0])
    low, high = manifold.limits(humanoid)
    assert (first[0] >= low).all() and (first[0] <= high).all()
    assert np.linalg.norm(first[0][3:7]) == pytest.approx(1.0, abs=1e-15)
