"""What to cite: the papers behind an answer, as BibTeX from the repository's references.bib."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .errors import AppellError, unknown
from .formulations.table import CLOSED, FORMULATIONS, QUESTIONS, Formulation
from .robot import Robot

NAME = "references.bib"
INSTALLED = Path(__file__).with_name(NAME)  # a wheel carries it here
CHECKOUT = Path(__file__).resolve().parents[2] / NAME  # and here it is written
KEY = re.compile(r"\b[a-z]+(?:19|20)\d\d[a-z]?\b")


@dataclass(frozen=True)
class Citation:
    """Entries of the bibliography by their keys; printed, it is BibTeX."""

    entries: dict[str, str]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys, in the order in which they were asked for."""
        return tuple(self.entries)

    def __str__(self) -> str:
        return "\n\n".join(self.entries.values())

    __repr__ = __str__


def cite(*what: str | Formulation, robot: Robot | None = None) -> Citation:
    """The papers behind methods, questions, rows of the table or keys; with nothing named, all that are used.

    With a robot a question stands for the method that answers it there, else for all that answer it.
    """
    rows = [found for one in what or everything() for found in _found(one, robot)]
    keys = dict.fromkeys(key for row in rows for key in (keys_of(row) if isinstance(row, Formulation) else (row,)))
    known = bibliography()
    return Citation({key: known[key] for key in keys})


def everything() -> tuple[Formulation, ...]:
    """All formulations, of trees and of closed mechanisms."""
    from .formulations.by_drives import BY_DRIVES

    return *FORMULATIONS, *CLOSED, *BY_DRIVES


def keys_of(row: Formulation) -> tuple[str, ...]:
    """The keys of a row: its own first, then what its page names as sources."""
    _, _, sources = (page(row).__doc__ or "").partition("Source:")
    return tuple(dict.fromkeys((*row.keys, *KEY.findall(sources))))


def page(row: Formulation) -> Callable[..., Any]:
    """The function whose docstring holds a row's equations: its text, or the text that others wrap."""
    text = row.text
    while inspect.isfunction(text) and (inner := inspect.getclosurevars(text).nonlocals.get("text")):
        text = inner
    return text


@cache
def bibliography() -> dict[str, str]:
    """Every entry of references.bib by its key."""
    path = INSTALLED if INSTALLED.is_file() else CHECKOUT
    try:
        entries = re.findall(r"^@\w+\{.*?^\}", path.read_text(encoding="utf-8"), re.M | re.S)
    except OSError as error:
        raise AppellError(f"no bibliography at {path}: {error.strerror}; wanted {NAME} there") from None
    return {entry[entry.index("{") + 1 : entry.index(",")]: entry for entry in entries}


def _found(one: str | Formulation, robot: Robot | None) -> Iterator[str | Formulation]:
    """The rows, or the key, that a word stands for."""
    if isinstance(one, Formulation) or one in bibliography():
        yield one
    elif one in QUESTIONS:
        yield from [robot.formulation(one)] if robot else [row for row in FORMULATIONS if row.computes == one]
    elif named := [row for row in everything() if row.name == one]:
        yield from named
    else:
        raise unknown("method, question or key", one, {*bibliography(), *QUESTIONS, *(f.name for f in everything())})
