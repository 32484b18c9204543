"""The point through which all hinges of a spherical mechanism pass, and where its links stand about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError
from ..model.tree import Tree
from ..model.walk import Coordinates, structural_vec
from ..vec import Vec3

Array = np.ndarray[Any, Any]
NEAR = 1e-9  # how far from the centre an axis may pass, against the size of what is around
ROUNDED = 1e-12  # what is rounding, likewise


@dataclass(frozen=True)
class Stand:
    """Rotations and origins of all links, the base first, in a configuration."""

    R: tuple[Array, ...]
    o: tuple[Array, ...]

    @staticmethod
    def of(tree: Tree, q: Array) -> Stand:
        """By the links' own poses."""
        R, o, at = [np.eye(3)], [np.zeros(3)], Coordinates(q.tolist())
        for b in tree.links:
            pose = b.pose(at)
            o.append(o[b.parent] + R[b.parent] @ floats(pose.r))
            R.append(R[b.parent] @ np.array([floats(row) for row in pose.R.matrix]))
        return Stand(tuple(R), tuple(o))

    def turned(self, place: Any) -> Array:
        """The axes of a place on a link, as columns."""
        return self.R[place.link] @ np.array([floats(row) for row in place.R])


def centre(name: str, tree: Tree, stand: Stand, links: list[int]) -> Array:
    """The point nearest to the axes of some links, if it is on all of them."""
    axes = np.array([stand.R[k][:, 2] for k in links])
    origins = np.array([stand.o[k] for k in links])
    across = np.eye(3) - axes[:, :, None] * axes[:, None, :]
    if np.linalg.svd(across.sum(0), compute_uv=False)[-1] < NEAR:
        raise ModelError(f"the hinges of {name!r} are parallel, wanted axes through one point")
    found = np.linalg.solve(across.sum(0), np.einsum("nij,nj->i", across, origins))
    off = np.linalg.norm(np.einsum("nij,nj->ni", across, found - origins), axis=1)
    if off.max() > NEAR * max(1.0, float(np.abs(origins).max())):
        raise ModelError(f"the hinges of {name!r} pass each other by {off.max():.3g} m, wanted axes through one point")
    return found


def arms(stand: Stand, at: Array, links: list[int]) -> dict[int, Vec3]:
    """From the centre to the origins of links, in the links' axes; none where it is nothing."""
    size = max(1.0, float(np.abs(stand.o).max()))
    found = {k: stand.R[k].T @ (stand.o[k] - at) for k in links}
    held = {k: np.where(np.abs(r) < ROUNDED * size, 0.0, r) for k, r in found.items()}
    return {k: structural_vec(Vec3(*map(float, r))) for k, r in held.items() if r.any()}


def floats(v: Any) -> Array:
    """A vector's components."""
    return np.array([float(x) for x in v])
