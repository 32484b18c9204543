"""Program -> C99: one self-contained file that needs the mathematics of the C library and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite, prod
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ShapeError, TraceError
from ..model.tree import KINDS, Tree
from ..trace.coverage import added_before_set
from ..trace.expr import Expr
from ..trace.passes import without_dead_code
from ..trace.program import Array, Loop, Program, blocks
from .c_frame import RESERVED, guarded, selftest, table
from .statements import Statements, operations

Precision: TypeAlias = Literal["double", "float"]
# Inputs and outputs, in the Program's order.
Example: TypeAlias = tuple[Sequence[ArrayLike], Sequence[ArrayLike]]

STACK = 65536  # bytes of slots that a function may keep on the stack
SPELLING: dict[str, str] = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "neg": "-{0}",
    "fma": "{0} * {1} + {2}",
    "fms": "{0} * {1} - {2}",
    "fnma": "{2} - {0} * {1}",
    "sqrt": "sqrt({0})",
    "sin": "sin({0})",
    "cos": "cos({0})",
    "tanh": "tanh({0})",
    "atan2": "atan2({0}, {1})",
    "sign": "({0} > 0) - ({0} < 0) + 0 * {0}",
}
SINGLE = SPELLING | {op: f"{op}f({{0}})" for op in ("sqrt", "sin", "cos", "tanh")}
SINGLE["atan2"] = "atan2f({0}, {1})"


def c_source(
    program: Program,
    *,
    name: str | None = None,
    precision: Precision = "double",
    tree: Tree | None = None,
    example: Example | None = None,
) -> str:
    """The Program as C99: no allocation, no library but libm; a rolled one holds the tables of its tree.

    With an example it ends in `int NAME_selftest(void)`, which returns 0 if the example's outputs are met.
    """
    program = without_dead_code(program)
    if program.rolled and tree is None:
        raise TraceError(f"the C text of {program.name!r} got no tree and wants one, as it has loops")
    text = _C(program, name, precision, tree)
    heads = f"{text.head};\n" + (f"{text.selftest_head};\n" if example else "")
    parts = [text.comment(), "#include <math.h>\n", heads, *text.robot(), text.function()]
    return "\n".join([*parts, *([text.selftest(example)] if example else [])])


def c_text(program: Program, name: str, precision: Precision) -> _C:
    """The parts of a text, for those that write more around it: heads, names of arrays, numbers."""
    return _C(without_dead_code(program), name, precision, None)


def c_header(program: Program, name: str | None = None, *, precision: Precision = "double") -> str:
    """The header that belongs to `c_source`, for C and C++."""
    text = _C(without_dead_code(program), name, precision, None)
    return guarded(text.name, [text.head, text.selftest_head])


class _C(Statements):
    spelling: ClassVar[dict[str, str]] = SPELLING

    def __init__(self, program: Program, name: str | None, precision: Precision, tree: Tree | None) -> None:
        super().__init__(program, name or program.name, RESERVED)
        self.real, self.tree = precision, tree
        self.sizes = {} if tree is None else {"n": tree.n, "n+1": tree.n + 1, "nq": tree.nq, "nv": tree.nv}
        if precision == "float":
            self.spelling = SINGLE  # type: ignore[misc]

    # -- around the statements -------------------------------------------------------------------------------

    @property
    def head(self) -> str:
        """The function's declaration."""
        given = [f"const {self.real} *{self.arrays[a]}" for a in self.program.inputs]
        made = [f"{self.real} *{self.arrays[a]}" for a in self.program.outputs]
        return f"void {self.name}({', '.join([*given, *made])})"

    @property
    def selftest_head(self) -> str:
        return f"int {self.name}_selftest(void)"

    def comment(self) -> str:
        """What stands above the code."""
        given, made = (
            ", ".join(f"{self.arrays[a]}[{self._extent(a)}]" for a in arrays)
            for arrays in (self.program.inputs, self.program.outputs)
        )
        lines = [
            f"{self.name}: {given} -> {made}; matrices row by row.",
            f"{operations(self.program)}{' as written, in loops' if self.program.rolled else ''}.",
            "Outputs must not overlap inputs. For the same digits from every compiler: -ffp-contract=off.",
        ]
        if self._is_static():
            lines.append("Not reentrant: its memory is static.")
        return "/* " + "\n * ".join(lines) + "\n */"

    def robot(self) -> Iterator[str]:
        """The robot's tables; row 0 is the base."""
        if self.tree is None:
            return
        numbers, wholes = self.tree.columns, self.tree.lookups
        for name in self.program.columns:
            yield table(self.real, self.tables[name], list(map(self.number, numbers[name].tolist())))
        for name in self.program.lookups:
            yield table("int", self.tables[name], list(map(str, wholes[name].tolist())))

    def function(self) -> str:
        """The function itself."""
        lines = [*self._unread(), *self._memory(), *self.block(self.program.body, self.indent)]
        return "\n".join([self.head, "{", *lines, "}", ""])

    def selftest(self, example: Example) -> str:
        """The function that runs an example."""
        arrays = (*self.program.inputs, *self.program.outputs)
        given = [np.asarray(x, dtype=float).ravel() for x in (*example[0], *example[1])]
        if [x.size for x in given] != [self._extent(a) for a in arrays]:
            wanted = ", ".join(f"{a.name}: {self._extent(a)}" for a in arrays)
            got = [x.size for x in given]
            raise ShapeError(f"the example of {self.name} got arrays of sizes {got} and wants {wanted}")
        numbers = [list(map(self.number, x.tolist())) for x in given]
        cells = list(zip(map(self.arrays.__getitem__, arrays), numbers, strict=True))
        k = len(self.program.inputs)
        return selftest(self.name, self.real, cells[:k], cells[k:])

    def _extent(self, array: Array) -> int:
        """How many numbers an array holds."""
        return prod(self.sizes[s] if isinstance(s, str) else s for s in array.shape) * array.width

    def _is_static(self) -> bool:
        size = 8 if self.real == "double" else 4
        return sum(map(self._extent, self.program.slots)) * size > STACK

    def _unread(self) -> Iterator[str]:
        """Inputs that no statement reads, named once so that no compiler complains."""
        nodes = (x for block in blocks(self.program.body) for x in block.items if isinstance(x, Expr))
        read = {x.args[0] for x in nodes if x.op == "load"}
        yield from (f"{self.indent}(void){self.arrays[a]};" for a in self.program.inputs if a not in read)

    def _memory(self) -> Iterator[str]:
        """Slots, and zeros where the statements count on them."""
        if not self.program.rolled:
            return
        unset, static = added_before_set(self.program), "static " if self._is_static() else ""
        for a in self.program.slots:
            yield f"{self.indent}{static}{self.real} {self.arrays[a]}[{self._extent(a)}];"
        for a in (*self.program.slots, *self.program.outputs):
            zeros = self._extent(a) if a.name in unset else a.width if a.shape == ("n+1",) else 0
            if zeros:
                clear = f"{self.arrays[a]}[k] = {self.number(0.0)};"
                yield f"{self.indent}for (int k = 0; k < {zeros}; ++k) {clear}"

    # -- how its lines look ----------------------------------------------------------------------------------

    def declare(self, name: str, text: str, constant: bool = True) -> str:
        return f"{'const ' if constant else ''}{self.real} {name} = {text};"

    def assign(self, place: str, text: str) -> str:
        return f"{place} = {text};"

    def number(self, x: float) -> str:
        if not isfinite(x):
            raise TraceError(f"{self.program.name!r} holds the constant {x}, and C text wants finite numbers")
        return repr(x) if self.real == "double" else f"{np.float32(x)!s}f"

    def size(self, name: str) -> str:
        return str(self.sizes[name])

    def element(self, array: Array, place: list[str], component: int) -> str:
        at = place[0] if place else "0"
        for i, size in zip(place[1:], array.shape[1:], strict=True):
            at = _sum(_times(at, self.sizes[size] if isinstance(size, str) else size), i)
        if array.width > 1:
            at = _sum(_times(at, array.width), str(component))
        return f"{self.arrays[array]}[{at}]"

    def around(self, loop: Loop, body: list[str], pad: str) -> Iterator[str]:
        yield from (f"{pad}for ({self._range(loop)}) {{", *body, f"{pad}}}")

    def _range(self, loop: Loop) -> str:
        i, n, start = f"i{loop.number}", self.sizes["n"], loop.start
        if start is None:
            return f"int {i} = 1; {i} <= {n}; ++{i}" if loop.way == "outward" else f"int {i} = {n}; {i} >= 1; --{i}"
        if loop.way == "support":
            return f"int {i} = {self.index(start)}; {i} != 0; {i} = {self.parent(loop)}"
        return f"int {i} = {self.index(start + 1)}; {i} <= {self.last(start)}; ++{i}"

    def choice(self, kind: str, cases: dict[str, list[str]], pad: str) -> Iterator[str]:
        numbers: dict[Any, int] = {k: i for i, k in enumerate(KINDS)}
        yield f"{pad}switch ({kind}) {{"
        for name, lines in cases.items():
            head, last = f"{pad}case {numbers[name]}: {{ /* {name} */", f"{pad}{self.indent}break;"
            yield from (head, *lines, last, f"{pad}}}")
        yield f"{pad}}}"

    def hand_on(self, names: list[str], texts: list[str]) -> Iterator[str]:
        if set(names) & set(texts):  # one takes over what another has had
            news = [self.fresh("t") for _ in names]
            yield from map(self.declare, news, texts)
            texts = news
        yield from map(self.assign, names, texts)


def _times(text: str, k: int) -> str:
    if text.isdigit():
        return str(int(text) * k)
    return f"{k} * ({text})" if " " in text else f"{k} * {text}"


def _sum(text: str, more: str) -> str:
    if text.isdigit() and more.isdigit():
        return str(int(text) + int(more))
    return text if more == "0" else f"{text} + {more}"
