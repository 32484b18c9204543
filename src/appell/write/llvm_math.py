"""LLVM IR of elementary functions, inline and self-contained: no libm call, no undefined symbol.

Every function is `@<name>_<dtype>_<lanes>`, works lane by lane, and gives each lane the same bits at any
number of lanes. Errors stay within 2 ulp (sincos: for every finite argument), of atan2 within 3.
The caller defines the attribute group #0 (target CPU, features, nounwind).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial

from .llvm_sincos import _sincos_parts, half_pi_parts
from .llvm_text import BIAS, MANTISSA, ROUND, Lane, Text, Value, constant, raw_bits

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
