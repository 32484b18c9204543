"""Which arrays of a rolled Program must start as zero, since the text adds to them or leaves entries out.

Zeros cost time, so an array goes without where its first sweep provably sets all before anything is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..model.tree import FREEDOMS
from .program import Array, Block, Index, Loop, Program, Store, blocks


def added_before_set(program: Program) -> frozenset[str]:
    """Names of the arrays that no single sweep sets for every body before anyone reads them."""
    arrays = (*program.slots, *program.outputs)
    return frozenset(a.name for a in arrays if not _is_covered(program, a))


def _is_covered(program: Program, array: Array) -> bool:
    """Whether the first sweep that touches an array sets all of it, whatever the kind of joint."""
    for item in program.body.items:
        if isinstance(item, Loop) and _touches(item, array):
            if array.shape == ("nv", "nv"):
                return program.chain and all(_sets_pairs(program, item, kind, array) for kind in item.cases)
            return array.shape in (("n+1",), ("nv",)) and all(_sets_own(item, kind, array) for kind in item.cases)
        if _place_read(item, array) is not None:
            return False
    return False


def _touches(loop: Loop, array: Array) -> bool:
    return any(_place(item, array) is not None for item in _inside(loop.cases.values()))


def _inside(cases: Any) -> Iterator[Any]:
    return (item for case in cases for block in blocks(case) for item in block.items)


def _place(item: Any, array: Array) -> tuple[Any, ...] | None:
    """Where a statement touches an array: its place and the component."""
    if isinstance(item, Store):
        return (*item.place, item.component) if item.array is array else None
    return _place_read(item, array)


def _place_read(item: Any, array: Array) -> tuple[Any, ...] | None:
    """Where a statement reads an array."""
    if getattr(item, "op", None) != "load" or item.args[0] is not array:
        return None
    return (*item.args[1], item.args[2])


def _own(place: Any, number: int, extent: Any) -> int | None:
    """Which of its own places (freedoms, where the array has them) the body of a sweep touches."""
    key: Any = place.key if isinstance(place, Index) else ()
    if key == ("i", number, 0 if extent == "n+1" else -1):
        return 0
    is_own = extent == "nv" and key[:3] == ("t", "v_index", ("i", number, 0))
    return key[3] if is_own else None


def _sets_own(loop: Loop, kind: str, array: Array) -> bool:
    """Whether a sweep's body sets its own places before it reads them, and reads only what is set by then."""
    block, extent, done = loop.cases[kind], array.shape[0], set[Any]()
    components = {x.component for x in block.items if isinstance(x, Store) and _is_at_own(x, loop, array)}
    places = range(1 if extent == "n+1" else FREEDOMS[kind])
    wanted = {(k, c) for k in places for c in components}
    for item in block.items:
        place = _place(item, array)
        if isinstance(item, Loop):
            if _touches(item, array) and not (done == wanted and _finds_set(loop, item, array)):
                return False
        elif isinstance(item, Store) and _is_at_own(item, loop, array):
            done.add((_own(item.place[0], loop.number, extent), item.component))
        elif place is not None and not isinstance(item, Store):
            at = _own(place[0], loop.number, extent)
            if (at, place[1]) not in done and not (at is None and _is_above(loop, place[0], extent)):
                return False
    return bool(wanted) and done == wanted


def _is_at_own(store: Store, loop: Loop, array: Array) -> bool:
    return store.array is array and _own(store.place[0], loop.number, array.shape[0]) is not None


def _is_above(loop: Loop, place: Any, extent: Any) -> bool:
    """Whether a place is the parent's, in a sweep that has been there."""
    return loop.way == "outward" and _is_parent(loop, place, extent)


def _is_parent(loop: Loop, place: Any, extent: Any) -> bool:
    i = ("i", loop.number)
    key: Any = place.key if isinstance(place, Index) else ()
    return extent == "n+1" and key in ((*i, -1), ("t", "parent", (*i, 0), 0))


def _finds_set(outer: Loop, inner: Loop, array: Array) -> bool:
    """Whether a walk from the body to the base reads what is set: by earlier bodies, or by its own last step."""
    if not _starts_here(inner, outer):
        return False
    return outer.way == "outward" or all(_hands_down(inner, block, array) for block in inner.cases.values())


def _starts_here(inner: Loop, outer: Loop, way: str = "support") -> bool:
    return inner.way == way and inner.start is not None and inner.start.key == ("i", outer.number, 0)


def _hands_down(walk: Loop, block: Block, array: Array) -> bool:
    """Whether a walk's step sets for the parent every component that it reads of its own."""
    extent = array.shape[0]
    reads = [p for x in _inside([block]) if (p := _place_read(x, array)) is not None]
    stores = (x for x in block.items if isinstance(x, Store) and x.array is array)
    handed = {x.component for x in stores if _is_parent(walk, x.place[0], extent)}
    return all(_own(p[0], walk.number, extent) == 0 and p[1] in handed for p in reads)


def _sets_pairs(program: Program, loop: Loop, kind: str, array: Array) -> bool:
    """In a chain, whether walks from every body, to the base or away, set the entries of all pairs, both ways round."""
    done: set[tuple[str, Any, Any]] = set()
    own: set[tuple[Any, Any]] = set()
    for item in loop.cases[kind].items:
        place = _place(item, array)
        if isinstance(item, Loop) and _touches(item, array):
            walks = _starts_here(item, loop) or _starts_here(item, loop, "beyond")
            if not walks or any(_place_read(x, array) for x in _inside(item.cases.values())):
                return False
            done |= set(_pairs(item, loop, array))
            own |= {(j, i) for k, j, i in done if k == kind} if item.way == "support" else set()
        elif place is not None:
            at = _own(place[0], loop.number, "nv"), _own(place[1], loop.number, "nv")
            if isinstance(item, Store):
                own.add(at)
            elif at not in own:
                return False
    sizes = [(k, j, i) for k in program.kinds for j in range(FREEDOMS[kind]) for i in range(FREEDOMS[k])]
    itself = all((j, i) in own for k, j, i in sizes if k == kind)
    return itself and all((k, j, i) in done and (f"{k} first", i, j) in done for k, j, i in sizes)


def _pairs(walk: Loop, loop: Loop, array: Array) -> Iterator[tuple[str, Any, Any]]:
    """Which entries a walk sets: of the body's freedoms with those of the walk's, and the other way round."""
    for kind, block in walk.cases.items():
        for x in block.items:
            if isinstance(x, Store) and x.array is array:
                here, there = ([_own(i, n, "nv") for i in x.place] for n in (loop.number, walk.number))
                yield (kind, here[0], there[1])
                yield (f"{kind} first", there[0], here[1])
