"""A step of DOP853 as LLVM text: for any robot whose kernels, law and memory a `Job` names.

States are padded to whole blocks of four numbers. The padding of y is 1 and its derivative 0, so it adds no error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from struct import pack, unpack

from . import dop853_table as table

BLOCK = 4
V = f"<{BLOCK} x double>"


class Word(IntEnum):
    """Where a job, an array of 64-bit words, holds what: numbers, and pointers to doubles, functions and contexts."""

    NQ = 0
    NV = 1
    PADDED = 2  # numbers in a state, with padding
    ACCELERATE = 3
    ACCELERATE_CONTEXT = 4
    RATES = 5
    RATES_CONTEXT = 6
    LAW = 7  # a function (t, q, v) -> tau, or null
    LAW_CONTEXT = 8
    TAU = 9
    TAU_CUBIC = 10  # rows of rising powers of t - begin
    WRENCHES = 11  # how many numbers; 0 if none
    WRENCH = 12
    WRENCH_CUBIC = 13
    NUMBERS = 14  # begin, rtol, atol, now
    Y = 15
    Z = 16
    Y1 = 17
    K = 18
    COUNT = 19


BEGIN, RTOL, ATOL, NOW = range(4)


def module(triple: str, attributes: str) -> str:
    """The functions `derive(job, t, y, dy)`, `attempt(job, t, h) -> error^2`, `finish(job, t, h, F)`."""
    parts = [_CUBIC, _derive(), _attempt(), _finish(), f"attributes #0 = {{ {attributes} }}"]
    return "\n\n".join([f'target triple = "{triple}"', *parts])


_CUBIC = """define internal void @cubic(ptr %to, ptr %c, i64 %count, double %x) #0 {
entry:
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %p0 = getelementptr double, ptr %c, i64 %i
  %p1 = getelementptr double, ptr %p0, i64 %count
  %p2 = getelementptr double, ptr %p1, i64 %count
  %p3 = getelementptr double, ptr %p2, i64 %count
  %c0 = load double, ptr %p0
  %c1 = load double, ptr %p1
  %c2 = load double, ptr %p2
  %c3 = load double, ptr %p3
  %m3 = fmul double %c3, %x
  %a2 = fadd double %m3, %c2
  %m2 = fmul double %a2, %x
  %a1 = fadd double %m2, %c1
  %m1 = fmul double %a1, %x
  %a0 = fadd double %m1, %c0
  %at = getelementptr double, ptr %to, i64 %i
  store double %a0, ptr %at
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}"""


def _word(name: Word, kind: str = "ptr") -> str:
    low = name.name.lower()
    return f"  %{low}_at = getelementptr i64, ptr %job, i64 {int(name)}\n  %{low} = load {kind}, ptr %{low}_at\n"


def _number(place: int, name: str) -> str:
    return f"  %{name}_at = getelementptr double, ptr %numbers, i64 {place}\n  %{name} = load double, ptr %{name}_at\n"


def _derive() -> str:
    """The right-hand side: forces by their cubics or by the law, then the kernels."""
    words = [_word(w) for w in Word if w.name not in ("NQ", "NV", "PADDED", "WRENCHES", "Y", "Z", "Y1", "K", "COUNT")]
    counts = [_word(w, "i64") for w in (Word.NQ, Word.NV, Word.WRENCHES)]
    return f"""define dso_local void @derive(ptr %job, double %t, ptr %q, ptr %dq) #0 {{
entry:
{"".join([*words, *counts])}{_number(BEGIN, "begin")}  %v = getelementptr double, ptr %q, i64 %nq
  %a = getelementptr double, ptr %dq, i64 %nq
  %power = getelementptr double, ptr %a, i64 %nv
  %x = fsub double %t, %begin
  %lawful = icmp ne ptr %law, null
  br i1 %lawful, label %asked, label %told
asked:
  %now = getelementptr double, ptr %numbers, i64 {NOW}
  store double %t, ptr %now
  call void %law(ptr %now, ptr %q, ptr %v, ptr %tau, ptr %law_context)
  br label %driven
told:
  call void @cubic(ptr %tau, ptr %tau_cubic, i64 %nv, double %x)
  br label %driven
