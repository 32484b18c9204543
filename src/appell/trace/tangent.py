"""Forward derivatives of any Program, rolled or not: every value beside its rate as the inputs move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..errors import unknown
from .expr import Expr, Graph
from .operations import OPERATIONS, moves, rebuilt
from .passes import without_dead_code
from .program import Array, Block, Index, Loop, Program, Store, blocks


def tangent(program: Program, wrt: Sequence[str] | None = None) -> Program:
    """The Program with an input dx for every lane input x (or those in `wrt`) and an output dy for every y.

    dy is the rate of y when the inputs change at the rates dx, number by number. Slots that change have a
    twin; so have loads, stores and carried values, in loops of every kind.
    """
    names = [a.name for a in program.inputs]
    for name in wrt or ():
        if name not in names:
            raise unknown("input", name, names)
    moving = [a for a in program.inputs if (a.role == "lane" if wrt is None else a.name in wrt)]
    return without_dead_code(_Tangent(program, moving).program())


class _Tangent:
    """A Program being made anew with its rates."""

    def __init__(self, program: Program, moving: list[Array]) -> None:
        self.source, self.graph = program, Graph()
        self.active, self.carried = _active(program, moving)
        self.values: dict[Any, tuple[Any, Any]] = {}  # value -> its copy and the copy's rate
        self.sweeps: dict[int, Block] = {}
        wanted = {*moving, *program.outputs, *(a for a, _ in self.active)}
        taken = {a.name for a in self._arrays()}
        self.twins = {a: _twin(a, taken) for a in self._arrays() if a in wanted}

    def _arrays(self) -> tuple[Array, ...]:
        return (*self.source.inputs, *self.source.outputs, *self.source.slots)

    def program(self) -> Program:
        self._block(self.source.body)
        return replace(
            self.source,
            name=f"{self.source.name}_tangent",
            inputs=self._with_twins(self.source.inputs),
            outputs=self._with_twins(self.source.outputs),
            slots=self._with_twins(self.source.slots),
            body=self.graph.block,
        )

    def _with_twins(self, arrays: tuple[Array, ...]) -> tuple[Array, ...]:
        return (*arrays, *(self.twins[a] for a in arrays if a in self.twins))

    # -- statements ------------------------------------------------------------------------------------------

    def _block(self, block: Block) -> None:
        for item in block.items:
            if isinstance(item, Store):
                self._store(item)
            elif isinstance(item, Loop):
                self._loop(item)
            elif item.op == "load":
                self.values[item] = self._load(*item.args)
            else:
                args = [self._of(a) for a in item.args]
                value = rebuilt(item, tuple(a for a, _ in args))
                self.values[item] = value, self._rate(item, value, args)

    def _of(self, x: Any) -> tuple[Any, Any]:
        return self.values[x] if isinstance(x, Expr) else (x, 0)

    def _rate(self, item: Expr, value: Any, args: list[tuple[Any, Any]]) -> Any:
        """The chain rule."""
        if not any(moves(rate) for _, rate in args):
            return 0
        slopes = OPERATIONS[item.op].partials(value, *(a for a, _ in args))
        return sum((slope * rate for slope, (_, rate) in zip(slopes, args, strict=True)), 0)

    def _load(self, array: Array, place: tuple[Any, ...], component: int) -> tuple[Any, Any]:
        at, fresh = tuple(map(self._index, place)), array.role == "memory"
        value = self.graph.load(array, at, component, fresh)
        if (array, component) not in self.active:
            return value, 0
        return value, self.graph.load(self.twins[array], at, component, fresh)

    def _store(self, item: Store) -> None:
        at = tuple(map(self._index, item.place))
        value, rate = self._of(item.value)
        self.graph.store(item.array, at, item.component, value)
        if (item.array, item.component) in self.active or item.array in self.source.outputs:
            self.graph.store(self.twins[item.array], at, item.component, rate)

    def _index(self, i: Any) -> Any:
        """The same index, in the sweep that is being written."""
        if not isinstance(i, Index):
            return i
        what = i.what
        while what[0] == "t":
            what = what[2]
        return Index(i.what, self.sweeps[what[1]], i.shift) if what[0] == "i" else i

    # -- loops -----------------------------------------------------------------------------------------------

    def _loop(self, loop: Loop) -> None:
        start = self._index(loop.start)
        firsts = [self._of(first) for _, first, _ in loop.carries]
        for symbol, _, _ in loop.carries:
            self.values[symbol] = self._symbol(symbol), self._symbol(symbol) if symbol in self.carried else 0
        cases = {kind: self._case(loop.number, inner) for kind, inner in loop.cases.items()}
        carries = tuple(
            (symbol, before, after)
            for (old, _, last), first in zip(loop.carries, firsts, strict=True)
            for symbol, before, after in zip(self.values[old], first, self._of(last), strict=True)
            if isinstance(symbol, Expr)
        )
        self.graph.block.items.append(replace(loop, cases=cases, start=start, carries=carries))

    def _case(self, number: int, inner: Block) -> Block:
        self.sweeps[number] = self.graph.open()
        self._block(inner)
        return self.graph.close()

    def _symbol(self, symbol: Expr) -> Expr:
        """A new name for what a sweep carries; it is no statement, so it goes into no list."""
        self.graph.count += 1
        return Expr(self.graph, symbol.op, symbol.args, self.graph.count - 1)


def _active(program: Program, moving: list[Array]) -> tuple[set[tuple[Array, int]], set[Expr]]:
    """The (array, component) pairs in memory, and the values, that depend on the moving inputs."""
    memory, values = {(a, k) for a in moving for k in range(a.width)}, set[Expr]()
    while True:
        before = len(memory), len(values)
        for block in blocks(program.body):
            for item in block.items:
                _mark(item, memory, values)
        if before == (len(memory), len(values)):
            return memory, values


def _mark(item: Any, memory: set[tuple[Array, int]], values: set[Expr]) -> None:
    """Adds what one statement makes depend on the moving inputs."""
    if isinstance(item, Store):
        if item.value in values:
            memory.add((item.array, item.component))
    elif isinstance(item, Loop):
        values.update(symbol for symbol, first, after in item.carries if first in values or after in values)
    elif item.op == "load":
        if (item.args[0], item.args[2]) in memory:
            values.add(item)
    elif item.op != "sign" and any(isinstance(a, Expr) and a in values for a in item.args):
        values.add(item)


def _twin(array: Array, taken: set[str]) -> Array:
    """The array of an array's rates."""
    name = f"d{array.name}"
    while name in taken:
        name = f"d{name}"
    taken.add(name)
    return Array(name, array.role, array.shape, array.width)
