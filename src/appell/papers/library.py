"""The papers and their cases by name: what `appell paper` can run."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import unknown

# A paper's module, and the functions in it that give a Case without being told anything.
CASES: dict[str, tuple[str, ...]] = {
    "mata2002": ("stability",),
}


def run(paper: str, case: str, out: Path) -> int:
    """Works cases out, prints them and saves them under `out`; 0 if all agree, else 1."""
    if paper not in CASES:
        raise unknown("paper", paper, CASES)
    if case and case not in CASES[paper]:
        raise unknown(f"case of {paper}", case, CASES[paper])
    done = [_worked_out(paper, name, out) for name in ([case] if case else CASES[paper])]
    return 0 if all(c.agrees for c in done) else 1


def _worked_out(paper: str, name: str, out: Path) -> Any:
    print(f"{paper} {name} ...", flush=True)
    found = getattr(import_module(f"{__package__}.{paper}"), name)()
    print(f"\n{found}\n\nsaved: {found.save(out / paper / name)}\n", flush=True)
    return found
