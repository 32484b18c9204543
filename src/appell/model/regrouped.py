"""A tree of base parameters: it moves exactly like the given one, and has fewer numbers.

Mass moves to the parent where that cannot be felt at any joint. Wrenches at joints and energies are the first tree's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from ..vec import Mat3, Sym3, Turn, Vec3, mixed, square
from .tidy import clean, tidy_sum
from .tree import Link, Tree

SCREWS = ("revolute", "prismatic", "helical")
Z = Vec3(0, 0, 1)
Moments = tuple[float, float, Sym3]  # mass, first moment along z, second moment, about the joint's origin


def regrouped(tree: Tree) -> Tree:
    """Mass, first and second moments moved towards the base, as far as no joint can tell.

    A point on a revolute axis belongs to both links, so (m, s_z, J_zz) may move; at a ball's centre m may.
    A prismatic link turns with its parent, so all of J may move; of a helical one J_zz, felt in turns alone. Of a
    link that turns about one direction in space only J about it is kept, and nothing of one that cannot turn but m.
    """
    links = list(tree.links)
    for i in reversed(range(tree.n)):
        link, moved = split(links[i])
        links[i] = link
        if link.parent:
            links[link.parent - 1] = _joined(links[link.parent - 1], link, *moved)
    return tree.with_links(tuple(_felt(links, tree.gravity)))


def split(b: Link) -> tuple[Link, Moments]:
    """A link without what its parent may carry, and that."""
    axial = Sym3(zz=b.second.zz)
    rest = replace(b, second=replace(b.second, zz=0))
    if b.kind == "revolute":
        return replace(rest, mass=0, first=replace(b.first, z=0)), (b.mass, b.first.z, axial)
    if b.kind == "helical":
        return rest, (0, 0, axial)
    if b.kind == "prismatic":
        return replace(b, second=Sym3()), (0, 0, b.second)
    return (replace(b, mass=0), (b.mass, 0, Sym3())) if b.kind == "ball" else (b, (0, 0, Sym3()))


def _joined(parent: Link, b: Link, mass: float, along: float, second: Sym3) -> Link:
    """The parent with what it carries now of link b: the same for all q, so b's axes at q = 0 serve."""
    R, r = constant_turn(b), b.offset
    s = R @ Vec3(0, 0, along)
    grown = R.congruence(second) + mixed(s, r) + square(r) * mass
    return replace(
        parent,
        mass=parent.mass + mass,
        first=tidy_sum(parent.first, s + r * mass),
        second=tidy_sum(parent.second, grown),
    )


def _felt(links: list[Link], gravity: Vec3) -> Iterator[Link]:
    """The links without the moments that no joint feels, where all that turns a link turns about one direction."""
    turns: list[Vec3 | None] = [Vec3()]  # the direction in each link's axes: zero if it cannot turn, None if all ways
    for b in links:
        about = _turning(b, turns[b.parent])
        turns.append(about)
        yield b if about is None else _about(b, about, weightless=not b.parent and _across(b, gravity) == (0, 0))


def _turning(b: Link, parent: Vec3 | None) -> Vec3 | None:
    """The one direction, in b's axes, about which b turns."""
    if parent is None or b.kind not in SCREWS:
        return None
    about = constant_turn(b).T @ parent
    if b.kind == "prismatic":
        return about
    return Z if (about.x, about.y) == (0, 0) else None


def _about(b: Link, axis: Vec3, weightless: bool) -> Link:
    """A link that turns about one direction only: the moment about it, and what stands off it, can be felt."""
    if axis == Vec3():
        return replace(b, first=Vec3(), second=Sym3())
    if b.kind == "prismatic":
        return replace(b, first=_without(b.first, axis))
    still = weightless and b.kind == "revolute"  # its axis neither accelerates nor leans
    first = Vec3() if still else replace(b.first, z=0)
    return replace(b, first=first, second=Sym3(xx=b.second.xx + b.second.yy))


def _without(s: Vec3, axis: Vec3) -> Vec3:
    """A vector less so much along an axis that the entry in which the axis is largest is zero."""
    entries = list(zip(s, axis, strict=True))
    largest = max(range(3), key=lambda k: abs(entries[k][1]))
    along = entries[largest][0] / entries[largest][1]
    return Vec3(*(0 if k == largest else x - u * along for k, (x, u) in enumerate(entries)))


def _across(b: Link, v: Vec3) -> tuple[float, float]:
    """A vector of the parent, across b's axis."""
    x, y, _ = b.fixed.T @ v
    return x, y


def constant_turn(b: Link) -> Mat3:
    if b.angle == 0 or b.kind not in SCREWS:
        return clean(b.fixed)
    back = Turn(math.cos(b.angle), -math.sin(b.angle))
    return clean(Mat3(*(back @ row for row in b.fixed)))
