"""A pass for walks to the base, and along a chain from it: what a walk carries from body to body stays in a register.

A walk that stores at the parent what the parent's turn will load (or at the body what the next will), or that updates
a slot of the body it started from, need not wait for memory at every step.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .expr import Expr
from .passes import rewritten, without_dead_code
from .program import Block, Index, Loop, Program, Store, blocks

Key = tuple[str, Any, int]  # array, place, component


def walks_in_registers(program: Program) -> Program:
    """The Program with carries in its support walks; robots of one kind of joint only, as a jump would part values."""
    if len(program.kinds) != 1:
        return program
    swap: dict[Any, Any] = {}
    body = _carried(program.body, program.chain, swap)
    return without_dead_code(rewritten(replace(program, body=body), lambda node, args: (node.op, args), swap))


def _carried(block: Block, chain: bool, swap: dict[Any, Any]) -> Block:
    items: list[Any] = []
    for x in block.items:
        if isinstance(x, Loop):
            cases = {kind: _carried(inner, chain, swap) for kind, inner in x.cases.items()}
            x = replace(x, cases=cases)
            if isinstance(x.start, Index) and (x.way == "support" or chain):
                x = _with_carries(x, items, chain, swap)
        items.append(x)
    return Block(items)


def _with_carries(loop: Loop, before: list[Any], chain: bool, swap: dict[Any, Any]) -> Loop:
    """A walk whose loads of what the step before stored are carried values."""
    ((kind, inner),) = loop.cases.items()
    own = ("i", loop.number, 0)
    parent = ("i", loop.number, -1) if chain else ("t", "parent", own, 0)
    here, after = (own, parent) if loop.way == "support" else (parent, own)
    loads, stores = _accesses(inner)
    turn = {id(x): at for at, x in enumerate(inner.items)}
    carries, gone = [], set()
    for (name, at, k), found in loads.items():
        moves = at == here
        store = stores.get((name, after if moves else at, k))
        alone = sum(1 for key in stores if key[0] == name and key[2] == k) == 1
        if store is None or not alone or (not moves and _depends_on(at, loop.number)):
            continue
        first = _last_stored(before, (name, loop.start.key if moves else at, k))  # type: ignore[union-attr]
        if first is None or any(turn[id(x)] > turn[id(store)] for x in found):
            continue
        symbol = Expr(found[0].graph, "carry", (), found[0].id)
        carries.append((symbol, first.value, store.value))
        swap.update(dict.fromkeys(found, symbol))
        gone.update(found)
    items = [x for x in inner.items if x not in gone]
    return replace(loop, cases={kind: Block(items)}, carries=(*loop.carries, *carries))


def _accesses(block: Block) -> tuple[dict[Key, list[Expr]], dict[Key, Store]]:
    """Loads and stores of memory with one place, by array, place and component; nothing that inner loops touch."""
    loads: dict[Key, list[Expr]] = {}
    stores: dict[Key, Store] = {}
    inside = {name for x in block.items if isinstance(x, Loop) for name in _touched(x)}
    for x in block.items:
        if isinstance(x, Store) and len(x.place) == 1 and x.array.name not in inside:
            stores[x.array.name, _key(x.place[0]), x.component] = x
        elif isinstance(x, Expr) and x.op == "load" and len(x.args[1]) == 1:
            array, (at,), component = x.args[:3]
            if array.role == "memory" and array.name not in inside:
                loads.setdefault((array.name, _key(at), component), []).append(x)
    return loads, stores


def _touched(loop: Loop) -> set[str]:
    items = [x for case in loop.cases.values() for b in blocks(case) for x in b.items]
    stored = {x.array.name for x in items if isinstance(x, Store)}
    return stored | {x.args[0].name for x in items if isinstance(x, Expr) and x.op == "load"}


def _last_stored(items: list[Any], key: Key) -> Store | None:
    """What stands at a place before a walk, if this block has put it there and nobody may have changed it since."""
    for x in reversed(items):
        if isinstance(x, Loop) and key[0] in _touched(x):
            return None
        if isinstance(x, Store) and x.array.name == key[0] and x.component == key[2]:
            return x if len(x.place) == 1 and _key(x.place[0]) == key[1] else None
    return None


def _key(place: Any) -> Any:
    return place.key if isinstance(place, Index) else place


def _depends_on(key: Any, number: int) -> bool:
    """Whether a place changes as the walk goes."""
    if not isinstance(key, tuple):
        return False
    return key[1] == number if key[0] == "i" else key[0] == "t" and _depends_on(key[2], number)
