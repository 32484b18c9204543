"""LLVM IR that moves a block of W rows of a user's array into lane-major scratch, and back.

Scratch holds component k of lane l at k W + l, aligned to 64 bytes. The user's array has any strides and the
alignment of one item. Rows of adjacent components are transposed in registers: the components go in chunks of
P (a power of two), each vector takes P components of W/P rows, and log2(P) steps of shuffles finish. A last
chunk that would stick out is moved back over the one before it: no load or store leaves the user's memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

REAL = {"f8": "double", "f4": "float"}
BYTES = {"f8": 8, "f4": 4}
WIDEST = {(True, "f8"): 4, (True, "f4"): 8, (False, "f8"): 8, (False, "f4"): 8}  # chunks, by inward: measured
UNROLLED = 8  # chunks written out one by one; beyond it a loop


@dataclass(frozen=True)
class Block:
    """One function to write: W lanes of a dtype, the direction, the number of components if known."""

    name: str
    lanes: int
    dtype: str
    size: int | None
    inward: bool  # rows -> lanes

    @property
    def item(self) -> str:
        return REAL[self.dtype]

    @property
    def bytes(self) -> int:
        return BYTES[self.dtype]

    @property
    def vector(self) -> str:
        """The type of one component in all lanes."""
        return self.item if self.lanes == 1 else f"<{self.lanes} x {self.item}>"

    @property
    def align(self) -> int:
        """What the scratch guarantees for a component's lanes."""
        return min(64, self.lanes * self.bytes)

    @property
    def chunk(self) -> int:
        """P: components moved at a time; with one lane as many as fill a register."""
        widest = 64 // self.bytes if self.lanes == 1 else min(self.lanes, WIDEST[self.inward, self.dtype])
        return widest if self.size is None or self.size >= widest else 1 << (self.size.bit_length() - 1)

    @property
    def count(self) -> str:
        return "%n" if self.size is None else str(self.size)


class Lines:
    """Instructions with numbered names."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)

    def add(self, instruction: str) -> str:
        name = f"%t{len(self.lines)}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def do(self, instruction: str) -> None:
        self.lines.append(f"  {instruction}")

    def loop(self, count: str, step: int = 1) -> str:
        """Open a loop of one block over k = 0, step, ... < count (at least once); gives k."""
        name = f"loop{len(self.lines)}"
        self.open = (name, count, step)
        self.lines += [f"  br label %{name}.before", f"{name}.before:", f"  br label %{name}", f"{name}:"]
        self.do(f"%{name}.k = phi i64 [0, %{name}.before], [%{name}.next, %{name}]")
        return f"%{name}.k"

    def end_loop(self) -> None:
        name, count, step = self.open
        self.do(f"%{name}.next = add i64 %{name}.k, {step}")
        self.do(f"%{name}.more = icmp ult i64 %{name}.next, {count}")
        self.lines += [f"  br i1 %{name}.more, label %{name}, label %{name}.after", f"{name}.after:"]

    def component(self, k: str) -> str:
        """The address of component k of the user's first row."""
        return self.at("%user", self.add(f"mul i64 %component, {k}"))

    def at(self, pointer: str, offset: str | int, kind: str = "i8") -> str:
        """The address `offset` items of `kind` (bytes by default) beyond a pointer."""
        return self.add(f"getelementptr {kind}, ptr {pointer}, i64 {offset}")


def _shuffle(out: Lines, a: str, b: str, width: int, item: str, picks: list[int]) -> str:
    kind, mask = f"<{width} x {item}>", ", ".join(f"i32 {k}" for k in picks)
    return out.add(f"shufflevector {kind} {a}, {kind} {b}, <{len(picks)} x i32> <{mask}>")


def _transpose(out: Lines, block: Block, vectors: list[str]) -> list[str]:
    """Transpose every P x P block of P vectors: lane j P + l of vector k becomes lane j P + k of vector l."""
    lanes, step = range(block.lanes), 1
    while step < len(vectors):
        low = [k if not k & step else block.lanes + (k ^ step) for k in lanes]
        high = [k | step if not k & step else block.lanes + k for k in lanes]
        for k in range(len(vectors)):
            if not k & step:
                a, b = vectors[k], vectors[k | step]
                vectors[k] = _shuffle(out, a, b, block.lanes, block.item, low)
                vectors[k | step] = _shuffle(out, a, b, block.lanes, block.item, high)
        step *= 2
    return vectors


