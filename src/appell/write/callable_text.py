"""Lines of LLVM text, and the pieces that both doors of a kernel's Python callable are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .callable_layout import FLAGS, ITEMS, LENGTH, TYPE, Signature, Slot


class Text:
    """The lines of one function; every value gets the next number."""

    def __init__(self, head: str) -> None:
        self.lines = [f"define {head} #0 {{"]
        self.count = 0
        self.label("entry")

    def label(self, name: str) -> None:
        """Start a block."""
        self.here = name
        self.lines.append(f"{name}:")

    def do(self, statement: str) -> None:
        """A line without a value."""
        self.lines.append(f"  {statement}")

    def let(self, expression: str) -> str:
        """A line with a value: its name."""
        self.count += 1
        self.do(f"%t{self.count} = {expression}")
        return f"%t{self.count}"

    def at(self, base: str, offset: int | str) -> str:
        """The address `offset` bytes after `base`."""
        return base if offset == 0 else self.let(f"getelementptr i8, ptr {base}, i64 {offset}")

    def load(self, kind: str, base: str, offset: int | str = 0) -> str:
        """The value of LLVM type `kind` that lies `offset` bytes after `base`."""
        align = {"i32": 4, "i8": 1}.get(kind, 8)
        return self.let(f"load {kind}, ptr {self.at(base, offset)}, align {align}")

    def store(self, kind: str, value: str, base: str, offset: int = 0) -> None:
        """Put a value `offset` bytes after `base`."""
        self.do(f"store {kind} {value}, ptr {self.at(base, offset)}, align 8")

    def slot(self, slot: Slot) -> str:
        """What the table holds in a slot."""
        return self.load("ptr", "@api", 8 * slot)

    def call(self, slot: Slot, kind: str, *arguments: str) -> str:
        """Call the function in a slot; arguments carry their types."""
        return self.let(f"call {kind} {self.slot(slot)}({', '.join(arguments)})")

    def run(self, slot: Slot, *arguments: str) -> None:
        """Call the function in a slot that returns nothing."""
        self.do(f"call void {self.slot(slot)}({', '.join(arguments)})")

    def goto(self, label: str) -> None:
        """Leave for another block."""
        self.do(f"br label %{label}")

    def branch(self, condition: str, yes: str, no: str) -> None:
        """Leave for one of two blocks."""
        self.do(f"br i1 {condition}, label %{yes}, label %{no}")

    def require(self, otherwise: str, *conditions: str) -> None:
        """Go on if all conditions hold, else leave for `otherwise`."""
        both = conditions[0]
        for condition in conditions[1:]:
            both = self.let(f"and i1 {both}, {condition}")
        self.count += 1
        good = f"good{self.count}"
        self.branch(both, good, otherwise)
        self.label(good)

    def equal(self, kind: str, left: str, right: str | int) -> str:
        """Whether two values are the same."""
        return self.let(f"icmp eq {kind} {left}, {right}")

    def differ(self, kind: str, left: str, right: str | int) -> str:
        """Whether two values are not the same."""
        return self.let(f"icmp ne {kind} {left}, {right}")

    def negate(self, condition: str) -> str:
        """Whether a condition does not hold."""
        return self.let(f"xor i1 {condition}, true")

    def pick(self, condition: str, kind: str, yes: str | int, no: str | int) -> str:
        """One of two values."""
        return self.let(f"select i1 {condition}, {kind} {yes}, {kind} {no}")

    def meet(self, kind: str, *ways: tuple[str, str]) -> str:
        """The value that the block we came from (value, block) gives."""
        return self.let(f"phi {kind} " + ", ".join(f"[{value}, %{block}]" for value, block in ways))

    def flags(self, array: str, wanted: int, unwanted: int = 0) -> str:
        """Whether an array has all wanted flags and no unwanted one."""
        both = self.let(f"and i32 {self.load('i32', array, FLAGS)}, {wanted | unwanted}")
        return self.equal("i32", both, wanted)

    def end(self) -> str:
        """The whole function."""
        return "\n".join([*self.lines, "}"])


@dataclass(frozen=True)
class Sizes:
    """Lengths and dimensions as operands: numbers where known, loads from slot SIZES where not."""

    signature: Signature

    def length(self, text: Text, j: int) -> str:
        """Flat length of input j."""
        return self._one(text, self.signature.inputs[j], j)

    def dims(self, text: Text, i: int) -> list[str]:
        """Dimensions of output i for one state."""
        start = self._start(i)
        return [self._one(text, d, start + r) for r, d in enumerate(self.signature.outputs[i])]

    def row(self, text: Text, i: int) -> str:
        """Address of the dimensions of output i."""
        if None in self.signature.outputs[i]:
            return text.at(text.slot(Slot.SIZES), 8 * self._start(i))
        return f"@dims{i}"

    def constants(self) -> list[str]:
        """The dimensions that are known, as globals."""
        rows = [(i, row) for i, row in enumerate(self.signature.outputs) if None not in row]
        return [f"@dims{i} = internal constant [{len(row)} x i64] [{_i64(row)}], align 8" for i, row in rows]

    def cost(self, text: Text) -> str:
        """Nanoseconds of one state, a whole number."""
        cost = self.signature.cost_ns
        known = None if cost is None else max(1, round(cost))
        return self._one(text, known, self._start(len(self.signature.outputs)))

    def _one(self, text: Text, known: int | None, place: int) -> str:
        return str(known) if known is not None else text.load("i64", text.slot(Slot.SIZES), 8 * place)

    def _start(self, i: int) -> int:
        return len(self.signature.inputs) + sum(map(len, self.signature.outputs[:i]))


def product(text: Text, factors: Sequence[str]) -> str:
    """The product of operands; numbers fold."""
    numbers = [f for f in factors if not f.startswith("%")]
    total = 1
    for number in numbers:
        total *= int(number)
    result = str(total)
    for factor in (f for f in factors if f.startswith("%")):
        result = text.let(f"mul i64 {result}, {factor}")
    return result


def given_outputs(text: Text, signature: Signature, otherwise: str) -> str:
    """Require k arguments and no keyword but `out`: its value, or null where it is absent or None."""
    text.require(otherwise, text.equal("i64", "%nargs", len(signature.inputs)))
    before = text.here
    text.branch(text.equal("ptr", "%kwnames", "null"), "seen", "named")
    text.label("named")
    text.require(otherwise, text.equal("i64", text.load("i64", "%kwnames", LENGTH), 1))
    text.require(otherwise, text.equal("ptr", text.load("ptr", "%kwnames", ITEMS), text.slot(Slot.OUT)))
    value = text.load("ptr", "%args", 8 * len(signature.inputs))
    value = text.pick(text.equal("ptr", value, text.slot(Slot.NONE)), "ptr", "null", value)
    named = text.here
    text.goto("seen")
    text.label("seen")
    return text.meet("ptr", ("null", before), (value, named))


def is_exact(text: Text, thing: str, slot: Slot) -> str:
    """Whether an object's type is exactly the one in a slot."""
    return text.equal("ptr", text.load("ptr", thing, TYPE), text.slot(slot))


