"""The elementary functions in IR: accuracy, special values, independence of lanes, no undefined symbol."""

from __future__ import annotations

import ctypes
import math
import platform
import struct
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from oracles.few import few

from appell.write.llvm_math import ELEMENTARY, elementary_ir, sincos_ir
from appell.write.llvm_sincos import LIMIT

ll = pytest.importorskip("llvmlite.binding")
ATTRIBUTES = (
    'attributes #0 = {{ nounwind "target-cpu"="{0}" "target-features"="{1}" "prefer-vector-width"="512" '
    '"min-legal-vector-width"="512" "no-builtins" "no-stack-arg-probe" }}'
)
ENGINES: list[object] = []  # code must outlive its callers
REAL = {"f8": "double", "f4": "float"}
KINDS = [(dtype, fma) for dtype in ("f8", "f4") for fma in (True, False)]
WIDE = np.finfo(np.longdouble).nmant >= 63
needs_long_double = pytest.mark.skipif(not WIDE, reason="the reference needs an 80-bit long double")


def host() -> tuple[str, str]:
    return ll.get_host_cpu_name(), ll.get_host_cpu_features().flatten()


def has_fma() -> bool:
    return platform.machine() not in ("x86_64", "AMD64") or bool(ll.get_host_cpu_features().get("fma"))


def object_code(text: str, cpu: str, features: str, triple: str = ""):
    """The object of a module after inlining, and its target machine."""
    ll.initialize_all_targets()
    ll.initialize_all_asmprinters()
    target = ll.Target.from_triple(triple) if triple else ll.Target.from_default_triple()
    machine = target.create_target_machine(cpu=cpu, features=features, opt=1, jit=not triple)
    module = ll.parse_assembly(text + "\n" + ATTRIBUTES.format(cpu, features))
    builder = ll.create_pass_builder(machine, ll.create_pipeline_tuning_options(speed_level=0))
    passes = ll.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.run(module, builder)
    return machine.emit_object(module), machine


def loop_text(name: str, lanes: int, dtype: str) -> str:
    """A function that applies another to n numbers, `lanes` at a time."""
    real, inputs, outputs = REAL[dtype], 1 + (name == "atan2"), 1 + (name == "sincos")
    kind = real if lanes == 1 else f"<{lanes} x {real}>"
    result, align = kind if outputs == 1 else f"{{{kind}, {kind}}}", f"align {np.dtype(dtype).itemsize}"
    names = [f"i{k}" for k in range(inputs)] + [f"o{k}" for k in range(outputs)]
    lines = [f"define void @loop({', '.join(f'ptr %{x}' for x in names)}, i64 %n) #0 {{", "entry:"]
    lines += ["br label %loop", "loop:", "%i = phi i64 [0, %entry], [%next, %loop]"]
    lines += [f"%p{x} = getelementptr {real}, ptr %{x}, i64 %i" for x in names]
    lines += [f"%v{k} = load {kind}, ptr %pi{k}, {align}" for k in range(inputs)]
    given = ", ".join(f"{kind} %v{k}" for k in range(inputs))
    lines.append(f"%r = call {result} @{name}_{dtype}_{lanes}({given})")
    if outputs == 1:
        lines.append(f"store {kind} %r, ptr %po0, {align}")
    else:
        for k in (0, 1):
            lines += [f"%r{k} = extractvalue {result} %r, {k}", f"store {kind} %r{k}, ptr %po{k}, {align}"]
    lines += [f"%next = add i64 %i, {lanes}", "%more = icmp ult i64 %next, %n"]
    return "\n".join([*lines, "br i1 %more, label %loop, label %end", "end:", "ret void", "}"])


@cache
def compiled(name: str, lanes: int, dtype: str, fma: bool, cpu: str = "", features: str = ""):
    """A Python function of arrays; their length is padded to whole vectors."""
    if fma and not has_fma():
        pytest.skip("this CPU has no FMA")
    text = ELEMENTARY[name](lanes, dtype, fma) + "\n" + loop_text(name, lanes, dtype)
    code, machine = object_code(text, *((cpu, features) if cpu else host()))
    engine = ll.create_mcjit_compiler(ll.parse_assembly(""), machine)
    engine.add_object_file(ll.ObjectFileRef.from_data(code))
    engine.finalize_object()
    ENGINES.append(engine)
    inputs, outputs = 1 + (name == "atan2"), 1 + (name == "sincos")
    signature = [ctypes.c_void_p] * (inputs + outputs) + [ctypes.c_int64]
    bare = ctypes.CFUNCTYPE(None, *signature)(engine.get_function_address("loop"))

    def call(*given: np.ndarray):
        n = len(given[0])
        padded = [np.concatenate([x, np.ones(-n % 16)]).astype(dtype) for x in given]
        results = [np.empty_like(padded[0]) for _ in range(outputs)]
        bare(*(x.ctypes.data for x in (*padded, *results)), n + -n % 16)
        return results[0][:n] if outputs == 1 else tuple(r[:n] for r in results)

    return call


