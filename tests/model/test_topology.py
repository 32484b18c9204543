"""Orders of trees, without recursion."""

from __future__ import annotations

import numpy as np
import pytest

from appell.model.topology import children, cycle, depth_first, depths, subtree_ends

SMALL = (2, -1, 1, 1, 2, -1)  # 1 carries 2 and 3, 2 carries 0 and 4; 5 stands alone


def test_a_small_tree_by_hand() -> None:
    assert children(SMALL) == [[], [2, 3], [0, 4], [], [], [], [1, 5]]
    assert depth_first(SMALL) == [1, 2, 0, 4, 3, 5]
    assert depths(SMALL) == [3, 1, 2, 2, 3, 1]
    assert cycle(SMALL) == []


@pytest.mark.parametrize("seed", range(5))
def test_subtrees_of_a_depth_first_order_are_ranges(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parents = [int(rng.integers(-1, i)) for i in range(60)]
    order = depth_first(parents)
    place = {body: k for k, body in enumerate(order)}
    numbered = [place.get(parents[body], -1) for body in order]
    ends = subtree_ends(numbered)
    for i in range(60):
        inside = {i}
        for j in range(i + 1, 60):
            if numbered[j] in inside:
                inside.add(j)
        assert inside == set(range(i, ends[i]))


def test_cycles_are_found_and_named() -> None:
    assert cycle([0]) == [0]
    assert cycle([-1, 2, 3, 1, 2]) == [1, 2, 3]
    assert sorted(cycle([4, 0, -1, 2, 1])) == [0, 1, 4]


@pytest.mark.slow
def test_a_long_chain_needs_no_recursion() -> None:
    parents = list(range(-1, 99_999))
    assert depth_first(parents) == list(range(100_000))
    assert depths(parents)[-1] == 100_000
    assert len(cycle([99_999, *range(99_999)])) == 100_000
