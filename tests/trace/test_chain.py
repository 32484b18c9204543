"""Chains keep in registers what the next body needs: the same numbers, with less memory."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from oracles.few import few
from oracles.random_robots import random_robot, random_state
from oracles.traced import error

from appell.formulations.table import FORMULATIONS, QUESTIONS, Formulation
from appell.model.lower import lower
from appell.model.mechanism import Mechanism
from appell.model.tree import Tree
from appell.trace.chain import in_registers
from appell.trace.program import Loop, Program, Store, blocks
from appell.trace.reading import read
from appell.vec import Vec3
from appell.write.interpret import interpret

ROLLING = [f for f in FORMULATIONS if f.rolls and not QUESTIONS[f.computes].of_frame]
QUICK = [f for f in ROLLING if "derivatives" not in f.computes]
JOINTS = ("revolute", "prismatic", "helical")
rolling = pytest.mark.parametrize("row", QUICK, ids=lambda f: f"{f.name}-{f.computes}")


@cache
def _chain(joints: str, n: int, resists: bool = False) -> tuple[Tree, Any]:
    data = random_robot(40 + n, n, joints=joints, rotors=resists)
    for k, body in enumerate(data["bodies"] if resists else ()):
        body["joint"] |= {"damping": 0.1 + k, "stiffness": 2.0, "rest": 0.1, "coulomb": 0.2, "smoothing": 0.3}
    return lower(Mechanism.from_dict(data)), random_state(data, n)


def _given(row: Formulation, state: Any) -> list[Any]:
    q, v, a = state
    return [{"q": q, "v": v, "a": a, "tau": 2 * a}[name] for name in QUESTIONS[row.computes].inputs]


def _same(program: Program, row: Formulation, tree: Tree, state: Any) -> Program:
    """The program in registers, after a proof that it gives the same numbers as before, and as unrolled."""
    lean, given = in_registers(program), _given(row, state)
    before, after = interpret(program, *given, tree=tree), interpret(lean, *given, tree=tree)
    unrolled = interpret(read(row, tree), *given)
    for x, y, z in zip(after, before, unrolled, strict=True):
        assert error(x, y) < 1e-13
        assert error(x, z) < 1e-11
    return lean


@pytest.mark.parametrize("n", few([1, 2, 7], 2))
@pytest.mark.parametrize("joints", JOINTS)
@rolling
def test_the_numbers_stay(row: Formulation, joints: str, n: int):
    tree, state = _chain(joints, n)
    _same(read(row, tree, unroll=False), row, tree, state)


@pytest.mark.slow
@pytest.mark.parametrize("row", [f for f in ROLLING if f not in QUICK], ids=lambda f: f"{f.name}-{f.computes}")
def test_the_numbers_of_derivatives_stay(row: Formulation):
    tree, state = _chain("revolute", 3)
    _same(read(row, tree, unroll=False), row, tree, state)


@rolling
def test_the_numbers_stay_with_springs_friction_and_rotors(row: Formulation):
    tree, state = _chain("revolute", 5, resists=True)
    _same(read(row, tree, unroll=False), row, tree, state)


def _loops(program: Program) -> list[Loop]:
    return [x for x in program.body.items if isinstance(x, Loop)]


def _stores(program: Program) -> int:
    return sum(isinstance(x, Store) for block in blocks(program.body) for x in block.items)


def _row(name: str, computes: str) -> Formulation:
    return next(f for f in FORMULATIONS if (f.name, f.computes) == (name, computes))


@pytest.mark.parametrize(
    ("name", "computes"),
    [
        ("gibbs_appell", "inverse_dynamics"),
        ("newton_euler", "inverse_dynamics"),
        ("articulated_body", "forward_dynamics"),
    ],
)
def test_slots_vanish(name: str, computes: str):
    tree, _ = _chain("revolute", 7)
    program = read(_row(name, computes), tree, unroll=False)
    lean = in_registers(program)
    assert len(lean.slots) < len(program.slots)
    assert _stores(lean) < _stores(program)
    assert not any(loop.carries for loop in _loops(program))
    assert all(loop.carries for loop in _loops(lean))
    assert sum(a.width for a in lean.slots) < 0.7 * sum(a.width for a in program.slots)


def test_a_carry_is_written_and_named():
    tree, _ = _chain("revolute", 2)
    lean = in_registers(read(_row("newton_euler", "inverse_dynamics"), tree, unroll=False))
    assert "carry %" in lean.text()
    assert "next %" in lean.text()
    assert lean.text() == in_registers(read(_row("newton_euler", "inverse_dynamics"), tree, unroll=False)).text()


@pytest.mark.parametrize(
    "how",
    [{"shape": "tree", "joints": "revolute"}, {"joints": "simple"}, {"floating": True}, {"joints": "mixed"}],
    ids=str,
)
def test_trees_and_chains_of_several_kinds_are_left_alone(how: dict[str, Any]):
    tree = lower(Mechanism.from_dict(random_robot(5, 6, **how)))
    program = read(_row("newton_euler", "inverse_dynamics"), tree, unroll=False)
    assert in_registers(program) is program


def test_unrolled_programs_are_left_alone():
    program = read(_row("newton_euler", "inverse_dynamics"), _chain("revolute", 2)[0])
    assert in_registers(program) is program


# -- texts that no paper has, but that a rule could break -----------------------------------------------------


def _text(text: Any) -> Formulation:
    return replace(_row("newton_euler", "inverse_dynamics"), text=text)


def sums_at_the_base(robot, q, v, a):
    """The base's slot is filled by a sweep, and then handed outward."""
    total, tau = robot.slots(), robot.vector()
    for b in robot.inward():
        total[b.parent] += total[b] + b.mass
    for b in robot.outward():
        total[b] = total[b.parent] + b.mass
        for z in b.freedoms:
            tau[z] = total[b] + 0 * q[z]
    return tau


