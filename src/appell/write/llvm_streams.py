"""Long rolled batches without a copy: inputs and outputs pass through a small tile while the sweep goes along them.

A coordinate that is read, or a force that is written, only by its own body in a sweep need not be brought into lanes
for the whole robot at once. Every eight bodies a tile of eight numbers per state is transposed in, or out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..trace.expr import Expr
from ..trace.program import Array, Block, Index, Loop, Program, Store, blocks
from .target import Target

if TYPE_CHECKING:
    from .llvm import Function

TILE = 8  # numbers of one state in a tile
WORDS = 4  # words of a stream's record: the user's memory, its two strides, the tile


def streamed(program: Program) -> tuple[Array, ...]:
    """Inputs and outputs that each sweep passes in order, one number per body."""
    if not program.rolled:
        return ()
    return tuple(a for a in (*program.inputs, *program.outputs) if _flows(program, a))


def _flows(program: Program, array: Array) -> bool:
    if len(array.shape) != 1 or array.shape[0] not in ("nq", "nv") or array.width > 1:
        return False
    sweeps = [x for x in program.body.items if isinstance(x, Loop)]
    inner = [x for loop in sweeps for case in loop.cases.values() for x in case.items]
    all_uses = [x for block in blocks(program.body) for x in block.items if _of(x) is array]
    own = all(any(x is y for y in inner) and _is_own(x) for x in all_uses)
    stores = [loop for loop in sweeps if any(isinstance(x, Store) for x in uses(loop, array))]
    if array in program.inputs:
        return own and not stores
    return own and len(stores) == 1 and all(isinstance(x, Store) for x in all_uses) and _always(stores[0], array)


def _always(loop: Loop, array: Array) -> bool:
    """Whether every kind of joint writes its number."""
    return all(any(_of(x) is array for x in case.items) for case in loop.cases.values())


def _of(item: Any) -> Array | None:
    if isinstance(item, Store):
        return item.array
    return item.args[0] if isinstance(item, Expr) and item.op == "load" else None


def _is_own(item: Any) -> bool:
    at = item.place[0] if isinstance(item, Store) else item.args[1][0]
    return isinstance(at, Index) and at.key == ("i", 0, -1)


def uses(loop: Loop, array: Array) -> list[Any]:
    """Loads and stores of an array in a sweep."""
    return [x for case in loop.cases.values() for x in _items(case) if _of(x) is array]


def _items(block: Block) -> list[Any]:
    return [x for inner in blocks(block) for x in inner.items]


def open_records(f: Function) -> None:
    """Reads where each stream comes from or goes to."""
    for array in f.streams:
        words = [f.emit(f"getelementptr i64, ptr %{array.name}, i64 {k}") for k in range(WORDS)]
        kinds = ("ptr", "i64", "i64", "ptr")
        f.records[array.name] = [f.emit(f"load {t}, ptr {w}") for t, w in zip(kinds, words, strict=True)]


def before_body(f: Function, loop: Loop, index: str) -> None:
    """Brings the next tile of every input in."""
    inputs = [a for a in f.program.inputs if a in f.streams and uses(loop, a)]
    if inputs and loop.number == 0:
        _turn(f, loop.way == "outward", index, [("in", a) for a in inputs])


def after_body(f: Function, loop: Loop, index: str) -> None:
    """Takes the last tile of every output away."""
    outputs = [a for a in f.program.outputs if a in f.streams and uses(loop, a)]
    if outputs and loop.number == 0:
        _turn(f, loop.way == "inward", index, [("out", a) for a in outputs])


def _turn(f: Function, at_start: bool, index: str, moves: list[tuple[str, Array]]) -> None:
    """Moves tiles at a tile's first number (or, going the other way, at its last)."""
    k = f.emit(f"add i64 {index}, -1")
    inside = f.emit(f"and i64 {k}, {TILE - 1}")
    test = f.emit(f"icmp eq i64 {inside}, {0 if at_start else TILE - 1}")
    if not at_start:
        last = f.emit(f"icmp eq i64 {index}, {f.sizes['n']}")
        test = f.emit(f"or i1 {test}, {last}")
    move, go = f.fresh("tile")[1:], f.fresh("go")[1:]
    f.lines.append(f"  br i1 {test}, label %{move}, label %{go}")
    f.label(move)
    start = f.emit(f"and i64 {k}, {-TILE}")
    left = f.emit(f"sub i64 {f.sizes['n']}, {start}")
    full = f.emit(f"icmp ugt i64 {left}, {TILE}")
    count = f.emit(f"select i1 {full}, i64 {TILE}, i64 {left}")
    for way, array in moves:
        _move(f, way, f.records[array.name], start, count)
    f.lines.append(f"  br label %{go}")
    f.label(go)


def _move(f: Function, way: str, record: list[str], start: str, count: str) -> None:
    user, row, step, tile = record
    there = f.emit(f"getelementptr i8, ptr {user}, i64 {f.emit(f'mul i64 {step}, {start}')}")
    far, near = f"ptr {there}, i64 {row}, i64 {step}", f"ptr {tile}"
    words = f"{far}, {near}" if way == "in" else f"{near}, {far}"
    f.lines.append(f"  call void @{way}_any_{f.lanes}({words}, i64 {count})")


def scratch_bytes(program: Program, target: Target, sizes: dict[str, int]) -> int:
    """How much scratch one call needs."""
    extent = {**sizes, "n+1": sizes["n"] + 1}

    def numbers(array: Array) -> int:
        total = array.width
        for s in array.shape:
            total *= s if isinstance(s, int) else extent[s]
        return total

    flows = streamed(program) if target.lanes > 1 else ()

    def room(array: Array) -> int:
        lanes = max(TILE * target.lanes, numbers(array)) if array in flows else numbers(array) * target.lanes
        return -(-lanes * target.bytes // 64) * 64

    arrays = sum(map(room, (*program.inputs, *program.outputs)))
    return 128 + arrays + sum(numbers(a) for a in program.slots) * target.lanes * target.bytes
