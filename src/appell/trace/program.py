"""A Program: what a formulation does, as statements over named arrays, for any writer to read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ..errors import TraceError
from .digest import sha256

Role: TypeAlias = Literal["lane", "memory", "column"]
Extent: TypeAlias = "int | str"  # a number, or one of the sizes n, nq, nv known when a robot is given


class Block:
    """A straight run of statements: expressions, stores and loops, in order."""

    __slots__ = ("closed", "items", "pool")

    def __init__(self, items: list[Any] | None = None) -> None:
        self.items: list[Any] = items or []
        self.pool: dict[Any, Any] = {}
        self.closed = False


class Index:
    """A whole number known only when the Program runs: a loop's body, or an entry of a table of integers."""

    __slots__ = ("block", "key", "shift", "what")

    def __init__(self, what: tuple[Any, ...], block: Block, shift: int = 0) -> None:
        self.what, self.block, self.shift = what, block, shift
        self.key = (*what, shift)

    def __add__(self, k: int) -> Index:
        return Index(self.what, self.block, self.shift + k)

    def _no_value(self, *_: Any) -> Any:
        raise TraceError("a body's index or parent has no value in a rolled sweep; do not compare or branch on it")

    __bool__ = __int__ = __index__ = __float__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _no_value
    __hash__ = _no_value

    def __repr__(self) -> str:
        return _key(self.key)


def _key(key: tuple[Any, ...]) -> str:
    name = f"{key[1]}[{_key(key[2])}]" if key[0] == "t" else f"i{key[1]}" if key[0] == "i" else key[1]
    return name + (f"{key[-1]:+d}" if key[-1] else "")


Place: TypeAlias = "int | Index"


@dataclass(eq=False, repr=False)
class Array:
    """Memory that a Program names: `shape` elements of `width` scalars; the output's name comes last."""

    name: str
    role: Role
    shape: tuple[Extent, ...]
    width: int = 1


@dataclass(frozen=True, eq=False, repr=False)
class Store:
    """array[place], component k, becomes value."""

    array: Array
    place: tuple[Place, ...]
    component: int
    value: Any


@dataclass(frozen=True, eq=False, repr=False)
class Loop:
    """Every body in turn: outward 1..n, inward n..1, a support walk from `start` to the base, or all beyond `start`.

    One case per kind of joint; with several, the body's kind chooses. A carry is a value that a chain's next
    body takes over in a register: (symbol, value before the first body, value that this body hands on).
    """

    way: Literal["outward", "inward", "support", "beyond"]
    number: int
    cases: dict[str, Block]
    start: Index | None = None
    carries: tuple[tuple[Any, Any, Any], ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Program:
    """Inputs and outputs in the order of the call; slots and columns (one row per body) as it needs them."""

    name: str
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    body: Block
    slots: tuple[Array, ...] = ()
    columns: tuple[str, ...] = ()
    lookups: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    chain: bool = False

    @property
    def rolled(self) -> bool:
        """Whether it loops over bodies."""
        return bool(self.kinds)

    def text(self) -> str:
        """The Program for people, and for its hash: the same text for the same Program in every run."""
        return "\n".join(_lines(self))

    @property
    def hash(self) -> str:
        """A name for its content."""
        return sha256(self.text().encode()).hexdigest()

    def count(self) -> dict[str, int]:
        """How often each operation is written (a rolled body counts once)."""
        tally: dict[str, int] = {}
        for block in blocks(self.body):
            for item in block.items:
                if hasattr(item, "op"):
                    tally[item.op] = tally.get(item.op, 0) + 1
        return tally


def blocks(block: Block) -> Iterator[Block]:
    """A block and all blocks inside it."""
    yield block
    for item in block.items:
        if isinstance(item, Loop):
            for inner in item.cases.values():
                yield from blocks(inner)


def _lines(program: Program) -> Iterator[str]:
    yield f"program {program.name}"
    for a in (*program.inputs, *program.outputs, *program.slots):
        yield f"{a.role} {a.name}{list(a.shape)}" + (f" x {a.width}" if a.width > 1 else "")
    if program.rolled:
        yield f"columns {' '.join(program.columns)}"
        yield f"lookups {' '.join(program.lookups)}"
        yield f"kinds {' '.join(program.kinds)}{' chain' if program.chain else ''}"
    yield from _block_lines(program.body, Names(), "")


class Names(dict[Any, str]):
    """Numbers for nodes in the order of their lines; a node from outside keeps its own."""

    def __missing__(self, node: Any) -> str:
        return f"%outer{node.id}"


def block_lines(block: Block) -> Iterator[str]:
    """A block as text, alone."""
    return _block_lines(block, Names(), "")


def _block_lines(block: Block, names: Names, pad: str) -> Iterator[str]:
    for item in block.items:
        if isinstance(item, Store):
            yield f"{pad}{address(item.array, item.place, item.component)} = {operand(item.value, names)}"
        elif isinstance(item, Loop):
            yield from _loop_lines(item, names, pad)
        else:
            names[item] = f"%{len(names)}"
            yield f"{pad}{names[item]} = {_operation(item, names)}"


def _loop_lines(loop: Loop, names: Names, pad: str) -> Iterator[str]:
    for symbol, first, _ in loop.carries:
        names[symbol] = f"%{len(names)}"
        yield f"{pad}carry {names[symbol]} from {operand(first, names)}"
    for kind, inner in loop.cases.items():
        start = f" from {loop.start}" if loop.start is not None else ""
        yield f"{pad}for i{loop.number} {loop.way}{start}, {kind}:"
        yield from _block_lines(inner, names, pad + "  ")
    for symbol, _, after in loop.carries:
        yield f"{pad}  next {names[symbol]} = {operand(after, names)}"


def _operation(node: Any, names: Names) -> str:
    if node.op == "load":
        return address(*node.args[:3])
    return f"{node.op} {', '.join(operand(a, names) for a in node.args)}"


def operand(value: Any, names: Names) -> str:
    """How an argument is written."""
    return repr(float(value)) if isinstance(value, (int, float)) else names[value]


def address(array: Array, place: tuple[Place, ...], component: int) -> str:
    """How a place in memory is written."""
    tail = f".{component}" if array.width > 1 else ""
    return f"{array.name}[{', '.join(map(repr, place))}]{tail}"


__all__ = [
    "Array", "Block", "Index", "Loop", "Place", "Program", "Store", "address", "block_lines", "blocks", "operand",
]  # fmt: skip
