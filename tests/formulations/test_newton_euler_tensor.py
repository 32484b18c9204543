"""Augmented bodies: what hangs on a body weighs on it as points, and the page costs what is published."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from appell.model.tree import Tree
from appell.model.walk import Coordinates, Walk
from appell.trace.counting import operations
from appell.vec import Mat3, Sym3, Vec3, square

from .readings import close
from .test_table import FORMULATIONS, chain

TENSOR = next(f for f in FORMULATIONS if (f.name, f.computes) == ("newton_euler_tensor", "inverse_dynamics"))
GIBBS = next(f for f in FORMULATIONS if (f.name, f.computes) == ("gibbs_appell", "inverse_dynamics"))


def arm(n: int) -> Tree:
    """The chain of the counts, with true rotations."""
    links = []
    for b in chain(n).links:
        c, s = math.cos(b.index), math.sin(b.index)
        links.append(replace(b, fixed=Mat3(Vec3(1, 0, 0), Vec3(0, c, -s), Vec3(0, s, c))))
    return chain(n).with_links(tuple(links))


def asked(row: object, tree: Tree) -> np.ndarray:
    rng = np.random.default_rng(3)
    states = (Coordinates(rng.normal(size=tree.nv).tolist()) for _ in range(3))
    tau = row.text(Walk(tree), *states)  # type: ignore[attr-defined]
    return np.array([tau[k] for k in range(tree.nv)])


def moved(tree: Tree, at: int, mass: float) -> Tree:
    """A point mass taken from a body's origin, and put where that stands on the parent."""
    links = list(tree.links)
    child, parent = links[at], links[at - 1]
    links[at] = replace(child, mass=child.mass - mass)
    grown = {"first": parent.first + child.offset * mass, "second": parent.second + square(child.offset) * mass}
    links[at - 1] = replace(parent, mass=parent.mass + mass, **grown)
    return tree.with_links(tuple(links))


@pytest.mark.parametrize("row", [TENSOR, GIBBS], ids=lambda f: f.name)
def test_a_point_on_a_revolute_axis_may_be_either_bodys(row: object) -> None:
    """The reason why augmented bodies are allowed; on a prismatic joint it is felt."""
    tree = arm(5)
    close(asked(row, moved(tree, 3, 1.3)), asked(row, tree), 1e-13)
    slides = tree.with_links(tuple(replace(b, kind="prismatic" if b.index == 4 else b.kind) for b in tree.links))
    assert not np.allclose(asked(row, moved(slides, 3, 1.3)), asked(row, slides))


def test_bodies_without_mass_are_augmented_too() -> None:
    tree = arm(5)
    hollow = tuple(replace(b, mass=0, first=Vec3(), second=Sym3()) if b.index in (2, 4) else b for b in tree.links)
    light = tree.with_links(hollow)
    close(asked(TENSOR, light), asked(GIBBS, light), 1e-13)


def test_costs_what_is_published() -> None:
    """93 products and 81 sums for every further body (mata2002, Table 1), and less than its 489 and 420 for six."""
    six, seven = (operations(TENSOR, chain(n), unroll=True) for n in (6, 7))
    assert (seven.mul - six.mul, seven.add - six.add) == (93, 81)
    assert six.mul <= 489
    assert six.add <= 420
