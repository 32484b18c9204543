"""Ways through a tree: what hangs on a link, and the tree cut into branches."""

from __future__ import annotations

import numpy as np
import pytest

from appell.model import zoo
from appell.model.lower import lower
from appell.model.tree import Tree
from appell.model.walk import Walk
from appell.spatial import Wrench
from appell.vec import Vec3

TREES = [lower(zoo.tree(n, seed, floating=seed % 2 == 0, joints="mixed")) for n, seed in ((1, 1), (7, 2), (12, 3))]
trees = pytest.mark.parametrize("tree", TREES, ids=lambda t: str(t.n))


@trees
def test_what_hangs_on_a_link_is_what_it_supports(tree: Tree) -> None:
    walk = Walk(tree)
    for b in walk.outward():
        beyond = [c.index for c in walk.outward() if c is not b and b in list(walk.support(c))]
        assert [c.index for c in walk.beyond(b)] == beyond
        assert tree.lasts[b.index - 1] == max([b.index, *beyond])


@trees
def test_branches_are_chains_that_cover_the_tree_once(tree: Tree) -> None:
    """Each link is in the branches of the tips it carries, and has its mass in one of them."""
    walk = Walk(tree, wrench=lambda k: Wrench(Vec3(), Vec3(float(k), 0.0, 0.0)))
    total, met = np.zeros(tree.nv), np.zeros(tree.nv)
    for branch in walk.branches():
        chain = list(branch.outward())
        assert [b.parent for b in chain] == list(range(len(chain)))
        for b in chain:
            total[b.v_index] += b.mass
            met[b.v_index] += branch.wrench(b).force.x
    for b in walk.outward():
        assert total[b.v_index] == b.mass
        assert met[b.v_index] == b.index
