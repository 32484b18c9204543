"""LLVM text of the callable's second door: batches of states, strided arrays, and from there to Python.

Each input is a vector (shared by all states) or a matrix with one state per row, of any positive strides. If
all are vectors there is one state, and the result has no leading axis.
"""

from __future__ import annotations

from dataclasses import dataclass

from .callable_given import Batch, extent, given, same_dtype, steps, stride_if_any, write_view
from .callable_layout import (
    ALIGNED,
    CHUNK_NS,
    DATA,
    DIMS,
    FASTCALL,
    NDIM,
    RELEASE_NS,
    STRIDES,
    VIEW,
    Signature,
    Slot,
)
from .callable_text import (
    Sizes,
    Text,
    given_outputs,
    is_exact,
    new_array,
    new_result,
    product,
    undo_result,
)


@dataclass(frozen=True)
class _Input:
    """What was found of an input: its begin, end of a row's extent, row stride, number of rows or -1."""

    data: str
    extent: str
    stride: str
    rows: str


def batch_ir(signature: Signature) -> str:
    """The text of `@batch`."""
    text = Text(f"internal ptr @batch{FASTCALL}")
    views, dims = _rooms(text, signature)
    out = given_outputs(text, signature, "slow")
    inputs = [_input(text, signature, j, views) for j in range(len(signature.inputs))]
    batch = _rows(text, signature, views, inputs)
    text.branch(text.equal("ptr", out, "null"), "new", "given")
    results = [_new(batch, dims), given(batch, out, [(i.data, i.extent, i.stride) for i in inputs])]
    _run(batch, results)
    _leave(text)
    return text.end()


def _rooms(text: Text, signature: Signature) -> tuple[str, list[str]]:
    """Stack for the views and for the dimensions of new arrays."""
    count = len(signature.inputs) + len(signature.outputs)
    views = text.let(f"alloca [{count} x {VIEW}], align 8")
    return views, [text.let(f"alloca [{len(row) + 1} x i64], align 8") for row in signature.outputs]


def _input(text: Text, signature: Signature, j: int, views: str) -> _Input:
    """Check argument j and write its view."""
    array = text.load("ptr", "%args", 8 * j)
    text.require("slow", is_exact(text, array, Slot.NDARRAY))
    rank = text.load("i32", array, NDIM)
    less = text.let(f"sub i32 {rank}, 1")
    text.require("slow", text.let(f"icmp ule i32 {less}, 1"), text.flags(array, ALIGNED))
    same_dtype(text, array)
    dims, strides = text.load("ptr", array, DIMS), text.load("ptr", array, STRIDES)
    last = text.let(f"shl i64 {text.let(f'zext i32 {less} to i64')}, 3")
    length = Sizes(signature).length(text, j)
    text.require("slow", text.equal("i64", text.load("i64", dims, last), length))
    matrix = text.equal("i32", rank, 2)
    rows = text.pick(matrix, "i64", text.load("i64", dims), -1)
    stride = text.pick(matrix, "i64", text.load("i64", strides), 0)
    step = stride_if_any(text, signature, text.load("i64", strides, last), [rows, length])
    text.require("slow", *steps(text, signature, step, 1), *steps(text, signature, stride, 0))
    data = text.load("ptr", array, DATA)
    write_view(text, text.at(views, 24 * j), data, stride, step)
    return _Input(data, extent(text, signature, length, step), stride, rows)


def _rows(text: Text, signature: Signature, views: str, inputs: list[_Input]) -> Batch:
    """How many states there are; the inputs must agree."""
    most = "-1"
    for found in inputs:
        most = text.pick(text.let(f"icmp sgt i64 {found.rows}, {most}"), "i64", found.rows, most)
    for found in inputs:
        same = [text.equal("i64", found.rows, n) for n in (most, "-1")]
        text.require("slow", text.let(f"or i1 {same[0]}, {same[1]}"))
    single = text.equal("i64", most, "-1")
    skip = text.let(f"zext i1 {single} to i64")
    return Batch(text, signature, views, text.pick(single, "i64", 1, most), single, skip)


def _new(batch: Batch, rooms: list[str]) -> tuple[str, str]:
    """Make the result; what it is and in which block that is known."""
    text, count = batch.text, len(batch.signature.outputs)
    text.label("new")
    result, arrays = new_result(text, count, lambda i: _new_item(batch, i, rooms[i]))
    for i, array in enumerate(arrays):
        item = str(batch.signature.item)
        stride = product(text, [*Sizes(batch.signature).dims(text, i), item])
        write_view(text, batch.output_view(i), text.load("ptr", array, DATA), stride, item)
    last = text.here
    text.goto("run")
    if count != 1:
        undo_result(text, result)
    return result, last


def _new_item(batch: Batch, i: int, room: str) -> str:
    """A new array for output i."""
    text, signature = batch.text, batch.signature
    for r, d in enumerate([batch.rows, *Sizes(signature).dims(text, i)]):
        text.store("i64", d, room, 8 * r)
    start = text.let(f"getelementptr i64, ptr {room}, i64 {batch.skip}")
    return new_array(text, signature, batch.rank(i), start)


def _run(batch: Batch, results: list[tuple[str, str]]) -> None:
    """Run all rows: at once with the GIL if that is short, else in chunks without it."""
    text = batch.text
    text.label("run")
    result = text.meet("ptr", *results)
    cost, ctx = Sizes(batch.signature).cost(text), text.slot(Slot.CTX)
    work = text.let(f"mul i64 {batch.rows}, {cost}")
    text.branch(text.let(f"icmp ugt i64 {work}, {RELEASE_NS}"), "long", "short")
    text.label("short")
    text.do(f"call void @many(ptr {batch.views}, i64 0, i64 {batch.rows}, ptr {ctx})")
    text.do(f"ret ptr {result}")
    _chunks(batch, cost, ctx)
    text.label("done")
    text.do(f"ret ptr {result}")
    text.label("drop")
    text.run(Slot.DECREF, f"ptr {result}")
    text.goto("nothing")


def _chunks(batch: Batch, cost: str, ctx: str) -> None:
    """The loop over chunks; between two of them Python may handle signals, and stop us."""
    text = batch.text
    text.label("long")
    whole = text.let(f"and i64 {text.let(f'udiv i64 {CHUNK_NS}, {cost}')}, -16")
    size = text.pick(text.let(f"icmp ugt i64 {whole}, 16"), "i64", whole, 16)
    text.goto("chunk")
    text.label("chunk")
    start = text.meet("i64", ("0", "long"), ("%stop", "signals"))
    left = text.let(f"sub i64 {batch.rows}, {start}")
    count = text.pick(text.let(f"icmp ult i64 {left}, {size}"), "i64", left, size)
    text.do(f"%stop = add i64 {start}, {count}")
    thread = text.call(Slot.SAVE_THREAD, "ptr")
    text.do(f"call void @many(ptr {batch.views}, i64 {start}, i64 %stop, ptr {ctx})")
    text.run(Slot.RESTORE_THREAD, f"ptr {thread}")
    text.branch(text.equal("i64", "%stop", batch.rows), "done", "signals")
    text.label("signals")
    text.branch(text.equal("i32", text.call(Slot.CHECK_SIGNALS, "i32"), 0), "chunk", "drop")


def _leave(text: Text) -> None:
    """The ways out that have no result of their own."""
    text.label("slow")
    words = "ptr %args, i64 %nargs, ptr %kwnames"
    text.do(f"ret ptr {text.call(Slot.VECTORCALL, 'ptr', f'ptr {text.slot(Slot.SLOW)}', words)}")
    text.label("nothing")
    text.do("ret ptr null")
