"""Support walks whose values stay in registers give the numbers that they gave through memory."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.few import few

import appell
from appell.trace.chain import in_registers
from appell.trace.program import Loop, Program, blocks
from appell.trace.walks import walks_in_registers
from appell.write.interpret import interpret

ROBOTS = {
    "chain": lambda: appell.zoo.chain(7),
    "one": lambda: appell.zoo.chain(1),
    "tree": lambda: appell.zoo.tree(9, 3),
    "mixed": lambda: appell.zoo.tree(6, 2, floating=True, joints="mixed"),
}
WALKING = ("mass_matrix", "inverse_dynamics_derivatives", "coriolis", "inverse_mass_matrix")


def carries(program: Program) -> int:
    """How many values the walks carry."""
    loops = [x for b in blocks(program.body) for x in b.items if isinstance(x, Loop) and x.way == "support"]
    return sum(len(loop.carries) for loop in loops)


@pytest.mark.parametrize(
    "first", [pytest.param(False, id="alone", marks=pytest.mark.slow), pytest.param(True, id="after chains")]
)
@pytest.mark.parametrize("what", WALKING)
@pytest.mark.parametrize("name", few(ROBOTS, "chain", "tree"))
def test_the_numbers_stay(name: str, what: str, first: bool) -> None:
    robot = ROBOTS[name]()
    plain = robot.program(what, unroll=False)
    lean = walks_in_registers(in_registers(plain) if first else plain)
    rng = np.random.default_rng(1)
    given = [rng.normal(size=robot.nq if a.name == "q" else robot.nv) for a in plain.inputs]
    before, after = (interpret(p, *given, tree=robot.light_tree) for p in (plain, lean))
    for a, b in zip(before, after, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-13, atol=1e-13 * np.abs(a).max())


def test_the_mass_matrix_of_one_kind_of_joint_carries_its_wrench() -> None:
    plain = appell.zoo.tree(9, 3).program("mass_matrix", method="composite_body", unroll=False)
    assert carries(plain) == 0
    lean = walks_in_registers(plain)
    assert carries(lean) == 6
    assert {s.name for s in lean.slots} < {s.name for s in plain.slots}


@pytest.mark.parametrize("name", ["chain", "tree"])
def test_walks_away_from_the_base_carry_on_chains(name: str) -> None:
    """Six values of the unit motion, three of its place; in a tree the body before may be of another branch."""
    robot = ROBOTS[name]()
    plain = robot.program("mass_matrix", method="gibbs_appell_inertia", unroll=False)
    lean, q = walks_in_registers(in_registers(plain)), np.random.default_rng(1).normal(size=robot.nq)
    loops = [x for b in blocks(lean.body) for x in b.items if isinstance(x, Loop) and x.way == "beyond"]
    assert [len(loop.carries) for loop in loops] == [9 if name == "chain" else 0]
    before, after = (interpret(p, q, tree=robot.light_tree)[0] for p in (plain, lean))
    np.testing.assert_allclose(after, before, rtol=1e-13, atol=1e-13 * np.abs(before).max())


def test_several_kinds_of_joints_are_left_alone() -> None:
    plain = ROBOTS["mixed"]().program("mass_matrix", unroll=False)
    assert walks_in_registers(plain) is plain
