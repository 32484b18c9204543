"""What hangs on what: depth-first order, subtrees, depths, cycles. Bodies by number, the base is -1."""

from __future__ import annotations

from collections.abc import Sequence


def children(parents: Sequence[int]) -> list[list[int]]:
    """The children of every body, in order; those of the base last, so that index -1 finds them."""
    found: list[list[int]] = [[] for _ in range(len(parents) + 1)]
    for i, p in enumerate(parents):
        found[p].append(i)
    return found


def depth_first(parents: Sequence[int]) -> list[int]:
    """All bodies that hang on the base: parents first, each subtree in one piece."""
    below = children(parents)
    order: list[int] = []
    stack = below[-1][::-1]
    while stack:
        i = stack.pop()
        order.append(i)
        stack += reversed(below[i])
    return order


def cycle(parents: Sequence[int]) -> list[int]:
    """The bodies of one cycle, child before parent; empty if every body hangs on the base."""
    reached = set(depth_first(parents))
    if len(reached) == len(parents):
        return []
    i = next(i for i in range(len(parents)) if i not in reached)
    seen: dict[int, int] = {}
    while i not in seen:
        seen[i] = len(seen)
        i = parents[i]
    return [j for j, k in seen.items() if k >= seen[i]]


def depths(parents: Sequence[int]) -> list[int]:
    """How many joints lie between each body and the base."""
    depth = [0] * (len(parents) + 1)
    for i in depth_first(parents):
        depth[i] = depth[parents[i]] + 1
    return depth[:-1]


def subtree_ends(parents: Sequence[int]) -> list[int]:
    """Where parents stand before children, depth first: body i's subtree is range(i, ends[i])."""
    ends = [i + 1 for i in range(len(parents))]
    for i in range(len(parents) - 1, -1, -1):
        if parents[i] >= 0:
            ends[parents[i]] = max(ends[parents[i]], ends[i])
    return ends
