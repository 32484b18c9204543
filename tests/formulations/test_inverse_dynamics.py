"""Gibbs-Appell and Newton-Euler: against an outside oracle, and the laws of power and of Galilei."""

from __future__ import annotations

from typing import Any

import numpy as np

from appell.formulations.table import FORMULATIONS
from appell.model.tree import Place

from .readings import Case, cases, close, first, rows, slope

ID = first("inverse_dynamics")


@cases
@rows("inverse_dynamics")
def test_agrees_with_the_oracle(case: Case, row: Any) -> None:
    close(case.ask(row, case.q, case.v, case.a), case.oracle.rnea(case.q, case.v, case.a))


@cases
@rows("bias")
def test_bias(case: Case, row: Any) -> None:
    close(case.ask(row, case.q, case.v), case.oracle.nle(case.q, case.v))


@cases
@rows("gravity_forces")
def test_gravity_forces(case: Case, row: Any) -> None:
    close(case.ask(row, case.q), case.oracle.gravity(case.q))


@cases
@rows("inverse_dynamics")
def test_wrenches_work_through_the_jacobian(case: Case, row: Any) -> None:
    """Their power in any motion is what the joints are spared."""
    spared = case.ask(row, case.q, case.v, case.a) - case.ask(row, case.q, case.v, case.a, wrench=case.wrench)
    power = 0.0
    for b in case.tree.links:
        place = Place(b.index)
        twist = case.ask(first("velocity"), case.q, case.v, place=place)
        R = case.ask(first("pose"), case.q, place=place)[:3, :3]
        moment, force = np.split(case.wrenches[b.index], 2)
        power += twist @ np.concatenate([R @ force, R @ moment])
    close(spared @ case.v, power)


@cases
@rows("inverse_dynamics")
def test_power_is_the_rate_of_energy(case: Case, row: Any) -> None:
    def energy(t: float) -> Any:
        q = case.moved(t, case.v + case.a * (t / 2))  # exact to the second order in t, which is enough at 0
        return case.ask(first("energy"), q, case.v + case.a * t).sum()

    close(slope(energy), case.ask(row, case.q, case.v, case.a) @ case.v, 1e-7)


def test_a_base_that_falls_weighs_nothing() -> None:
    """Free fall: a floating robot that accelerates with gravity, all joints at rest, needs no force."""
    case = Case(3)
    assert case.data["bodies"][0]["joint"]["type"] == "free"
    root = case.tree.links[0]
    rest = np.zeros_like(case.v)
    R = case.ask(first("pose"), case.q, place=Place(root.index))[:3, :3]
    falling = rest.copy()
    falling[root.v_index : root.v_index + 3] = R.T @ np.array([*case.tree.gravity])
    close(case.ask(ID, case.q, rest, falling), rest, 1e-12)


def test_pages_agree_to_rounding() -> None:
    """Two derivations, one result."""
    case = Case(6)
    results = [case.ask(f, case.q, case.v, case.a) for f in FORMULATIONS if f.computes == "inverse_dynamics"]
    close(results[0], results[1], 1e-14)
