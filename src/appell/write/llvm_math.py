"""LLVM IR of elementary functions, inline and self-contained: no libm call, no undefined symbol.

Every function is `@<name>_<dtype>_<lanes>`, works lane by lane, and gives each lane the same bits at any
number of lanes. Errors stay within 2 ulp (sincos: for every finite argument), of atan2 within 3.
The caller defines the attribute group #0 (target CPU, features, nounwind).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial

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


# ------------------------------------------------------------------------------- sine and cosine
# Below this |x| the reduction by three parts of pi/2 is good to 2 ulp; beyond, all bits of 2/pi are needed.
LIMIT = {("f8", True): 2.0**30, ("f8", False): 2.0**17, ("f4", True): 2.0**17, ("f4", False): 2.0**17}
# The dtype of the reduction, and the bits of pi/2 in each part: without FMA few enough that n times a part is
# exact (Cody and Waite), for floats in double.
PARTS = {
    ("f8", True): ("f8", (53, 53, 53)),
    ("f8", False): ("f8", (36, 36, 53)),
    ("f4", True): ("f4", (24, 24, 24)),
    ("f4", False): ("f8", (33, 53)),
}
SIN = {
    "f8": (-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
           2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10),
    "f4": (-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4),
}  # fmt: skip
COS = {
    "f8": (4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
           -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11),
    "f4": (4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5),
}  # fmt: skip


@cache
def pi_bits(bits: int) -> int:
    """pi 2^bits, rounded down, by Machin's 16 atan(1/5) - 4 atan(1/239)."""

    def atan_inverse(k: int) -> int:
        term = total = (1 << (bits + 32)) // k
        n, sign = 1, 1
        while term:
            term, n, sign = term // (k * k), n + 2, -sign
            total += sign * (term // n)
        return total

    return (16 * atan_inverse(5) - 4 * atan_inverse(239)) >> 32


def half_pi_parts(*widths: int) -> list[float]:
    """pi/2 as a sum of positive numbers with so many bits each (positive: so that -0.0 keeps its sign)."""
    rest, parts = pi_bits(400), []
    for width in widths:
        drop = rest.bit_length() - width
        parts.append(math.ldexp(rest >> drop, drop - 401))
        rest &= (1 << drop) - 1
    return parts


def _reduce(f: Text, x: Value) -> tuple[Value, Value]:
    """x - n pi/2 and the bits of n; the first step is exact, without FMA the products too."""
    dtype, widths = PARTS[f.lane.dtype, f.fma]
    wide = dtype != f.lane.dtype
    r = x.cast("fpext", f.lane.of("double")) if wide else x
    t = f.mad(r, 2 / math.pi, ROUND[dtype])
    n, bits = t - ROUND[dtype], t.cast("bitcast", f.lane.of(WHOLE[dtype]))
    for part in half_pi_parts(*widths):
        r = f.mad(n, -part, r)
    return (r.cast("fptrunc", f.lane.real), bits.cast("trunc", f.lane.whole)) if wide else (r, bits)


def _quadrant(f: Text, r: Value, n: Value) -> tuple[Value, Value]:
    """Sine and cosine of r + n pi/2 for |r| <= pi/4: polynomials, swapped and signed by the end of n."""
    width = WIDTH[f.lane.dtype]
    sign, shift = -(1 << (width - 1)), width - 2
    z = r * r
    zz = z * z
    sine = f.bits(f.mad(f.polynomial(z, zz, SIN[f.lane.dtype]), r * z, r)) | (f.bits(r) & sign)  # -0.0 stays
    cosine = f.bits(f.mad(f.polynomial(z, zz, COS[f.lane.dtype]), zz, f.mad(z, -0.5, 1.0)))
    odd = f.compare("ne", n & 1, 0)
    s, c = f.select(odd, cosine, sine), f.select(odd, sine, cosine)
    return f.number(s ^ ((n << shift) & sign)), f.number(c ^ (((n + 1) << shift) & sign))


def _sincos(lane: Lane, fma: bool) -> str:
    f = Text(lane, fma)
    x, pair = f.argument(), f"{{{lane.real}, {lane.real}}}"
    s, c = _quadrant(f, *_reduce(f, x))
    far = f.compare("ugt", f.absolute(x), LIMIT[lane.dtype, fma])
    far = far if lane.lanes == 1 else f.call(f"llvm.vector.reduce.or.{lane.suffix('i1')}", "i1", far)
    f.lines += [f"  br i1 {far.name}, label %far, label %done", "far:"]
    big = f"sincos_big_{lane.dtype}" if lane.lanes == 1 else f"sincos_far_{lane.tag}"
    slow = f.call(big, pair, *([x] if lane.lanes == 1 else [x, s, c]))
    results = [f.emit(f"extractvalue {pair} {slow.name}, {i}", lane.real) for i in (0, 1)]
    f.lines += ["  br label %done", "done:"]
    merge = zip((s, c), results, strict=True)
    results = [f.emit(f"phi {lane.real} [{a.name}, %entry], [{b.name}, %far]", lane.real) for a, b in merge]
    return f.function(f"{pair} @sincos_{lane.tag}({lane.real} %x) alwaysinline", results)


def _sincos_far(lane: Lane, fma: bool) -> str:
    """Replace the lanes beyond the limit, one by one; the others keep what they have."""
    T, R, pair = lane.real, REAL[lane.dtype], f"{{{lane.real}, {lane.real}}}"
    limit, absolute = constant(LIMIT[lane.dtype, fma], R), f"@llvm.fabs.{Lane(1, lane.dtype).suffix(R)}"
    return f"""define internal {pair} @sincos_far_{lane.tag}({T} %x, {T} %s, {T} %c) noinline cold #0 {{
entry:
  br label %lane
lane:
  %l = phi i64 [0, %entry], [%l1, %next]
  %s0 = phi {T} [%s, %entry], [%s2, %next]
  %c0 = phi {T} [%c, %entry], [%c2, %next]
  %xl = extractelement {T} %x, i64 %l
  %size = call {R} {absolute}({R} %xl)
  %far = fcmp ugt {R} %size, {limit}
  br i1 %far, label %big, label %next
big:
  %p = call {{{R}, {R}}} @sincos_big_{lane.dtype}({R} %xl)
  %sl = extractvalue {{{R}, {R}}} %p, 0
  %cl = extractvalue {{{R}, {R}}} %p, 1
  %s1 = insertelement {T} %s0, {R} %sl, i64 %l
  %c1 = insertelement {T} %c0, {R} %cl, i64 %l
  br label %next
next:
  %s2 = phi {T} [%s0, %lane], [%s1, %big]
  %c2 = phi {T} [%c0, %lane], [%c1, %big]
  %l1 = add i64 %l, 1
  %more = icmp ult i64 %l1, {lane.lanes}
  br i1 %more, label %lane, label %done
done:
  %r0 = insertvalue {pair} poison, {T} %s2, 0
  %r1 = insertvalue {pair} %r0, {T} %c2, 1
  ret {pair} %r1
}}"""


@cache
def _two_over_pi() -> str:
    """The bits of 2/pi in 64-bit words, after one word of zeros."""
    words = 19
    bits = (1 << (64 * words + 1 + 1300)) // pi_bits(1300)
    row = ", ".join(f"i64 {bits >> (64 * (words - k)) & (2**64 - 1)}" for k in range(words + 1))
    return f"@two_over_pi = internal unnamed_addr constant [{words + 1} x i64] [{row}], align 8"


def _big_reduction(f: Text, x: Value) -> tuple[Value, Value]:
    """Payne and Hanek: |x| = m 2^e times the 192 bits of 2/pi that decide x mod 2 pi and 2^-137 beyond."""
    raw = f.bits(x)
    exponent = (raw >> 52) & 2047
    m = (raw & (2**52 - 1)) | 2**52
    first = exponent - 1013  # bit of the table whose product with m weighs 2
    at = f.emit(f"getelementptr i64, ptr @two_over_pi, i64 {(first >> 6).name}", "ptr")
    words = []
    for k in range(4):
        here = f.emit(f"getelementptr i64, ptr {at.name}, i64 {k}", "ptr")
        words.append(f.emit(f"load i64, ptr {here.name}, align 8", "i64"))
    offset = first & 63
    high, middle, low = (f.call("llvm.fshl.i64", "i64", words[k], words[k + 1], offset) for k in range(3))
    wide = m.cast("zext", "i128")
    sum_ = wide * middle.cast("zext", "i128") + ((wide * low.cast("zext", "i128")) >> 64)
    turn = sum_ + ((m * high).cast("zext", "i128") << 64)  # quarter turns mod 4, 126 bits of fraction
    fraction = turn << 2
    back = f.compare("slt", fraction, 0)
    n = (turn >> 126).cast("trunc", "i64") + back.cast("zext", "i64")
    size = f.select(back, -fraction, fraction)
    zeros = f.emit(f"call i128 @llvm.ctlz.i128(i128 {size.name}, i1 false)", "i128")
    top = ((size << zeros) >> 64) * pi_bits(62)  # times pi/2
    r = (top >> 64).cast("trunc", "i64").cast("uitofp", "double")
    r = r * f.number((960 - zeros.cast("trunc", "i64")) << 52)
    return f.select(back, -r, r), n


def _sincos_big_f8(fma: bool) -> str:
    f = Text(Lane(1, "f8"), fma)
    x = f.argument()
    s, c = _quadrant(f, *_big_reduction(f, x))
    s = f.number(f.bits(s) ^ (f.bits(x) & -(2**63)))
    finite = f.compare("one", f.absolute(x), math.inf)
    s, c = f.select(finite, s, math.nan), f.select(finite, c, math.nan)
    return f.function("{double, double} @sincos_big_f8(double %x) noinline cold", [s, c])


def _sincos_big_f4() -> str:
    f = Text(Lane(1, "f4"), True)
    pair = f.call("sincos_big_f8", "{double, double}", f.argument().cast("fpext", "double"))
    wide = [f.emit(f"extractvalue {pair.kind} {pair.name}, {i}", "double") for i in (0, 1)]
    both = [x.cast("fptrunc", "float") for x in wide]
    return f.function("{float, float} @sincos_big_f4(float %x) noinline cold", both)


def _sincos_parts(lane: Lane, fma: bool) -> dict[str, str]:
    parts = {"two_over_pi": _two_over_pi(), "sincos_big_f8": _sincos_big_f8(fma)}
    if lane.dtype == "f4":
        parts["sincos_big_f4"] = _sincos_big_f4()
    if lane.lanes > 1:
        parts[f"sincos_far_{lane.tag}"] = _sincos_far(lane, fma)
    parts[f"sincos_{lane.tag}"] = _sincos(lane, fma)
    return parts


# ------------------------------------------------------------------------------- exp, log, tanh, atan2
LN2 = {
    "f8": (6.93147180369123816490e-01, 1.90821492927058770002e-10),
    "f4": (6.9314575195e-1, 1.4286067653e-6),
}  # the high part has zeros at its end: n times it is exact
EXP_RANGE = {"f8": (-746.0, 710.0), "f4": (-104.0, 89.0)}
EXP_DEGREE = {"f8": 13, "f4": 7}
LOG = {
    "f8": (6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
           2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01,
           1.479819860511658591e-01),
    "f4": (0xAAAAAA / 2**24, 0xCCCE13 / 2**25, 0x91E9EE / 2**25, 0xF89E26 / 2**26),
}  # fmt: skip
TANH_P = (-1.61468768441708447952e3, -9.92877231001918586564e1, -9.64399179425052238628e-1)
TANH_Q = (4.84406305325125486048e3, 2.23548839060100448583e3, 1.12811678491632931402e2, 1.0)
TANH_F4 = (-3.33332819422e-1, 1.33314422036e-1, -5.37397155531e-2, 2.06390887954e-2, -5.70498872745e-3)
ATAN_P = (-6.485021904942025371773e1, -1.228866684490136173410e2, -7.500855792314704667340e1,
          -1.615753718733365076637e1, -8.750608600031904122785e-1)  # fmt: skip
ATAN_Q = (1.945506571482613964425e2, 4.853903996359136964868e2, 4.328810604912902668951e2,
          1.650270098316988542046e2, 2.485846490142306297962e1, 1.0)  # fmt: skip
ATAN_F4 = (-3.33329491539e-1, 1.99777106478e-1, -1.38776856032e-1, 8.05374449538e-2)


def _exp(f: Text, x: Value) -> Value:
    """2^n e^r with |r| <= ln(2)/2; 2^n in two factors, for results below the normal range."""
    dtype, (least, most) = f.lane.dtype, EXP_RANGE[f.lane.dtype]
    x = f.select(f.compare("olt", x, least), least, x)  # ordered: a NaN passes
    x = f.select(f.compare("ogt", x, most), most, x)
    t = f.mad(x, 1 / math.log(2), ROUND[dtype])
    n = t - ROUND[dtype]
    r = f.mad(n, -LN2[dtype][1], f.mad(n, -LN2[dtype][0], x))
    series = [1 / math.factorial(k) for k in range(2, EXP_DEGREE[dtype] + 1)]
    rr = r * r
    y = f.mad(rr, f.polynomial(r, rr, series), r) + 1.0
    k = f.bits(t) - raw_bits(ROUND[dtype], dtype)
    half = f.emit(f"ashr {k.kind} {k.name}, {constant(1, k.kind)}", k.kind)
    for power in (half, k - half):
        y = y * f.number((power + BIAS[dtype]) << MANTISSA[dtype])
    return y


def _log(f: Text, x: Value) -> Value:
    """log(2^k (1 + d)) with 1 + d in [sqrt(1/2), sqrt(2)), as fdlibm does."""
    dtype, mantissa = f.lane.dtype, MANTISSA[f.lane.dtype]
    tiny = f.compare("olt", x, 2.0 ** (1 - BIAS[dtype]))
    scaled = f.select(tiny, x * 2.0 ** (mantissa + 2), x)
    root = raw_bits(math.sqrt(0.5), dtype)
    ix = f.bits(scaled) + (raw_bits(1.0, dtype) - root)
    d = f.number((ix & ((1 << mantissa) - 1)) + root) - 1.0
    k = f.number((ix >> mantissa) + (raw_bits(ROUND[dtype], dtype) - BIAS[dtype])) - ROUND[dtype]
    k = k - f.select(tiny, float(mantissa + 2), 0.0, k.kind)
    s = d / (d + 2.0)
    z = s * s
    rest = f.polynomial(z, z * z, LOG[dtype]) * z
    square = d * d * 0.5
    low = f.mad(k, LN2[dtype][1], s * (square + rest))
    y = f.mad(k, LN2[dtype][0], d - (square - low))
    y = f.select(f.compare("oeq", x, math.inf), math.inf, y)
    y = f.select(f.compare("oeq", x, 0.0), -math.inf, y)
    return f.select(f.compare("ult", x, 0.0), math.nan, y)


def _tanh(f: Text, x: Value) -> Value:
    z = x * x
    zz = z * z
    if f.lane.dtype == "f8":
        curve = f.polynomial(z, zz, TANH_P) / f.polynomial(z, zz, TANH_Q)
    else:
        curve = f.polynomial(z, zz, TANH_F4)
    small = f.mad(curve, x * z, x)
    size = f.absolute(x)
    large = 1.0 - 2.0 / (_exp(f, size + size) + 1.0)
    return f.signed(f.select(f.compare("olt", size, 0.625), small, large), x)


def _atan2(f: Text, y: Value, x: Value) -> Value:
    """atan of the smaller over the larger, turned by pi/4 where their ratio exceeds tan(pi/8), unfolded."""
    a, b = f.absolute(x), f.absolute(y)
    steep = f.compare("ogt", b, a)
    most, least = f.select(steep, b, a), f.select(steep, a, b)
    huge = f.compare("ogt", most, 2.0 ** (BIAS[f.lane.dtype] - 3))
    scale = f.select(huge, 0.125, 1.0, most.kind)  # their sum would overflow
    most, least = most * scale, least * scale
    equal, some = f.compare("oeq", most, least), f.compare("ogt", most, 0.0)  # 0/0 and inf/inf are named here
    turned = (f.compare("ogt", least, most * math.tan(math.pi / 8)) | equal) & some
    top = f.select(equal, 0.0, f.select(turned, least - most, least))
    t = top / f.select(equal, 1.0, f.select(turned, least + most, most))
    angle = _atan(f, t)
    eighths = f.select(turned, 1.0, 0.0, t.kind)  # the angle is eighths pi/4 + angle
    for flip, turn in ((steep, 2.0), (f.compare("slt", f.bits(x), 0), 4.0)):
        eighths, angle = f.select(flip, turn - eighths, eighths), f.select(flip, -angle, angle)
    width = MANTISSA[f.lane.dtype] + 1
    high, low = (part / 2 for part in half_pi_parts(width, width))
    return f.signed(f.mad(eighths, high, f.mad(eighths, low, angle)), y)


def _atan(f: Text, t: Value) -> Value:
    z = t * t
    zz = z * z
    if f.lane.dtype == "f8":
        curve = f.polynomial(z, zz, ATAN_P) / f.polynomial(z, zz, ATAN_Q)
    else:
        curve = f.polynomial(z, zz, ATAN_F4)
    return f.mad(curve, t * z, t)


BODIES: dict[str, tuple[Callable[..., Value], tuple[str, ...]]] = {
    "exp": (_exp, ("x",)),
    "log": (_log, ("x",)),
    "tanh": (_tanh, ("x",)),
    "atan2": (_atan2, ("y", "x")),
}


def _plain_parts(name: str, lane: Lane, fma: bool) -> dict[str, str]:
    body, names = BODIES[name]
    f = Text(lane, fma)
    result = body(f, *(f.argument(n) for n in names))
    given, symbol = ", ".join(f"{lane.real} %{n}" for n in names), f"{name}_{lane.tag}"
    return {symbol: f.function(f"{lane.real} @{symbol}({given}) alwaysinline", [result])}


def _parts(name: str, lanes: int, dtype: str, fma: bool) -> dict[str, str]:
    lane = Lane(lanes, dtype)
    return _sincos_parts(lane, fma) if name == "sincos" else _plain_parts(name, lane, fma)


def _ir(name: str, lanes: int, dtype: str, fma: bool = True) -> str:
    """One function of ELEMENTARY with all that it calls."""
    return "\n".join(_parts(name, lanes, dtype, fma).values())


# name -> writer(lanes, dtype, fma=True) of its text
ELEMENTARY: dict[str, Callable[..., str]] = {name: partial(_ir, name) for name in ("sincos", *BODIES)}
sincos_ir, exp_ir, log_ir, tanh_ir, atan2_ir = ELEMENTARY.values()


def elementary_ir(wanted: Iterable[tuple[str, int, str]], fma: bool = True) -> str:
    """The functions (name, lanes, dtype) of one module, with what several of them share written once."""
    parts: dict[str, str] = {}
    for name, lanes, dtype in wanted:
        parts |= _parts(name, lanes, dtype, fma)
    return "\n".join(parts.values())
