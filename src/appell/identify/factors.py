"""Many measurements as few numbers: a triangular factor for each joint, grown block by block.

Rows of K and tau that belong to one joint become R and z with |K phi - tau|^2 = |R phi - z|^2 + rest for every phi.
A joint feels only what lies beyond it, so most of its columns are zero; and kept apart, joints can still be weighed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..errors import ShapeError
from .motions import random_motions
from .regressor import Regressor

Array = np.ndarray[Any, Any]
BLOCK = 512  # samples at a time: their regressor stays in the processor's cache
PANEL = 16  # columns that LAPACK reduces together


class Block(NamedTuple):
    """Some samples: q, v, a and tau, and weights of their squares, one for each row of tau or None."""

    q: Array
    v: Array
    a: Array
    tau: Array
    weight: Array | None = None
    seen: Callable[[Array], Array] | None = None  # what was done to tau, and to its samples, and will be to K

    def part(self, some: slice) -> Block:
        """Some of them."""
        weight = None if self.weight is None else self.weight[some]
        return Block(self.q[some], self.v[some], self.a[some], self.tau[some], weight)


class Triangle(NamedTuple):
    """|R phi - z|^2 + rest, and how many measurements are in it."""

    R: Array
    z: Array
    rest: float
    count: int


def joined(triangles: Sequence[Triangle], scales: Sequence[float] | None = None) -> Triangle:
    """One triangle for what is in several, each multiplied by its scale."""
    scales = [1.0] * len(triangles) if scales is None else scales
    rows = [np.column_stack([t.R, t.z]) * s for t, s in zip(triangles, scales, strict=True)]
    T: Any = np.linalg.qr(np.concatenate(rows), mode="r")
    p = triangles[0].R.shape[1]
    rest = sum(t.rest * s * s for t, s in zip(triangles, scales, strict=True)) + float(np.sum(T[p:, p] ** 2))
    return Triangle(T[:p, :p], T[:p, p], rest, sum(t.count for t in triangles))


@dataclass
class Growing:
    """The factor of one joint, with its forces as last column, taking in rows."""

    columns: Array  # of K that this joint can feel
    T: Array = field(init=False)
    count: int = 0

    def __post_init__(self) -> None:
        size = len(self.columns) + 1
        self.T = np.zeros((size, size), order="F")

    def take(self, K: Array, tau: Array, weight: Array | None) -> None:
        """Rows (B, p) of K and their forces."""
        from scipy.linalg import get_lapack_funcs

        rows = np.empty((len(K), len(self.columns) + 1), order="F")
        rows[:, :-1], rows[:, -1] = K[:, self.columns], tau
        self.count += len(K) if weight is None else int((weight > 0).sum())
        if weight is not None:
            rows *= np.sqrt(weight)[:, None]
        panel = min(PANEL, len(self.columns) + 1)
        append: Any = get_lapack_funcs("tpqrt", dtype=float)
        self.T = append(0, panel, self.T, rows, overwrite_a=True, overwrite_b=True)[0]

    def triangle(self, size: int) -> Triangle:
        """What has become of them, for all `size` parameters."""
        T = np.triu(self.T)
        R = np.zeros((len(self.columns), size))
        R[:, self.columns] = T[:-1, :-1]
        return Triangle(R, T[:-1, -1].copy(), float(T[-1, -1]) ** 2, self.count)


@dataclass(frozen=True, eq=False)
class Factors:
    """The measurements of every joint, as far as the parameters `names` are concerned."""

    names: tuple[str, ...]
    joints: tuple[Triangle, ...]

    @property
    def counts(self) -> Array:
        """How many measurements of each joint."""
        return np.array([t.count for t in self.joints])

    def squares(self, phi: Array) -> Array:
        """The sum of squared residuals of each joint."""
        return np.array([np.sum((t.R @ phi - t.z) ** 2) + t.rest for t in self.joints])

    def together(self, sigma: Array | None = None) -> Triangle:
        """One factor, each joint divided by its noise."""
        return joined(self.joints, None if sigma is None else (1.0 / sigma).tolist())

    @staticmethod
    def merged(parts: Sequence[Factors]) -> Factors:
        """What several have, as one."""
        joints = zip(*(part.joints for part in parts), strict=True)
        return Factors(parts[0].names, tuple(map(joined, joints)))


def reduced(
    regressor: Regressor, blocks: Iterable[Block], progress: Callable[[int], None] | None = None
) -> Factors:  # fmt: skip
    """The factors of measurements that come in blocks of any size; memory does not grow with them."""
    p = len(regressor.names)
    joints = [Growing(felt) for felt in felt_columns(regressor)]
    K, done = np.empty((BLOCK, regressor.rows, p)), 0
    for block in blocks:
        _check(block, regressor)
        if block.seen is not None:
            _take(joints, block.seen(regressor(block.q, block.v, block.a)), block)
        for start in range(0, len(block.q), BLOCK) if block.seen is None else ():
            part = block.part(slice(start, start + BLOCK))
            some = K[: len(part.q)]
            regressor(part.q, part.v, part.a, out=some)
            _take(joints, some, part)
        done += len(block.tau)
        if progress is not None:
            progress(done)
    return Factors(regressor.names, tuple(joint.triangle(p) for joint in joints))


def _take(joints: Sequence[Growing], K: Array, block: Block) -> None:
    """A block's rows, each to its joint."""
    for j, joint in enumerate(joints):
        weight = None if block.weight is None else block.weight[:, j]
        joint.take(K[:, j], block.tau[:, j], weight)


def felt_columns(regressor: Regressor) -> list[Array]:
    """For each joint the columns of K that are not zero in all motions."""
    K = regressor(*random_motions(regressor, 8))
    return [np.flatnonzero(np.abs(K[:, j]).max(0) > 0) for j in range(regressor.rows)]


def _check(block: Block, regressor: Regressor) -> None:
    robot, rows = regressor.robot, regressor.rows
    wide = (robot.nq, robot.nv, robot.nv, rows, rows)
    for name, x, n in zip(block._fields[:5], block[:5], wide, strict=True):
        long = len(block.q if name in "qva" else block.tau) if block.seen else len(block.q)
        if x is not None and (x.ndim != 2 or x.shape != (long, n)):
            raise ShapeError(f"reduced: {name} has shape {x.shape}, wanted ({long}, {n})")
        if x is not None and not np.isfinite(x).all():
            k = int(np.argmin(np.isfinite(x).all(-1)))
            raise ShapeError(f"reduced: {name} is {x[k]} in row {k}, wanted finite numbers")
