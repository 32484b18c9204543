"""Matter and flow of a cloud of points: every method against the sum over the points."""

from __future__ import annotations

from typing import Any

import numpy as np

from appell.formulations.composites import Flow, Matter
from appell.spatial import Pose, Twist, Wrench, leaves, rebuild, width
from appell.vec import Mat3, Rot, Sym3, Turn, Vec3

from .readings import close

rng = np.random.default_rng(7)
POINTS, MASSES = rng.normal(size=(9, 3)), rng.random(9)
W, U, E, L = rng.normal(size=(4, 3))


def vec(x: Any) -> Vec3:
    return Vec3(*np.asarray(x).tolist())


def flat(x: Any) -> list[float]:
    return list(leaves(x))


def matter(points: Any) -> Matter:
    J = np.einsum("k,ki,kj->ij", MASSES, points, points)
    second = Sym3(*(float(J[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))))
    return Matter(float(MASSES.sum()), vec(MASSES @ points), second)


def flow(points: Any, velocities: Any) -> Flow:
    N = np.einsum("k,ki,kj->ij", MASSES, velocities, points)
    return Flow(vec(MASSES @ velocities), Mat3(*map(vec, N)))


VELOCITIES = U + np.cross(W, POINTS)
TWIST, Z = Twist(vec(W), vec(U)), Twist(vec(E), vec(L))


def wrench_of(forces: Any) -> list[float]:
    return [*np.cross(POINTS, forces).sum(axis=0), *forces.sum(axis=0)]


def test_matter_gives_momentum() -> None:
    close(flat(matter(POINTS) @ TWIST), wrench_of(MASSES[:, None] * VELOCITIES))


def test_flow_of_matter() -> None:
    close(flat(Flow.of(matter(POINTS), TWIST)), flat(flow(POINTS, VELOCITIES)))


def test_flow_swept() -> None:
    forces = MASSES[:, None] * np.cross(E, VELOCITIES)
    close(flat(flow(POINTS, VELOCITIES).swept(vec(E))), wrench_of(forces))


def test_flow_against_is_its_power() -> None:
    B, alpha = flow(POINTS, VELOCITIES), vec(rng.normal(size=3))
    swept: Wrench = B.swept(alpha)
    close(B.against(Z) @ alpha, swept @ Z)


def test_to_parent_and_sum() -> None:
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    r = rng.normal(size=3)
    X = Pose(Rot(Mat3(*map(vec, Q)), Turn(np.cos(0.4), np.sin(0.4))), vec(r))
    R = np.array([flat(row) for row in X.R.matrix])
    moved, turned = POINTS @ R.T + r, VELOCITIES @ R.T
    close(flat(matter(POINTS).to_parent(X)), flat(matter(moved)))
    close(flat(flow(POINTS, VELOCITIES).to_parent(X)), flat(flow(moved, turned)))
    close(flat(matter(POINTS) + matter(moved)), np.add(flat(matter(POINTS)), flat(matter(moved))))


def test_they_fit_into_slots() -> None:
    for kind in (Matter, Flow):
        assert rebuild(kind, iter(range(width(kind)))) == rebuild(kind, iter(range(width(kind))))
        assert flat(rebuild(kind, iter(range(width(kind))))) == list(range(width(kind)))
