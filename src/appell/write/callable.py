"""LLVM text of the Python callable that stands before a kernel: `f(q, v, a, *, out=None)`.

`@call` has the signature of METH_FASTCALL | METH_KEYWORDS. It serves one state given as contiguous arrays of
the right type and length at once; everything else goes to `@batch`, and from there, if refused, to Python.
The module must hold `@one(inputs, outputs, ctx)` and `@many(views, start, stop, ctx)`, and define group `#0`.
"""

from __future__ import annotations

from collections.abc import Sequence

from .callable_batch import batch_ir
from .callable_layout import (
    ALIGNED,
    CONTIGUOUS,
    COPIES_BACK,
    DATA,
    DESCR,
    DIMS,
    FASTCALL,
    NDIM,
    RELEASE_NS,
    WARNS,
    WRITEABLE,
    Signature,
    Slot,
)
from .callable_text import (
    Sizes,
    Text,
    given_outputs,
    given_result,
    is_exact,
    new_array,
    new_result,
    product,
    require_apart,
    require_shape,
    undo_result,
)

__all__ = ["Signature", "Slot", "callable_ir"]


def callable_ir(
    name: str,
    inputs: Sequence[int | None],
    outputs: Sequence[Sequence[int | None]],
    dtype: str,
    cost_ns: float | None,
) -> str:
    """The text of `@call`, `@batch` and the table `@api`, which is filled after loading.

    `inputs` are flat lengths, `outputs` shapes of one state, `cost_ns` the time of one state in a batch; None
    in any of them is read from the array in slot SIZES (see `Signature.sizes`).
    """
    signature = Signature(tuple(inputs), tuple(map(tuple, outputs)), dtype, cost_ns)
    table = f"@api = dso_local global [{len(Slot)} x ptr] zeroinitializer, align 64"
    parts = [f"; callable {name!r}", table, *Sizes(signature).constants()]
    return "\n\n".join([*parts, _single(signature), batch_ir(signature)]) + "\n"


def _single(signature: Signature) -> str:
    text = Text(f"ptr @call{FASTCALL}")
    out = given_outputs(text, signature, "other")
    data, lengths = _inputs(text, signature)
    text.branch(text.equal("ptr", out, "null"), "new", "given")
    _into_new(text, signature, data)
    _into_given(text, signature, out, list(zip(data, lengths, strict=True)))
    text.label("other")
    words = "ptr %self, ptr %args, i64 %nargs, ptr %kwnames"
    text.do(f"ret ptr {text.let(f'tail call ptr @batch({words})')}")
    return text.end()


def _inputs(text: Text, signature: Signature) -> tuple[list[str], list[str]]:
    """Data pointers and lengths of the arguments, all of them checked."""
    arrays = [text.load("ptr", "%args", 8 * j) for j in range(len(signature.inputs))]
    _require(text, [is_exact(text, array, Slot.NDARRAY) for array in arrays])
    _require(text, [c for array in arrays for c in _plain(text, array, 1, CONTIGUOUS | ALIGNED)])
    lengths = [Sizes(signature).length(text, j) for j in range(len(arrays))]
    found = [text.load("i64", text.load("ptr", array, DIMS)) for array in arrays]
    _require(text, [text.equal("i64", *pair) for pair in zip(found, lengths, strict=True)])
    return [text.load("ptr", array, DATA) for array in arrays], lengths


def _require(text: Text, conditions: list[str]) -> None:
    if conditions:
        text.require("other", *conditions)


def _plain(text: Text, array: str, rank: int, wanted: int, unwanted: int = 0) -> list[str]:
    """That an array has the rank, the builtin dtype and the flags."""
    rank_ok = text.equal("i32", text.load("i32", array, NDIM), rank)
    descr_ok = text.equal("ptr", text.load("ptr", array, DESCR), text.slot(Slot.DESCR))
    return [rank_ok, descr_ok, text.flags(array, wanted, unwanted)]


def _into_new(text: Text, signature: Signature, data: list[str]) -> None:
    """Make the result, run, return it."""
    text.label("new")
    shapes, count = signature.outputs, len(signature.outputs)
    rows = Sizes(signature)
    result, arrays = new_result(
        text, count, lambda i: new_array(text, signature, str(len(shapes[i])), rows.row(text, i))
    )
    _one(text, signature, [*data, *(text.load("ptr", array, DATA) for array in arrays)])
    text.do(f"ret ptr {result}")
    if count != 1:
        undo_result(text, result)
    text.label("nothing")
    text.do("ret ptr null")


def _into_given(text: Text, signature: Signature, out: str, inputs: list[tuple[str, str]]) -> None:
    """Check the user's result, run, return it."""
    text.label("given")
    spans = [_span(text, signature, start, length) for start, length in inputs]
    for i, array in enumerate(given_result(text, len(signature.outputs), out, "other")):
        spans.append(_given_item(text, signature, i, array))
        require_apart(text, spans[-1], spans[:-1], "other")
    _one(text, signature, [start for start, _ in spans])
    text.run(Slot.INCREF, f"ptr {out}")
    text.do(f"ret ptr {out}")


def _given_item(text: Text, signature: Signature, i: int, array: str) -> tuple[str, str]:
    """Where the user's output i begins and ends, once it is known to be fit."""
    text.require("other", is_exact(text, array, Slot.NDARRAY))
    flags = CONTIGUOUS | ALIGNED | WRITEABLE
    text.require("other", *_plain(text, array, len(signature.outputs[i]), flags, WARNS | COPIES_BACK))
    wanted = Sizes(signature).dims(text, i)
    require_shape(text, text.load("ptr", array, DIMS), wanted, "other")
    return _span(text, signature, text.load("ptr", array, DATA), product(text, wanted))


def _span(text: Text, signature: Signature, start: str, length: str) -> tuple[str, str]:
    return start, text.at(start, product(text, [length, str(signature.item)]))


def _one(text: Text, signature: Signature, data: list[str]) -> None:
    """Run the kernel on one state, without the GIL where it takes long."""
    words = ", ".join(f"ptr {pointer}" for pointer in [*data, text.slot(Slot.CTX)])
    run, cost = f"call void @one({words})", signature.cost_ns
    if cost is not None and cost <= RELEASE_NS:
        text.do(run)
        return
    slow = text.let(f"icmp ugt i64 {Sizes(signature).cost(text)}, {RELEASE_NS}")
    long, short, ran = (f"{word}{text.count}" for word in ("long", "short", "ran"))
    text.branch(slow, long, short)
    text.label(long)
    thread = text.call(Slot.SAVE_THREAD, "ptr")
    text.do(run)
    text.run(Slot.RESTORE_THREAD, f"ptr {thread}")
    text.goto(ran)
    text.label(short)
    text.do(run)
    text.goto(ran)
    text.label(ran)
