"""What APPELL_DEBUG shows on stderr: 1 sizes and times of each stage, 2 also the Program, 3 the IR, 4 the assembly."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from .program import Program

T = TypeVar("T")


def level() -> int:
    """How much is to be shown; read anew at each stage, so that a program may switch it on around one kernel."""
    given = os.environ.get("APPELL_DEBUG", "").strip()
    return int(given) if given.isdecimal() else 0


def show(wanted: int, title: str, text: str | Callable[[], str]) -> None:
    """Prints a stage's text where `wanted` is asked for; a callable is called only then."""
    if level() >= wanted:
        _write(title, text if isinstance(text, str) else text())


def timed(title: str, make: Callable[[], T], about: Callable[[T], str]) -> T:
    """What `make` makes; at level 1, `about` it and the time it took are printed."""
    if level() < 1:
        return make()
    start = perf_counter()
    made = make()
    spent = perf_counter() - start
    _write(title, f"{about(made):<58} {spent * 1e3:9.2f} ms")
    return made


def statements(program: Program) -> int:
    """How many statements are written; a loop's are counted once."""
    from .program import blocks  # a kernel from the cache has no Program

    return sum(len(block.items) for block in blocks(program.body))


def _write(title: str, text: str) -> None:
    many = "\n" in text
    body = f"\n{text.rstrip()}\nappell: {title:<8} end" if many else f" {text}"
    print(f"appell: {title:<8}{body}", file=sys.stderr, flush=True)
