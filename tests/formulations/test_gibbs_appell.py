"""Gibbs-Appell's inverse dynamics: what it costs, against the paper's table."""

from __future__ import annotations

import pytest
from oracles.few import few

from appell.trace.counting import operations

from .readings import row
from .test_table import chain


@pytest.mark.parametrize("n", few(range(3, 13), 3, 6))
def test_its_program_costs_no_more_than_published(n: int) -> None:
    """Table 1 of mata2002, on its own kind of robot: general, revolute, modified Denavit-Hartenberg, no regrouping."""
    cost = operations(row("gibbs_appell", "inverse_dynamics"), chain(n), unroll=True)
    assert cost.mul <= 96 * n - 101
    assert cost.add <= 84 * n - 100
    assert cost.div == 0


@pytest.mark.parametrize("n", few(range(3, 13), 3, 6))
def test_its_bias_costs_no_more_than_published(n: int) -> None:
    """Table 3: what the accelerations cost is left out."""
    cost = operations(row("gibbs_appell", "bias"), chain(n), unroll=True)
    assert cost.mul <= 96 * n - 108
    assert cost.add <= 83 * n - 105
