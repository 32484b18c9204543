"""Writing LLVM IR of one small function: typed values with operators, numbered lines."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass

REAL = {"f8": "double", "f4": "float"}
WHOLE = {"f8": "i64", "f4": "i32"}
WIDTH = {"f8": 64, "f4": 32}
MANTISSA = {"f8": 52, "f4": 23}  # explicit mantissa bits
BIAS = {"f8": 1023, "f4": 127}  # of the exponent
ROUND = {"f8": 1.5 * 2.0**52, "f4": 1.5 * 2.0**23}  # adding it rounds to an integer, kept in the low bits


@dataclass(frozen=True)
class Lane:
    """The types of `lanes` numbers of one dtype."""

    lanes: int
    dtype: str

    def of(self, scalar: str) -> str:
        """The type holding one `scalar` in each lane."""
        return scalar if self.lanes == 1 else f"<{self.lanes} x {scalar}>"

    @property
    def real(self) -> str:
        return self.of(REAL[self.dtype])

    @property
    def whole(self) -> str:
        return self.of(WHOLE[self.dtype])

    @property
    def flag(self) -> str:
        return self.of("i1")

    def suffix(self, scalar: str) -> str:
        """How the overloaded intrinsics name this type, e.g. v8f64."""
        short = {"double": "f64", "float": "f32"}.get(scalar, scalar)
        return short if self.lanes == 1 else f"v{self.lanes}{short}"

    @property
    def tag(self) -> str:
        return f"{self.dtype}_{self.lanes}"


def scalar_of(kind: str) -> str:
    """The type of one lane of the type `kind`."""
    return kind[kind.index("x") + 2 : -1] if kind.startswith("<") else kind


def is_real(kind: str) -> bool:
    return scalar_of(kind) in ("double", "float")


def raw_bits(value: float, dtype: str) -> int:
    """The bits of a number, as an integer."""
    return int.from_bytes(struct.pack("<d" if dtype == "f8" else "<f", value), "little")


def constant(value: float, kind: str) -> str:
    """A number, in every lane, as the IR writes it."""
    scalar = scalar_of(kind)
    if scalar == "float" and math.isfinite(value):
        value = struct.unpack("<f", struct.pack("<f", value))[0]  # the IR writes a float as its double
    text = f"0x{raw_bits(value, 'f8'):016X}" if is_real(kind) else str(value)
    return text if scalar == kind else f"splat ({scalar} {text})"


@dataclass(frozen=True, eq=False)
class Value:
    """One SSA value; its operators append instructions to the function it belongs to."""

    text: Text
    name: str
    kind: str

    def _join(self, real: str, whole: str, other: Operand) -> Value:
        op = real if is_real(self.kind) else whole
        rest = self.text.operand(other, self.kind)
        return self.text.emit(f"{op} {self.kind} {self.name}, {rest}", self.kind)

    def __add__(self, other: Operand) -> Value:
        return self._join("fadd", "add", other)

    def __sub__(self, other: Operand) -> Value:
        return self._join("fsub", "sub", other)

    def __rsub__(self, other: float) -> Value:
        return self.text.wrap(other, self.kind) - self

    def __rtruediv__(self, other: float) -> Value:
        return self.text.wrap(other, self.kind) / self

    def __mul__(self, other: Operand) -> Value:
        return self._join("fmul", "mul", other)

    def __neg__(self) -> Value:
        op = f"fneg {self.kind}" if is_real(self.kind) else f"sub {self.kind} {constant(0, self.kind)},"
        return self.text.emit(f"{op} {self.name}", self.kind)

    def __truediv__(self, other: Operand) -> Value:
        return self._join("fdiv", "", other)

    def __and__(self, other: Operand) -> Value:
        return self._join("", "and", other)

    def __or__(self, other: Operand) -> Value:
        return self._join("", "or", other)

    def __xor__(self, other: Operand) -> Value:
        return self._join("", "xor", other)

    def __lshift__(self, other: Operand) -> Value:
        return self._join("", "shl", other)

    def __rshift__(self, other: Operand) -> Value:
        return self._join("", "lshr", other)

    def cast(self, op: str, kind: str) -> Value:
        """This value in another type (bitcast, zext, trunc, ...)."""
        return self.text.emit(f"{op} {self.kind} {self.name} to {kind}", kind)


Operand = Value | float


class Text:
    """The instructions of one function on its way to IR text."""

    def __init__(self, lane: Lane, fma: bool) -> None:
        self.lane, self.fma = lane, fma
        self.lines = ["entry:"]

    def operand(self, x: Operand, kind: str) -> str:
        return x.name if isinstance(x, Value) else constant(x, kind)

    def wrap(self, number: float, kind: str) -> Value:
        return Value(self, constant(number, kind), kind)

    def emit(self, instruction: str, kind: str) -> Value:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {instruction}")
        return Value(self, name, kind)

    def argument(self, name: str = "x") -> Value:
        return Value(self, f"%{name}", self.lane.real)

    def call(self, function: str, result: str, *args: Value) -> Value:
        given = ", ".join(f"{a.kind} {a.name}" for a in args)
        return self.emit(f"call {result} @{function}({given})", result)

    def mad(self, a: Value, b: Operand, c: Operand) -> Value:
        """a b + c, rounded once where the CPU can."""
        if not self.fma:
            return a * b + c
        lane, kind = self.lane, a.kind
        rest = ", ".join(f"{kind} {self.operand(x, kind)}" for x in (a, b, c))
        return self.emit(f"call {kind} @llvm.fma.{lane.suffix(scalar_of(kind))}({rest})", kind)

    def absolute(self, a: Value) -> Value:
        return self.call(f"llvm.fabs.{self.lane.suffix(scalar_of(a.kind))}", a.kind, a)

    def signed(self, size: Value, sign: Value) -> Value:
        return self.call(f"llvm.copysign.{self.lane.suffix(scalar_of(size.kind))}", size.kind, size, sign)

    def compare(self, how: str, a: Value, b: Operand) -> Value:
        op = "fcmp" if is_real(a.kind) else "icmp"
        return self.emit(f"{op} {how} {a.kind} {a.name}, {self.operand(b, a.kind)}", self.lane.flag)

    def select(self, flag: Value, a: Operand, b: Operand, kind: str = "") -> Value:
        kind = kind or next(x.kind for x in (a, b) if isinstance(x, Value))
        yes, no = self.operand(a, kind), self.operand(b, kind)
        return self.emit(f"select {flag.kind} {flag.name}, {kind} {yes}, {kind} {no}", kind)

    def bits(self, a: Value) -> Value:
        return a.cast("bitcast", self.lane.whole)

    def number(self, a: Value) -> Value:
        """The real number with these bits."""
        return a.cast("bitcast", self.lane.real)

    def polynomial(self, z: Value, zz: Value, ascending: Sequence[float]) -> Value:
        """Horner in z^2 over pairs: the work of Horner, half its latency."""
        c = list(ascending)
        top: Operand = c.pop() if len(c) % 2 else self.mad(z, c.pop(), c.pop())
        while c:
            pair = self.mad(z, c.pop(), c.pop())
            top = self.mad(zz, top, pair)
        assert isinstance(top, Value)
        return top

    def function(self, head: str, results: Sequence[Value]) -> str:
        """The definition, returning one value or a pair."""
        if len(results) == 1:
            self.lines.append(f"  ret {results[0].kind} {results[0].name}")
        else:
            pair = f"{{{results[0].kind}, {results[1].kind}}}"
            one = self.emit(f"insertvalue {pair} poison, {results[0].kind} {results[0].name}, 0", pair)
            two = self.emit(f"insertvalue {pair} {one.name}, {results[1].kind} {results[1].name}, 1", pair)
            self.lines.append(f"  ret {pair} {two.name}")
        return "\n".join([f"define internal {head} #0 {{", *self.lines, "}"])
