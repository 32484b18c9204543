"""What a rolled Program knows of a tree in advance: kinds of joints, whether it is a chain, which columns are
structurally 0 or 1. All else is read from tables when it runs, so one Program serves every tree of the pattern."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..model.columns import GRAVITY
from ..model.tree import KINDS, Tree


@dataclass(frozen=True)
class Pattern:
    """The structure of a tree; two trees of equal pattern share their rolled Programs."""

    kinds: tuple[str, ...]
    chain: bool  # every parent is the body before
    plain: bool  # one coordinate per body, numbered like the bodies
    known: tuple[tuple[str, str, int], ...]  # (kind, column, 0 or 1) of columns that are so for every body
    met: bool  # whether joints have rotors, friction or springs

    @staticmethod
    def of(tree: Tree) -> Pattern:
        """The pattern of a tree."""
        table, kinds = tree.columns, np.array([b.kind for b in tree.links])
        present = tuple(k for k in KINDS if (kinds == k).any())
        chain = tree.parents == tuple(range(tree.n))
        numbered = all(b.q_index == b.v_index == b.index - 1 for b in tree.links)
        known = tuple(
            (kind, name, int(value))
            for kind in present
            for name, column in table.items()
            for value in (0.0, 1.0)
            if (_rows(name, column, kinds == kind) == value).all()
        )
        return Pattern(present, chain, numbered, known, any(b.resistances for b in tree.links))

    @cached_property
    def structural(self) -> dict[tuple[str, str], int]:
        """The known columns, by kind and name."""
        return {(kind, name): value for kind, name, value in self.known}


def _rows(name: str, column: np.ndarray, of_kind: np.ndarray) -> np.ndarray:
    return column[:1] if name in GRAVITY else column[1:][of_kind]