def kept_for_later(robot, q, v, a):
    """A sum that is handed inward, and read again by a later sweep."""
    f, tau = robot.slots(), robot.vector()
    for b in robot.outward():
        f[b] = b.mass * b.mass
    for b in robot.inward():
        f[b.parent] += f[b] * 2
    for b in robot.outward():
        for z in b.freedoms:
            tau[z] = f[b] + q[z]
    return tau


def two_sums(robot, q, v, a):
    """Two additions to the same place in one sweep."""
    f, g, tau = robot.slots(), robot.slots(Vec3), robot.vector()
    for b in robot.outward():
        f[b], g[b] = b.mass, Vec3(b.mass, 0, 1)
    for b in robot.inward():
        f[b.parent] += f[b]
        f[b.parent] += b.mass * b.mass
        g[b.parent] = g[b] * 2 + g[b.parent]
        for z in b.freedoms:
            tau[z] = f[b] * v[z] + g[b].x
    return tau


def starts_at_the_base(robot, q, v, a):
    """A value put into the base's slot, as gravity is."""
    f, tau = robot.slots(Vec3), robot.vector()
    f[0] = Vec3(3, robot.gravity.z, 0)
    for b in robot.outward():
        f[b] = f[b.parent] * 2 + Vec3(b.mass, 0, 0)
        for z in b.freedoms:
            tau[z] = f[b].x * f[b].y + q[z]
    return tau


def set_after_it_is_read(robot, q, v, a):
    """The parent's value changes while its child looks at it."""
    f, tau = robot.slots(), robot.vector()
    for b in robot.outward():
        for z in b.freedoms:
            tau[z] = f[b.parent] + q[z]
        f[b.parent] += b.mass
        f[b] = f[b.parent] * b.mass
    for b in robot.inward():
        for z in b.freedoms:
            tau[z] += f[b.parent]
    return tau


def overwritten_inward(robot, q, v, a):
    """What the parent had of its own is lost on purpose."""
    f, tau = robot.slots(), robot.vector()
    for b in robot.outward():
        f[b] = b.mass
    for b in robot.inward():
        for z in b.freedoms:
            tau[z] = f[b] * q[z]
        f[b.parent] = f[b] + b.mass
    return tau


TEXTS = [sums_at_the_base, kept_for_later, two_sums, starts_at_the_base, set_after_it_is_read, overwritten_inward]


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("text", TEXTS, ids=lambda f: f.__name__)
def test_odd_texts(text: Any, n: int):
    tree, state = _chain("revolute", n)
    row = _text(text)
    _same(read(row, tree, unroll=False), row, tree, state)


def test_what_follows_from_tables_is_made_anew():
    """A constant of the body that a later sweep needs is computed again rather than stored."""

    def text(robot, q, v, a):
        f, tau = robot.slots(), robot.vector()
        for b in robot.outward():
            f[b] = b.mass * 3 + b.offset.x
        for b in robot.inward():
            for z in b.freedoms:
                tau[z] = f[b] * q[z]
        return tau

    tree, state = _chain("revolute", 4)
    lean = _same(read(_text(text), tree, unroll=False), _text(text), tree, state)
    assert lean.slots == ()
    assert np.isfinite(interpret(lean, *state, tree=tree)[0]).all()
