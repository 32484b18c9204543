"""The whole module of a kernel: one state, many states in lanes, and the callable before them."""

from __future__ import annotations

from collections.abc import Iterator

from ..trace.program import Array, Program
from .callable import callable_ir
from .llvm import Function
from .llvm_layout import lanes_to_rows_ir, rows_to_lanes_ir
from .llvm_math import elementary_ir
from .llvm_streams import TILE, streamed
from .llvm_streams import WORDS as STREAM
from .target import FREE, MALLOC, ROOM, SPARE, Target

NARROW = 48  # numbers of one state that need no asking
AHEAD = 16384  # bytes of each array to ask for in advance, at most


def module_ir(program: Program, target: Target, cost_ns: float | None, attributes: str) -> str:
    """LLVM text with `@one`, `@many`, `@call`, `@batch` and `@api`."""
    one = Function(program, 1, target.dtype, pack=target.pack)
    many = Function(program, target.lanes, target.dtype, streams=streamed(program) if target.lanes > 1 else ())
    bodies = [one.text("body_1"), many.text("body_lanes") if target.lanes > 1 else ""]
    sizes = [_flat(a) for a in program.inputs]
    shapes = [tuple(s if isinstance(s, int) else None for s in a.shape) for a in program.outputs]
    parts = [
        _SCRATCH,
        *bodies,
        _one(program),
        _many(program, target),
        *(_ahead(way) for way in ("read", "write")),
        *_movers(program, target),
        callable_ir(program.name, sizes, shapes, target.dtype, cost_ns),
        _elementary(one, many, target),
        *sorted(x for x in (one.needs | many.needs) if x.startswith("declare")),
        f"attributes #0 = {{ {attributes} }}",
    ]
    return without_repeated_declarations("\n\n".join(p for p in parts if p)) + "\n"


def without_repeated_declarations(text: str) -> str:
    """Each intrinsic declared once."""
    seen: set[str] = set()
    lines = []
    for line in text.split("\n"):
        if line.startswith("declare"):
            key = line.split("@")[1].split("(")[0]
            if key in seen:
                continue
            seen.add(key)
        lines.append(line)
    return "\n".join(lines)


def _flat(array: Array) -> int | None:
    """How many numbers an input has, if it is known."""
    total = array.width
    for s in array.shape:
        if not isinstance(s, int):
            return None
        total *= s
    return total


def _elementary(one: Function, many: Function, target: Target) -> str:
    """The functions that the bodies call."""
    wanted: list[tuple[str, int, str]] = []
    for f in (one, many):
        wanted += [(x, f.lanes, target.dtype) for x in f.needs if not x.startswith(("declare", "sincos_pack"))]
        if "sincos_pack" in f.needs:
            wanted.append(("sincos", f.pack, target.dtype))
    return elementary_ir(sorted(set(wanted)), target.fma) if wanted else ""


_SCRATCH = f"""define internal ptr @take(ptr %ctx) noinline #0 {{
entry:
  %place = getelementptr ptr, ptr %ctx, i64 {SPARE}
  %spare = atomicrmw xchg ptr %place, ptr null acquire
  %have = icmp ne ptr %spare, null
  br i1 %have, label %done, label %new
new:
  %rooms = getelementptr i64, ptr %ctx, i64 {ROOM}
  %room = load i64, ptr %rooms
  %mallocs = getelementptr ptr, ptr %ctx, i64 {MALLOC}
  %malloc = load ptr, ptr %mallocs
  %raw = call ptr %malloc(i64 %room)
  br label %done
done:
  %found = phi ptr [%spare, %entry], [%raw, %new]
  ret ptr %found
}}

define internal void @give(ptr %ctx, ptr %used) noinline #0 {{
entry:
  %place = getelementptr ptr, ptr %ctx, i64 {SPARE}
  %pair = cmpxchg ptr %place, ptr null, ptr %used release monotonic
  %kept = extractvalue {{ptr, i1}} %pair, 1
  br i1 %kept, label %done, label %drop
drop:
  %frees = getelementptr ptr, ptr %ctx, i64 {FREE}
  %free = load ptr, ptr %frees
  call void %free(ptr %used)
  br label %done
done:
  ret void
}}

define internal ptr @aligned(ptr %raw) alwaysinline #0 {{
  %number = ptrtoint ptr %raw to i64
  %more = add i64 %number, 63
  %round = and i64 %more, -64
  %step = sub i64 %round, %number
  %at = getelementptr i8, ptr %raw, i64 %step
  ret ptr %at
}}"""


