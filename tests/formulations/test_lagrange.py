"""The recursive Lagrangian: it is Lagrange's equations, of the energies that another page gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from appell.formulations.table import FORMULATIONS

from .readings import CASES, Case, cases, close, first, slope


def page(question: str) -> Any:
    return next(f for f in FORMULATIONS if (f.name, f.computes) == ("lagrange", question))


def energies(case: Case, q: Any, v: Any) -> Any:
    return case.ask(first("energy"), q, v)


def momenta(case: Case, q: Any, v: Any) -> np.ndarray:
    """dT/dv: exact by differences, as T is quadratic in v."""
    units = np.eye(len(v))
    return np.array([energies(case, q, v + e)[0] - energies(case, q, v - e)[0] for e in units]) / 2


def holonomic(case: Case) -> bool:
    return case.tree.nq == case.tree.nv


@pytest.mark.parametrize("case", [c for c in CASES if holonomic(c)], ids=lambda c: c.data["name"])
def test_is_lagranges_equations(case: Case) -> None:
    """tau = d/dt dT/dv - dT/dq + dV/dq, where every freedom has a coordinate."""
    q, v, a = case.q, case.v, case.a
    rate = slope(lambda t: momenta(case, q + v * t + a * (t * t / 2), v + a * t))
    by_q = [slope(lambda t, e=e: np.subtract(*energies(case, q + e * t, v))) for e in np.eye(len(v))]
    close(case.ask(page("inverse_dynamics"), q, v, a), rate - np.array(by_q), 1e-7)


@cases
def test_the_mass_matrix_is_the_hessian_of_the_kinetic_energy(case: Case) -> None:
    units = np.eye(len(case.v))
    hessian = np.array([momenta(case, case.q, e) for e in units])
    close(case.ask(page("mass_matrix"), case.q), hessian)


def test_some_cases_have_a_coordinate_for_every_freedom() -> None:
    assert sum(holonomic(c) for c in CASES) >= 4
