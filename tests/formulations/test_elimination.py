"""Elimination along a tree: it solves, keeps zeros, and costs what the tree's supports say."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from oracles.random_robots import random_robot

from appell.formulations.elimination import carried, carriers, eliminated
from appell.model.lower import lower
from appell.model.mechanism import Mechanism
from appell.model.tree import Tree
from appell.model.walk import Walk
from appell.scalar import Count

CASES = [("revolute", False, "chain"), ("mixed", True, "tree"), ("universal", False, "tree"), ("ball", True, "chain")]


def tree(joints: str, floating: bool, shape: str) -> Tree:
    return lower(Mechanism.from_dict(random_robot(3, 6, joints, floating, shape)))


def above(t: Tree) -> list[set[int]]:
    """Of each freedom those that carry it, told by M of the tree's own pattern."""
    found: list[set[int]] = [set() for _ in range(t.nv)]
    for b in t.links:
        of_parent = t.links[b.parent - 1].freedoms[-1].index if b.parent else None
        for z in b.freedoms:
            found[z.index] = set() if of_parent is None else {of_parent, *found[of_parent]}
            of_parent = z.index
    return found


def positive(t: Tree, seed: int) -> np.ndarray[Any, Any]:
    """A matrix U D U' with entries where the tree has them."""
    rng = np.random.default_rng(seed)
    U = np.eye(t.nv)
    for z, carrying in enumerate(above(t)):
        for k in carrying:
            U[k, z] = rng.normal()
    return U @ np.diag(rng.uniform(0.5, 2.0, t.nv)) @ U.T


@pytest.mark.parametrize("given", CASES)
def test_it_solves(given: tuple[str, bool, str]) -> None:
    t = tree(*given)
    walk, M, b = Walk(t), positive(t, 1), np.random.default_rng(2).normal(size=t.nv)
    A = walk.matrix()
    for i, j in np.ndindex(M.shape):
        A[i, j] = float(M[i, j])
    found = eliminated(walk, A, {z: float(b[z.index]) for z in walk.freedoms()})
    x = np.array([found[i] for i in range(t.nv)])
    np.testing.assert_allclose(M @ x, b, atol=1e-10)


@pytest.mark.parametrize("given", CASES)
def test_it_costs_what_the_supports_say(given: tuple[str, bool, str]) -> None:
    """With k freedoms that carry one: k factors, k (k + 1) / 2 updates, k in each substitution, and a division."""
    t = tree(*given)
    tally: Counter[str] = Counter()
    walk, A = Walk(t), Walk(t).matrix()
    for z, carrying in enumerate(above(t)):
        for k in (z, *carrying):
            A[z, k] = Count(tally)
    eliminated(walk, A, {z: Count(tally) for z in walk.freedoms()})
    depths = [len(carrying) for carrying in above(t)]
    assert tally["div"] == t.nv
    assert tally["mul"] == t.nv + sum(k + k * (k + 1) // 2 + 2 * k for k in depths)
    assert tally["add"] == sum(k * (k + 1) // 2 + 2 * k for k in depths)


@pytest.mark.parametrize("given", CASES)
def test_who_carries_whom_is_said_from_both_sides(given: tuple[str, bool, str]) -> None:
    t = tree(*given)
    walk = Walk(t)
    down = {(s.index, z.index) for b in walk.outward() for z in b.freedoms for _, s in carriers(walk, b, z)}
    up = {(z.index, s.index) for b in walk.outward() for z in b.freedoms for s in carried(walk, b, z)}
    assert down == up == {(k, z) for z, carrying in enumerate(above(t)) for k in carrying}
