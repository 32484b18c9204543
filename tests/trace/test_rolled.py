"""Rolled reading: the numbers of the plain text, for every robot of a structure, from memory that was set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from oracles.few import few
from oracles.traced import CASES, PAGES, case, inputs, plain_array, rolled

from appell.formulations.table import FORMULATIONS, QUESTIONS, Formulation
from appell.model.tree import KINDS
from appell.model.walk import Coordinates, Walk
from appell.spatial import Twist
from appell.trace.coverage import added_before_set
from appell.trace.pattern import Pattern
from appell.trace.program import Array, Loop, Program
from appell.trace.rolled import trace_rolled
from appell.trace.unrolled import places
from appell.vec import Vec3
from appell.write.interpret import interpret

ROLLING = [f for f in FORMULATIONS if f.rolls and not QUESTIONS[f.computes].of_frame]
TREE = CASES["tree"].tree
ONE_KIND = CASES["arm"].tree
MORE = CASES | {
    "helical": case(21, 6, joints="helical"),
    "ball": case(22, 4, joints="ball", shape="tree"),
    "forest": case(23, 8, joints="simple", shape="tree", rotors=True),
}


def rolled_text(text: Callable[..., Any], tree: Any = TREE) -> Program:
    """A text (robot, q) -> tau, rolled."""
    return trace_rolled("small", text, Pattern.of(tree), (Array("q", "lane", ("nq",)),), (("tau", None),))


def pages_and_robots() -> Iterator[Any]:
    for page in ROLLING:
        for name, (tree, _) in MORE.items():
            nested = page.computes.endswith(("derivatives", "inverse_mass_matrix"))
            many = len({b.kind for b in tree.links}) > 1  # and in each sweep a case for every kind
            twice = page not in PAGES and name != "arm"
            marks = [pytest.mark.slow] if (nested and many) or twice else []
            yield pytest.param(page, name, marks=marks, id=f"{page.computes}-{page.name}-{name}")


@pytest.mark.parametrize("page, name", list(pages_and_robots()))
def test_a_rolled_program_gives_the_numbers_of_the_text(page: Formulation, name: str) -> None:
    tree, state = MORE[name]
    x = inputs(page, state)
    got = interpret(rolled(page, tree), *x, tree=tree)[0].ravel()
    wanted = plain_array(page, tree, x)
    assert np.abs(got - wanted).max() <= 1e-14 * np.abs(wanted).max()


@pytest.mark.parametrize("page", few(ROLLING, *PAGES), ids=lambda f: f"{f.computes}-{f.name}")
def test_one_program_serves_every_robot_of_a_structure(page: Formulation) -> None:
    made = rolled(page, case(31, 3).tree)
    tree, state = case(32, 9)
    x = inputs(page, state)
    got, wanted = interpret(made, *x, tree=tree)[0].ravel(), plain_array(page, tree, x)
    assert np.abs(got - wanted).max() <= 1e-13 * np.abs(wanted).max()


def test_every_kind_of_joint_has_its_case() -> None:
    made = rolled(ROLLING[0], TREE)
    for loop in (x for x in made.body.items if isinstance(x, Loop)):
        assert tuple(loop.cases) == made.kinds == tuple(k for k in KINDS if k in {b.kind for b in TREE.links})


def angle(robot: Any, q: Any) -> Any:
    """A harmless text: tau = q at every freedom with a coordinate."""
    tau = robot.vector()
    for b in robot.outward():
        for z in b.freedoms:
            tau[z] = q[b.q_index]
    return tau


def sum_in_a_slot(robot: Any, q: Any) -> Any:
    """tau = the sum of all coordinates from the base to the body, by nested sweeps and a slot."""
    tau, total = robot.vector(), robot.slots()
    for b in robot.outward():
        total[b] = 0.0
        for c in robot.support(b):
            total[b] += q[c.q_index]
        for z in b.freedoms:
            tau[z] = total[b]
    return tau


def sum_of_what_hangs_on(robot: Any, q: Any) -> Any:
    """tau = the sum of the coordinates on the way from a body to each of those beyond it, all added up."""
    tau, total, way = robot.vector(), robot.slots(), robot.slots()
    for b in robot.outward():
        total[b] = way[b] = 0.0
        for c in robot.beyond(b):
            way[c] = way[c.parent] + q[c.q_index]
            total[b] += way[c]
        for z in b.freedoms:
            tau[z] = total[b]
    return tau


def kinds_are_structure(robot: Any, q: Any) -> Any:
    tau = robot.vector()
    for b in robot.outward():
        for k, z in enumerate(b.freedoms):
            tau[z] = q[b.q_index] * (k + 2.5) if b.kind == "prismatic" else 1.0
    return tau


def handed_to_the_parent(robot: Any, q: Any) -> Any:
    """What was never set is zero, also at the base."""
    tau, f = robot.vector(), robot.slots(Twist)
    for b in robot.inward():
        f[b.parent] += f[b] + Twist(Vec3(q[b.q_index], 0, 0), Vec3(0, 1, q[b.q_index]))
        for z in b.freedoms:
            tau[z] = f[b].angular.x + f[b].linear.y
    return tau


@pytest.mark.parametrize("tree", [TREE, ONE_KIND], ids=["tree", "chain"])
@pytest.mark.parametrize(
    "text", [angle, sum_in_a_slot, sum_of_what_hangs_on, kinds_are_structure, handed_to_the_parent]
)
def test_what_can_is_read_as_it_stands(text: Callable[..., Any], tree: Any) -> None:
    q = np.random.default_rng(1).normal(size=tree.nq)
    wanted = text(Walk(tree), Coordinates(q.tolist()))
    (got,) = interpret(rolled_text(text, tree), q, tree=tree)
    assert got == pytest.approx([wanted[i] for i in range(tree.nv)], rel=1e-15)


def products_of_pairs(robot: Any, q: Any) -> Any:
    """Sums in a matrix: on a chain too they start from zero."""
    M = robot.table("nv", "nv")
    for b in robot.outward():
        for z in b.freedoms:
            for c in robot.support(b):
                for t in c.freedoms:
                    M[z, t] += q[b.q_index] * q[c.q_index]
    return M


def pairs_away_from_the_base(robot: Any, q: Any) -> Any:
    """Walks beyond every body, and what it has of its own: on a chain no entry is left out."""
    M = robot.matrix()
    for b in robot.outward():
        for z in b.freedoms:
            for t in b.freedoms:
                M[z, t] = q[b.q_index] * q[b.q_index]
            M[z, z] += 1.5
            for c in robot.beyond(b):
                for t in c.freedoms:
                    M[z, t] = q[b.q_index] * q[c.q_index]
    return M


def half_of_the_pairs(robot: Any, q: Any) -> Any:
    """A lower triangle: the upper one was never set."""
    M = robot.table("nv", "nv")
    for b in robot.outward():
        for z in b.freedoms:
            for c in robot.support(b):
                for t in c.freedoms:
                    M[z, t] = q[b.q_index] * q[c.q_index]
    return M


def freedoms_read_too_early(robot: Any, q: Any) -> Any:
    """A joint's first freedom reads its others, which are not set yet."""
    tau, e = robot.vector(), robot.per_freedom()
    for b in robot.outward():
        for z in b.freedoms:
            e[z] = 1.5
            for c in robot.support(b):
                for t in c.freedoms:
                    e[t] += q[c.q_index]
    for b in robot.outward():
        for z in b.freedoms:
            tau[z] = e[z]
    return tau


