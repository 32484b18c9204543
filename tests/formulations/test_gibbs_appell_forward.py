"""Forward dynamics through M: the published example, by every method, and what it costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.few import few

from appell.trace.counting import operations

from .readings import Case, row, rows
from .test_table import chain

ROW = row("gibbs_appell_forward", "forward_dynamics")


@pytest.mark.parametrize("n", few(range(3, 13), 3, 6))
def test_its_program_costs_no_more_than_published(n: int) -> None:
    """Table 3 of mata2002: D, bias, decomposition and solve together; Cholesky's n square roots are not even in it."""
    cost = operations(ROW, chain(n), unroll=True)
    assert cost.sqrt == 0
    assert cost.mul + cost.div <= n**3 / 6 + 13 * n**2 + 695 / 6 * n - 157
    assert cost.add <= n**3 / 6 + 10 * n**2 + 683 / 6 * n - 174


def plate(name: str, parent: str, x: float, m: float, length: float, width: float = 0.02) -> dict[str, Any]:
    """A link along x, whose joint is at its end."""
    along, across = m * width**2 / 12, m * length**2 / 12
    return {
        "name": name,
        "parent": parent,
        "joint": {"name": f"{name}_joint", "type": "revolute", "axis": [0.0, 0.0, 1.0]},
        "placement": {"position": [x, 0.0, 0.0], "rotation": np.eye(3).tolist()},
        "mass": m,
        "com": [length / 2, 0.0, 0.0],
        "inertia": {"ixx": along, "iyy": across, "izz": along + across, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0},
    }


@rows("forward_dynamics")
def test_the_ill_conditioned_plates(row: Any) -> None:
    """Example 5.1 of mata2002: a short light plate carries a long heavy one. Its lost mass is that of equal density."""
    bodies = [plate("short", "base", 0.0, 0.1, 0.02), plate("long", "short", 0.02, 10.0, 2.0)]
    data = {"format": "appell-robot/1", "name": "plates", "gravity": [0.0, -9.81, 0.0], "bodies": bodies}
    still = np.zeros(2)
    found = Case(1, data=data).ask(row, still, still, still)
    np.testing.assert_allclose(found, [-492.108078095565, 492.132198663984], rtol=1e-11)