def _i64(row: Sequence[int | None]) -> str:
    return ", ".join(f"i64 {d}" for d in row)


def new_array(text: Text, signature: Signature, rank: str, dims: str) -> str:
    """A new C-ordered array of the kernel's type, or null with an error set."""
    kind, descr = text.slot(Slot.NDARRAY), text.slot(Slot.DESCR)
    text.run(Slot.INCREF, f"ptr {descr}")  # NumPy takes it, also when it fails
    words = f"ptr {kind}, ptr {descr}, i32 {rank}, ptr {dims}, ptr null, ptr null, i32 0, ptr null"
    return text.call(Slot.NEW_ARRAY, "ptr", words)


def new_result(text: Text, count: int, make: Callable[[int], str]) -> tuple[str, list[str]]:
    """What to return, and its arrays: one array, or a tuple that owns each at once so undoing is easy."""
    if count == 1:
        array = make(0)
        text.require("nothing", text.differ("ptr", array, "null"))
        return array, [array]
    whole = text.call(Slot.NEW_TUPLE, "ptr", f"i64 {count}")
    text.require("nothing", text.differ("ptr", whole, "null"))
    arrays = []
    for i in range(count):
        arrays.append(make(i))
        text.require("undo", text.differ("ptr", arrays[-1], "null"))
        text.store("ptr", arrays[-1], whole, ITEMS + 8 * i)
    return whole, arrays


def undo_result(text: Text, whole: str) -> None:
    """Where to go when an array of a tuple could not be made."""
    text.label("undo")
    text.run(Slot.DECREF, f"ptr {whole}")
    text.goto("nothing")


def given_result(text: Text, count: int, out: str, otherwise: str) -> list[str]:
    """The arrays of the user's `out`: itself, or a tuple's items."""
    if count == 1:
        return [out]
    text.require(otherwise, is_exact(text, out, Slot.TUPLE))
    text.require(otherwise, text.equal("i64", text.load("i64", out, LENGTH), count))
    return [text.load("ptr", out, ITEMS + 8 * i) for i in range(count)]


def require_shape(text: Text, dims: str, wanted: Sequence[str], otherwise: str) -> None:
    """Require the dimensions at an address to be the wanted ones."""
    if wanted:
        found = [text.load("i64", dims, 8 * r) for r in range(len(wanted))]
        text.require(otherwise, *(text.equal("i64", *both) for both in zip(found, wanted, strict=True)))


def require_apart(text: Text, span: tuple[str, str], others: Sequence[tuple[str, str]], otherwise: str) -> None:
    """Require a span of memory (begin, end) to share no byte with others."""
    for begin, end in others:
        before = text.let(f"icmp ult ptr {span[0]}, {end}")
        after = text.let(f"icmp ult ptr {begin}, {span[1]}")
        text.require(otherwise, text.negate(text.let(f"and i1 {before}, {after}")))
