"""A page for every formulation of the table, and an index: rewrites the folder that is named.

python -m appell.show.formulations docs/formulations [--times benchmarks/results/bench.json]

What a page says of the idea and of its use stands in the folder's notes.toml; equations, code and counts come from
the code, times from times.json, which --times takes anew from what `make bench` wrote.
"""

from __future__ import annotations

import inspect
import json
import sys
import tomllib
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any

from ..citations import cite, page
from ..errors import AppellError
from ..formulations.by_drives import BY_DRIVES
from ..formulations.table import CLOSED, FORMULATIONS, Formulation
from ..model.zoo import chain, load
from ..robot import Robot
from .closed import costs as closed_costs
from .markdown import block, duration, grid
from .report import write

COMMAND = "python -m appell.show.formulations docs/formulations"
BASIC = ("inverse_dynamics", "mass_matrix", "forward_dynamics")
ROBOTS = {"puma": "PUMA", "7r": "Panda", "chain30": "chain of 30"}  # as the benchmarks call them, and as a reader does
KINDS = {"call": "one call", "batch": "in a batch"}
PACKAGE = Path(__file__).resolve().parents[1]
DEFAULT = "robot.forward_dynamics(q, v, tau)"
HEAD = ("formulation", "source", "robots", "code", "asked by default")
MADE = "<!-- made by `{}`: change notes.toml or the text itself, not this page -->"


@dataclass(frozen=True)
class Note:
    """What is written by hand of a formulation."""

    title: str
    brief: str  # the derivation
    use: str  # when to ask for it


@dataclass(frozen=True)
class Folder:
    """What the pages are made of beside the code."""

    notes: dict[str, Note]
    times: dict[str, Any]

    @staticmethod
    def read(folder: Path) -> Folder:
        """From notes.toml and times.json."""
        notes = tomllib.loads((folder / "notes.toml").read_text(encoding="utf-8"))
        times = json.loads((folder / "times.json").read_text(encoding="utf-8"))
        return Folder({name: Note(**note) for name, note in notes.items()}, times)

    def note(self, name: str) -> Note:
        """What is written of a formulation."""
        if name not in self.notes:
            raise AppellError(f"formulation {name!r} has no note in notes.toml, wanted title, brief and use")
        return self.notes[name]

    def time(self, robot: str, question: str, kind: str, method: str) -> str:
        """A measured time, or nothing."""
        ns = self.times["ns"].get(f"{robot} {question} {kind} {method}")
        return "" if ns is None else duration(ns)


def names() -> tuple[str, ...]:
    """Every formulation, in the order of the table; those of closed mechanisms last."""
    return tuple(dict.fromkeys(row.name for row in (*FORMULATIONS, *CLOSED, *BY_DRIVES)))


def rows_of(name: str) -> list[Formulation]:
    """What a formulation answers."""
    return [row for row in (*FORMULATIONS, *CLOSED, *BY_DRIVES) if row.name == name]


def pages(folder: Folder) -> Iterator[tuple[str, str]]:
    """File names and contents."""
    yield "README.md", index(folder)
    for name in names():
        yield f"{name}.md", whole(name, folder)


# -- one page -------------------------------------------------------------------------------------------------


def whole(name: str, folder: Folder) -> str:
    """The page of a formulation."""
    note, rows = folder.note(name), rows_of(name)
    parts = [MADE.format(COMMAND), f"# {note.title}", answers(rows), "## In brief", note.brief.strip()]
    parts += ["## When to use it", note.use.strip(), "## Equations and code", *_texts(rows)]
    parts += [part for row in rows if row in FORMULATIONS for part in costs(row, folder)]
    parts += closed_costs() if rows[0] not in FORMULATIONS else []
    cited = cite(*rows)
    parts += ["## To cite", block("bibtex", str(cited))] if cited.keys else []
    return "\n\n".join(parts) + "\n"


