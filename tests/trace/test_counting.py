"""Operation counts: of texts with known numbers, the same in every run, and rolled loops multiplied out."""

from __future__ import annotations

from collections import Counter

import pytest

import appell
from appell.formulations.table import FORMULATIONS, Formulation
from appell.model import zoo
from appell.trace.counting import Operations, operations
from appell.trace.program import Block, Loop
from appell.trace.reading import read

BASIC = [f for f in FORMULATIONS if f.computes in ("inverse_dynamics", "mass_matrix", "forward_dynamics")]
ROLLING = [f for f in BASIC if f.rolls]
ids = {"ids": lambda f: f"{f.computes}-{f.name}"}


def horner(robot, q, v, a):
    """A text whose operations can be counted by eye."""
    tau = robot.vector()
    for b in robot.outward():
        for z in b.freedoms:
            x = q[z]
            once = x.sin() * 3.0 + x.cos()  # sincos, mul, add
            tau[z] = (once * v[z] + a[z]) / v[z] - 1 * a[z] + 0 * x + 2 * v[z]  # mul, add, div, add, add (2x), add
    return tau


def test_a_text_counted_by_eye() -> None:
    robot = appell.Robot(zoo.chain(3))
    found = operations(Formulation("horner", "inverse_dynamics", horner, ""), robot.tree)
    each = Operations(mul=2, add=5, div=1, sincos=1)
    wanted = Operations(*(3 * getattr(each, k) for k in ("mul", "add", "div", "sqrt", "sincos", "other")))
    assert found.program is not None
    assert wanted == Operations(found.mul, found.add, found.div, found.sqrt, found.sincos, found.other)
    assert found.program == wanted


@pytest.mark.parametrize("row", BASIC, **ids)
def test_folding_only_saves(row: Formulation) -> None:
    robot = appell.Robot(zoo.tree(6, 3))
    found = operations(row, robot.tree, robot.light_tree)
    assert found.program is not None
    assert 0 < found.program.mul <= found.mul
    assert 0 < found.program.add <= found.add
    assert found == operations(row, robot.tree, robot.light_tree)


@pytest.mark.parametrize("row", ROLLING, **ids)
def test_loops_are_multiplied_out(row: Formulation) -> None:
    """Against walking the rolled Program body by body, with an explicit stack of parents."""
    tree = appell.Robot(zoo.tree(9, 5)).tree
    program = read(row, tree, unroll=False)
    tally: Counter[str] = Counter()

    def walk(block: Block, number: int) -> None:
        for item in block.items:
            if isinstance(item, Loop):
                for other in met(item, number):
                    walk(item.cases[tree.links[other - 1].kind], other)
            elif hasattr(item, "op") and item.op in ("mul", "div"):
                tally[item.op] += 1

    def met(loop: Loop, number: int) -> list[int]:
        if loop.way != "support":
            return list(range(1, tree.n + 1))
        key = loop.start.key  # type: ignore[union-attr]
        number = tree.links[number - 1].parent if key[0] == "t" else number + key[-1]
        chain = []
        while number:
            chain.append(number)
            number = tree.links[number - 1].parent
        return chain

    walk(program.body, 0)
    found = operations(row, tree, unroll=False).program
    assert found is not None
    assert (found.mul, found.div) == (tally["mul"], tally["div"])
    assert found.mul > 9
