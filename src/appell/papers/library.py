"""The papers and their cases by name: what `appell paper` can run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import ShapeError, unknown

# A paper's module, and the functions in it that give a Case; what they may be told has a default.
CASES: dict[str, tuple[str, ...]] = {
    "saha2010": ("counts", "puma", "stanford", "puma_fall", "stanford_fall", "five_bar", "five_bar_fall", "scraper"),
    "valera2003": ("counts", "line", "references", "dead_zone", "model_error", "driven"),
    "mata2002": ("counts", "stability", "line", "feeds", "cost"),
    "shafei2018": ("counts", "branch", "impacts"),
    "abedloo2014": ("agile_wrist", "loop"),
}
# What a paper is about, if it is one thing: the case that nobody needs to name
MAIN = {"shafei2018": "impacts", "abedloo2014": "agile_wrist"}
SHARED = ("counts",)  # what several papers have: a module of this name, with a function for each paper


def run(paper: str, case: str, out: Path, words: Sequence[str] = (), as_json: bool = False) -> int:
    """Works cases out, with options in `words`; prints and saves them under `out`, or prints their data alone.

    Without a case it is the paper's main one, or else all that take the options. 0 if all agree, else 1.
    """
    if paper not in CASES:
        raise unknown("paper", paper, CASES)
    name = case.replace("-", "_") or MAIN.get(paper, "")
    if name and name not in CASES[paper]:
        raise unknown(f"case of {paper}", case, CASES[paper])
    names = [name] if name else _taking(paper, words)
    found = _told(paper, names, words)
    if as_json:
        done = {name: _worked_out(paper, name, found[name]) for name in names}
        print(_json(done[name].data if name else {key: c.data for key, c in done.items()}))
    else:
        done = {name: _shown(paper, name, found[name], out) for name in names}
    return 0 if all(c.agrees for c in done.values()) else 1


def listing() -> list[tuple[str, str, str, str]]:
    """Every case: its paper, its name, what it is, and its options."""
    from inspect import getdoc, signature

    rows = []
    for paper, names in CASES.items():
        for name in names:
            case = function(paper, name)
            options = " ".join(f"[--{key.replace('_', '-')}]" for key in signature(case).parameters)
            rows.append((paper, name.replace("_", "-"), (getdoc(case) or "").partition("\n")[0], options))
    return rows


def _taking(paper: str, words: Sequence[str]) -> list[str]:
    """The cases that take the options; those that are told nothing are all."""
    from .options import options, taken

    asked, known = options(words), {name: taken(function(paper, name)) for name in CASES[paper]}
    takers = {option: [name for name in known if option in known[name]] for option in asked}
    for option, names in takers.items():
        if not names:
            raise unknown(f"option of {paper}", option, [*dict.fromkeys(o for each in known.values() for o in each)])
    found = [name for name in known if all(name in names for names in takers.values())]
    if not found:
        whose = "; ".join(f"{option} is of {', '.join(names)}" for option, names in takers.items())
        raise ShapeError(f"{paper}: got {' '.join(asked)}, wanted options that one case takes: {whose}")
    return found


def _told(paper: str, names: Sequence[str], words: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What each case is told."""
    from .options import given

    return {name: given(function(paper, name), name, words) for name in names}


def function(paper: str, name: str) -> Callable[..., Any]:
    """What works a case out."""
    module, called = (name, paper) if name in SHARED else (paper, name)
    return getattr(import_module(f"{__package__}.{module}"), called)


def _worked_out(paper: str, name: str, told: dict[str, Any]) -> Any:
    return function(paper, name)(**told)


def _shown(paper: str, name: str, told: dict[str, Any], out: Path) -> Any:
    print(f"{paper} {name} ...", flush=True)
    found = _worked_out(paper, name, told)
    print(f"\n{found}\n\nsaved: {found.save(out / paper / name)}\n", flush=True)
    return found


def _json(data: Any) -> str:
    """Plain data as JSON: arrays as lists, what is not a number as null."""
    import json

    return json.dumps(_plain(data))


def _plain(x: Any) -> Any:
    import numpy as np

    if isinstance(x, dict):
        return {str(k): _plain(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)) or (isinstance(x, np.ndarray) and x.ndim):
        return [_plain(v) for v in x]
    x = x.item() if isinstance(x, (np.generic, np.ndarray)) else x
    return None if isinstance(x, float) and not np.isfinite(x) else x
