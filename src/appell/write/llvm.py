"""Program -> LLVM IR: one function for one state, one for a state in every SIMD lane."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

from ..trace.coverage import added_before_set
from ..trace.expr import Expr
from ..trace.program import Array, Block, Index, Loop, Program, Store
from .llvm_loops import close_loop, open_loop, write_loop
from .llvm_packs import pack_angles, pack_zeros, take_angles_first
from .llvm_streams import TILE, open_records

SIZES = ("n", "nq", "nv")  # the first words of a context
TABLE, LOOKUP = 3, 4  # words of a context: the columns and the lookups of a robot

TWO = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}


@dataclass
class Function:
    """Writes one function of a Program."""

    program: Program
    lanes: int
    dtype: str = "f8"
    pack: int = 1  # how many angles of one state share a vector sine
    lines: list[str] = field(default_factory=list)
    names: dict[Any, str] = field(default_factory=dict)
    rows: list[dict[Any, Any]] = field(default_factory=lambda: [{}])  # what each open sweep has looked up
    packed: dict[Any, list[str]] = field(default_factory=dict)
    stored: set[Any] = field(default_factory=set)
    streams: tuple[Array, ...] = ()  # what passes through tiles
    records: dict[str, list[str]] = field(default_factory=dict)
    here: str = "entry"
    count: int = 0
    needs: set[str] = field(default_factory=set)

    @property
    def scalar(self) -> str:
        return "double" if self.dtype == "f8" else "float"

    @property
    def type(self) -> str:
        return self.scalar if self.lanes == 1 else f"<{self.lanes} x {self.scalar}>"

    @property
    def suffix(self) -> str:
        """How intrinsics name the type."""
        return ("" if self.lanes == 1 else f"v{self.lanes}") + ("f64" if self.dtype == "f8" else "f32")

    @property
    def bytes(self) -> int:
        return 8 if self.dtype == "f8" else 4

    def text(self, name: str) -> str:
        """The whole function: pointers to inputs and outputs, the robot's context, scratch memory."""
        self._prologue()
        if self.lanes > 1 and not self.program.rolled:
            take_angles_first(self)
        elif self.pack > 1 and not self.program.rolled:
            pack_angles(self)
            pack_zeros(self)
        self.block(self.program.body)
        arrays = (*self.program.inputs, *self.program.outputs)
        pointers = ", ".join(f"ptr noundef %{a.name}" for a in arrays)
        head = f"define internal void @{name}({pointers}, ptr %ctx, ptr %scratch) #0 {{\nentry:"
        return "\n".join((head, *self.lines, "  ret void", "}"))

    # -- small tools ------------------------------------------------------------------------------------------

    def fresh(self, stem: str = "t") -> str:
        self.count += 1
        return f"%{stem}{self.count}"

    def emit(self, text: str, stem: str = "t") -> str:
        """One instruction with a result."""
        name = self.fresh(stem)
        self.lines.append(f"  {name} = {text}")
        return name

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")
        self.here = name

    def constant(self, x: float) -> str:
        """A number in every lane."""
        return self.splat(hexadecimal(x, self.dtype))

    def splat(self, text: str) -> str:
        return text if self.lanes == 1 else f"splat ({self.scalar} {text})"

    def value(self, x: Any) -> str:
        return self.names[x] if isinstance(x, Expr) else self.constant(float(x))

    # -- where things stand -----------------------------------------------------------------------------------

    def _prologue(self) -> None:
        """The sizes and tables that a rolled Program reads from its context, and its slots in scratch."""
        self.sizes: dict[str, str] = {}
        if not self.program.rolled:
            return
        for k, name in enumerate(SIZES):
            at = self.emit(f"getelementptr i64, ptr %ctx, i64 {k}")
            self.sizes[name] = self.emit(f"load i64, ptr {at}")
        self.sizes["n+1"] = self.emit(f"add i64 {self.sizes['n']}, 1")
        for k, name in ((TABLE, "table"), (LOOKUP, "lookup")):
            at = self.emit(f"getelementptr ptr, ptr %ctx, i64 {k}")
            self.sizes[name] = self.emit(f"load ptr, ptr {at}")
        open_records(self)
        self._lay_out_slots()

    def _lay_out_slots(self) -> None:
        self.base: dict[str, str] = {}
        at = "0"
        for array in self.program.slots:
            self.base[array.name] = self.emit(f"getelementptr {self.type}, ptr %scratch, i64 {at}", "slot")
            room = self.emit(f"mul i64 {self.extent(array)}, {array.width}")
            at = self.emit(f"add i64 {at}, {room}")
        unset = added_before_set(self.program)
        for array in (*self.program.slots, *self.program.outputs):
            if array.name in unset:
                self._fill(array)
            elif array.shape == ("n+1",):  # the base's slot starts as zero
                for k in range(array.width):
                    self.store(array, (0,), k, self.constant(0.0))

    def extent(self, array: Array) -> str:
        """How many elements an array has, when the Program runs."""
        sizes = [str(s) if isinstance(s, int) else self.sizes[s] for s in array.shape]
        return sizes[0] if len(sizes) == 1 else self.emit(f"mul i64 {sizes[0]}, {sizes[1]}")

    def _fill(self, array: Array) -> None:
        """Zeros everywhere."""
        total = self.emit(f"mul i64 {self.extent(array)}, {array.width}")
        run = open_loop(self, "0", total)
        at = self.emit(f"getelementptr {self.type}, ptr {self._pointer(array)}, i64 {run.index}")
        self.lines.append(f"  store {self.type} {self.constant(0.0)}, ptr {at}, align {self.bytes}")
        close_loop(self, run, self.emit(f"add i64 {run.index}, 1"))

    def _pointer(self, array: Array) -> str:
        if array in self.streams:
            return self.records[array.name][-1]
        return getattr(self, "base", {}).get(array.name, f"%{array.name}")

    def address(self, array: Array, place: tuple[Any, ...], component: int) -> str:
        """A pointer to one scalar (to its lanes) in memory."""
        if all(isinstance(i, int) for i in place) and all(isinstance(s, int) for s in array.shape[1:]):
            flat = 0
            for i, size in zip(place, (1, *array.shape[1:]), strict=True):
                flat = flat * int(size) + i
            k = flat * array.width + component
            return self.emit(f"getelementptr inbounds {self.type}, ptr {self._pointer(array)}, i64 {k}", "p")
        row = self._row(array, place)
        return self.emit(f"getelementptr inbounds {self.type}, ptr {row}, i64 {component}", "p") if component else row

    def _row(self, array: Array, place: tuple[Any, ...]) -> str:
        """A pointer to an element, once per block."""
        key = (array.name, *(i.key if isinstance(i, Index) else i for i in place))
        for rows in reversed(self.rows):
            if key in rows:
                return rows[key]
        at = self.index(place[0])
        if array in self.streams:
            at = self.emit(f"and i64 {at}, {TILE - 1}")
        for i, size in zip(place[1:], array.shape[1:], strict=True):
            scaled = self.emit(f"mul i64 {at}, {size if isinstance(size, int) else self.sizes[size]}")
            at = self.emit(f"add i64 {scaled}, {self.index(i)}")
        if array.width > 1:
            at = self.emit(f"mul i64 {at}, {array.width}")
        row = self.emit(f"getelementptr inbounds {self.type}, ptr {self._pointer(array)}, i64 {at}", "p")
        self.rows[-1][key] = row
        return row

    def index(self, i: Any) -> str:
        """A whole number as a register or a literal."""
        return str(i) if isinstance(i, int) else self.key_index(i.key)

    def key_index(self, key: tuple[Any, ...]) -> str:
        for rows in reversed(self.rows):
            if key in rows:
                return rows[key]
        if key[0] == "s":
            found = self.sizes[key[1]]
        elif key[-1]:
            found = self.emit(f"add nsw i64 {self.key_index((*key[:-1], 0))}, {key[-1]}")
        else:
            row = self.emit(f"mul i64 {self.key_index(key[2])}, {len(self.program.lookups)}")
            cell = self.emit(f"add i64 {row}, {self.program.lookups.index(key[1])}")
            at = self.emit(f"getelementptr i64, ptr {self.sizes['lookup']}, i64 {cell}")
            found = self.emit(f"load i64, ptr {at}")
        self.rows[-1][key] = found
        return found

    def store(self, array: Array, place: tuple[Any, ...], component: int, value: str) -> None:
        at = self.address(array, place, component)
        self.lines.append(f"  store {self.type} {value}, ptr {at}, align {self.bytes}")

    # -- statements -------------------------------------------------------------------------------------------

    def block(self, block: Block) -> None:
        for item in block.items:
            if isinstance(item, Store):
                if item not in self.stored:
                    self.store(item.array, item.place, item.component, self.value(item.value))
            elif isinstance(item, Loop):
                write_loop(self, item)
            else:
                self.names[item] = self.node(item)

    def node(self, node: Expr) -> str:
        if node in self.names:
            return self.names[node]
        if node.op == "load":
            return self._load(*node.args)
        if node.op in ("sin", "cos"):
            return self._sincos(node)
        args = [self.value(a) for a in node.args]
        if node.op in TWO:
            return self.emit(f"{TWO[node.op]} {self.type} {args[0]}, {args[1]}")
        return getattr(self, f"_{node.op}", self._called)(node.op, args)

    def _load(self, array: Array, place: tuple[Any, ...], component: int) -> str:
        if array.role == "column":
            return self._column(array, place[0])
        return self.emit(f"load {self.type}, ptr {self.address(array, place, component)}, align {self.bytes}")

    def _column(self, array: Array, i: Any) -> str:
        width = len(self.program.columns)
        key = ("row", i.key if isinstance(i, Index) else i)
        row = next((rows[key] for rows in reversed(self.rows) if key in rows), None)
        if row is None:
            at = self.emit(f"mul i64 {self.index(i)}, {width}")
            row = self.emit(f"getelementptr inbounds {self.scalar}, ptr {self.sizes['table']}, i64 {at}", "row")
            self.rows[-1][key] = row
        k = self.program.columns.index(array.name)
        return self._spread(self.emit(f"getelementptr inbounds {self.scalar}, ptr {row}, i64 {k}", "p"))

    def _spread(self, pointer: str) -> str:
        """One number from memory in every lane."""
        x = self.emit(f"load {self.scalar}, ptr {pointer}, align {self.bytes}")
        if self.lanes == 1:
            return x
        first = self.emit(f"insertelement {self.type} poison, {self.scalar} {x}, i32 0")
        zeros = f"<{self.lanes} x i32> zeroinitializer"
        return self.emit(f"shufflevector {self.type} {first}, {self.type} poison, {zeros}")

    def _sincos(self, node: Expr) -> str:
        """Sine and cosine of one angle come together."""
        angle = node.args[0]
        both = self.packed.get(angle) or next((rows[angle] for rows in reversed(self.rows) if angle in rows), None)
        if both is None:
            both = self.rows[-1][angle] = self.sincos(angle)
        return both[0 if node.op == "sin" else 1]

    def sincos(self, angle: Expr) -> list[str]:
        """Sine and cosine of an angle that has a name."""
        pair = f"{{{self.type}, {self.type}}}"
        self.needs.add("sincos")
        both = self.emit(f"call {pair} @sincos_{self.dtype}_{self.lanes}({self.type} {self.value(angle)})", "sc")
        return [self.emit(f"extractvalue {pair} {both}, {k}") for k in (0, 1)]

    def _neg(self, _: str, args: list[str]) -> str:
        return self.emit(f"fneg {self.type} {args[0]}")

    def _intrinsic(self, name: str, args: list[str]) -> str:
        given = ", ".join(f"{self.type} {a}" for a in args)
        self.needs.add(f"declare {self.type} @llvm.{name}.{self.suffix}({', '.join([self.type] * len(args))})")
        return self.emit(f"call {self.type} @llvm.{name}.{self.suffix}({given})")

    def _sqrt(self, _: str, args: list[str]) -> str:
        return self._intrinsic("sqrt", args)

    def _fma(self, op: str, args: list[str]) -> str:
        a, b, c = args
        if op == "fnma":
            a = self._neg(op, [a])
        if op == "fms":
            c = self._neg(op, [c])
        return self._intrinsic("fma", [a, b, c])

    _fms = _fnma = _fma

    def _sign(self, _: str, args: list[str]) -> str:
        one = self._intrinsic("copysign", [self.constant(1.0), args[0]])
        bits = "i1" if self.lanes == 1 else f"<{self.lanes} x i1>"
        zero = self.emit(f"fcmp une {self.type} {args[0]}, {self.constant(0.0)}")
        # x * 0 keeps a NaN a NaN, and gives the 0 that sign(0) is
        rest = self.emit(f"fmul {self.type} {args[0]}, {self.constant(0.0)}")
        plain = self.emit(f"fadd {self.type} {one}, {rest}")
        return self.emit(f"select {bits} {zero}, {self.type} {plain}, {self.type} {rest}")

    def _called(self, op: str, args: list[str]) -> str:
        self.needs.add(op)
        given = ", ".join(f"{self.type} {a}" for a in args)
        return self.emit(f"call {self.type} @{op}_{self.dtype}_{self.lanes}({given})")


def hexadecimal(x: float, dtype: str) -> str:
    """A float literal, exact; LLVM writes single precision as the double of the same value."""
    if dtype == "f4":
        x = struct.unpack("<f", struct.pack("<f", x))[0]
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"
