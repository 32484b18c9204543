"""Where gaps close within a step: cubics lose no zero, nor the first of two."""

from __future__ import annotations

import numpy as np
import pytest

from appell.motion.batch.crossing import doubtful, first

Array = np.ndarray


def cubic(rng: np.random.Generator, count: int) -> tuple[Array, Array, Array, Array, Array]:
    """Random cubics that start open: their coefficients, and values and rates at both ends of a step."""
    c = rng.normal(size=(4, count))
    c[0] = np.abs(c[0])
    h = rng.uniform(0.1, 2.0, count)
    return c, c[0], c[1] / h, c.sum(0), (c[1] + 2 * c[2] + 3 * c[3]) / h


def test_the_first_zero_is_found(rng: np.random.Generator) -> None:
    c, g0, r0, g1, r1 = cubic(rng, 500)
    h = c[1] / r0
    x = first(g0, r0, g1, r1, h, np.zeros(500))
    for k in range(500):
        roots = np.roots(c[::-1, k])
        real = np.sort(roots.real[(np.abs(roots.imag) < 1e-9) & (roots.real > 0) & (roots.real <= 1)])
        slopes = np.polyval(np.polyder(c[::-1, k]), real)
        falling = real[slopes < 0]
        if len(falling):
            assert x[k] == pytest.approx(falling[0], abs=1e-9) or x[k] < falling[0]  # earlier only where in doubt
        else:
            assert not np.isfinite(x[k]) or doubtful(g0[k], r0[k], g1[k], r1[k], h[k])


def test_what_is_surely_open_is_not_looked_at(rng: np.random.Generator) -> None:
    c, g0, r0, g1, r1 = cubic(rng, 2000)
    quiet = ~doubtful(g0, r0, g1, r1, c[1] / r0)
    lowest = np.min([np.polyval(c[::-1], x) for x in np.linspace(0, 1, 201)], axis=0)
    assert quiet.sum() > 100 and (lowest[quiet] > 0).all()


def test_a_dip_between_open_ends_is_seen() -> None:
    one = np.ones(1)
    g = 0.01 * one  # (x - 1/2)^2 - 0.24 at both ends
    assert doubtful(g, -one, g, one, one)[0]
    assert first(g, -one, g, one, one, 0 * one)[0] == pytest.approx(0.5 - np.sqrt(0.24))


def test_what_rises_from_a_wall_is_not_closing() -> None:
    one = np.ones(1)
    assert not np.isfinite(first(0 * one, one, one, one, one, 0 * one))[0]
    falls = first(0 * one, one, -one, -3 * one, one, 0 * one)[0]  # up, and down again: x - 2 x^2
    assert falls == pytest.approx(0.5)
