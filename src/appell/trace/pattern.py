"""What a rolled Program knows of a tree in advance: kinds of joints, whether it is a chain, which columns are
structurally 0 or 1. All else is read from tables when it runs, so one Program serves every tree of the pattern."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..model.tree import FREEDOMS, KINDS, POSITIONS, Link, Resistance, Tree
from ..spatial import leaves

FIELDS = {"fixed": 9, "offset": 3, "angle": 1, "pitch": 1, "mass": 1, "first": 3, "second": 6}
MET = tuple(Resistance.__dataclass_fields__)
NAMES = tuple(f"{name}.{k}" for name, size in FIELDS.items() for k in range(size))
MET_NAMES = tuple(f"{name}.{k}" for k in range(6) for name in MET)
SHARP = 1e-30
GRAVITY = ("gravity.0", "gravity.1", "gravity.2")  # stands in the base's row


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
        table, kinds = columns(tree), np.array([b.kind for b in tree.links])
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


def columns(tree: Tree) -> dict[str, np.ndarray]:
    """The tree's numbers by columns: row 0 is the base, row i link i."""
    table = np.zeros((tree.n + 1, len(NAMES) + len(MET_NAMES)))
    for b in tree.links:
        table[b.index, : len(NAMES)] = list(_numbers(b))
        for k, met in enumerate(b.resistances):
            at = len(NAMES) + k * len(MET)
            table[b.index, at : at + len(MET)] = [getattr(met, name) for name in MET]
    named = dict(zip((*NAMES, *MET_NAMES), table.T, strict=True))
    for k in range(6):  # where some friction turns round smoothly, the sharp ones do so at a tiny speed
        speeds = named[f"smoothing.{k}"]
        if speeds.any():
            speeds[speeds == 0.0] = SHARP
    for name, g in zip(GRAVITY, tree.gravity, strict=True):
        named[name] = np.concatenate([[g], np.zeros(tree.n)])
    return named


def lookups(tree: Tree) -> dict[str, np.ndarray]:
    """The tree's whole numbers by columns, row 0 the base."""
    rows = [(b.parent, b.q_index, b.v_index, KINDS.index(b.kind)) for b in tree.links]
    table = np.array([(0, 0, 0, 0), *rows], dtype=np.int64)
    return dict(zip(("parent", "q_index", "v_index", "kind"), table.T, strict=True))


def _numbers(b: Link) -> Iterator[float]:
    for name in FIELDS:
        yield from leaves(getattr(b, name))


__all__ = ["FREEDOMS", "GRAVITY", "MET", "POSITIONS", "Pattern", "columns", "lookups"]
