"""The 4x4 algebra of the Lagrangian: it is that of 4x4 matrices, whose last rows are only not written down."""

from __future__ import annotations

from typing import Any

import numpy as np

from appell.formulations.composites import Matter
from appell.formulations.homogeneous import Homogeneous
from appell.spatial import Pose, Twist, Wrench
from appell.vec import IDENTITY, Mat3, Quat, Rot, Sym3, Vec3

from .readings import close

rng = np.random.default_rng(5)


def vec() -> Vec3:
    return Vec3(*rng.normal(size=3).tolist())


def block(A: Any, a: Any, last: tuple[float, ...]) -> np.ndarray:
    """[A, a; last] as an array."""
    top = np.column_stack([np.array([[*row] for row in A], float), np.array([*a], float)])
    return np.vstack([top, last])


def full(x: Any) -> np.ndarray:
    """All 16 entries of what the algebra multiplies."""
    if isinstance(x, Homogeneous):
        return block(x.A, x.a, (0, 0, 0, 0))
    if isinstance(x, Pose):
        return block(x.R.matrix, x.r, (0, 0, 0, 1))
    if isinstance(x, Twist):
        return block(cross_matrix(x.angular), x.linear, (0, 0, 0, 0))
    return block(x.second.matrix, x.first, (*x.first, x.mass))


def cross_matrix(u: Vec3) -> np.ndarray:
    return np.cross(np.eye(3), [*u]).T @ -np.eye(3)


W = Homogeneous(Mat3(vec(), vec(), vec()), vec())
X = Pose(Rot(Quat(*rng.normal(size=4).tolist()).matrix, IDENTITY), vec())
TWIST = Twist(vec(), vec())
MATTER = Matter(1.7, vec(), Sym3(*rng.normal(size=6).tolist()))


def test_products_are_those_of_matrices() -> None:
    for other in (X, TWIST, MATTER):
        close(full(W @ other), full(W) @ full(other), 1e-14)
    close(full(W.to_parent(X)), full(W) @ full(X).T, 1e-14)
    close(full(W @ X - W @ TWIST + W), full(W) @ (full(X) - full(TWIST) + np.eye(4)), 1e-14)


def test_the_trace_is_that_of_a_product_with_a_transpose() -> None:
    D = W @ MATTER
    close((W @ TWIST).trace(D), np.trace(full(W @ TWIST) @ full(D).T), 1e-13)


def test_a_pseudo_inertia_goes_to_the_parent_as_a_matrix() -> None:
    close(full(MATTER.to_parent(X)), full(X) @ full(MATTER) @ full(X).T, 1e-13)


def test_a_wrench_gives_its_power_in_any_twist() -> None:
    """Wherever it has been carried to: the trace sees only what does work."""
    wrench, still = Wrench(vec(), vec()), Homogeneous(IDENTITY)
    close((still @ TWIST).trace(still @ wrench), wrench @ TWIST, 1e-14)
    own = Homogeneous(X.R.matrix)  # a body's axes in those of its parent, which stands still
    close((still @ TWIST).trace((own @ wrench).to_parent(X)), X.to_parent(wrench) @ TWIST, 1e-13)