def child_read_too_early(robot: Any, q: Any) -> Any:
    """Outward, a parent's sum over its children is still zero."""
    tau, f = robot.vector(), robot.slots()
    for b in robot.inward():
        f[b] = f[b.parent] + q[b.q_index]
        for z in b.freedoms:
            tau[z] = f[b]
    return tau


EARLY = [products_of_pairs, half_of_the_pairs, freedoms_read_too_early, child_read_too_early]


@pytest.mark.parametrize("tree", [TREE, ONE_KIND, MORE["ball"].tree], ids=["tree", "chain", "ball"])
@pytest.mark.parametrize("text", [*EARLY, handed_to_the_parent, pairs_away_from_the_base], ids=lambda f: f.__name__)
def test_memory_that_is_read_before_it_is_set_starts_as_zero(text: Callable[..., Any], tree: Any) -> None:
    """The interpreter leaves NaN wherever a Program promises to set memory itself."""
    q = np.random.default_rng(2).normal(size=tree.nq)
    made = rolled_text(text, tree)
    wanted = text(Walk(tree), Coordinates(q.tolist()))
    keys = places(tuple(tree.nv for _ in made.outputs[0].shape))
    (got,) = interpret(made, q, tree=tree)
    numbers = [float(wanted[k[0] if len(k) == 1 else k]) for k in keys]
    assert got.ravel() == pytest.approx(numbers, rel=1e-14)


def test_no_zeros_are_written_where_a_sweep_sets_all() -> None:
    for page in PAGES:
        assert added_before_set(rolled(page, ONE_KIND)) == frozenset(), page.name
        assert added_before_set(rolled(page, TREE)) <= {"M"}, page.name
    assert added_before_set(rolled_text(handed_to_the_parent)) == {"m1"}
    assert added_before_set(rolled_text(products_of_pairs, ONE_KIND)) == {"tau"}
    assert added_before_set(rolled_text(pairs_away_from_the_base, ONE_KIND)) == frozenset()
    assert added_before_set(rolled_text(pairs_away_from_the_base, TREE)) == {"tau"}
