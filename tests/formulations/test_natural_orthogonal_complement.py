"""The natural orthogonal complement: it makes all twists from the speeds, and no joint's constraint works in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from appell.formulations.natural_orthogonal_complement import complement
from appell.formulations.table import FORMULATIONS
from appell.model.tree import Link, Place
from appell.model.walk import Coordinates, Walk
from appell.spatial import Twist, Wrench
from appell.vec import Vec3

from .readings import Case, cases, close, first
from .test_table import chain, counted


def robot_and_complement(case: Case) -> tuple[Walk, Any, Any]:
    walk, q = Walk(case.tree), Coordinates([float(x) for x in case.q])
    return walk, q, complement(walk, q)


def stacked(x: Twist | Wrench) -> np.ndarray:
    """The six numbers of a twist or a wrench, in the texts' order."""
    parts = (x.angular, x.linear) if isinstance(x, Twist) else (x.moment, x.force)
    return np.array([*parts[0], *parts[1]], float)


@cases
def test_makes_every_twist(case: Case) -> None:
    """T v: the velocity of each body, in its own axes."""
    walk, _, T = robot_and_complement(case)
    for b in walk.outward():
        place = Place(b.index)
        R = case.ask(first("pose"), case.q, place=place)[:3, :3]
        linear, angular = np.split(case.ask(first("velocity"), case.q, case.v, place=place), 2)
        twist = sum(stacked(T[b, z]) * case.v[z.index] for z in walk.freedoms())
        close(twist, np.concatenate([R.T @ angular, R.T @ linear]))


def constraint(b: Link, rng: np.random.Generator) -> np.ndarray:
    """A wrench that a joint can resist: without power in any of its freedoms."""
    free = np.array([stacked(z.twist) for z in b.freedoms])
    w = rng.normal(size=6)
    return w - np.linalg.pinv(free) @ (free @ w)


@cases
def test_is_orthogonal_to_the_constraints(case: Case) -> None:
    """Each joint holds its body with a wrench, and its parent with the opposite one: T' has no part in them."""
    (walk, q, T), rng = robot_and_complement(case), np.random.default_rng(case.seed)
    power, size = np.zeros(case.tree.nv), 0.0
    for b in walk.outward():
        w = constraint(b, rng)
        held = Wrench(Vec3(*w[:3].tolist()), Vec3(*w[3:].tolist()))
        opposite = b.pose(q).to_parent(held)
        for z in walk.freedoms():
            power[z.index] += held @ T[b, z] - opposite @ T[b.parent, z]
        size = max(size, abs(stacked(opposite)).max())
    close(power, 0.0, 1e-12 * max(1.0, size))


@cases
def test_bodies_that_a_freedom_does_not_carry_have_no_column(case: Case) -> None:
    walk, _, T = robot_and_complement(case)
    for b in walk.outward():
        carrying = {z.index for c in walk.support(b) for z in c.freedoms}
        seen = {z.index for z in walk.freedoms() if stacked(T[b, z]).any()}
        assert seen == carrying


def test_costs_the_cube_of_the_bodies() -> None:
    """Six products for each of the n^3 / 6 triples of two freedoms and a body: n^3, as mata2002, Table 2, has it."""
    row = next(f for f in FORMULATIONS if (f.name, f.computes) == ("natural_orthogonal_complement", "mass_matrix"))
    counts = np.array([counted(row, chain(n)) for n in (6, 7, 8, 9)])
    assert np.diff(counts, 3, axis=0).tolist() == [[6, 6]]
