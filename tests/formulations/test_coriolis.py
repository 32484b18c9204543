"""The laws of a Coriolis matrix; its entries are nobody's business, as it is not unique."""

from __future__ import annotations

from typing import Any

import numpy as np

from .readings import CASES, Case, cases, close, first, rows, slope


@cases
@rows("coriolis")
def test_times_v_is_the_velocity_part_of_the_bias(case: Case, row: Any) -> None:
    h, g = case.ask(first("bias"), case.q, case.v), case.ask(first("gravity_forces"), case.q)
    close(case.ask(row, case.q, case.v) @ case.v, h - g)


@cases
@rows("coriolis")
def test_rate_of_mass_less_twice_it_is_skew(case: Case, row: Any) -> None:
    rate = slope(lambda t: case.ask(first("mass_matrix"), case.moved(t)))
    C = case.ask(row, case.q, case.v)
    close(C + C.T, rate, 1e-9)


@rows("coriolis")
def test_is_linear_in_v(row: Any) -> None:
    case = CASES[0]
    C = [case.ask(row, case.q, v) for v in (case.v, case.a, case.v + 2 * case.a)]
    close(C[0] + 2 * C[1], C[2])
    assert np.abs(C[0]).max() > 0.1
