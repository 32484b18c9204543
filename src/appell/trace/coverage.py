"""Which arrays of a rolled Program must start as zero, since the text adds to them or leaves entries out."""

from __future__ import annotations

from .program import Array, Block, Index, Loop, Program, Store, blocks


def added_before_set(program: Program) -> frozenset[str]:
    """Names of the arrays that no single sweep sets for every body before anyone reads them."""
    arrays = (*program.slots, *program.outputs)
    return frozenset(a.name for a in arrays if not _is_covered(program, a))


def _is_covered(program: Program, array: Array) -> bool:
    """Whether the first sweep that touches an array sets it for its own body, whatever the kind of joint."""
    if len(array.shape) > 1:
        return program.chain and array.shape == ("nv", "nv")  # a support walk from every body meets every pair
    for item in program.body.items:
        if isinstance(item, Loop) and _touches(item, array):
            return all(_sets_own(block, array) for block in item.cases.values())
    return False


def _touches(loop: Loop, array: Array) -> bool:
    inner = (item for case in loop.cases.values() for block in blocks(case) for item in block.items)
    return any(_array_of(item) is array for item in inner)


def _array_of(item: object) -> Array | None:
    if isinstance(item, Store):
        return item.array
    if getattr(item, "op", None) == "load":
        return item.args[0]  # type: ignore[attr-defined]
    return None


def _sets_own(block: Block, array: Array) -> bool:
    """Whether the sweep's own body stores here before it loads what it would store."""
    for item in block.items:
        if isinstance(item, Loop) and _touches(item, array):
            return False
        if _array_of(item) is array:
            if isinstance(item, Store) and _is_own(item.place[0], array):
                return True
            if not isinstance(item, Store) and _is_own(item.args[1][0], array):
                return False
    return False


def _is_own(place: object, array: Array) -> bool:
    """Whether a place belongs to the body itself: its own index, or where its freedoms are numbered."""
    if not isinstance(place, Index):
        return False
    if place.what[0] == "i":
        return place.shift == (0 if array.shape == ("n+1",) else -1)
    return place.what[1] == "v_index"
