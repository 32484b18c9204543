"""A control law as C99: a step with its memory in a struct, and a loop to begin from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import AppellError
from ..model.tree import Tree
from ..trace.program import Program
from .c import Precision, c_source, c_text
from .c_files import example, put
from .c_frame import guarded, table

_STEP = """
void {name}_start({name}_state *s)
{{
{first}
    for (int k = 0; k < {size}; ++k) s->x[k] = first[k];
}}

void {name}_step({name}_state *s, {head})
{{
{before}
    {name}({arguments});
{behind}
}}
"""
_LOOP = """/* A loop to begin from: the law of {name}.h, sampled every {period} s.
 *
 * Replace sense() and drive() by the drivers of a robot, and pace() by a wait for the next sample. As they stand, a
 * simulated robot takes its place, which the law brings from one posture to another. No allocation, no file, no lock.
 */
#include <stdio.h>
#include "{name}.h"

{dynamics}
{tables}
static {real} q[{n}], v[{n}];

static void sense({real} *at_q, {real} *at_v)
{{
    for (int k = 0; k < {n}; ++k) {{
        at_q[k] = q[k];
        at_v[k] = v[k];
    }}
}}

static void drive(const {real} *given)
{{
    const {real} h = {period}{suffix} / 4;
    for (int part = 0; part < 4; ++part) {{
        {real} a[{n}];
        {name}_plant(q, v, given, a);
        for (int k = 0; k < {n}; ++k) {{
            v[k] += h * a[k];
            q[k] += h * v[k];
        }}
    }}
}}

static int pace(void)
{{
    return 0; /* anything else ends the loop */
}}

int main(void)
{{
    static {name}_state state;
    {real} at_q[{n}], at_v[{n}], given[{n}];
    for (int k = 0; k < {n}; ++k) q[k] = posture[k];
    if ({name}_selftest() != 0) {{
        puts("the self-test failed");
        return 1;
    }}
    {name}_start(&state);
    for (long sample = 0; sample < {samples} && pace() == 0; ++sample) {{
        sense(at_q, at_v);
        {name}_step(&state, at_q, at_v, {passed});
        drive(given);
    }}
    for (int k = 0; k < {n}; ++k) printf("%.9g %.9g\\n", (double)q[k], (double)v[k]);
    return 0;
}}
"""


def write_law(
    program: Program, tree: Tree, path: Any, precision: Precision, start: Sequence[float], loop: Loop | None
) -> None:  # fmt: skip
    """`path`, a header, and where there is one a loop `NAME_loop.c` beside them; names are the file's."""
    place = Path(path)
    if place.suffix != ".c":
        raise AppellError(f"C is written to a file that ends in .c, got {str(place)!r}")
    name = re.sub(r"\W", "_", place.stem)
    name = f"x{name}" if name[0].isdigit() else name
    law = _Law(program, name, precision, start)
    put(place, c_source(program, name=name, precision=precision, tree=tree, example=example(program, tree)).replace(
        "#include <math.h>\n", f'#include <math.h>\n#include "{place.stem}.h"\n', 1) + law.step())  # fmt: skip
    put(place.with_suffix(".h"), guarded(name, law.heads()))
    if loop is not None:
        put(place.with_name(f"{place.stem}_loop.c"), law.loop(loop, place.stem))


class Loop:
    """What a loop needs: the plant's dynamics, where it stands, the signals that a law is given, and its period."""

    def __init__(self, plant: Program, posture: Any, signals: Sequence[Any], period: float, samples: int) -> None:
        self.plant, self.posture, self.signals = plant, posture, signals
        self.period, self.samples = period, samples


class _Law:
    """The texts around a law's own function."""

    def __init__(self, program: Program, name: str, precision: Precision, start: Sequence[float]) -> None:
        self.text, self.name = c_text(program, name, precision), name
        self.real: Precision = precision
        self.start, self.suffix = list(start), "" if precision == "double" else "f"
        arrays = self.text.arrays
        self.given = [arrays[a] for a in program.inputs if a.name != "state"]
        self.made = [arrays[a] for a in program.outputs if a.name != "after"]

    def heads(self) -> list[str]:
        """The declarations, with that of the memory first."""
        struct = f"typedef struct {{ {self.real} x[{max(1, len(self.start))}]; }} {self.name}_state"
        start = f"void {self.name}_start({self.name}_state *s)"
        step = f"void {self.name}_step({self.name}_state *s, {self._head()})"
        return [struct, start, step, self.text.head, self.text.selftest_head]

    def _head(self) -> str:
        taken = [f"const {self.real} *{x}" for x in self.given]
        return ", ".join([*taken, *(f"{self.real} *{x}" for x in self.made)])

    def step(self) -> str:
        """Start and step, which keep what the law remembers."""
        size = max(1, len(self.start))
        numbers = list(map(self.text.number, self.start or [0.0]))
        state = ["s->x"] if self.start else []
        after = ["after_"] if self.start else []
        return _STEP.format(
            name=self.name, first=table(self.real, "first", numbers, "    "), size=size, head=self._head(),
            before=f"    {self.real} after_[{size}];" if self.start else "    (void)s;",
            arguments=", ".join([*self.given, *state, *self.made, *after]),
            behind=f"    for (int k = 0; k < {size}; ++k) s->x[k] = after_[k];" if self.start else "",
        )  # fmt: skip

    def loop(self, loop: Loop, stem: str) -> str:
        """The loop."""
        n = len(loop.posture)
        named = [(f"wanted_{x}", values) for x, values in zip(self.given[2:], loop.signals, strict=True)]
        tables = [table(self.real, label, list(map(self.text.number, np.ravel(values).tolist())))
                  for label, values in [("posture", loop.posture), *named]]  # fmt: skip
        text = _LOOP.format(
            name=self.name, real=self.real, n=n, period=repr(float(loop.period)), suffix=self.suffix,
            samples=loop.samples, tables="\n".join(tables),
            dynamics=c_source(loop.plant, name=f"{self.name}_plant", precision=self.real),
            passed=", ".join([*(label for label, _ in named), "given"]),
        )  # fmt: skip
        return text.replace(f'#include "{self.name}.h"', f'#include "{stem}.h"')