def answers(rows: Sequence[Formulation]) -> str:
    """What it answers, for which robots, and where it is what Appell asks unasked."""
    if rows[0].asked:
        lines = [(_words(row.computes), row.robots, f"`{row.asked}`") for row in rows]
        words = f"What it answers, and how it is asked; `appell cite {rows[0].name}` has its papers:"
        return f"{words}\n\n{grid(('question', 'robots', 'asked by'), lines)}"
    lines = [(_words(row.computes), row.robots, _code(row), default(row)) for row in rows]
    method = f'`method="{rows[0].name}"` of these questions, and `appell cite {rows[0].name}`:'
    return f"{method}\n\n{grid(('question', 'robots', 'code', 'asked by default'), lines)}"


def default(row: Formulation) -> str:
    """The degrees of freedom for which a row is the one that answers."""
    if row in CLOSED:
        return "where there are loops"
    low = 1
    for other in (f for f in FORMULATIONS if f.computes == row.computes):
        if other is row:
            if row.best_up_to is None:
                return "always" if low == 1 else f"from {low} degrees of freedom"
            return f"{low} to {row.best_up_to} degrees of freedom"
        if other.best_up_to is None:
            break
        low = other.best_up_to + 1
    return "no"


def _code(row: Formulation) -> str:
    return f"straight to {row.unrolled_up_to}, then loops" if row.rolls else "straight"


def _texts(rows: Sequence[Formulation]) -> Iterator[str]:
    """Each different text behind the rows, once, with what it is made of."""
    shown: dict[Callable[..., Any], None] = {}
    for function in dict.fromkeys(page(row) for row in rows):
        asked = [_words(row.computes) for row in rows if page(row) is function]
        yield f"### {', '.join(asked).capitalize()}"
        parts = [part for row in rows if page(row) is function for part in row.made_of]
        for part in dict.fromkeys((function, *parts, *(p for x in (function, *parts) for p in parts_of(x)))):
            if part not in shown:
                shown[part] = None
                yield from _text(part)


def _text(function: Callable[..., Any]) -> Iterator[str]:
    """A function's docstring, then its code, which carries the equations' numbers."""
    file = Path(inspect.getsourcefile(function) or "").relative_to(PACKAGE)
    equations, _, source = (inspect.getdoc(function) or "").partition("Source:")
    yield f"`{function.__name__}` in [{file.as_posix()}](../../src/appell/{file.as_posix()}):"
    yield block("text", equations.strip())
    yield block("python", code(function))
    if source:
        yield f"Source: {' '.join(source.split())}"


def code(function: Callable[..., Any]) -> str:
    """A function without its docstring."""
    head, quotes, rest = dedent(inspect.getsource(function)).partition('"""')
    return (head.rstrip() + "\n" + rest.partition('"""')[2].lstrip("\n") if quotes else head).rstrip()


def parts_of(function: Callable[..., Any]) -> list[Callable[..., Any]]:
    """What a function is made of: functions of its own file, and equations that are no page of their own."""
    known = {page(row) for row in (*FORMULATIONS, *CLOSED, *BY_DRIVES)}
    found: dict[Callable[..., Any], None] = {}
    waiting = [function]
    while waiting:
        at = waiting.pop(0)
        for name in at.__code__.co_names:
            part = at.__globals__.get(name)
            if inspect.isfunction(part) and part not in found and _belongs(part, function, known):
                waiting.append(part)
                found[part] = None
    return list(found)


def _belongs(part: Callable[..., Any], to: Callable[..., Any], pages_of_rows: set[Callable[..., Any]]) -> bool:
    if part is to or part in pages_of_rows:
        return False
    return part.__module__ == to.__module__ or "Source:" in (part.__doc__ or "")


# -- what it costs --------------------------------------------------------------------------------------------