def _one(program: Program) -> str:
    """`@one`: the body of one state, with scratch for a rolled Program's slots."""
    names = [f"ptr %x{k}" for k in range(len(program.inputs) + len(program.outputs))]
    head = f"define dso_local void @one({', '.join(names)}, ptr %ctx) #0 {{\nentry:\n"
    if not program.rolled:
        return f"{head}  call void @body_1({', '.join(names)}, ptr %ctx, ptr null)\n  ret void\n}}"
    call = f"  call void @body_1({', '.join(names)}, ptr %ctx, ptr %scratch)\n"
    take = "  %used = call ptr @take(ptr %ctx)\n  %scratch = call ptr @aligned(ptr %used)\n"
    return f"{head}{take}{call}  call void @give(ptr %ctx, ptr %used)\n  ret void\n}}"


def _movers(program: Program, target: Target) -> Iterator[str]:
    """Functions that bring rows of each size into lanes, and back."""
    for lanes in sorted({1, target.lanes}):
        for size in dict.fromkeys(_flat(a) for a in program.inputs):
            yield rows_to_lanes_ir(_mover("in", size, lanes), lanes, target.dtype, size)
        for size in dict.fromkeys(_flat(a) for a in program.outputs):
            yield lanes_to_rows_ir(_mover("out", size, lanes), lanes, target.dtype, size)


def _mover(way: str, size: int | None, lanes: int) -> str:
    return f"{way}_{'any' if size is None else size}_{lanes}"


