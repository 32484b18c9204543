"""Operations of our own texts: on a general chain of n revolute joints, on arms as they are, and on branched robots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np

from ..asking import framed
from ..formulations.still import Still
from ..formulations.table import FORMULATIONS
from ..model.dh import from_dh
from ..model.mechanism import Body, Joint, Mechanism
from ..robot import Robot
from ..trace.counting import Counts, Operations, counts, of_text
from ..zoo import load
from .printed_counts import FORWARD, SOLVE, Formula

READINGS = {
    "text": "as written",
    "unmoved": "as a Program, masses where they are",
    "program": "as the Program that runs",
}
JOINTS = range(1, 13)
ARMS = ("puma560", "stanford")


@cache
def chain(n: int) -> Robot:
    """A general arm: Denavit-Hartenberg rows (modified), the first as well, and inertias without a zero or a two.

    Where the rows' own rotation and offset cancel they do so in floats, too, as d is a power of two.
    """
    rows = [(0.3 + 0.01 * k, 0.41 + 0.05 * k, 0.25, 0.0) for k in range(n)]
    tensor = [[0.03, 0.002, 0.001], [0.002, 0.04, 0.003], [0.001, 0.003, 0.05]]
    matter = [2.3] * n, [(0.1, 0.05, -0.07)] * n, [tensor] * n
    return Robot(from_dh(rows, "modified", *matter, name=f"general_{n}r"))


@cache
def branched(links: int, branches: int) -> Robot:
    """Branches of so many links, each a general arm, on one free body."""
    arm = chain(links).mechanism
    body = replace(arm.bodies[0], name="body", parent="base", joint=Joint("free", "free"))
    limbs = tuple(_limb(b, k) for k in range(branches) for b in arm.bodies)
    return Robot(Mechanism("branched", arm.gravity, (body, *limbs)))


def _limb(b: Body, k: int) -> Body:
    parent = "body" if b.parent == "base" else f"{b.parent}_{k}"
    return replace(b, name=f"{b.name}_{k}", parent=parent, joint=replace(b.joint, name=f"{b.joint.name}_{k}"))


def methods(question: str) -> Iterator[str]:
    """The formulations that answer a question, in the table's order."""
    return (f.name for f in FORMULATIONS if f.computes == (FORWARD if question == SOLVE else question))


def has(question: str, method: str) -> bool:
    """Whether there is such a formulation."""
    return method in methods(question)


@cache
def counted(n: int, question: str, method: str) -> Counts:
    """On the general arm."""
    return _of(chain(n), question, method)


@cache
def counted_arm(name: str, question: str, method: str) -> Counts:
    """On an arm of the zoo, specialised."""
    return _of(load(name), question, method)


def _of(robot: Robot, question: str, method: str) -> Counts:
    if question != SOLVE:
        return robot.count(question, method, unroll=True)
    row = robot.formulation(FORWARD, method)
    floating = Robot(replace(robot.mechanism, gravity=(0.0, 0.0, 0.0)))
    at_rest = replace(row, text=lambda walk, q, v, tau: row.text(walk, q, Still(), tau))
    return counts(at_rest, floating.tree, framed(floating.tree), floating.light_tree, unroll=True)


def as_formulas(question: str, method: str, reading: str) -> tuple[str, ...]:
    """Products and sums on the general arm, as polynomials in the joints from three on; "" where there is none."""
    found = {n: getattr(counted(n, question, method), reading) for n in JOINTS[2:]}
    return polynomial({n: products(x) for n, x in found.items()}), polynomial({n: x.add for n, x in found.items()})


def polynomial(values: Mapping[int, int]) -> str:
    """The formula, of the third degree at most, that gives all the values; "" where none does."""
    for degree in range(4):
        fit = np.polyfit([*values], [*values.values()], degree)[::-1]
        formula = Formula.of({k: Fraction(float(x)).limit_denominator(6) for k, x in enumerate(fit)})
        if all(formula(n) == count for n, count in values.items()):
            return str(formula)
    return ""


@cache
def counted_tree(links: int, branches: int, question: str, method: str) -> Operations:
    """The text on a branched robot."""
    row = next(f for f in FORMULATIONS if (f.computes, f.name) == (question, method))
    return of_text(row, branched(links, branches).tree)


def products(x: Operations) -> int:
    """Multiplications and divisions, which the papers count together."""
    return x.mul + x.div
