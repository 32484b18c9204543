"""What the writers of readable text share: the walk over a Program's statements, and legal names."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from typing import Any, ClassVar

from ..trace.expr import Expr
from ..trace.program import Array, Block, Index, Loop, Program, Store

OWN = re.compile(r"[tic]\d+$")  # values, indices and carried values are numbered so


class Statements(ABC):
    """A Program's body line by line; a language says how its lines look."""

    spelling: ClassVar[dict[str, str]]
    indent: ClassVar[str] = "    "

    def __init__(self, program: Program, name: str, reserved: Collection[str]) -> None:
        self.program, self.names, self.count = program, dict[Any, str](), 0
        taken = set(reserved)
        self.name = identifier(name, taken)
        memory = (*program.inputs, *program.outputs, *program.slots)
        self.arrays = {a: identifier(a.name, taken) for a in memory}
        self.tables = {c: identifier(c, taken) for c in (*program.columns, *program.lookups)}

    # -- what a language says --------------------------------------------------------------------------------

    @abstractmethod
    def declare(self, name: str, text: str, constant: bool = True) -> str:
        """A new name for a value."""

    @abstractmethod
    def assign(self, place: str, text: str) -> str:
        """A new value for a place."""

    @abstractmethod
    def number(self, x: float) -> str:
        """A constant."""

    @abstractmethod
    def size(self, name: str) -> str:
        """One of the robot's sizes: n, nq or nv."""

    @abstractmethod
    def element(self, array: Array, place: list[str], component: int) -> str:
        """One scalar in memory."""

    @abstractmethod
    def around(self, loop: Loop, body: list[str], pad: str) -> Iterator[str]:
        """A loop around the lines of its body."""

    @abstractmethod
    def choice(self, kind: str, cases: dict[str, list[str]], pad: str) -> Iterator[str]:
        """The lines of one of several cases."""

    @abstractmethod
    def hand_on(self, names: list[str], texts: list[str]) -> Iterator[str]:
        """New values for all names at once."""

    # -- statements ------------------------------------------------------------------------------------------

    def block(self, block: Block, pad: str) -> Iterator[str]:
        """The lines of a block."""
        for item in block.items:
            if isinstance(item, Store):
                place = self.address(item.array, item.place, item.component)
                yield pad + self.assign(place, self.value(item.value))
            elif isinstance(item, Loop):
                yield from self._loop(item, pad)
            elif item.op == "load" and item.args[0].role != "memory":
                self.names[item] = self.address(*item.args)  # never changes: needs no name of its own
            else:
                text = self._operation(item)
                self.names[item] = self.fresh("t")
                yield pad + self.declare(self.names[item], text)

    def fresh(self, stem: str) -> str:
        """A name that no other value has."""
        self.count += 1
        return f"{stem}{self.count}"

    def value(self, x: Any) -> str:
        """A name or a constant."""
        return self.names[x] if isinstance(x, Expr) else self.number(float(x))

    def _operation(self, node: Expr) -> str:
        if node.op == "load":
            return self.address(*node.args)
        return self.spelling[node.op].format(*map(self.value, node.args))

    def address(self, array: Array, place: tuple[Any, ...], component: int) -> str:
        """One scalar in memory, or of a robot's tables."""
        if array.role == "column":
            return f"{self.tables[array.name]}[{self.index(place[0])}]"
        return self.element(array, list(map(self.index, place)), component)

    def index(self, i: Any) -> str:
        """A whole number."""
        return self._key(i.key) if isinstance(i, Index) else str(i)

    def _key(self, key: tuple[Any, ...]) -> str:
        text = self._named(key)
        return f"{text} {'+' if key[-1] > 0 else '-'} {abs(key[-1])}" if key[-1] else text

    def _named(self, key: tuple[Any, ...]) -> str:
        """A whole number without its shift: a sweep's body, one of the robot's sizes, an entry of a table."""
        if key[0] == "i":
            return f"i{key[1]}"
        return self.size(key[1]) if key[0] == "s" else f"{self.tables[key[1]]}[{self._key(key[2])}]"

    # -- loops -----------------------------------------------------------------------------------------------

    def _loop(self, loop: Loop, pad: str) -> Iterator[str]:
        inner = pad + self.indent
        for symbol, first, _ in loop.carries:
            text = self.value(first)
            self.names[symbol] = self.fresh("c")
            yield pad + self.declare(self.names[symbol], text, constant=False)
        lines = list(self._cases(loop, inner))
        carried = [self.names[symbol] for symbol, _, _ in loop.carries]
        texts = [self.value(after) for _, _, after in loop.carries]
        lines += [inner + line for line in self.hand_on(carried, texts)] if carried else []
        yield from self.around(loop, lines, pad)

    def _cases(self, loop: Loop, pad: str) -> Iterator[str]:
        if len(loop.cases) == 1:
            yield from self.block(next(iter(loop.cases.values())), pad)
            return
        deeper = pad + self.indent
        cases = {kind: list(self.block(inner, deeper)) for kind, inner in loop.cases.items()}
        yield from self.choice(f"{self.tables['kind']}[i{loop.number}]", cases, pad)

    def parent(self, loop: Loop) -> str:
        """Where a support walk goes next."""
        i = f"i{loop.number}"
        return f"{i} - 1" if self.program.chain else f"{self.tables['parent']}[{i}]"

    def last(self, start: Index) -> str:
        """The last of the bodies beyond one."""
        return self.size("n") if self.program.chain else f"{self.tables['last']}[{self.index(start)}]"


def identifier(name: str, taken: set[str]) -> str:
    """A legal name, like none of those that are taken, which it joins."""
    legal = re.sub(r"\W", "_", name, flags=re.ASCII).lstrip("_") or "x"
    legal = f"x{legal}" if legal[0].isdigit() else legal
    legal = f"{legal}_" if OWN.match(legal) else legal
    unique, count = legal, 1
    while unique in taken:
        count += 1
        unique = f"{legal}_{count}"
    taken.add(unique)
    return unique


def operations(program: Program) -> str:
    """How many operations of which kind stand in a Program, for people."""
    counts = {op: k for op, k in sorted(program.count().items()) if op != "load"}
    return ", ".join(f"{k} {op}" for op, k in counts.items()) or "no operation"
