"""Streamed factors: they are the factors of all rows, whatever the blocks, and take no memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest

import appell
from appell.errors import ShapeError
from appell.identify import Block, Regressor, reduced
from identify.motions import measured

PUMA = appell.load("puma560")
K = Regressor.of(PUMA)


def test_a_triangle_stands_for_all_its_rows():
    data = measured(PUMA, noise=0.3)
    factors = reduced(K, data.blocks())
    rows, phi = K(data.q, data.v, data.a), np.random.default_rng(1).normal(size=60)
    squares = ((rows @ phi - data.tau) ** 2).sum(0)
    np.testing.assert_allclose(factors.squares(phi), squares, rtol=1e-10)
    sigma = np.arange(1.0, 7.0)
    whole = factors.together(sigma)
    found = np.sum((whole.R @ phi - whole.z) ** 2) + whole.rest
    np.testing.assert_allclose(found, np.sum(squares / sigma**2), rtol=1e-10)
    stacked = (rows / sigma[:, None]).reshape(-1, 60)
    np.testing.assert_allclose(whole.R.T @ whole.R, stacked.T @ stacked, atol=1e-9 * np.abs(stacked.T @ stacked).max())
    assert whole.count == rows.shape[0] * 6


def test_weights_and_blocks():
    data, rng = measured(PUMA, noise=0.3), np.random.default_rng(2)
    weight = rng.uniform(0.0, 1.0, data.tau.shape) * (rng.random(data.tau.shape) < 0.8)
    once = reduced(K, data.blocks(weight))
    arrays = (data.q, data.v, data.a, data.tau, weight)
    pieces = [Block(*(x[k : k + 37] for x in arrays)) for k in range(0, len(data), 37)]
    counted: list[int] = []
    many = reduced(K, iter(pieces), counted.append)
    phi = rng.normal(size=60)
    wanted = (weight * (K(data.q, data.v, data.a) @ phi - data.tau) ** 2).sum(0)
    np.testing.assert_allclose(once.squares(phi), wanted, rtol=1e-10)
    np.testing.assert_allclose(many.squares(phi), wanted, rtol=1e-10)
    assert counted[-1] == len(data)
    assert (once.counts == (weight > 0).sum(0)).all()


def test_memory_does_not_grow_with_the_data():
    rng = np.random.default_rng(0)

    def blocks(count: int) -> Iterator[Block]:
        for _ in range(count):
            q, v, a, tau = rng.normal(size=(4, 500, 6))
            yield Block(q, v, a, tau)

    def peak(count: int) -> int:
        tracemalloc.start()
        reduced(K, blocks(count))
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(1)
    assert peak(40) < 1.2 * peak(2) < 20e6


def test_wrong_blocks():
    good = np.zeros((5, 6))
    with pytest.raises(ShapeError, match=r"v has shape \(4, 6\), wanted \(5, 6\)"):
        reduced(K, [Block(good, good[:4], good, good)])
    bad = good.copy()
    bad[3, 2] = np.nan
    with pytest.raises(ShapeError, match=r"tau is .*nan.* in row 3, wanted finite numbers"):
        reduced(K, [Block(good, good, good, bad)])