def _join(out: Lines, pieces: list[str], width: int, item: str) -> str:
    """The pieces, one after the other, in one vector."""
    while len(pieces) > 1:
        picks = list(range(2 * width))
        pairs = zip(pieces[::2], pieces[1::2], strict=True)
        pieces = [_shuffle(out, a, b, width, item, picks) for a, b in pairs]
        width *= 2
    return pieces[0]


def _chunk_in(block: Block) -> list[str]:
    """Load P components of W rows, store P components of W lanes."""
    out, p = Lines(), block.chunk
    rows = [out.at("%user", out.add(f"mul i64 %row, {r}")) for r in range(block.lanes)]
    pieces = [out.add(f"load <{p} x {block.item}>, ptr {row}, align {block.bytes}") for row in rows]
    vectors = _transpose(out, block, [_join(out, pieces[k::p], p, block.item) for k in range(p)])
    for k, vector in enumerate(vectors):
        place = out.at("%lane", k, block.vector)
        out.do(f"store {block.vector} {vector}, ptr {place}, align {block.align}")
    return out.lines


def _chunk_out(block: Block) -> list[str]:
    """Load P components of W lanes, store P components of W rows."""
    out, p, kind = Lines(), block.chunk, block.vector
    places = [out.at("%lane", k, block.vector) for k in range(p)]
    loads = [out.add(f"load {kind}, ptr {at}, align {block.align}") for at in places]
    vectors = _transpose(out, block, loads)
    for r in range(block.lanes):
        picks = list(range(r // p * p, r // p * p + p))
        piece = _shuffle(out, vectors[r % p], "poison", block.lanes, block.item, picks)
        row = out.at("%user", out.add(f"mul i64 %row, {r}"))
        out.do(f"store <{p} x {block.item}> {piece}, ptr {row}, align {block.bytes}")
    return out.lines


def _chunk_copy(block: Block) -> list[str]:
    """With one lane a row is its own transpose."""
    kind, align = f"<{block.chunk} x {block.item}>", f"align {block.bytes}"
    source, target = ("%user", "%lane") if block.inward else ("%lane", "%user")
    return [f"  %x = load {kind}, ptr {source}, {align}", f"  store {kind} %x, ptr {target}, {align}"]


def _chunk(block: Block) -> str:
    """The function that moves one chunk."""
    body = _chunk_copy if block.lanes == 1 else _chunk_in if block.inward else _chunk_out
    head = f"define internal void @{block.name}.chunk(ptr %user, i64 %row, ptr %lane) alwaysinline #0 {{"
    return "\n".join([head, *body(block), "  ret void", "}"])


def _move_chunk(out: Lines, block: Block, first: str | int) -> None:
    user, lane = out.at("%user", first, block.item), out.at("%lane", first, block.vector)
    out.do(f"call void @{block.name}.chunk(ptr {user}, i64 %row, ptr {lane})")


def _transposed(out: Lines, block: Block) -> None:
    """Components side by side: chunks, the last one moved back to end with the row."""
    p, size = block.chunk, block.size
    if size is not None and size <= UNROLLED * p:
        for k in range(0, size, p):
            _move_chunk(out, block, min(k, size - p))
        return
    k = out.loop(block.count, p)
    last = out.add(f"sub i64 {block.count}, {p}")
    fits = out.add(f"icmp ult i64 {k}, {last}")
    _move_chunk(out, block, out.add(f"select i1 {fits}, i64 {k}, i64 {last}"))
    out.end_loop()


def _planes(out: Lines, block: Block) -> None:
    """Rows side by side: every component is a vector already."""
    k = out.loop(block.count)
    user, lane = out.component(k), out.at("%lane", k, block.vector)
    ends = [f"ptr {user}, align {block.bytes}", f"ptr {lane}, align {block.align}"]
    source, target = ends if block.inward else reversed(ends)
    x = out.add(f"load {block.vector}, {source}")
    out.do(f"store {block.vector} {x}, {target}")
    out.end_loop()


def _splats(out: Lines, block: Block) -> None:
    """One row for all lanes."""
    k = out.loop(block.count)
    x = out.add(f"load {block.item}, ptr {out.component(k)}, align {block.bytes}")
    one = out.add(f"insertelement {block.vector} poison, {block.item} {x}, i64 0")
    all_ = _shuffle(out, one, "poison", block.lanes, block.item, [0] * block.lanes)
    out.do(f"store {block.vector} {all_}, ptr {out.at('%lane', k, block.vector)}, align {block.align}")
    out.end_loop()


def _single_items(out: Lines, block: Block) -> None:
    """Any strides: item by item."""
    k = out.loop(block.count)
    user, lane = out.component(k), out.at("%lane", k, block.vector)
    items = [out.at(user, out.add(f"mul i64 %row, {r}")) for r in range(block.lanes)]
    (_gather if block.inward else _scatter)(out, block, items, lane)
    out.end_loop()


def _gather(out: Lines, block: Block, items: list[str], lane: str) -> None:
    all_ = "poison"
    for r, item in enumerate(items):
        x = out.add(f"load {block.item}, ptr {item}, align {block.bytes}")
        one = f"insertelement {block.vector} {all_}, {block.item} {x}, i64 {r}"
        all_ = x if block.lanes == 1 else out.add(one)
    out.do(f"store {block.vector} {all_}, ptr {lane}, align {block.align}")


def _scatter(out: Lines, block: Block, items: list[str], lane: str) -> None:
    all_ = out.add(f"load {block.vector}, ptr {lane}, align {block.align}")
    for r, item in enumerate(items):
        x = all_ if block.lanes == 1 else out.add(f"extractelement {block.vector} {all_}, i64 {r}")
        out.do(f"store {block.item} {x}, ptr {item}, align {block.bytes}")


Mode = tuple[str, Callable[[Lines, Block], None]]  # a flag, and what to do where it is the first to hold


def _modes(block: Block) -> list[Mode]:
    """In the order of trial; a single component is both side by side and adjacent: planes are quicker."""
    many: list[Mode] = [("%planes", _planes)] if block.lanes > 1 else []
    once: list[Mode] = [("%same", _splats)] if block.lanes > 1 and block.inward else []
    return [*many, *once, ("%packed", _transposed)]


def _arguments(block: Block) -> str:
    user, lane = "ptr %user, i64 %row, i64 %component", "ptr %lane"
    return f"{user}, {lane}" if block.inward else f"{lane}, {user}"


def _function(block: Block) -> str:
    item = block.bytes
    out = Lines(
        f"define internal void @{block.name}({_arguments(block)}, i64 %n) #0 {{",
        "entry:",
        f"  %planes = icmp eq i64 %row, {item}",
        "  %same = icmp eq i64 %row, 0",
        f"  %adjacent = icmp eq i64 %component, {item}",
        f"  %enough = icmp uge i64 {block.count}, {block.chunk}",
        "  %packed = and i1 %adjacent, %enough",
        f"  %none = icmp eq i64 {block.count}, 0",
        "  br i1 %none, label %done, label %try0",
    )
    for k, (flag, move) in enumerate(_modes(block)):
        out.lines += [f"try{k}:", f"  br i1 {flag}, label %mode{k}, label %try{k + 1}", f"mode{k}:"]
        move(out, block)
        out.lines.append("  br label %done")
    out.lines.append(f"try{len(_modes(block))}:")
    _single_items(out, block)
    return "\n".join([*out.lines, "  br label %done", "done:", "  ret void", "}"])


def rows_to_lanes_ir(name: str, lanes: int, dtype: str, size: int | None) -> str:
    """`void @name(ptr user, i64 row_stride, i64 component_stride, ptr scratch, i64 n)`.

    scratch[k W + l] = user[l, k]. Strides are in bytes; a known `size` replaces n; a row stride of 0 gives
    every lane the same row.
    """
    block = Block(name, lanes, dtype, size, inward=True)
    return "\n".join([_chunk(block), _function(block)])


def lanes_to_rows_ir(name: str, lanes: int, dtype: str, size: int | None) -> str:
    """`void @name(ptr scratch, ptr user, i64 row_stride, i64 component_stride, i64 n)`: the other way."""
    block = Block(name, lanes, dtype, size, inward=False)
    return "\n".join([_chunk(block), _function(block)])
