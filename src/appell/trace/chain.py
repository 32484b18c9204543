"""Passes for chains: what the next body takes from this one stays in a register.

In a chain the parent is the body before, so a slot that is only read through `b.parent` in the sweep that sets it
need not go through memory; neither need a sum that each body hands to its parent. What a later sweep would read
back though it follows from the robot's tables alone is made anew instead.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .expr import Expr
from .passes import clone, rewritten, without_dead_code
from .program import Array, Block, Index, Loop, Program, Store, blocks

CHEAP = 3  # operations that are worth less than a store and a load


def in_registers(program: Program) -> Program:
    """The Program of a chain with one kind of joint, its sweeps carrying values from body to body."""
    if not program.chain or len(program.kinds) != 1:
        return program
    sweeps = sum(isinstance(x, Loop) for x in program.body.items)
    for k in range(sweeps):
        at = [i for i, x in enumerate(program.body.items) if isinstance(x, Loop)][k]
        loop = program.body.items[at]
        program = _outward(program, at, loop) if loop.way == "outward" else _inward(program, at, loop)
    return without_dead_code(remade(without_dead_code(program)))


Key = tuple[str, int]


def _case(loop: Loop) -> Block:
    return next(iter(loop.cases.values()))


def _is_at(place: tuple[Any, ...], shift: int) -> bool:
    return isinstance(place[0], Index) and place[0].what[0] == "i" and place[0].shift == shift


def _accesses(block: Block, shift: int) -> tuple[dict[Key, list[Expr]], dict[Key, Store]]:
    """Loads and stores of slots at the body (shift 0) or its parent (-1), by array and component."""
    loads: dict[Key, list[Expr]] = {}
    stores: dict[Key, Store] = {}
    for item in block.items:
        if isinstance(item, Store):
            if item.array.shape == ("n+1",) and _is_at(item.place, shift):
                stores[item.array.name, item.component] = item
        elif isinstance(item, Expr) and item.op == "load" and _is_slot(item.args[0]) and _is_at(item.args[1], shift):
            loads.setdefault((item.args[0].name, item.args[2]), []).append(item)
    return loads, stores


def _is_slot(array: Array) -> bool:
    return array.role == "memory" and array.shape == ("n+1",)


def _touched_inside(block: Block) -> set[str]:
    """Arrays that inner loops touch: they stay in memory."""
    names = set()
    for item in block.items:
        if isinstance(item, Loop):
            for inner in (b for case in item.cases.values() for b in blocks(case)):
                for x in inner.items:
                    if isinstance(x, Store):
                        names.add(x.array.name)
                    elif isinstance(x, Expr) and x.op == "load":
                        names.add(x.args[0].name)
    return names


def _outward(program: Program, at: int, loop: Loop) -> Program:
    """Loads through the parent become what the body before stored."""
    block = _case(loop)
    loads, _ = _accesses(block, -1)
    _, stores = _accesses(block, 0)
    _, above = _accesses(block, -1)
    filled = _filled_at_base(program, at) | _touched_inside(block)
    keys = [k for k in loads if k in stores and k not in above and k[0] not in filled]
    symbols = {k: _symbol(loads[k][0]) for k in keys}
    carries = tuple((symbols[k], _before(program, at, k), stores[k].value) for k in keys)
    swap = {x: symbols[k] for k in keys for x in loads[k]}
    return _replaced(program, at, loop, carries, swap, drop=set())


def _inward(program: Program, at: int, loop: Loop) -> Program:
    """A sum handed to the parent is carried there; memory keeps what the parent had of its own."""
    if loop.way != "inward":
        return program
    block = _case(loop)
    own, own_stores = _accesses(block, 0)
    _, stores = _accesses(block, -1)
    later = _read_later(program, at)
    inside = _touched_inside(block)
    keys = [k for k in own if k in stores and k not in own_stores and k[0] not in inside and k not in later]
    first = {k: _load_last(own[k][0]) for k in keys}
    symbols = {k: _symbol(own[k][0]) for k in keys}
    carries = tuple((symbols[k], first[k], stores[k].value) for k in keys)
    swap = {x: symbols[k] for k in keys for x in own[k]}
    drop = {stores[k] for k in keys}
    return _replaced(program, at, loop, carries, swap, drop, tuple(first.values()))


def _replaced(
    program: Program, at: int, loop: Loop, carries: Any, swap: dict[Any, Any], drop: set[Any],
    before: tuple[Any, ...] = (),
) -> Program:  # fmt: skip
    block = _case(loop)
    items = [x for x in block.items if x not in drop and x not in swap]
    new = replace(loop, cases={kind: Block(items) for kind in loop.cases}, carries=(*loop.carries, *carries))
    top = [*program.body.items[:at], *before, new, *program.body.items[at + 1 :]]
    program = replace(program, body=Block(top))
    return rewritten(program, lambda node, args: (node.op, tuple(_swapped(a, swap) for a in args)), swap)


def _swapped(x: Any, swap: dict[Any, Any]) -> Any:
    return swap.get(x, x) if isinstance(x, Expr) else x


def _symbol(like: Expr) -> Expr:
    return Expr(like.graph, "carry", (), like.id)


def _before(program: Program, at: int, key: Key) -> Any:
    """What the base's slot holds when a sweep begins."""
    value: Any = 0.0
    for item in program.body.items[:at]:
        if isinstance(item, Store) and (item.array.name, item.component) == key and item.place == (0,):
            value = item.value
    return value


