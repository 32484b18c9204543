"""LLVM text for results that the user gives to a batch, `out=`: fit to write to, apart from the inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .callable_layout import (
    ALIGNED,
    BYTE_ORDER,
    COPIES_BACK,
    DATA,
    DESCR,
    DIMS,
    NDIM,
    STRIDES,
    WARNS,
    WRITEABLE,
    Signature,
    Slot,
)
from .callable_text import (
    Sizes,
    Text,
    given_result,
    is_exact,
    product,
    require_apart,
    require_shape,
)


@dataclass(frozen=True)
class Batch:
    """Operands that the parts of `@batch` share."""

    text: Text
    signature: Signature
    views: str
    rows: str
    single: str
    """Whether there is one state and no leading axis (i1) ..."""
    skip: str
    """... and the same as a number of axes (i64)."""

    def output_view(self, i: int) -> str:
        """The address of the view of output i."""
        return self.text.at(self.views, 24 * (len(self.signature.inputs) + i))

    def rank(self, i: int) -> str:
        """How many axes output i has (i32)."""
        less = self.text.let(f"trunc i64 {self.skip} to i32")
        return self.text.let(f"sub i32 {len(self.signature.outputs[i]) + 1}, {less}")

    def without_lead(self, first: str) -> str:
        """In an array that describes axes: where those of one state begin, if `first` is where all begin."""
        beyond = self.text.let(f"sub i64 1, {self.skip}")
        return self.text.let(f"getelementptr i64, ptr {first}, i64 {beyond}")


def given(batch: Batch, out: str, inputs: Sequence[tuple[str, str, str]]) -> tuple[str, str]:
    """Check the user's result and own it; `inputs` are data, extent of a state, stride of each."""
    text = batch.text
    text.label("given")
    spans = [_span(batch, *found) for found in inputs]
    for i, array in enumerate(given_result(text, len(batch.signature.outputs), out, "slow")):
        taken = _given_item(batch, i, array)
        require_apart(text, taken, spans, "slow")
        spans = [*spans, taken]
    text.run(Slot.INCREF, f"ptr {out}")
    last = text.here
    text.goto("run")
    return out, last


def _given_item(batch: Batch, i: int, array: str) -> tuple[str, str]:
    """Write the view of the user's output i, if it is fit: where it begins and ends."""
    text, signature = batch.text, batch.signature
    _fit(batch, i, array)
    dims, strides = text.load("ptr", array, DIMS), text.load("ptr", array, STRIDES)
    lead = text.equal("i64", text.load("i64", dims), batch.rows)
    text.require("slow", text.let(f"or i1 {lead}, {batch.single}"))
    stride = text.pick(batch.single, "i64", signature.item, text.load("i64", strides))
    stride = stride_if_any(text, signature, stride, [batch.rows, *Sizes(signature).dims(text, i)])
    text.require("slow", *steps(text, signature, stride, 1))
    step, length = _inner(batch, i, dims, strides)
    data = text.load("ptr", array, DATA)
    write_view(text, batch.output_view(i), data, stride, step)
    return _span(batch, data, length, stride)


def _fit(batch: Batch, i: int, array: str) -> None:
    """Require type, rank, flags and dtype of the user's output i."""
    text = batch.text
    text.require("slow", is_exact(text, array, Slot.NDARRAY))
    rank = text.equal("i32", text.load("i32", array, NDIM), batch.rank(i))
    # an array without axes has no strides to look at
    conditions = [rank, text.flags(array, ALIGNED | WRITEABLE, WARNS | COPIES_BACK)]
    if not batch.signature.outputs[i]:
        conditions.append(text.negate(batch.single))
    text.require("slow", *conditions)
    same_dtype(text, array)


def _inner(batch: Batch, i: int, dims: str, strides: str) -> tuple[str, str]:
    """Step from number to number within a state of output i, which must be even, and the extent of it."""
    text, signature = batch.text, batch.signature
    wanted = Sizes(signature).dims(text, i)
    if not wanted:
        return str(signature.item), str(signature.item)
    dims, strides = batch.without_lead(dims), batch.without_lead(strides)
    require_shape(text, dims, wanted, "slow")
    found = [text.load("i64", strides, 8 * r) for r in range(len(wanted))]
    step = stride_if_any(text, signature, found[-1], [batch.rows, *wanted])
    text.require("slow", *steps(text, signature, step, 1))
    for r in range(len(wanted) - 1):
        text.require("slow", text.equal("i64", found[r], product(text, [found[r + 1], wanted[r + 1]])))
    return step, extent(text, signature, product(text, wanted), step)


def _span(batch: Batch, data: str, length: str, stride: str) -> tuple[str, str]:
    """Where an array begins and ends, all rows taken; without rows it ends where it begins."""
    text = batch.text
    before = text.let(f"mul i64 {text.let(f'sub i64 {batch.rows}, 1')}, {stride}")
    none = text.equal("i64", batch.rows, 0)
    return data, text.at(data, text.pick(none, "i64", 0, text.let(f"add i64 {before}, {length}")))


def stride_if_any(text: Text, signature: Signature, stride: str, counts: Sequence[str]) -> str:
    """The stride, or the item's size for an array without numbers, whose strides mean nothing."""
    return text.pick(text.equal("i64", product(text, counts), 0), "i64", signature.item, stride)


def steps(text: Text, signature: Signature, stride: str, least: int) -> list[str]:
    """That a stride is at least `least` and a multiple of the item."""
    rest = text.let(f"and i64 {stride}, {signature.item - 1}")
    return [text.let(f"icmp sge i64 {stride}, {least}"), text.equal("i64", rest, 0)]


def extent(text: Text, signature: Signature, length: str, step: str) -> str:
    """Bytes from the first to behind the last of `length` numbers."""
    before = text.let(f"mul i64 {text.let(f'sub i64 {length}, 1')}, {step}")
    return text.let(f"add i64 {before}, {signature.item}")


def same_dtype(text: Text, array: str) -> None:
    """Require the builtin dtype, or an equal one: unpickled arrays bring their own."""
    descr = text.load("ptr", array, DESCR)
    tag = f"{text.count}"
    text.branch(text.equal("ptr", descr, text.slot(Slot.DESCR)), f"native{tag}", f"foreign{tag}")
    text.label(f"foreign{tag}")
    native = text.equal("i8", text.load("i8", descr, BYTE_ORDER), ord("="))
    text.require("slow", is_exact(text, descr, Slot.DTYPE), native)
    text.goto(f"native{tag}")
    text.label(f"native{tag}")


def write_view(text: Text, view: str, data: str, stride: str, step: str) -> None:
    """Fill a view: where the first number is, bytes from state to state, from number to number."""
    text.store("ptr", data, view)
    text.store("i64", stride, view, 8)
    text.store("i64", step, view, 16)
