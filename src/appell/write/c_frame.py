"""What stands around the statements of a C text: tables, header, self-test, names that are not free."""

from __future__ import annotations

import textwrap

TOLERANCE = {"double": "1e-9", "float": "1e-3f"}  # relative to the largest expected number
KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
asm alignas alignof and and_eq bitand bitor bool catch char8_t char16_t char32_t class compl concept
consteval constexpr constinit const_cast co_await co_return co_yield decltype delete dynamic_cast explicit
export false friend mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected
public reinterpret_cast requires static_assert static_cast template this thread_local throw true try typeid
typename using virtual wchar_t xor xor_eq typeof unix linux NULL main k errno
"""
FUNCTIONS = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 exp10 expm1 fabs fdim
floor fma fmax fmin fmod frexp gamma hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2
logb lrint lround modf nan nearbyint nextafter nexttoward pow pow10 remainder remquo rint round scalb
scalbln scalbn signbit significand sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn drem isnan isinf
finite isfinite isnormal fpclassify
"""
LIBRARY = """
abort abs alloca atexit atof atoi atol bcmp bcopy bsearch bzero cabs calloc carg cexp clog conj cpow creal
cimag csqrt div exit fclose fopen fprintf fputc fputs fread free fscanf fwrite getc getenv index isalnum
isalpha isdigit islower isprint isspace isupper labs ldiv llabs malloc memchr memcmp memcpy memmove memset
mempcpy posix_memalign printf putc putchar puts qsort rand random read realloc rindex scanf signal snprintf
sprintf srand sscanf stpcpy strcasecmp strcat strchr strcmp strcpy strcspn strdup strlen strncat strncmp
strncpy strpbrk strrchr strspn strstr strtod strtol time toascii tolower toupper vprintf vfprintf vscanf
vsnprintf vsprintf write ffs fork execl execv exp10 system select
"""
KINDS_OF_REAL = ("", "f", "l")
RESERVED = frozenset(
    KEYWORDS.split() + LIBRARY.split() + [f"{name}{k}" for name in FUNCTIONS.split() for k in KINDS_OF_REAL]
)

_SELFTEST = """
static int {name}_close(const {real} *got, const {real} *wanted, int count)
{{
    {real} size = 0;
    for (int k = 0; k < count; ++k) {{
        const {real} entry = wanted[k] < 0 ? -wanted[k] : wanted[k];
        size = entry > size ? entry : size;
    }}
    const {real} allowed = {tolerance} * (size > 0 ? size : 1);
    for (int k = 0; k < count; ++k) {{
        if (!(got[k] - wanted[k] <= allowed && wanted[k] - got[k] <= allowed)) return 0; /* NaN fails too */
    }}
    return 1;
}}

int {name}_selftest(void)
{{
{given}
{wanted}
{made}
    {name}({arguments});
    return {checks} ? 0 : 1;
}}
"""


def table(kind: str, name: str, cells: list[str], pad: str = "") -> str:
    """A constant array."""
    text = textwrap.fill(", ".join(cells), 100, initial_indent=f"{pad}    ", subsequent_indent=f"{pad}    ")
    return f"{pad}static const {kind} {name}[{len(cells)}] = {{\n{text}\n{pad}}};" + ("" if pad else "\n")


def guarded(name: str, heads: list[str]) -> str:
    """A header that may be included twice, and from C++."""
    guard = f"{name.upper()}_H"
    declared = "\n".join(f"{head};" for head in heads)
    opening = f'#ifndef {guard}\n#define {guard}\n\n#ifdef __cplusplus\nextern "C" {{\n#endif\n'
    return f"{opening}\n{declared}\n\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n"


def selftest(name: str, real: str, given: list[tuple[str, list[str]]], wanted: list[tuple[str, list[str]]]) -> str:
    """A function that runs an example and returns 0 if its outputs are met."""
    return _SELFTEST.format(
        name=name,
        real=real,
        tolerance=TOLERANCE[real],
        given="\n".join(table(real, label, cells, "    ") for label, cells in given),
        wanted="\n".join(table(real, f"wanted_{label}", cells, "    ") for label, cells in wanted),
        made="\n".join(f"    static {real} {label}[{len(cells)}];" for label, cells in wanted),
        arguments=", ".join(label for label, _ in (*given, *wanted)),
        checks=" && ".join(f"{name}_close({label}, wanted_{label}, {len(cells)})" for label, cells in wanted),
    )
