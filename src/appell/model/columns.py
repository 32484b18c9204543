"""A tree's numbers by columns, for loops: row 0 is the base, row i link i."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .tree import Link, Tree

FIELDS = {"fixed": 9, "offset": 3, "angle": 1, "pitch": 1, "mass": 1, "first": 3, "second": 6}
MET = ("rotor", "damping", "coulomb", "smoothing", "stiffness", "rest", "preload")
NAMES = tuple(f"{name}.{k}" for name, size in FIELDS.items() for k in range(size))
MET_NAMES = tuple(f"{name}.{k}" for k in range(6) for name in MET)
GRAVITY = ("gravity.0", "gravity.1", "gravity.2")  # stands in the base's row
SHARP = 1e-30  # the speed over which sharp friction turns round, where it shares a column with smooth friction

Columns = dict[str, np.ndarray[Any, Any]]


def columns(tree: Tree) -> Columns:
    """Every number of every link, and gravity."""
    table = np.zeros((tree.n + 1, len(NAMES) + len(MET_NAMES)))
    if tree.links:
        table[1:, : len(NAMES)] = [_numbers(b) for b in tree.links]
    for b in tree.links:
        for k, met in enumerate(b.resistances):
            at = len(NAMES) + k * len(MET)
            table[b.index, at : at + len(MET)] = [getattr(met, name) for name in MET]
    named = dict(zip((*NAMES, *MET_NAMES), table.T, strict=True))
    for k in range(6):
        speeds = named[f"smoothing.{k}"]
        if speeds.any():
            speeds[speeds == 0.0] = SHARP
    for name, g in zip(GRAVITY, tree.gravity, strict=True):
        named[name] = np.concatenate([[g], np.zeros(tree.n)])
    return named


def _numbers(b: Link) -> tuple[float, ...]:
    (a1, a2, a3), (b1, b2, b3), (c1, c2, c3) = b.fixed
    r, s, J = b.offset, b.first, b.second
    return (
        a1, a2, a3, b1, b2, b3, c1, c2, c3, r.x, r.y, r.z, b.angle, b.pitch, b.mass,
        s.x, s.y, s.z, J.xx, J.yy, J.zz, J.xy, J.xz, J.yz,
    )  # fmt: skip


def lookups(tree: Tree, kinds: tuple[str, ...]) -> Columns:
    """Every whole number of every link; a kind of joint is its place among the kinds."""
    numbered = zip(tree.links, tree.lasts, strict=True)
    rows = [(b.parent, b.q_index, b.v_index, kinds.index(b.kind), last) for b, last in numbered]
    table = np.array([(0, 0, 0, 0, tree.n), *rows], dtype=np.int64)
    return dict(zip(("parent", "q_index", "v_index", "kind", "last"), table.T, strict=True))
