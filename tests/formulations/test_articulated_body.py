"""Forward dynamics undoes inverse dynamics, by every formulation, with wrenches and what joints resist."""

from __future__ import annotations

from typing import Any

import numpy as np

from .readings import Case, cases, close, first, resisting, rows


def tolerance(case: Case) -> float:
    return 1e-14 * float(np.linalg.cond(case.ask(first("mass_matrix"), case.q))) + 1e-12


@cases
@rows("forward_dynamics")
def test_agrees_with_the_oracle(case: Case, row: Any) -> None:
    tau = case.oracle.rnea(case.q, case.v, case.a)
    close(case.ask(row, case.q, case.v, tau), case.oracle.aba(case.q, case.v, tau), tolerance(case))


@cases
@rows("forward_dynamics")
def test_undoes_inverse_dynamics(case: Case, row: Any) -> None:
    tau = case.ask(first("inverse_dynamics"), case.q, case.v, case.a, wrench=case.wrench)
    close(case.ask(row, case.q, case.v, tau, wrench=case.wrench), case.a, tolerance(case))


@resisting
@rows("forward_dynamics")
def test_undoes_it_with_friction_springs_and_rotors(case: Case, row: Any) -> None:
    tau = case.ask(first("inverse_dynamics"), case.q, case.v, case.a)
    close(case.ask(row, case.q, case.v, tau), case.a, tolerance(case))


@rows("forward_dynamics")
def test_a_rotor_of_exactly_one_is_a_rotor(row: Any) -> None:
    """1.0 is structural, as 0.0 is: what asks for structure must tell them apart."""
    data = Case(2, "revolute").data
    for body in data["bodies"]:
        body["joint"] |= {"rotor_inertia": 1.0, "gear": 1.0}
    case = Case(2, "revolute", data=data)
    tau = case.ask(first("inverse_dynamics"), case.q, case.v, case.a)
    close(case.ask(row, case.q, case.v, tau), case.a, tolerance(case))