driven:
  %free = icmp eq i64 %wrenches, 0
  br i1 %free, label %alone, label %pushed
alone:
  call void %accelerate(ptr %q, ptr %v, ptr %tau, ptr %a, ptr %accelerate_context)
  call void %rates(ptr %q, ptr %v, ptr %tau, ptr %dq, ptr %power, ptr %rates_context)
  ret void
pushed:
  call void @cubic(ptr %wrench, ptr %wrench_cubic, i64 %wrenches, double %x)
  call void %accelerate(ptr %q, ptr %v, ptr %tau, ptr %wrench, ptr %a, ptr %accelerate_context)
  call void %rates(ptr %q, ptr %v, ptr %tau, ptr %wrench, ptr %dq, ptr %power, ptr %rates_context)
  ret void
}}"""


class _Lines:
    """Writes instructions with numbered names; constants as their bits."""

    def __init__(self, prefix: str) -> None:
        self.prefix, self.lines, self.count = prefix, [], 0

    def put(self, text: str, name: str = "") -> str:
        self.count += not name
        name = name or f"%{self.prefix}{self.count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def row(self, K: str, k: int, at: str) -> str:
        """A block of the k-th row of K."""
        start = self.put(f"mul i64 %padded, {k}")
        place = self.put(f"add i64 {start}, {at}")
        return self.load(K, place)

    def load(self, base: str, place: str) -> str:
        return self.put(f"load {V}, ptr {self.put(f'getelementptr double, ptr {base}, i64 {place}')}, align 8")

    def store(self, value: str, base: str, place: str) -> None:
        self.lines.append(
            f"  store {V} {value}, ptr {self.put(f'getelementptr double, ptr {base}, i64 {place}')}, align 8"
        )

    def op(self, name: str, a: str, b: str) -> str:
        return self.put(f"{name} {V} {a}, {b}")

    def sum(self, terms: Sequence[tuple[float, str]]) -> str:
        total = ""
        for factor, x in terms:
            term = self.op("fmul", x, splat(factor))
            total = self.op("fadd", total, term) if total else term
        return total


def bits(x: float) -> str:
    """A constant."""
    return f"0x{unpack('>Q', pack('>d', x))[0]:016X}"


def splat(x: float) -> str:
    """A block of one constant."""
    return f"<{', '.join([f'double {bits(x)}'] * BLOCK)}>"


def spread(name: str) -> str:
    """A number of the program in every place of a block, as `%name_all`."""
    return (
        f"  %{name}_one = insertelement {V} poison, double %{name}, i64 0\n"
        f"  %{name}_all = shufflevector {V} %{name}_one, {V} poison, <{BLOCK} x i32> zeroinitializer\n"
    )


def _loop(label: str, before: str, after: str, body: Sequence[str], phis: Sequence[str] = ()) -> str:
    """A loop over the blocks of a state; it comes from the label `before` and goes on to `after`."""
    head = [f"{label}:", f"  %{label}_i = phi i64 [0, %{before}], [%{label}_next, %{label}]", *phis]
    tail = [
        f"  %{label}_next = add i64 %{label}_i, {BLOCK}",
        f"  %{label}_more = icmp slt i64 %{label}_next, %padded",
        f"  br i1 %{label}_more, label %{label}, label %{after}",
    ]
    return "\n".join([*head, *body, *tail])


def _stage(s: int, before: str, after: str) -> str:
    """z = y + h (sum of a K), and from there the next row of K."""
    w, at = _Lines(f"s{s}_"), f"%stage{s}_i"
    terms = [(float(a), w.row("%k", j, at)) for j, a in enumerate(table.A[s]) if a]
    moved = w.op("fmul", w.sum(terms), "%h_all")
    w.store(w.op("fadd", w.load("%y", at), moved), "%z", at)
    call = f"""stage{s}_done:
  %row{s} = mul i64 %padded, {s}
  %to{s} = getelementptr double, ptr %k, i64 %row{s}
  %ahead{s} = fmul double %h, {bits(float(table.C[s]))}
  %t{s} = fadd double %t, %ahead{s}
  call void @derive(ptr %job, double %t{s}, ptr %z, ptr %to{s})
  br label %{after}"""
    return _loop(f"stage{s}", before, f"stage{s}_done", w.lines) + "\n" + call


def _stages(which: Sequence[int], after: str) -> Iterator[str]:
    for s in which:
        before = "entry" if s == which[0] else f"stage{s - 1}_done"
        yield _stage(s, before, f"stage{s + 1}" if s != which[-1] else after)


def _head(*names: Word) -> str:
    return "".join([_word(Word.PADDED, "i64"), *(_word(name) for name in names)]) + spread("h")


def _attempt() -> str:
    """Stages 1 to 12; y1 is z of the last; the two sums of squares of errors become one number."""
    w, at = _Lines("e"), "%error_i"
    y, z = w.load("%y", at), w.load("%z", at)
    w.store(z, "%y1", at)
    sizes = [w.put(f"call {V} @llvm.fabs.v{BLOCK}f64({V} {x})") for x in (y, z)]
    larger = w.put(f"fcmp ogt {V} {sizes[0]}, {sizes[1]}")
    near = w.put(f"select <{BLOCK} x i1> {larger}, {V} {sizes[0]}, {V} {sizes[1]}")
    near = w.op("fadd", w.op("fmul", near, "%rtol_all"), "%atol_all")
    rows = {j: w.row("%k", j, at) for j in range(13) if table.E5[j] or table.E3[j]}
    for name, row in (("five", table.E5), ("three", table.E3)):
        x = w.op("fdiv", w.sum([(float(row[j]), rows[j]) for j in rows if row[j]]), near)
        w.put(f"fadd {V} %{name}, {w.op('fmul', x, x)}", f"%{name}_next")
    phis = [f"  %{x} = phi {V} [zeroinitializer, %stage12_done], [%{x}_next, %error]" for x in ("five", "three")]
    numbers = _word(Word.NUMBERS) + _number(RTOL, "rtol") + _number(ATOL, "atol") + spread("rtol") + spread("atol")
    return "\n".join([
        f"declare {V} @llvm.fabs.v{BLOCK}f64({V})\n",
        f"define dso_local void @attempt(ptr %job, double %t, double %h, ptr %sums) #0 {{\nentry:\n"
        f"{_head(Word.Y, Word.Z, Word.Y1, Word.K)}{numbers}  br label %stage1",
        *_stages(range(1, 13), "error"),
        _loop("error", "stage12_done", "done", w.lines, phis),
        f"done:\n  store {V} %five_next, ptr %sums, align 8\n"
        f"  %second = getelementptr double, ptr %sums, i64 {BLOCK}\n"
        f"  store {V} %three_next, ptr %second, align 8\n  ret void\n}}",
    ])  # fmt: skip


def _finish() -> str:
    """Stages 13 to 15 and the polynomials of the step; then the step is made: y is y1, K0 is K12."""
    w, at = _Lines("f"), "%dense_i"
    y, y1 = w.load("%y", at), w.load("%y1", at)
    rows = {j: w.row("%k", j, at) for j in range(table.EXTENDED) if j in (0, 12) or table.D[:, j].any()}
    dy, first, last = w.op("fsub", y1, y), w.op("fmul", rows[0], "%h_all"), w.op("fmul", rows[12], "%h_all")
    bent = w.op("fsub", w.op("fadd", dy, dy), w.op("fadd", first, last))
    more = [w.op("fmul", w.sum([(float(x), rows[j]) for j, x in enumerate(row) if x]), "%h_all") for row in table.D]
    for k, value in enumerate([dy, w.op("fsub", first, dy), bent, *more]):
        w.store(value, "%F", w.put(f"add i64 {w.put(f'mul i64 %padded, {k}')}, {at}"))
    w.store(y1, "%y", at)
    w.store(rows[12], "%k", at)
    return "\n".join([
        f"define dso_local void @finish(ptr %job, double %t, double %h, ptr %F) #0 {{\nentry:\n"
        f"{_head(Word.Y, Word.Z, Word.Y1, Word.K)}  br label %stage13",
        *_stages(range(13, 16), "dense"),
        _loop("dense", "stage15_done", "done", w.lines),
        "done:\n  ret void\n}",
    ])  # fmt: skip
