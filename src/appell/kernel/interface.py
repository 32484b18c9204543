"""What callers must know of a kernel whose code is at hand: all but its Program."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import Form

if TYPE_CHECKING:
    from ..model.tree import Tree


@dataclass(frozen=True)
class Interface:
    """The doors of a kernel: what goes in, what comes out, what it needs meanwhile."""

    code: str  # the name of its code in the cache
    dtype: str
    inputs: tuple[Form, ...]
    outputs: tuple[Form, ...]
    sizes: tuple[int, int, int]  # n, nq, nv
    scratch: int  # bytes of a call
    guess: float  # nanoseconds of one state
    rolled: bool
    columns: tuple[str, ...] = ()  # what its loops read of each body: numbers
    lookups: tuple[str, ...] = ()  # and places of others

    def tables(self, tree: Tree) -> list[np.ndarray[Any, Any]]:
        """What loops read of a tree."""
        if not self.rolled:
            return []
        numbers, places = tree.columns, tree.lookups
        table = np.array([numbers[c] for c in self.columns], np.dtype(self.dtype)).T.copy()
        return [table, np.array([places[c] for c in self.lookups], np.int64).T.copy()]

    def text(self) -> str:
        """As text, for a file."""
        return json.dumps(asdict(self))

    @staticmethod
    def read(text: bytes) -> Interface:
        """From text."""
        known = json.loads(text)
        for key in ("inputs", "outputs"):
            known[key] = tuple(Form(x["name"], tuple(x["shape"])) for x in known[key])
        for key in ("sizes", "columns", "lookups"):
            known[key] = tuple(known[key])
        return Interface(**known)
