"""The laws of impact by themselves: momentum, restitution, energy, against closed forms and the bordered matrix."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from appell.motion.impact import Blow, energy_created, struck

Array = np.ndarray
LAWS: Any = ("newton", "poisson")


def inverse(M: Array) -> Any:
    """What moves a mechanism with this mass matrix."""
    return partial(np.linalg.solve, M)


def mass_matrix(given: Blow) -> Array:
    return np.linalg.inv(given.moved(np.eye(len(given.v))))


def blow(rng: np.random.Generator, n: int, k: int, e: float, friction: float = 0.0) -> Blow:
    """k contacts of a mechanism with n freedoms, all of them closing."""
    B, J, v = rng.normal(size=(n, n)), rng.normal(size=(k, n)), rng.normal(size=n)
    J *= -np.sign(J @ v)[:, None]
    made = Blow(inverse(B @ B.T + np.eye(n)), v, J, J @ v, np.full(k, e), np.full(k, friction))
    if not friction:
        return made
    T = rng.normal(size=(k, 2, n))
    return replace(made, T=T, slipping=T @ v)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("e", [0.0, 0.6, 1.0])
def test_momentum_and_walls_that_never_pull(law: Any, friction: float, e: float, rng: np.random.Generator) -> None:
    for k in (1, 2, 4):
        given = blow(rng, 7, k, e, friction)
        found = struck(given, law)
        M = mass_matrix(given)
        gained = M @ (found.v - given.v)
        T = given.T if given.T is not None else np.zeros((k, 2, 7))
        assert gained == pytest.approx(given.J.T @ found.impulse + np.einsum("kij,ki->j", T, found.rubbed), abs=1e-9)
        assert found.impulse.min() >= 0
        assert found.opening == pytest.approx(given.J @ found.v, abs=1e-9)
        assert found.opening.min() >= -1e-9
        energy = 0.5 * (found.v @ M @ found.v - given.v @ M @ given.v)
        assert found.gain == pytest.approx(energy, abs=1e-9)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_newtons_law_is_the_bordered_system(e: float, rng: np.random.Generator) -> None:
    """(47) of shafei2018, with its signs, for contacts that all push."""
    tried = 0
    while tried < 5:
        given = blow(rng, 6, 2, e)
        M = mass_matrix(given)
        border = np.block([[M, -given.J.T], [given.J, np.zeros((2, 2))]])
        solved = np.linalg.solve(border, np.concatenate([M @ given.v, -e * given.J @ given.v]))
        if solved[6:].min() < 0:
            continue
        found = struck(given)
        assert found.v == pytest.approx(solved[:6], rel=1e-10)
        assert found.impulse == pytest.approx(solved[6:], rel=1e-10)
        tried += 1


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
def test_energy_does_not_grow_with_one_restitution(law: Any, e: float, rng: np.random.Generator) -> None:
    for _ in range(30):
        given = blow(rng, 6, 3, e)
        found = struck(given, law)
        assert energy_created(given, found) == 0.0
        if e == 1.0 and law == "newton":
            assert found.gain == pytest.approx(0.0, abs=1e-9)


def test_a_row_of_balls_by_both_laws() -> None:
    """One ball meets n - 1 at rest that touch: they go on together, and it comes back, (2 - n) / n and 2 / n."""
    n = 5
    J = np.eye(n)[1:] - np.eye(n)[:-1]
    v = np.eye(n)[0]
    given = Blow(inverse(np.eye(n)), v, J, J @ v, np.ones(n - 1), np.zeros(n - 1))
    for law in LAWS:
        assert struck(given, law).v == pytest.approx([(2 - n) / n, *[2 / n] * (n - 1)])


def ball(spin: float, slip: float, friction: float, e: float) -> Blow:
    """A ball of mass 1, radius 0.1 and inertia 0.004 that meets the floor: (x., z., spin)."""
    J, T = np.array([[0.0, 1.0, 0.0]]), np.array([[[1.0, 0.0, -0.1], [0.0, 0.0, 0.0]]])
    v = np.array([slip, -2.0, spin])
    return Blow(inverse(np.diag([1.0, 1.0, 0.004])), v, J, J @ v, np.array([e]), np.array([friction]), T, T @ v)


@pytest.mark.parametrize("law", LAWS)
def test_a_ball_sticks_or_slides(law: Any) -> None:
    e, m, r, inertia = 0.5, 1.0, 0.1, 0.004
    rolls = struck(ball(0.0, 1.0, 0.5, e), law)
    tangential = -1.0 / (1 / m + r * r / inertia)
    assert rolls.v == pytest.approx([1.0 + tangential, 1.0, -r * tangential / inertia])
    slides = struck(ball(0.0, 5.0, 0.2, e), law)
    pushed = m * 2.0 * (1 + e)
    assert slides.v == pytest.approx([5.0 - 0.2 * pushed, 1.0, r * 0.2 * pushed / inertia])
    assert slides.rubbed[0] == pytest.approx([-0.2 * pushed, 0.0])


def test_newton_with_friction_may_create_energy_and_that_is_seen() -> None:
    """As in Kane's pendulum: sticking drives the point into the wall, and Newton's law turns that round as well."""
    M = np.linalg.inv(np.array([[1.0, 0.7, 0.0], [0.7, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    v, rows = np.array([-1.0, -1.0, 0.0]), np.eye(3)
    given = Blow(inverse(M), v, rows[:1], v[:1], np.array([1.0]), np.array([0.6]), rows[None, 1:], v[None, 1:])
    newton, poisson = struck(given), struck(given, "poisson")
    made = 0.5 * (newton.v @ M @ newton.v - v @ M @ v)
    assert made > 0.3
    assert energy_created(given, newton) == pytest.approx(made)
    assert energy_created(given, poisson) == 0.0
    assert poisson.gain < -0.1
