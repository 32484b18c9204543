"""Hybrid dynamics between its two ends, and in the middle."""

from __future__ import annotations

from typing import Any

import numpy as np

from .readings import CASES, RESISTING, Case, close, first, pytest, rows

HYBRID = first("hybrid_dynamics")
everyone = pytest.mark.parametrize("case", [*CASES, *RESISTING], ids=lambda c: c.data["name"])


def mix(case: Case, prescribed: frozenset[int], row: Any = HYBRID) -> tuple[Any, Any, Any]:
    """The true forces, and what hybrid dynamics finds with all that it must not look at spoilt."""
    tau = case.ask(first("inverse_dynamics"), case.q, case.v, case.a, wrench=case.wrench)
    known = np.array([i in prescribed for i in range(case.tree.nv)])
    a, forces = np.where(known, case.a, np.nan), np.where(known, np.nan, tau)
    options = {"wrench": case.wrench, "prescribed": prescribed}
    return tau, *case.ask(row, case.q, case.v, a, forces, **options)


@everyone
@rows("hybrid_dynamics")
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_completes_what_is_given(case: Case, row: Any, share: float) -> None:
    rng = np.random.default_rng(case.seed)
    prescribed = frozenset(np.flatnonzero(rng.random(case.tree.nv) < share).tolist())
    tau, a, forces = mix(case, prescribed, row)
    tolerance = 1e-13 * float(np.linalg.cond(case.ask(first("mass_matrix"), case.q))) + 1e-12
    close(a, case.a, tolerance)
    close(forces, tau, tolerance)


@rows("forward_dynamics")
def test_is_forward_dynamics_where_nothing_is_prescribed(row: Any) -> None:
    case = CASES[0]
    tau = case.a
    a, forces = case.ask(HYBRID, case.q, case.v, np.full_like(tau, np.nan), tau)
    close(a, case.ask(row, case.q, case.v, tau), 1e-12)
    assert np.array_equal(forces, tau)
