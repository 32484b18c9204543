"""What joints resist, freedom by freedom, and that an ideal robot pays nothing for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from appell.formulations import resistance
from appell.formulations.gibbs_appell import gibbs_appell
from appell.model.tree import Freedom, Resistance
from appell.model.walk import Coordinates, Walk
from appell.scalar import Count, Dim
from appell.spatial import Twist

from .readings import RESISTING, Case, close, first, resisting, rows


def freedom(**met: Any) -> Freedom:
    return Freedom(0, Twist(), Resistance(**met), 0)


@pytest.mark.parametrize(
    "met, wanted",
    [
        ({"damping": 2.0}, 2.0 * -0.3),
        ({"coulomb": 0.7}, -0.7),
        ({"coulomb": 0.7, "smoothing": 0.1}, 0.7 * np.tanh(-3.0)),
        ({"coulomb": 1, "smoothing": 1}, np.tanh(-0.3)),  # the structural one is a number like others
        ({"stiffness": 5.0, "rest": 0.2}, 5.0 * (1.1 - 0.2)),
        ({"preload": -0.4}, -0.4),
        ({"rotor": 3.0}, 0.0),
        ({}, 0.0),
    ],
)
def test_each_alone(met: dict[str, float], wanted: float) -> None:
    assert resistance.resistance(freedom(**met), [1.1], {freedom(**met): -0.3}) == pytest.approx(wanted)


def test_dry_friction_is_nothing_at_rest() -> None:
    z = freedom(coulomb=0.7)
    assert resistance.resistance(z, [0.0], {z: 0.0}) == 0.0


def test_nothing_is_computed_for_what_is_absent() -> None:
    scalar = Count()
    z = freedom(damping=3.0)
    resistance.resistance(z, [scalar], {z: scalar})
    resistance.slope(z, {z: scalar})
    assert dict(scalar.tally) == {"mul": 1}


def test_dimensions() -> None:
    force, speed = Dim(1, 2, -2), Dim(0, 0, -1)
    z = freedom(damping=Dim(1, 2, -1), coulomb=force, smoothing=speed, stiffness=force, rest=Dim(), preload=force)
    assert resistance.resistance(z, [Dim()], {z: speed}) == force
    assert resistance.slope(z, {z: speed}) == Dim(1, 2, -1)


@resisting
@rows("inverse_dynamics")
def test_adds_to_the_page(case: Case, row: Any) -> None:
    whole = case.ask(row, case.q, case.v, case.a)
    page = gibbs_appell(Walk(case.tree), *(Coordinates(x.tolist()) for x in (case.q, case.v, case.a)))
    for b in case.tree.links:
        for z in b.freedoms:
            added = resistance.resistance(z, case.q, {z: case.v[z.index]}) + z.rotor * case.a[z.index]
            assert whole[z.index] == pytest.approx(page[z] + added)


@resisting
def test_bias_has_friction_and_springs_and_gravity_forces_do_not(case: Case) -> None:
    rest = np.zeros_like(case.v)
    springs = np.zeros_like(rest)
    for b in case.tree.links:
        for z in b.freedoms:
            springs[z.index] = resistance.resistance(z, case.q, {z: 0.0})
    h = case.ask(first("bias"), case.q, rest)
    close(h - case.ask(first("gravity_forces"), case.q), springs)


def test_some_case_has_springs() -> None:
    assert any(z.resistance.stiffness for c in RESISTING for b in c.tree.links for z in b.freedoms)