class _Many:
    """Writes `@many(views, start, stop, ctx)`: blocks of lanes, then the rows that are left."""

    def __init__(self, program: Program, target: Target) -> None:
        self.program, self.target = program, target
        self.arrays = (*program.inputs, *program.outputs)
        self.streams = streamed(program) if target.lanes > 1 else ()
        self.lines: list[str] = []
        self.count = 0

    def emit(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %t{self.count} = {text}")
        return f"%t{self.count}"

    def text(self) -> str:
        self.lines.append("define dso_local void @many(ptr %views, i64 %start, i64 %stop, ptr %ctx) #0 {\nentry:")
        used = self.emit("call ptr @take(ptr %ctx)")
        scratch = self.emit(f"call ptr @aligned(ptr {used})")
        sizes = [self._size(a) for a in self.arrays]
        rooms, rest = self._rooms(scratch, sizes)
        views = [self._view(k) for k in range(len(self.arrays))]
        self.records = {a.name: self.emit(f"alloca [{STREAM} x i64]") for a in self.streams}
        last = "%start"
        if self.target.lanes > 1:
            last = self._loop("block", last, self.target.lanes, views, sizes, rooms, rest)
        self._loop("row", last, 1, views, sizes, rooms, rest)
        self.lines += [f"  call void @give(ptr %ctx, ptr {used})", "  ret void", "}"]
        return "\n".join(self.lines)

    def _size(self, array: Array) -> str:
        """How many numbers an array has in one state."""
        total = str(array.width)
        for s in array.shape:
            if isinstance(s, int):
                total = str(int(total) * s) if total.isdigit() else self.emit(f"mul i64 {total}, {s}")
            else:
                word = self.emit(f"getelementptr i64, ptr %ctx, i64 {('n', 'nq', 'nv').index(s)}")
                total = self.emit(f"mul i64 {self.emit(f'load i64, ptr {word}')}, {total}")
        return total

    def _rooms(self, scratch: str, sizes: list[str]) -> tuple[list[str], str]:
        """Where each array's lanes stand in scratch; slots come last."""
        rooms, at, step = [], "0", 64 // self.target.bytes
        for array, size in zip(self.arrays, sizes, strict=True):
            rooms.append(self.emit(f"getelementptr {self._item}, ptr {scratch}, i64 {at}"))
            need = self._need(size) if array in self.streams else self.emit(f"mul i64 {size}, {self.target.lanes}")
            up = self.emit(f"add i64 {need}, {step - 1}")
            at = self.emit(f"add i64 {at}, {self.emit(f'and i64 {up}, {-step}')}")
        return rooms, self.emit(f"getelementptr {self._item}, ptr {scratch}, i64 {at}")

    def _need(self, size: str) -> str:
        """Numbers for a tile, or for one whole state of the rows that are left."""
        tile = TILE * self.target.lanes
        larger = self.emit(f"icmp ugt i64 {size}, {tile}")
        return self.emit(f"select i1 {larger}, i64 {size}, i64 {tile}")

    @property
    def _item(self) -> str:
        return "double" if self.target.dtype == "f8" else "float"

    def _view(self, k: int) -> tuple[str, str, str]:
        """Data, bytes from state to state, bytes from number to number."""
        words = [self.emit(f"getelementptr i64, ptr %views, i64 {3 * k + j}") for j in range(3)]
        kinds = ("ptr", "i64", "i64")
        data, row, step = (self.emit(f"load {t}, ptr {w}") for t, w in zip(kinds, words, strict=True))
        return data, row, step

    def _loop(
        self, name: str, first: str, lanes: int, views: list[tuple[str, str, str]], sizes: list[str],
        rooms: list[str], rest: str,
    ) -> str:  # fmt: skip
        """Blocks of so many rows while they fit; the first row that is left."""
        row = f"%{name}"
        before = len(self.lines)
        self.lines += [f"  br label %{name}.head", f"{name}.head:", ""]
        end = self.emit(f"add i64 {row}, {lanes}")
        fits = self.emit(f"icmp ule i64 {end}, %stop")
        self.lines += [f"  br i1 {fits}, label %{name}.body, label %{name}.done", f"{name}.body:"]
        users = [self.emit(f"getelementptr i8, ptr {d}, i64 {self.emit(f'mul i64 {r}, {row}')}") for d, r, _ in views]
        moved = [k for k, a in enumerate(self.arrays) if lanes == 1 or a not in self.streams]
        count = len(self.program.inputs)
        for k in (k for k in moved if k < count):
            self._move("in", k, lanes, (users[k], *views[k][1:]), rooms[k], sizes[k])
        if lanes > 1 and self._is_wide() and not self.streams:
            self._look_ahead(end, views)
        self._body(lanes, users, views, rooms, rest)
        for k in (k for k in moved if k >= count):
            self._move("out", k, lanes, (users[k], *views[k][1:]), rooms[k], sizes[k])
        self.lines += [f"  br label %{name}.head", f"{name}.done:"]
        previous = "entry" if name == "block" or self.target.lanes == 1 else "block.done"
        self.lines[before + 2] = f"  {row} = phi i64 [{first}, %{previous}], [{end}, %{name}.body]"
        return row

    def _move(self, way: str, k: int, lanes: int, user: tuple[str, str, str], room: str, size: str) -> None:
        """Rows into lanes, or back."""
        mover, (at, stride, step) = _mover(way, _flat(self.arrays[k]), lanes), user
        there, here = f"ptr {at}, i64 {stride}, i64 {step}", f"ptr {room}"
        words = f"{there}, {here}" if way == "in" else f"{here}, {there}"
        self.lines.append(f"  call void @{mover}({words}, i64 {size})")

    def _body(
        self, lanes: int, users: list[str], views: list[tuple[str, str, str]], rooms: list[str], rest: str
    ) -> None:  # fmt: skip
        """The call of the body: with rooms, or with records of what streams."""
        given = list(rooms)
        for k, array in enumerate(self.arrays):
            if lanes > 1 and array in self.streams:
                given[k] = record = self.records[array.name]
                words = (("ptr", users[k]), ("i64", views[k][1]), ("i64", views[k][2]), ("ptr", rooms[k]))
                for j, (kind, word) in enumerate(words):
                    at = self.emit(f"getelementptr i64, ptr {record}, i64 {j}")
                    self.lines.append(f"  store {kind} {word}, ptr {at}")
        words = f"{', '.join(f'ptr {x}' for x in given)}, ptr %ctx, ptr {rest}"
        self.lines.append(f"  call void @{'body_1' if lanes == 1 else 'body_lanes'}({words})")

    def _is_wide(self) -> bool:
        """Whether a state has so many numbers that the processor alone does not fetch them in time."""
        sizes = [_flat(a) for a in self.arrays]
        return None in sizes or sum(s or 0 for s in sizes) > NARROW

    def _look_ahead(self, row: str, views: list[tuple[str, str, str]]) -> None:
        """Asks for the next block's rows while this block is computed."""
        for k, (data, stride, _) in enumerate(views):
            at = self.emit(f"getelementptr i8, ptr {data}, i64 {self.emit(f'mul i64 {stride}, {row}')}")
            size = self.emit(f"mul i64 {stride}, {self.target.lanes}")
            way = "read" if k < len(self.program.inputs) else "write"
            self.lines.append(f"  call void @ahead_{way}(ptr {at}, i64 {size})")


def _ahead(way: str) -> str:
    """A function that asks for the cache lines of some memory; asking for what is not there does no harm."""
    return f"""define internal void @ahead_{way}(ptr %at, i64 %size) noinline #0 {{
entry:
  %far = icmp ugt i64 %size, {AHEAD}
  %limit = select i1 %far, i64 {AHEAD}, i64 %size
  br label %test
test:
  %k = phi i64 [0, %entry], [%next, %line]
  %more = icmp ult i64 %k, %limit
  br i1 %more, label %line, label %done
line:
  %p = getelementptr i8, ptr %at, i64 %k
  call void @llvm.prefetch.p0(ptr %p, i32 {int(way == "write")}, i32 3, i32 1)
  %next = add i64 %k, 64
  br label %test
done:
  ret void
}}

declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"""


def _many(program: Program, target: Target) -> str:
    return _Many(program, target).text()
