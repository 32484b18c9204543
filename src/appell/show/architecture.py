"""One formulation as text, Program and machine code: rewrites that part of a page.

python -m appell.show.architecture docs/architecture.md
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from ..formulations.gibbs_appell import gibbs_appell
from ..kernel.kernel import Kernel
from ..kernel.machine import assembly, machine
from ..robot import Robot
from ..trace.passes import with_fma
from ..trace.program import Program
from .report import write

BEGIN, MACHINE, END = "<!-- generated: program -->", "<!-- generated: machine code -->", "<!-- generated: end -->"
COMMAND = "python -m appell.show.architecture docs/architecture.md"


def arm() -> Robot:
    """Two uniform rods of 0.6 m, of 2 and 1 kg, swinging in a vertical plane."""
    return Robot.from_dict(
        {
            "format": "appell-robot/1",
            "name": "two_rods",
            "gravity": [0.0, -9.81, 0.0],
            "bodies": [_rod("upper", "base", 0.0, 2.0), _rod("fore", "upper", 0.6, 1.0)],
            "frames": [],
            "loops": [],
        }
    )


def _rod(name: str, parent: str, x: float, mass: float) -> dict[str, object]:
    across = mass * 0.36 / 12
    return {
        "name": name,
        "parent": parent,
        "joint": {"name": f"{name}_joint", "type": "revolute", "axis": [0.0, 0.0, 1.0]},
        "placement": {"position": [x, 0.0, 0.0], "rotation": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]},
        "mass": mass,
        "com": [0.3, 0.0, 0.0],
        "inertia": {"ixx": 0.0, "iyy": across, "izz": across, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0},
    }


def kernel() -> Kernel:
    """Its inverse dynamics by Gibbs-Appell."""
    return arm().kernel("inverse_dynamics", method="gibbs_appell").__self__  # type: ignore[attr-defined]


def programs() -> str:
    """The text's two sweeps, and the Program as read beside the Program as compiled: the same on every machine."""
    program = kernel().program
    lines = program.text().splitlines(), with_fma(program).text().splitlines()
    text = inspect.getsource(gibbs_appell).partition('"""')[2].partition('"""\n')[2]
    return "\n".join(
        (
            "The text, without its docstring:",
            _block("python", inspect.cleandoc(text)),
            "The Program it becomes for that arm. Left as it was read, right as it is compiled, where a product that",
            "only feeds a sum has joined it:",
            _block("text", side_by_side(("as read", *lines[0]), ("as compiled", *lines[1]))),
        )
    )


def machine_code() -> str:
    """The end of the same, after the last sine: as LLVM text, and as instructions beside the statements."""
    made, here = kernel(), machine()
    ir = after_last("sincos", function(made.build.ir, "@body_lanes", "}"))
    code = without_epilogue(after_last(":", function(assembly(made.build.ir), "body_lanes:", "\tret")))
    statements = after_last("sin ", compiled_lines(made.build.compiled))
    width = f"{made.target.lanes} lanes of float64"
    return "\n".join(
        (
            f"What follows depends on the machine; here it is {here.cpu}, {width}, so each line works on",
            f"{made.target.lanes} states at once. First the LLVM text after the last sine and cosine:",
            _block("llvm", "\n".join(line.strip() for line in ir if line.strip())),
            "Then the statements of the Program from there on, beside the instructions they become. The processor's",
            "order is its own, and a load may hide in an operand:",
            _block("text", side_by_side(("Program", *statements), ("instructions", *code))),
        )
    )


def compiled_lines(program: Program) -> list[str]:
    """The statements of a Program, one line each."""
    return [line for line in program.text().splitlines() if " = " in line]


def function(listing: str, start: str, stop: str) -> list[str]:
    """The lines of a function in a listing: from behind its own to before the first that begins with `stop`."""
    lines = listing.splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith(start) or (start in line and "define" in line))
    last = next(k for k in range(first, len(lines)) if lines[k].startswith(stop))
    return lines[first + 1 : last]


def after_last(mark: str, lines: Sequence[str]) -> list[str]:
    """What stands behind the last line with a mark in it."""
    return list(lines[max(k for k, line in enumerate(lines) if mark in line) + 1 :])


def without_epilogue(code: Sequence[str]) -> list[str]:
    """Instructions, single blanks in them, without the last: these only put stack and registers back (x86)."""
    kept = [" ".join(line.split()) for line in code]
    while kept and re.match(r"(add|pop|vzeroupper|movq %rbp)", kept[-1]):
        kept.pop()
    return kept


def side_by_side(left: Sequence[str], right: Sequence[str]) -> str:
    """Two lists side by side, each with its head underlined."""
    width = max(map(len, left)) + 4
    left, right = ([x[0], "-" * len(x[0]), *x[1:]] for x in (left, right))
    return "\n".join(f"{a:<{width}}{b}".rstrip() for a, b in zip_longest(left, right, fillvalue=""))


def _block(language: str, text: str) -> str:
    return f"\n```{language}\n{text}\n```\n"


def rewritten(page: str) -> str:
    """The page with its generated part made anew."""
    part = "\n".join((BEGIN, "", programs(), MACHINE, "", machine_code(), END))
    if not re.search(f"{BEGIN}.*{END}", page, re.S):
        raise SystemExit(f"no place for it: wanted a page with {BEGIN} and {END}")
    return re.sub(f"{BEGIN}.*{END}", lambda _: part, page, flags=re.S)


def main(arguments: Sequence[str]) -> None:
    """Rewrites the pages that are named."""
    if not arguments:
        raise SystemExit(f"which page? {COMMAND}")
    for name in arguments:
        write(Path(name), rewritten(Path(name).read_text(encoding="utf-8")))


if __name__ == "__main__":
    main(sys.argv[1:])
