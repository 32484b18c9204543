"""Operation counts: of texts with known numbers, the same in every run, and rolled loops multiplied out."""

from __future__ import annotations

from collections import Counter

import pytest

import appell
from appell.errors import UnknownName
from appell.formulations.table import FORMULATIONS, Formulation
from appell.model import zoo
from appell.trace.counting import Counts, Operations, counts, operations
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
    found = counts(Formulation("horner", "inverse_dynamics", horner, ""), *[robot.tree] * 3)
    wanted = Operations(mul=6, add=15, div=3, sincos=3)
    assert found == Counts(wanted, wanted, wanted)
    assert str(found).splitlines()[0] == "text     mul 6, add 15, div 3, sincos 3"


@pytest.mark.parametrize("row", BASIC, **ids)
def test_folding_only_saves(row: Formulation) -> None:
    robot = appell.Robot(zoo.tree(6, 3))
    found = robot.count(row.computes, row.name)
    given = operations(row, robot.tree)
    assert 0 < found.program.mul <= found.unmoved.mul <= given.mul <= found.text.mul
    assert 0 < found.program.add <= found.unmoved.add <= given.add <= found.text.add
    assert found == robot.count(row.computes, row.name)


def test_what_is_given_beside_the_state_is_counted() -> None:
    robot = appell.Robot(zoo.chain(3))
    plain = robot.count("inverse_dynamics")
    lifted = robot.count("inverse_dynamics", inputs=["link2.mass"])
    pulled = robot.count("inverse_dynamics", inputs=["wrench"])
    assert lifted.text.mul == plain.text.mul  # m r" costs a product, whether m is a number or not
    assert lifted.text.add == plain.text.add
    assert pulled.text.add == plain.text.add + 18  # a force and a moment for each of three links
    assert pulled.program.add > plain.program.add
    assert robot.count("hybrid_dynamics", prescribed=["joint1"]).text != robot.count("hybrid_dynamics").text


def test_an_option_that_is_none_is_told() -> None:
    robot = appell.Robot(zoo.chain(2))
    with pytest.raises(UnknownName, match="unknown option of mass_matrix 'metod'; did you mean 'method'"):
        robot.count("mass_matrix", metod="composite_body")
    assert robot.count("pose", frame="link2").text.sincos == 2


@pytest.mark.parametrize("row", ROLLING, **ids)
def test_loops_are_multiplied_out(row: Formulation) -> None:
    """Against walking the rolled Program body by body, and remembering where each sweep around stands."""
    tree = appell.Robot(zoo.tree(9, 5)).tree
    program = read(row, tree, unroll=False)
    tally: Counter[str] = Counter()

    def walk(block: Block, at: dict[int, int]) -> None:
        for item in block.items:
            if isinstance(item, Loop):
                for other in met(item, at):
                    walk(item.cases[tree.links[other - 1].kind], {**at, item.number: other})
            elif hasattr(item, "op") and item.op in ("mul", "div"):
                tally[item.op] += 1

    def met(loop: Loop, at: dict[int, int]) -> list[int]:
        if loop.start is None:
            return list(range(1, tree.n + 1))
        what, *rest = loop.start.key
        number = tree.links[at[rest[1][1]] - 1].parent if what == "t" else at[rest[0]] + rest[-1]
        if loop.way == "beyond":
            return list(range(number + 1, tree.lasts[number - 1] + 1))
        chain = []
        while number:
            chain.append(number)
            number = tree.links[number - 1].parent
        return chain

    walk(program.body, {})
    found = operations(row, tree, unroll=False)
    assert (found.mul, found.div) == (tally["mul"], tally["div"])
    assert found.mul > 9
