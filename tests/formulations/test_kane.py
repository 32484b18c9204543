"""Kane's equations: generalised inertia forces are powers in partial velocities, and they cost what is published."""

from __future__ import annotations

import numpy as np

from appell.formulations.kane import inertia_forces
from appell.model.tree import Place
from appell.model.walk import Coordinates, Walk
from appell.trace.counting import operations

from .readings import Case, cases, close, first
from .test_table import FORMULATIONS, chain

KANE = next(f for f in FORMULATIONS if (f.name, f.computes) == ("kane", "inverse_dynamics"))


@cases
def test_powers_of_all_bodies_in_all_partial_velocities(case: Case) -> None:
    """The sum over bodies as it stands, with the partial velocities of each body's origin from its Jacobian."""
    given = (Coordinates([float(x) for x in y]) for y in (case.q, case.v, case.a))
    _, force = inertia_forces(Walk(case.tree), *given)
    tau = np.zeros(case.tree.nv)
    for b in case.tree.links:
        place = Place(b.index)
        R = case.ask(first("pose"), case.q, place=place)[:3, :3]
        partial = case.ask(first("jacobian"), case.q, place=place)
        inertia = np.concatenate([R @ [*force[b].force], R @ [*force[b].moment]])
        tau += partial.T @ inertia
        for z in b.freedoms:
            tau[z.index] += z.rotor * case.a[z.index]
    close(case.ask(KANE, case.q, case.v, case.a), tau)


def test_costs_what_is_published() -> None:
    """No more than mata2002, Table 1: 105 products and 90 sums for every further body, 521 and 435 for six."""
    six, seven = (operations(KANE, chain(n), unroll=True) for n in (6, 7))
    assert seven.mul - six.mul == 105
    assert seven.add - six.add <= 90
    assert six.mul <= 521
    assert six.add <= 435