def costs(row: Formulation, folder: Folder) -> Iterator[str]:
    """Operations and times of all answers to a row's question, that row in bold."""
    if row.question.of_frame or row.computes in ("bias", "gravity_forces"):
        return
    basic = row.computes in BASIC
    others = [f for f in FORMULATIONS if f.computes == row.computes]
    lines = [(_bold(f.name, f is row), *counted(f, basic)) for f in others]
    head = [f"{ROBOTS[r]}, {of}" for r in (ROBOTS if basic else ("puma",)) for of in ("as written", "as run")]
    yield f"## What it costs: {_words(row.computes)}"
    yield "Multiplications and divisions + additions, of the text as written and of the Program as run:"
    yield grid(("formulation", *head), lines)
    if basic and any(key.split()[1] == row.computes for key in folder.times["ns"]):
        columns = [(r, k) for k in KINDS for r in ROBOTS]
        spans = [
            (_bold(f.name, f is row), *(folder.time(r, f.computes, k, f.name) for r, k in columns)) for f in others
        ]
        yield f"Time of one state, best of many, measured by `make bench` on {folder.times['where']}:"
        yield grid(("formulation", *(f"{ROBOTS[r]}, {KINDS[k]}" for r, k in columns)), spans)


@cache
def counted(row: Formulation, basic: bool) -> tuple[str, ...]:
    """Operations on the robots, as written and as run."""
    found = (robot(name).count(row.computes, row.name) for name in (ROBOTS if basic else ("puma",)))
    return tuple(f"{x.mul + x.div} + {x.add}" for counts in found for x in (counts.text, counts.program))


@cache
def robot(name: str) -> Robot:
    """A robot of the benchmarks."""
    return Robot(chain(30) if name == "chain30" else load({"puma": "puma560", "7r": "panda"}[name]))


# -- the index ------------------------------------------------------------------------------------------------


def index(folder: Folder) -> str:
    """All formulations: a table for each basic question, and one for all others."""
    parts = [MADE.format(COMMAND), "# Formulations", folder.note("README").brief.strip()]
    for question in BASIC:
        rows = [row for row in FORMULATIONS if row.computes == question]
        parts += [f"## {_words(question).capitalize()}", f"{rows[0].question.about.capitalize()}."]
        parts.append(grid((*HEAD, "PUMA", "one call"), [(*_line(row, folder), *_cost(row, folder)) for row in rows]))
    others = [row for row in FORMULATIONS if row.computes not in BASIC]
    lines = [(_words(row.computes), *_line(row, folder)) for row in others]
    parts += ["## Other questions", grid(("question", *HEAD), lines), "## Closed mechanisms"]
    closed = [
        (_words(row.computes), *_line(row, folder)[:3], f"`{row.asked or DEFAULT}`") for row in (*CLOSED, *BY_DRIVES)
    ]
    return "\n\n".join([*parts, grid(("question", *HEAD[:3], "asked by"), closed)]) + "\n"


def _line(row: Formulation, folder: Folder) -> tuple[str, ...]:
    link = f"[{folder.note(row.name).title}]({row.name}.md)"
    return link, ", ".join(row.keys), row.robots, _code(row), default(row)


def _cost(row: Formulation, folder: Folder) -> tuple[str, str]:
    """Operations of the PUMA as run, and the time of one call."""
    return counted(row, True)[1], folder.time("puma", row.computes, "call", row.name)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _bold(words: str, bold: bool) -> str:
    return f"**{words}**" if bold else words


# -- writing --------------------------------------------------------------------------------------------------


def times_of(bench: dict[str, Any]) -> dict[str, Any]:
    """What the pages need of the benchmarks' results."""
    at = bench["circumstances"]
    keys = ((f"{m['robot']} {m['question']} {m['kind']} {m['contender']}", m["best"]) for m in bench["methods"])
    return {"where": f"{at['cpu']}, {at['date']}", "ns": {key: float(f"{ns:.3g}") for key, ns in keys}}


def main(arguments: Sequence[str]) -> None:
    """Writes every page."""
    if len(arguments) not in (1, 3) or (len(arguments) == 3 and arguments[1] != "--times"):
        raise SystemExit(f"which folder? {COMMAND} [--times FILE]")
    warnings.filterwarnings("ignore", message=".*radii of gyration")  # PUMA's are as published
    home = Path(arguments[0])
    if len(arguments) == 3:
        bench = json.loads(Path(arguments[2]).read_text(encoding="utf-8"))
        write(home / "times.json", json.dumps(times_of(bench), indent=1) + "\n")
    for name, content in pages(Folder.read(home)):
        write(home / name, content)


if __name__ == "__main__":
    main(sys.argv[1:])
