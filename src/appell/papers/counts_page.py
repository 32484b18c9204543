"""The page on operation counts: the papers' tables and our own counts, as its generated part.

python -m appell.papers.counts_page docs/counts.md
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ..show.markdown import grid
from ..show.report import write
from ..trace.counting import Counts
from . import counts
from .case import Case, Table
from .own_counts import ARMS, JOINTS, READINGS, as_formulas, counted, counted_arm, methods, products
from .printed_counts import FORWARD, INERTIA, INVERSE, SOLVE

BEGIN, OWN, END = "<!-- generated: the papers -->", "<!-- generated: our texts -->", "<!-- generated: end -->"
COMMAND = "python -m appell.papers.counts_page docs/counts.md"
CASES: tuple[Callable[[], Case], ...] = (counts.mata2002, counts.valera2003, counts.saha2010, counts.shafei2018)
QUESTIONS = {
    INVERSE: "Inverse dynamics",
    INERTIA: "The mass matrix",
    FORWARD: "Forward dynamics",
    SOLVE: "Forward dynamics where bias and gravity forces are known",
}


def papers() -> Iterator[str]:
    """Each paper's tables, with our counts for six joints beside the formulas."""
    for case in (make() for make in CASES):
        yield f"## {case.paper}"
        yield case.statement
        for t in case.tables:
            if not t.name.startswith("ours-"):
                yield f"### {t.name.removeprefix(case.paper).strip('-').replace('-', ' ').capitalize()}"
                yield _compact(t)
        judged = [a for a in case.agreements if a.allowed is not None]
        yield f"Judged: {len(judged)} numbers, of which {sum(a.verdict == 'holds' for a in judged)} hold."


def _compact(t: Table) -> str:
    """A table with products and sums of a reading in one cell."""
    pairs = [k for k, name in enumerate(t.head) if name.startswith("mul, ")]
    head = [name.removeprefix("mul, ") for k, name in enumerate(t.head) if k - 1 not in pairs]
    rows = [
        [_pair(row[k], row[k + 1]) if k in pairs else str(x) for k, x in enumerate(row) if k - 1 not in pairs]
        for row in t.rows
    ]
    return grid(head, rows)


def _pair(mul: object, add: object) -> str:
    return f"{mul} + {add}" if mul != "" else ""


def own() -> Iterator[str]:
    """Our texts for 1 to 12 joints, and on two arms."""
    for question, title in QUESTIONS.items():
        yield f"### {title}"
        for reading, words in READINGS.items():
            rows = [[name, *(_cell(counted(n, question, name), reading) for n in JOINTS)] for name in methods(question)]
            yield f"{words[0].upper()}{words[1:]}, for n joints in a row:"
            yield grid([f"`.{reading}`", *map(str, JOINTS)], rows)
        yield "As formulas in n, from three joints on; a dash where frames are chosen by turns, and odd n differ:"
        yield grid(["formulas", *(f"`.{reading}`" for reading in READINGS)], [*_formulas(question)])
        head = ["arm", *(f"{arm} `.{reading}`" for arm in ARMS for reading in READINGS)]
        yield "On two arms:"
        yield grid(head, [[name, *_on_arms(question, name)] for name in methods(question)])


def _formulas(question: str) -> Iterator[list[str]]:
    """Of each formulation, by reading; a dash where the count has no formula, as link frames are chosen by turns."""
    for name in methods(question):
        found = (as_formulas(question, name, reading) for reading in READINGS)
        yield [name, *(", ".join(x or "-" for x in both) for both in found)]


def _on_arms(question: str, name: str) -> Iterator[str]:
    for arm in ARMS:
        yield from (_cell(counted_arm(arm, question, name), reading) for reading in READINGS)


def _cell(found: Counts, reading: str) -> str:
    x = getattr(found, reading)
    return f"{products(x)} + {x.add}"


def rewritten(page: str) -> str:
    """The page with its generated part made anew."""
    if not re.search(f"{BEGIN}.*{OWN}.*{END}", page, re.S):
        raise SystemExit(f"no place for it: wanted a page with {BEGIN}, {OWN} and {END}")
    before, after = page[: page.index(BEGIN)], page[page.index(END) :]
    parts = (BEGIN, *papers(), OWN, "## Our texts", *own())
    return before + "\n\n".join(parts) + "\n\n" + after


def main(arguments: Sequence[str]) -> None:
    """Rewrites the pages that are named."""
    if not arguments:
        raise SystemExit(f"which page? {COMMAND}")
    for name in arguments:
        write(Path(name), rewritten(Path(name).read_text(encoding="utf-8")))


if __name__ == "__main__":
    main(sys.argv[1:])
