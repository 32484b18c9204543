"""LLVM IR of sine and cosine together: a short reduction, and a long one for what is beyond it."""

from __future__ import annotations

import math
from functools import cache

from .llvm_text import REAL, ROUND, WHOLE, WIDTH, Lane, Text, Value, constant

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
