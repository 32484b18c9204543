"""Cheaper trees that move exactly like the given one."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from oracles.random_robots import random_robot, random_state

from appell.formulations.articulated_body import articulated_body
from appell.formulations.composite_body import composite_body
from appell.formulations.gibbs_appell import gibbs_appell
from appell.model import zoo
from appell.model.lower import lower
from appell.model.mechanism import Mechanism
from appell.model.reframed import reframed
from appell.model.regrouped import regrouped
from appell.model.tree import Tree
from appell.model.walk import Coordinates, Walk
from appell.scalar import Count
from appell.vec import Mat3, Vec3

pytestmark = pytest.mark.filterwarnings("ignore:robot .*radii of gyration")
Array = np.ndarray
KINDS = ("revolute", "prismatic", "helical", "ball", "planar", "universal", "cylindrical", "mixed")
CHANGES = {
    "regrouped": regrouped,
    "reframed": reframed,
    "both": lambda tree: regrouped(reframed(tree)),
    "the other way": lambda tree: reframed(regrouped(tree)),
    "twice": lambda tree: reframed(reframed(regrouped(regrouped(tree)))),
}


def torques(tree: Tree, q: Array, v: Array, a: Array) -> Array:
    tau = gibbs_appell(Walk(tree), q.tolist(), Coordinates(v.tolist()), Coordinates(a.tolist()))
    return np.array([tau[i] for i in range(tree.nv)], float)


def mass_matrix(tree: Tree, q: Array) -> Array:
    M = composite_body(Walk(tree), q.tolist())
    return np.array([[M[i, j] for j in range(tree.nv)] for i in range(tree.nv)], float)


def accelerations(tree: Tree, q: Array, v: Array, tau: Array) -> Array:
    a = articulated_body(Walk(tree), q.tolist(), Coordinates(v.tolist()), Coordinates(tau.tolist()))
    return np.array([a[i] for i in range(tree.nv)], float)


def operations(tree: Tree) -> Counter[str]:
    """What the Gibbs-Appell equations cost."""
    tally: Counter[str] = Counter()
    q, v, a = ([Count(tally) for _ in range(n)] for n in (tree.nq, tree.nv, tree.nv))
    gibbs_appell(Walk(tree), q, Coordinates(v), Coordinates(a))
    return tally


def rotation(rng: Any) -> list[list[float]]:
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return (q * np.linalg.det(q)).tolist()


@pytest.fixture
def general() -> Tree:
    """A 6R arm with no zero in it."""
    rng, data = np.random.default_rng(0), random_robot(5, 6)
    for body in data["bodies"]:
        body["placement"] = {"rotation": rotation(rng), "position": rng.uniform(0.1, 0.5, 3).tolist()}
        body["com"] = rng.uniform(0.1, 0.2, 3).tolist()
    return lower(Mechanism.from_dict(data))


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("joints", KINDS)
@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 5))])
def test_torques_mass_matrix_and_accelerations_stay(seed: int, joints: str, change: str) -> None:
    shape = ("tree", "chain")[seed % 2]
    data = random_robot(seed, 1 + 2 * seed, joints=joints, floating=seed % 3 == 0, shape=shape, rotors=seed == 4)
    tree, (q, v, a) = lower(Mechanism.from_dict(data)), random_state(data, seed)
    other = CHANGES[change](tree)
    tau, M = torques(tree, q, v, a), mass_matrix(tree, q)
    assert np.abs(torques(other, q, v, a) - tau).max() <= 1e-13 * np.abs(tau).max()
    assert np.abs(mass_matrix(other, q) - M).max() <= 1e-13 * np.abs(M).max()
    there = accelerations(other, q, v, tau) - accelerations(tree, q, v, tau)
    scale = np.abs(np.linalg.solve(M, tau)).max() + np.abs(a).max()
    assert np.abs(there).max() <= 1e-12 * np.linalg.cond(M) * scale


@pytest.mark.parametrize("name", zoo.names())
def test_the_zoo_stays_and_gets_no_dearer(name: str) -> None:
    tree = lower(zoo.load(name))
    rng = np.random.default_rng(3)
    q, v, a = rng.normal(size=tree.nq), rng.normal(size=tree.nv), rng.normal(size=tree.nv)
    other = regrouped(reframed(tree))
    tau = torques(tree, q, v, a)
    assert np.abs(torques(other, q, v, a) - tau).max() <= 1e-13 * np.abs(tau).max()
    before, after = operations(tree), operations(other)
    assert after["mul"] <= before["mul"]
    assert after["add"] <= before["add"]


def test_a_general_arm_loses_a_third_of_its_products(general: Tree) -> None:
    plain, best = operations(general), operations(regrouped(reframed(general)))
    assert best["mul"] < 0.69 * plain["mul"]
    assert best["add"] < 0.69 * plain["add"]


def test_a_general_arm_gets_the_frames_of_denavit_and_hartenberg(general: Tree) -> None:
    for b in reframed(general).links[1:]:
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = b.fixed
        assert (xx, xy, xz, yx, zx) == (1, 0, 0, 0, 0)
        assert (yy, yz) == (pytest.approx(zz), pytest.approx(-zy))
        assert b.offset.y == 0
        assert b.offset.x != 0
        assert b.offset.z != 0


@pytest.mark.parametrize("tilt", [1e-7, 4e-6, 1e-3])
def test_axes_that_are_all_but_parallel_cost_no_digits(tilt: float) -> None:
    """As 1.5708 leaves them: their common normal may be kilometres away, where no frame should stand."""
    data = random_robot(5, 4, floating=True)
    tree, (q, v, a) = lower(Mechanism.from_dict(data)), random_state(data, 7)
    lean = Mat3(Vec3(1, 0, 0), Vec3(0, math.cos(tilt), -math.sin(tilt)), Vec3(0, math.sin(tilt), math.cos(tilt)))
    tilted = [replace(b, fixed=lean, offset=Vec3(0, 0.05, 0.02)) for b in tree.links[1:]]
    tree = tree.with_links((tree.links[0], *tilted))
    tau, M = torques(tree, q, v, a), mass_matrix(tree, q)
    other = regrouped(reframed(tree))
    assert np.abs(torques(other, q, v, a) - tau).max() <= 1e-13 * np.abs(tau).max()
    assert np.abs(mass_matrix(other, q) - M).max() <= 1e-13 * np.abs(M).max()


def test_revolute_links_lose_three_constants(general: Tree) -> None:
    for b in regrouped(general).links:
        assert (b.mass, b.first.z, b.second.zz) == (0, 0, 0)


def test_prismatic_links_keep_no_second_moment() -> None:
    tree = lower(Mechanism.from_dict(random_robot(1, 4, joints="prismatic")))
    assert all(x == 0 for b in regrouped(tree).links for x in b.second)


def test_clean_rotations_stay_clean() -> None:
    for name in ("panda", "quadruped", "humanoid", "scara"):
        tree = lower(zoo.load(name))
        for b in reframed(tree).links:
            assert all(x in (0, 1, -1) for row in b.fixed for x in row)
            assert b.angle == 0 or b.first.y == 0  # a tip may turn its mass centre onto x


@pytest.mark.parametrize("seed", range(4))
def test_places_move_with_their_links(seed: int) -> None:
    data = random_robot(seed, 7, joints="mixed", shape="tree")
    tree, (q, _, _) = lower(Mechanism.from_dict(data)), random_state(data, seed)
    other = reframed(tree)
    for name in tree.frames:
        assert np.abs(world(other, name, q) - world(tree, name, q)).max() < 1e-14 * 30


def world(tree: Tree, name: str, q: Array) -> Array:
    """The pose of a frame, from the frame down to the base."""
    place = tree.frames[name]
    T = homogeneous(place.R, place.r)
    for b in tree.support(place.link):
        X = b.pose(q.tolist())
        T = homogeneous(X.R.matrix, X.r) @ T
    return T


def homogeneous(R: Any, r: Any) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = [list(row) for row in R], list(r)
    return T


def test_the_given_tree_is_left_alone(general: Tree) -> None:
    links = general.links
    regrouped(reframed(general))
    assert general.links is links
    assert general == general.with_links(links)