def _filled_at_base(program: Program, at: int) -> set[str]:
    """Arrays whose slot of the base a sweep has filled, so that nobody knows its value."""
    sweeps = [b for item in program.body.items[:at] for b in blocks(Block([item])) if isinstance(item, Loop)]
    stores = (x for b in sweeps for x in b.items if isinstance(x, Store))
    return {x.array.name for x in stores if not _is_at(x.place, 0)}


def _load_last(like: Expr) -> Expr:
    """The slot of the last body, read before a sweep."""
    array, _, component = like.args
    return Expr(like.graph, "load", (array, (Index(("s", "n"), Block()),), component), like.id)


def _read_later(program: Program, at: int) -> set[Key]:
    """Slots that someone reads after a sweep."""
    keys: set[Key] = set()
    for item in program.body.items[at + 1 :]:
        inner = [x for b in blocks(Block([item])) for x in b.items]
        keys.update((x.args[0].name, x.args[2]) for x in inner if isinstance(x, Expr) and x.op == "load")
    return keys


# -- made anew ------------------------------------------------------------------------------------------------


def remade(program: Program) -> Program:
    """Loads of what follows from the tables alone, in a few operations, become those operations."""
    return replace(program, body=_remade(program.body, _sources(program), {}))


def _sources(program: Program) -> dict[Key, Any]:
    """For slots set once, in an outward sweep, from tables: the value."""
    found: dict[Key, list[Any]] = {}
    for item in program.body.items:
        if isinstance(item, Loop):
            for block in (b for case in item.cases.values() for b in blocks(case)):
                for x in block.items:
                    if isinstance(x, Store) and x.array.shape == ("n+1",):
                        own = item.way == "outward" and _is_at(x.place, 0) and block is _case(item)
                        found.setdefault((x.array.name, x.component), []).append(x.value if own else None)
    return {k: v[0] for k, v in found.items() if len(v) == 1 and v[0] is not None and _size(v[0]) <= CHEAP}


def _size(value: Any) -> int:
    """How many operations on columns make a value; many if anything else goes into it."""
    if not isinstance(value, Expr):
        return 0
    if value.op == "load":
        return 0 if value.args[0].role == "column" else CHEAP + 1
    if value.op not in ("add", "sub", "mul", "neg"):
        return CHEAP + 1
    return 1 + sum(_size(a) for a in value.args)


def _remade(block: Block, sources: dict[Key, Any], swap: dict[Any, Any]) -> Block:
    items: list[Any] = []
    for x in block.items:
        if isinstance(x, Loop):
            items.append(_remade_loop(x, sources, swap))
        elif isinstance(x, Store):
            items.append(replace(x, value=_swapped(x.value, swap)))
        elif _is_made_of_tables(x, sources):
            swap[x] = _again(sources[x.args[0].name, x.args[2]], x.args[1], items, x)
        else:
            new = clone(x, x.op, tuple(_swapped(a, swap) for a in x.args))
            if new is not x:
                swap[x] = new
            items.append(new)
    return Block(items)


def _remade_loop(loop: Loop, sources: dict[Key, Any], swap: dict[Any, Any]) -> Loop:
    cases = {kind: _remade(block, sources, swap) for kind, block in loop.cases.items()}
    carries = tuple((s, _swapped(a, swap), _swapped(b, swap)) for s, a, b in loop.carries)
    return replace(loop, cases=cases, carries=carries)


def _is_made_of_tables(x: Expr, sources: dict[Key, Any]) -> bool:
    return x.op == "load" and (x.args[0].name, x.args[2]) in sources and isinstance(x.args[1][0], Index)


def _again(value: Any, place: tuple[Any, ...], made: list[Any], like: Expr) -> Any:
    """The same operations for the body at another place."""
    if not isinstance(value, Expr):
        return value
    if value.op == "load":
        args: tuple[Any, ...] = (value.args[0], place, value.args[2])
    else:
        args = tuple(_again(a, place, made, like) for a in value.args)
    made.append(Expr(value.graph, value.op, args, like.id))
    return made[-1]
