"""What a formulation costs on a robot: operations of its text as written, and of its Program after folding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from ..formulations.table import QUESTIONS, Formulation
from ..model.tree import Link, Tree
from ..model.walk import Coordinates
from ..scalar import Count
from .expr import Expr
from .program import Array, Block, Loop, Program
from .reading import inputs_of, read, robot_of

if TYPE_CHECKING:
    from ..model.lift import Lift

NAMES = {"sub": "add", "cos": "sincos", "sin": "sincos"}
FREE = ("load", "neg")


@dataclass(frozen=True)
class Operations:
    """How many of each for one state. `sincos`: angles whose sine and cosine are taken; `other`: tanh, atan2, sign."""

    mul: int = 0
    add: int = 0
    div: int = 0
    sqrt: int = 0
    sincos: int = 0
    other: int = 0

    def __str__(self) -> str:
        each = {f.name: getattr(self, f.name) for f in fields(self)}
        return ", ".join(f"{name} {times}" for name, times in each.items() if times or name in ("mul", "add"))


@dataclass(frozen=True)
class Counts:
    """What a formulation costs on a robot: counted as its paper would, folded, and as run."""

    text: Operations  # the text as written, over scalars that only count
    unmoved: Operations  # its Program, folded, shared, without dead code; frames chosen, every mass where it is
    program: Operations  # the Program that runs: masses moved along the axes, to where fewer are felt

    def __str__(self) -> str:
        return "\n".join(f"{f.name:<9}{getattr(self, f.name)}" for f in fields(self))


def counts(
    formulation: Formulation, tree: Tree, unmoved: Tree, light: Tree, *, unroll: bool | None = None, **given: Any
) -> Counts:
    """Of a text on `tree`, and of its Programs on two trees of equal answers.

    Products and sums of constants, factors 0 and 1, sums with 0 and negation are free; 2x is one addition. Products
    and sums are counted apart, before the pass that fuses them.
    """
    first = operations(formulation, unmoved, unroll, **given)
    runs = first if light is unmoved else operations(formulation, light, unroll, **given)
    return Counts(of_text(formulation, tree, **given), first, runs)


def operations(formulation: Formulation, tree: Tree, unroll: bool | None = None, **given: Any) -> Operations:
    """Of the Program that a text becomes on a tree; loops multiplied out."""
    straight = tree.nv <= formulation.unrolled_up_to if unroll is None else unroll
    return _operations(_of_program(read(formulation, tree, unroll=straight, **given), tree))


def of_text(
    formulation: Formulation, tree: Tree, *, wrench: bool = False, prescribed: frozenset[int] = frozenset(),
    lift: Lift | None = None, **given: Any,
) -> Operations:  # fmt: skip
    """Of a text as it is written, read with scalars that only count; options as for `read`."""
    tally: Counter[str] = Counter()
    arrays = {a.name: a for a in inputs_of(formulation, tree, wrench, lift)}
    walk = robot_of(tree, _Counting(tally), arrays, prescribed, lift)
    names = QUESTIONS[formulation.computes].inputs
    args = [[Count(tally) for _ in range(tree.nq if name == "q" else tree.nv)] for name in names]
    partial(formulation.text, **given)(walk, *map(Coordinates, args))
    return _operations(tally)


@dataclass(frozen=True)
class _Counting:
    """Where inputs come from that the walk asks for."""

    tally: Counter[str]

    def load(self, array: Array, place: tuple[Any, ...], component: int = 0) -> Count:
        return Count(self.tally)


def _operations(tally: Counter[str]) -> Operations:
    known = {f.name for f in fields(Operations)} - {"other"}
    other = sum(times for name, times in tally.items() if name not in known)
    return Operations(**{name: tally[name] for name in known}, other=other)


def _of_program(program: Program, tree: Tree) -> Counter[str]:
    """Straight statements once; those of a sweep once for every body that it meets."""
    total, loops = _straight(program.body)
    turns = _Turns(tree)
    for loop in loops:
        total += turns.of(loop, {})
    return total


class _Turns:
    """Sweeps multiplied out over the bodies of a tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._costs = cache(_straight)  # of a block: the same for every body that comes by
        self._support = cache(lambda start: tuple(tree.support(start)) if start else ())

    def of(self, loop: Loop, at: dict[int, int]) -> Counter[str]:
        """What all turns of a sweep cost, with the walks inside; `at` are the bodies of the sweeps around it."""
        total: Counter[str] = Counter()
        for kind, bodies in self._by_kind(loop, at):
            own, inner = self._costs(loop.cases[kind])
            total.update({op: times * len(bodies) for op, times in own.items()})
            for b in bodies if inner else ():
                for walk in inner:
                    total += self.of(walk, {**at, loop.number: b.index})
        return total

    def _by_kind(self, loop: Loop, at: dict[int, int]) -> Iterator[tuple[str, Sequence[Link]]]:
        bodies = self._met(loop, at)
        if len(loop.cases) == 1:
            yield next(iter(loop.cases)), bodies
        else:
            yield from ((kind, [b for b in bodies if b.kind == kind]) for kind in loop.cases)

    def _met(self, loop: Loop, at: dict[int, int]) -> Sequence[Link]:
        """The bodies of a sweep: all, or those that carry the one it starts from, or that hang on it."""
        if loop.start is None:
            return self.tree.links
        start = self._body(loop.start.key, at)
        return self.tree.links[start : self.tree.lasts[start - 1]] if loop.way == "beyond" else self._support(start)

    def _body(self, key: tuple[Any, ...], at: dict[int, int]) -> int:
        """The body that an index stands for: that of a sweep, or the parent of one."""
        if key[0] == "i":
            return at[key[1]] + key[-1]
        return self.tree.links[self._body(key[2], at) - 1].parent + key[-1]


def _straight(block: Block) -> tuple[Counter[str], list[Loop]]:
    """The operations of a block itself, and its loops; a sine and a cosine of one angle are one."""
    seen = {(NAMES.get(x.op, x.op), _name(x)) for x in block.items if isinstance(x, Expr) and x.op not in FREE}
    return Counter(op for op, _ in seen), [x for x in block.items if isinstance(x, Loop)]


def _name(node: Expr) -> Any:
    return id(node.args[0]) if node.op in ("sin", "cos") else id(node)
