"""Program -> Program: each pass a small rewriting of blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from .expr import Expr
from .program import Array, Block, Index, Loop, Program, Store, blocks


def cleaned(program: Program) -> Program:
    """What is left of a Program as it was read."""
    return without_negations(without_dead_code(program))


def without_dead_code(program: Program) -> Program:
    """Only what the outputs need: statements, slots, columns and lookups."""
    live, memory = _live(program)
    body = _kept(program.body, live, memory)
    slots = tuple(a for a in program.slots if any((a, k) in memory for k in range(a.width)))
    return replace(program, body=body, slots=slots, columns=_columns(body), lookups=_lookups(program, body))


def _live(program: Program) -> tuple[set[Any], set[tuple[Array, int]]]:
    """The nodes that matter, and the (array, component) pairs that anyone reads."""
    live: set[Any] = set()
    memory = {(a, k) for a in program.outputs for k in range(a.width)}
    while True:
        before = len(live), len(memory)
        for block in reversed(list(blocks(program.body))):
            _mark(block, live, memory)
        if not program.rolled or before == (len(live), len(memory)):
            return live, memory


def _mark(block: Block, live: set[Any], memory: set[tuple[Array, int]]) -> None:
    for item in reversed(block.items):
        if isinstance(item, Store):
            if (item.array, item.component) in memory and isinstance(item.value, Expr):
                live.add(item.value)
        elif isinstance(item, Loop):
            live.update(x for carry in item.carries for x in carry[1:] if isinstance(x, Expr))
        elif item in live:
            live.update(a for a in item.args if isinstance(a, Expr))
            if item.op == "load" and item.args[0].role == "memory":
                memory.add((item.args[0], item.args[2]))


def _kept(block: Block, live: set[Any], memory: set[tuple[Array, int]]) -> Block:
    items: list[Any] = []
    for item in block.items:
        if isinstance(item, Loop):
            cases = {kind: _kept(inner, live, memory) for kind, inner in item.cases.items()}
            if any(inner.items for inner in cases.values()):
                items.append(replace(item, cases=cases))
        elif isinstance(item, Store):
            if (item.array, item.component) in memory:
                items.append(item)
        elif item in live:
            items.append(item)
    return Block(items)


def _columns(body: Block) -> tuple[str, ...]:
    loads = (x for x in _nodes(body) if x.op == "load" and x.args[0].role == "column")
    return tuple(dict.fromkeys(x.args[0].name for x in loads))


def _lookups(program: Program, body: Block) -> tuple[str, ...]:
    names: dict[str, None] = {"kind": None} if len(program.kinds) > 1 else {}
    if program.rolled and not program.chain:
        names["parent"] = None  # support walks go by it
        if any(isinstance(x, Loop) and x.way == "beyond" for block in blocks(body) for x in block.items):
            names["last"] = None
    for block in blocks(body):
        for item in block.items:
            for index in _indices(item):
                names.update(dict.fromkeys(_tables(index.key)))
    return tuple(names)


def _tables(key: tuple[Any, ...]) -> Iterator[str]:
    """The lookups that an index goes through."""
    if key[0] == "t":
        yield key[1]
        yield from _tables(key[2])


def _indices(item: Any) -> Iterator[Index]:
    if isinstance(item, Loop):
        yield from (i for i in (item.start,) if isinstance(i, Index))
    elif isinstance(item, Store):
        yield from (i for i in item.place if isinstance(i, Index))
    elif item.op == "load":
        yield from (i for i in item.args[1] if isinstance(i, Index))


def _nodes(body: Block) -> Iterator[Expr]:
    for block in blocks(body):
        yield from (x for x in block.items if isinstance(x, Expr))


# -- signs ----------------------------------------------------------------------------------------------------


def without_negations(program: Program) -> Program:
    """Differences and multiples that are met only with the other sign take it themselves."""
    users: dict[Any, int] = {}
    for _, value in _uses(program.body):
        users[value] = users.get(value, 0) + 1
    turned = {x for x in _nodes(program.body) if x.op == "neg" and users.get(x.args[0]) == 1 and _turns(x.args[0])}
    if not turned:
        return program
    signed = rewritten(program, lambda node, args: _turned(*args) if node in turned else (node.op, args))
    return without_dead_code(signed)


def _turns(x: Expr) -> bool:
    return x.op == "sub" or (x.op == "mul" and type(x.args[0]) is float)


def _turned(x: Expr) -> tuple[str, tuple[Any, ...]]:
    first, second = x.args
    if type(first) is float:
        return ("add", (second, -first)) if x.op == "sub" else ("mul", (-first, second))
    return "sub", (second, first)


# -- fused multiply-add ---------------------------------------------------------------------------------------


def with_fma(program: Program) -> Program:
    """Products that only feed sums join them, rounded once; the same in every reading of the Program."""
    users: dict[Any, list[str]] = {}
    for user, value in _uses(program.body):
        users.setdefault(value, []).append(user)
    fusible = {x for x, ops in users.items() if x.op == "mul" and all(op in ("add", "sub") for op in ops)}
    return without_dead_code(rewritten(program, lambda node, args: _fused(node, args, fusible)))


def _uses(body: Block) -> Iterator[tuple[str, Expr]]:
    for block in blocks(body):
        for item in block.items:
            if isinstance(item, Store):
                values: tuple[Any, ...] = (item.value,)
            elif isinstance(item, Loop):
                values = tuple(x for carry in item.carries for x in carry[1:])
            else:
                values = item.args
            op = item.op if isinstance(item, Expr) else "other"
            yield from ((op, x) for x in values if isinstance(x, Expr))


def _fused(node: Expr, args: tuple[Any, ...], fusible: set[Expr]) -> tuple[str, tuple[Any, ...]]:
    """add and sub with a product among their arguments become fma: a b + c, fms: a b - c, fnma: c - a b."""
    if node.op in ("add", "sub"):
        first, second = node.args
        x, y = args
        if second in fusible and y.op == "mul":
            return ("fma" if node.op == "add" else "fnma"), (*y.args, x)
        if first in fusible and x.op == "mul":
            return ("fma" if node.op == "add" else "fms"), (*x.args, y)
    return node.op, args


def rewritten(
    program: Program,
    rule: Callable[[Expr, tuple[Any, ...]], tuple[str, tuple[Any, ...]]],
    known: dict[Any, Any] | None = None,
) -> Program:
    """The Program with every node replaced by what the rule makes of it and its new arguments."""
    new: dict[Any, Any] = dict(known or {})

    def value(x: Any) -> Any:
        return new.get(x, x) if isinstance(x, Expr) else x

    def walk(block: Block) -> Block:
        items: list[Any] = []
        for item in block.items:
            if isinstance(item, Store):
                items.append(replace(item, value=value(item.value)))
            elif isinstance(item, Loop):
                cases = {kind: walk(inner) for kind, inner in item.cases.items()}
                carries = tuple((s, value(first), value(after)) for s, first, after in item.carries)
                items.append(replace(item, cases=cases, carries=carries))
            else:
                op, args = rule(item, tuple(value(a) for a in item.args))
                new[item] = clone(item, op, args)
                items.append(new[item])
        return Block(items)

    return replace(program, body=walk(program.body))


def clone(node: Expr, op: str, args: tuple[Any, ...]) -> Expr:
    """A node in the place of another."""
    if op == node.op and all(a is b for a, b in zip(args, node.args, strict=False)) and len(args) == len(node.args):
        return node
    return Expr(node.graph, op, args, node.id)