def ulps(got: np.ndarray, wanted: np.ndarray) -> float:
    """The largest error in units of the last place of the wanted value."""
    spacing = np.spacing(np.abs(wanted.astype(got.dtype))).astype(np.longdouble)
    return float(np.max(np.abs(got.astype(np.longdouble) - wanted) / spacing))


BITS = 1400


@cache
def reference_pi() -> int:
    """pi 2^BITS by Euler's 20 atan(1/7) + 8 atan(3/79)."""

    def atan(p: int, q: int) -> int:
        term, k, total = (p << (BITS + 40)) // q, 0, 0
        while term:
            total += (-1) ** k * term // (2 * k + 1)
            term, k = term * p * p // (q * q), k + 1
        return total

    return (20 * atan(1, 7) + 8 * atan(3, 79)) >> 40


def exact_sincos(x: float) -> tuple[Fraction, Fraction]:
    """Sine and cosine to some 200 bits, by integers alone."""
    half, (p, q) = reference_pi() // 2, abs(x).as_integer_ratio()
    n, rest = divmod((p << BITS) // q, half)
    unit = 1 << 300
    r = rest >> (BITS - 300)
    s, c, term, k = 0, 0, unit, 0
    while term:
        s, c = (s + (term if k % 4 == 1 else -term), c) if k % 2 else (s, c + (term if k % 4 == 0 else -term))
        k += 1
        term = term * r // (unit * k)
    s, c = ((s, c), (c, -s), (-s, -c), (-c, s))[n % 4]
    return Fraction(math.copysign(1, x)) * Fraction(s, unit), Fraction(c, unit)


def exact_error(got: float, wanted: Fraction, dtype: str) -> float:
    spacing = Fraction(float(np.spacing(np.abs(np.dtype(dtype).type(float(wanted))))))
    return float(abs(Fraction(float(got)) - wanted) / spacing)


def worst(x: np.ndarray, dtype: str, fma: bool) -> float:
    """The largest error of sine and cosine against the integer reference."""
    both = compiled("sincos", 8, dtype, fma)(x)
    pairs = ((got, want) for k, a in enumerate(x) for got, want in
             zip((both[0][k], both[1][k]), exact_sincos(float(a))))  # fmt: skip
    return max(exact_error(got, want, dtype) for got, want in pairs)


def test_the_reference_is_right() -> None:
    s, c = exact_sincos(1e22)  # Ng's example
    assert float(s) == pytest.approx(-0.8522008497671888, rel=1e-15)
    assert float(c) == pytest.approx(0.5232147853951389, rel=1e-15)
    assert s * s + c * c - 1 < Fraction(1, 2**250)


@needs_long_double
@pytest.mark.parametrize("dtype, fma", KINDS)
@pytest.mark.parametrize("scale", few([1e-6, 1.0, 10.0, 1e3, 1e5], 10.0, 1e5))
def test_sincos_within_2_ulp(dtype: str, fma: bool, scale: float) -> None:
    x = (np.random.default_rng(1).uniform(-scale, scale, 200_000)).astype(dtype)
    s, c = compiled("sincos", 8, dtype, fma)(x)
    wide = x.astype(np.longdouble)
    assert ulps(s, np.sin(wide)) < 1.7
    assert ulps(c, np.cos(wide)) < 1.7


@pytest.mark.parametrize("dtype, fma", [KINDS[0], *(pytest.param(*k, marks=pytest.mark.slow) for k in KINDS[1:])])
def test_sincos_beside_every_multiple_of_half_pi(dtype: str, fma: bool) -> None:
    n = np.arange(1, int(1e5 / (math.pi / 2)), 7)
    x = (n * (math.pi / 2)).astype(dtype)  # within an ulp: sin or cos is the distance itself, but for its cube
    s, c = compiled("sincos", 8, dtype, fma)(x)
    half = reference_pi()
    for k, a, sine, cosine in zip(n.tolist(), x.tolist(), s.tolist(), c.tolist()):
        p, q = a.as_integer_ratio()
        distance = Fraction((p << (BITS + 1)) // q - k * half, 1 << (BITS + 1))
        distance -= distance**3 / 6
        small = (sine, cosine, sine, cosine)[k % 4] * (1, -1, -1, 1)[k % 4]
        assert exact_error(small, distance, dtype) < 2


@pytest.mark.parametrize("dtype, fma", KINDS)
def test_sincos_of_huge_arguments(dtype: str, fma: bool) -> None:
    top = 1023 if dtype == "f8" else 127
    rng = np.random.default_rng(2)
    x = np.exp2(rng.uniform(15, top, 1500)) * rng.choice([-1, 1], 1500)
    hard = [6381956970095103.0 * 2.0**797, 5319372648326541.0 * 2.0**204, 1e22, 2.0**1023, np.finfo("f8").max]
    x = np.concatenate([x, hard if dtype == "f8" else [16367173 * 2.0**72, 2.0**127, 3.4e38]])
    limit = LIMIT[dtype, fma]
    x = np.concatenate([x, [limit, np.nextafter(limit, 0), np.nextafter(limit, np.inf), -limit]]).astype(dtype)
    assert worst(x, dtype, fma) < 2


@pytest.mark.parametrize("dtype, fma", KINDS)
@pytest.mark.parametrize("lanes", [1, 8])
def test_sincos_of_special_values(dtype: str, fma: bool, lanes: int) -> None:
    tiny = np.finfo(dtype).smallest_subnormal
    x = np.array([0.0, -0.0, tiny, -3 * tiny, np.finfo(dtype).tiny, 1e-20, -1e-20], dtype)
    s, c = compiled("sincos", lanes, dtype, fma)(x)
    assert np.array_equal(s, x) and np.array_equal(np.signbit(s), np.signbit(x))
    assert np.all(c == 1)
    s, c = compiled("sincos", lanes, dtype, fma)(np.array([np.nan, np.inf, -np.inf, 1.0], dtype))
    assert np.array_equal(np.isnan(s), [True, True, True, False])
    assert np.array_equal(np.isnan(c), [True, True, True, False])


@pytest.mark.parametrize("dtype, fma", KINDS)
@pytest.mark.parametrize("name", list(ELEMENTARY))
def test_bits_do_not_depend_on_lanes(name: str, dtype: str, fma: bool) -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=4000) * np.exp2(rng.uniform(-30, 20, 4000))
    odd = rng.integers(0, 4000, 300)
    x[odd] = rng.choice([1e12, -3e30, np.nan, np.inf, -0.0, 1e-40, 1e6], 300)  # some lanes of a vector far
    given = [x.astype(dtype)] * (1 + (name == "atan2"))
    given = [g[::-1] if k else g for k, g in enumerate(given)]
    results = [np.array(compiled(name, lanes, dtype, fma)(*given)) for lanes in (1, 2, 4, 8, 16)]
    whole = "u8" if dtype == "f8" else "u4"
    for other in results[1:]:
        same = (other.view(whole) == results[0].view(whole)) | (np.isnan(other) & np.isnan(results[0]))
        assert same.all()


def test_a_far_lane_leaves_its_neighbours_alone() -> None:
    x = np.random.default_rng(4).uniform(-5, 5, 800)
    far = x.copy()
    far[3::8] = 1e30
    far[6::8] = np.nan
    near = np.ones(800, bool)
    near[3::8] = near[6::8] = False
    call = compiled("sincos", 8, "f8", has_fma())
    assert np.array_equal(call(x)[0][near], call(far)[0][near])
    assert np.array_equal(call(x)[1][near], call(far)[1][near])


CURVES = [("exp", -20, 20), ("exp", -700, 700), ("exp", -1e-3, 1e-3), ("log", 0, 3), ("log", 0.9, 1.1),
          ("log", 1, 1e37), ("tanh", -2, 2), ("tanh", -40, 40), ("tanh", -1e-4, 1e-4)]  # fmt: skip


@needs_long_double
@pytest.mark.parametrize("dtype, fma", KINDS)
@pytest.mark.parametrize("name, low, high", CURVES)
def test_curves_within_2_ulp(name: str, low: float, high: float, dtype: str, fma: bool) -> None:
    scale = 0.12 if dtype == "f4" and high == 700 else 1.0
    x = (np.random.default_rng(5).uniform(low, high, 100_000) * scale).astype(dtype)
    assert ulps(compiled(name, 8, dtype, fma)(x), getattr(np, name)(x.astype(np.longdouble))) < 2


@needs_long_double
@pytest.mark.parametrize("dtype, fma", KINDS)
def test_atan2_within_3_ulp(dtype: str, fma: bool) -> None:
    rng = np.random.default_rng(6)
    y, x = (rng.normal(size=200_000) * 10 ** rng.uniform(-3, 3, 200_000) for _ in range(2))
    y, x = y.astype(dtype), x.astype(dtype)
    y[::7] = x[::7]
    wanted = np.arctan2(y.astype(np.longdouble), x.astype(np.longdouble))
    assert ulps(compiled("atan2", 8, dtype, fma)(y, x), wanted) < 2.5


@pytest.mark.parametrize("dtype, fma", KINDS)
def test_special_values_are_those_of_the_c_library(dtype: str, fma: bool) -> None:
    info = np.finfo(dtype)
    some = [0.0, 1.0, np.inf, info.max, info.tiny, info.smallest_subnormal, 0.5]
    values = np.array([*some, *(-x for x in some), np.nan], dtype)
    y, x = (m.ravel() for m in np.meshgrid(values, values))
    with np.errstate(all="ignore"):
        cases = [(compiled("atan2", 8, dtype, fma)(y, x), np.arctan2(y, x))]
        cases += [(compiled(n, 8, dtype, fma)(values), getattr(np, n)(values)) for n in ("exp", "log", "tanh")]
    for got, wanted in cases:
        np.testing.assert_allclose(got, wanted, rtol=8 * float(info.eps), atol=0)
        number = ~np.isnan(wanted)
        assert np.array_equal(np.signbit(got)[number], np.signbit(wanted)[number])


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_exp_below_the_normal_range(dtype: str) -> None:
    x = np.linspace(-745.0, -708.0, 1000) if dtype == "f8" else np.linspace(-103.0, -87.0, 1000)
    x = x.astype(dtype)
    wanted = np.array([math.exp(a) for a in x.tolist()])
    error = np.abs(compiled("exp", 8, dtype, has_fma())(x) - wanted)
    assert np.max(error) < 2 * float(np.finfo(dtype).smallest_subnormal)


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="needs x86")
@pytest.mark.parametrize("name", list(ELEMENTARY))
def test_an_old_cpu_gives_the_same_bits(name: str) -> None:
    x = np.random.default_rng(7).normal(size=1000) * 20
    given = [x] * (1 + (name == "atan2"))
    old = compiled(name, 8, "f8", False, "x86-64", "")
    np.testing.assert_array_equal(np.array(old(*given)), np.array(compiled(name, 8, "f8", False)(*given)))


