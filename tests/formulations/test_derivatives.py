"""Analytic derivatives against an outside oracle and against differences, with all that may act."""

from __future__ import annotations

from typing import Any

import numpy as np
from oracles.few import few

from .readings import CASES, RESISTING, Array, Case, cases, close, first, pytest, rows, slope


def _name(case: Case) -> str:
    return case.data["name"]


everyone = pytest.mark.parametrize("case", few([*CASES[:8], *RESISTING], *CASES[:2], *RESISTING[:2]), ids=_name)


@cases
@rows("inverse_dynamics_derivatives")
def test_of_inverse_dynamics_agree_with_the_oracle(case: Case, row: Any) -> None:
    wanted = case.oracle.rnea_derivatives(case.q, case.v, case.a)
    for got, there in zip(case.ask(row, case.q, case.v, case.a), wanted):
        close(got, there)


def differences(case: Case, question: str, third: Array) -> tuple[Array, Array, Array]:
    """The derivatives of a question's first formulation by differences, column by column."""
    f, unit = first(question), np.eye(case.tree.nv)

    def ask(q: Array, v: Array, x: Array) -> Array:
        return case.ask(f, q, v, x, wrench=case.wrench)

    by_q = [slope(lambda t, e=e: ask(case.moved(t, e), case.v, third)) for e in unit]
    by_v = [slope(lambda t, e=e: ask(case.q, case.v + t * e, third)) for e in unit]
    by_x = [slope(lambda t, e=e: ask(case.q, case.v, third + t * e)) for e in unit]
    return np.column_stack(by_q), np.column_stack(by_v), np.column_stack(by_x)


@everyone
@rows("inverse_dynamics_derivatives")
def test_of_inverse_dynamics_are_the_limits_of_differences(case: Case, row: Any) -> None:
    """With wrenches in the bodies' axes, friction, springs and rotors."""
    found = case.ask(row, case.q, case.v, case.a, wrench=case.wrench)
    for got, wanted in zip(found, differences(case, "inverse_dynamics", case.a)):
        close(got, wanted, 1e-9)


@pytest.mark.parametrize("case", few([*CASES[:4], *RESISTING[:2]], CASES[1], RESISTING[1]), ids=_name)
@rows("forward_dynamics_derivatives")
def test_of_forward_dynamics_are_the_limits_of_differences(case: Case, row: Any) -> None:
    tau = case.ask(first("inverse_dynamics"), case.q, case.v, case.a, wrench=case.wrench)
    found = case.ask(row, case.q, case.v, tau, wrench=case.wrench)
    for got, wanted in zip(found, differences(case, "forward_dynamics", tau)):
        close(got, wanted, 1e-7)


@cases
@rows("forward_dynamics_derivatives")
def test_of_forward_dynamics_agree_with_the_oracle(case: Case, row: Any) -> None:
    tau = case.oracle.rnea(case.q, case.v, case.a)
    tolerance = 1e-13 * float(np.linalg.cond(case.oracle.crba(case.q))) + 1e-11
    wanted = case.oracle.aba_derivatives(case.q, case.v, tau)
    for got, there in zip(case.ask(row, case.q, case.v, tau), wanted):
        close(got, there, tolerance)
