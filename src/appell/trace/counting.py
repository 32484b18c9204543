"""What a formulation costs on a robot: operations of its text as written, and of its Program after folding."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

from ..formulations.table import QUESTIONS, Formulation
from ..model.tree import Link, Tree
from ..model.walk import Coordinates, Walk
from ..scalar import Count
from .expr import Expr
from .program import Block, Loop, Program
from .reading import read

NAMES = {"sub": "add", "cos": "sincos", "sin": "sincos"}
FREE = ("load", "neg")


@dataclass(frozen=True)
class Operations:
    """How many of each for one state. `sincos`: angles whose sine and cosine are taken; `other`: tanh, sign."""

    mul: int = 0
    add: int = 0
    div: int = 0
    sqrt: int = 0
    sincos: int = 0
    other: int = 0
    program: Operations | None = None  # the same of the Program: shared, folded, without dead code

    def __str__(self) -> str:
        own = [f for f in fields(self) if f.name != "program"]
        parts = [f"{f.name} {getattr(self, f.name)}" for f in own if f.name in ("mul", "add") or getattr(self, f.name)]
        return ", ".join(parts) + (f"; as run: {self.program}" if self.program else "")


def operations(
    formulation: Formulation, tree: Tree, light: Tree | None = None, unroll: bool | None = None, **given: Any
) -> Operations:
    """Counts on `tree`; the Program's on `light`, the regrouped tree that is run, where there is one.

    Products and sums of constants, factors 0 and 1, sums with 0 and negation are free; 2x is one addition.
    """
    runs = tree if light is None else light
    straight = runs.nv <= formulation.unrolled_up_to if unroll is None else unroll
    program = read(formulation, runs, unroll=straight, **given)
    return _operations(_of_text(formulation, tree, given), _operations(_of_program(program, runs)))


def _operations(tally: Counter[str], program: Operations | None = None) -> Operations:
    known = {f.name for f in fields(Operations)} - {"other", "program"}
    other = sum(times for name, times in tally.items() if name not in known)
    return Operations(**{name: tally[name] for name in known}, other=other, program=program)


def _of_text(formulation: Formulation, tree: Tree, given: dict[str, Any]) -> Counter[str]:
    """The text read with scalars that only count."""
    tally: Counter[str] = Counter()
    names = QUESTIONS[formulation.computes].inputs
    lists = [[Count(tally) for _ in range(tree.nq if name == "q" else tree.nv)] for name in names]
    partial(formulation.text, **given)(Walk(tree), *map(Coordinates, lists))
    return tally


def _of_program(program: Program, tree: Tree) -> Counter[str]:
    """Straight statements once; those of a sweep once for every body that it meets."""
    total, loops = _straight(program.body)
    for loop in loops:
        for b in tree.links:
            total += _met(loop, b, tree)
    return total


def _met(loop: Loop, b: Link, tree: Tree) -> Counter[str]:
    """What one turn of a sweep costs at a body, with the walks inside it."""
    block = loop.cases.get(b.kind)
    own, inner = _straight(block) if block else (Counter[str](), [])
    for walk in inner:
        for above in _walked(walk, b, tree):
            own += _met(walk, above, tree)
    return own


def _walked(loop: Loop, b: Link, tree: Tree) -> list[Link]:
    """The bodies of a support walk: from a body, or from its parent, to the base."""
    support = list(tree.support(b.index))
    starts_above = loop.start is not None and loop.start.key[0] == "t"
    return support[1:] if starts_above or (loop.start is not None and loop.start.shift == -1) else support


def _straight(block: Block) -> tuple[Counter[str], list[Loop]]:
    """The operations of a block itself, and its loops; a sine and a cosine of one angle are one."""
    seen = {(NAMES.get(x.op, x.op), _name(x)) for x in block.items if isinstance(x, Expr) and x.op not in FREE}
    return Counter(op for op, _ in seen), [x for x in block.items if isinstance(x, Loop)]


def _name(node: Expr) -> Any:
    return id(node.args[0]) if node.op in ("sin", "cos") else id(node)