def undefined_symbols(code: bytes) -> list[str]:
    """The names that an ELF object wants from elsewhere."""
    assert code[:5] == b"\x7fELF\x02"
    (at,), (count,) = struct.unpack_from("<Q", code, 0x28), struct.unpack_from("<H", code, 0x3C)
    sections = [struct.unpack_from("<IIQQQQIIQQ", code, at + 64 * k) for k in range(count)]
    table = next(s for s in sections if s[1] == 2)
    names = sections[table[6]][4]
    entries = (struct.unpack_from("<IBBHQQ", code, table[4] + 24 * k) for k in range(1, table[5] // 24))
    return [code[names + e[0] : code.index(b"\0", names + e[0])].decode() for e in entries if e[3] == 0]


TARGETS = [
    ("x86_64-unknown-linux-gnu", "x86-64", "", False),
    ("x86_64-unknown-linux-gnu", "haswell", "", True),
    ("x86_64-unknown-linux-gnu", "znver4", "", True),
    ("aarch64-unknown-linux-gnu", "generic", "", True),
]


@pytest.mark.parametrize("triple, cpu, features, fma", TARGETS)
def test_objects_are_self_contained(triple: str, cpu: str, features: str, fma: bool) -> None:
    for dtype, lanes in (("f8", 1), ("f8", 8), ("f4", 4), ("f4", 16)):
        text = elementary_ir([(name, lanes, dtype) for name in ELEMENTARY], fma)
        roots = [loop_text(name, lanes, dtype).replace("@loop", f"@loop_{name}") for name in ELEMENTARY]
        try:
            code, _ = object_code("\n".join([text, *roots]), cpu, features, triple)
        except RuntimeError as error:
            pytest.skip(f"no such target here: {error}")
        assert undefined_symbols(code) == []


def test_the_symbol_reader_sees_a_missing_symbol() -> None:
    text = "declare double @cbrt(double)\ndefine double @f(double %x) #0 {\n %y = call double @cbrt(double %x)\n"
    code, _ = object_code(text + " ret double %y\n}", "x86-64", "", "x86_64-unknown-linux-gnu")
    assert undefined_symbols(code) == ["cbrt"]


def test_one_module_holds_shared_parts_once() -> None:
    text = elementary_ir([("sincos", 8, "f8"), ("sincos", 1, "f8"), ("sincos", 16, "f4"), ("exp", 8, "f8")])
    heads = [line.split("(")[0] for line in text.splitlines() if line.startswith(("define", "@"))]
    assert len(heads) == len(set(heads))
    assert text == elementary_ir([("sincos", 8, "f8"), ("sincos", 1, "f8"), ("sincos", 16, "f4"), ("exp", 8, "f8")])
    assert "alwaysinline" in sincos_ir(8, "f8")
