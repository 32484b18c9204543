"""Program -> Python: to read, and to debug."""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from typing import Any, ClassVar

from ..trace.passes import without_dead_code
from ..trace.program import Array, Loop, Program
from .statements import Statements, operations

RESERVED = (*keyword.kwlist, *keyword.softkwlist, "np", "n", "nq", "nv", "columns", "lookups", "range")
SPELLING: dict[str, str] = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "neg": "-{0}",
    "fma": "{0} * {1} + {2}",
    "fms": "{0} * {1} - {2}",
    "fnma": "{2} - {0} * {1}",
    "sqrt": "np.sqrt({0})",
    "sin": "np.sin({0})",
    "cos": "np.cos({0})",
    "tanh": "np.tanh({0})",
    "atan2": "np.arctan2({0}, {1})",
    "sign": "np.sign({0})",
}


def python_source(program: Program, name: str | None = None) -> str:
    """The Program as a function over NumPy arrays: inputs in, outputs out.

    A rolled one also takes a robot's tables (`Tree.columns`, `Tree.lookups`) and its sizes n, nq, nv.
    """
    program = without_dead_code(program)
    text = _Python(program, name or program.name, RESERVED)
    body = [*text.tables_and_memory(), *text.block(program.body, text.indent)]
    answers = ", ".join(text.arrays[a] for a in program.outputs)
    lines = [text.head(), f'    """{operations(program)}."""', *body, f"    return {answers}"]
    return "\n".join(["import numpy as np", "", "", *lines, ""])


class _Python(Statements):
    spelling: ClassVar[dict[str, str]] = SPELLING

    def head(self) -> str:
        robot = ["columns", "lookups", "n", "nq", "nv"] if self.program.rolled else []
        return f"def {self.name}({', '.join([*(self.arrays[a] for a in self.program.inputs), *robot])}):"

    def tables_and_memory(self) -> Iterator[str]:
        """What the statements stand on: the robot's tables, and memory that starts as zero."""
        for names, mapping in ((self.program.columns, "columns"), (self.program.lookups, "lookups")):
            for name in names:
                yield f"{self.indent}{self.tables[name]} = {mapping}[{name!r}]"
        for a in (*self.program.outputs, *self.program.slots):
            shape = [str(s).replace("+", " + ") for s in a.shape] + ([str(a.width)] if a.width > 1 else [])
            yield f"{self.indent}{self.arrays[a]} = np.zeros(({', '.join(shape)},))"

    def declare(self, name: str, text: str, constant: bool = True) -> str:
        return f"{name} = {text}"

    def assign(self, place: str, text: str) -> str:
        return f"{place} = {text}"

    def number(self, x: float) -> str:
        return repr(x)

    def size(self, name: str) -> str:
        return name

    def element(self, array: Array, place: list[str], component: int) -> str:
        at = ", ".join([*place, *([str(component)] if array.width > 1 else [])])
        return f"{self.arrays[array]}[{at or '()'}]"

    def around(self, loop: Loop, body: list[str], pad: str) -> Iterator[str]:
        i = f"i{loop.number}"
        if loop.way == "support":
            after = [f"{pad}{self.indent}{i} = {self.parent(loop)}"]
            yield from (f"{pad}{i} = {self.index(loop.start)}", f"{pad}while {i}:", *body, *after)
        else:
            yield from (f"{pad}for {i} in {self._range(loop)}:", *(body or [f"{pad}{self.indent}pass"]))

    def _range(self, loop: Loop) -> str:
        if loop.start is not None:
            return f"range({self.index(loop.start + 1)}, {self.last(loop.start)} + 1)"
        return "range(1, n + 1)" if loop.way == "outward" else "range(n, 0, -1)"

    def choice(self, kind: str, cases: dict[str, list[str]], pad: str) -> Iterator[str]:
        from ..model.tree import KINDS

        numbers: dict[Any, int] = {k: i for i, k in enumerate(KINDS)}
        for word, (name, lines) in zip(("if", *["elif"] * len(cases)), cases.items(), strict=False):
            yield f"{pad}{word} {kind} == {numbers[name]}:  # {name}"
            yield from lines or [f"{pad}{self.indent}pass"]

    def hand_on(self, names: list[str], texts: list[str]) -> Iterator[str]:
        yield f"{', '.join(names)} = {', '.join(texts)}"
