"""Trees that move exactly like the given one, and cost less: for inverse dynamics, M and accelerations.

`regrouped` moves mass to the parent where that cannot be felt at any joint; `reframed` turns and shifts the
links' frames until more of their constants are zero. Wrenches at joints and energies are the first tree's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from ..vec import Mat3, Sym3, Vec3, mixed, square
from .topology import children
from .tree import Link, Place, Tree

ROUNDING = 8e-16
SCREWS = ("revolute", "prismatic", "helical")
Z = Vec3(0, 0, 1)
T = TypeVar("T", Vec3, Sym3)


def regrouped(tree: Tree) -> Tree:
    """Mass, first and second moments moved towards the base, as far as no joint can tell.

    A point on a revolute axis belongs to both links, so (m, s_z, J_zz) may move; at a ball's centre m may.
    A prismatic link turns with its parent, so all of J may move; of a helical one J_zz, felt in turns alone. Of a
    link that turns about one direction in space only J about it is kept, and nothing of one that cannot turn but m.
    """
    links = list(tree.links)
    for i in reversed(range(tree.n)):
        link, moved = _split(links[i])
        links[i] = link
        if link.parent:
            links[link.parent - 1] = _joined(links[link.parent - 1], link, *moved)
    return tree.with_links(tuple(_felt(links, tree.gravity)))


Moments = tuple[float, float, Sym3]  # mass, first moment along z, second moment, about the joint's origin


def _split(b: Link) -> tuple[Link, Moments]:
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
    R, r = _constant_turn(b), b.offset
    s = R @ Vec3(0, 0, along)
    grown = R.congruence(second) + mixed(s, r) + square(r) * mass
    return replace(
        parent,
        mass=parent.mass + mass,
        first=_tidy_sum(parent.first, s + r * mass),
        second=_tidy_sum(parent.second, grown),
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
    about = _constant_turn(b).T @ parent
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


def _tidy_sum(a: T, b: T) -> T:
    """a + b, with zero where only rounding is left."""
    sums = ((x, y, x + y) for x, y in zip(a, b, strict=True))
    return type(a)(*(0 if abs(s) <= ROUNDING * (abs(x) + abs(y)) else s for x, y, s in sums))


@dataclass(frozen=True)
class _Gauge:
    """A new frame for a link: turned about its z, by cosine and sine, then shifted along z."""

    c: float = 1
    s: float = 0
    shift: float = 0

    @property
    def turn(self) -> Mat3:
        return Mat3(Vec3(self.c, -self.s, 0), Vec3(self.s, self.c, 0), Z)


def reframed(tree: Tree) -> Tree:
    """Frames chosen for few constants: to a child as Denavit and Hartenberg's, rotation Rx, offset (a, 0, d).

    A link's frame may turn about the axis of its screw joint and slide along it. From the base outward each
    link takes the frame that costs least; one that is clean already stays as it is.
    """
    links, kids = [_unangled(b) for b in tree.links], children([b.parent - 1 for b in tree.links])
    gauges = [_Gauge()] * (tree.n + 1)
    for i in range(tree.n):
        below = [links[k] for k in kids[i]]
        if links[i].kind in SCREWS:
            found = list(_gauges(links[i], below))
            best = min(found, key=lambda g: _cost_with(g, links[i], below)) if len(found) > 1 else found[0]
            gauges[i + 1] = best
            links[i] = _seen_from(links[i], best)
            for k in kids[i]:
                links[k] = _carried(links[k], best)
    placed = {name: _replaced(place, gauges[place.link]) for name, place in tree.frames.items()}
    bodies = tuple(_replaced(place, gauges[place.link]) for place in tree.bodies)
    return replace(tree, links=tuple(map(_angled, links)), bodies=bodies, frames=placed)


def _gauges(b: Link, below: list[Link]) -> Iterator[_Gauge]:
    """The frames worth trying, the present one first."""
    turns: list[tuple[float, float]] = [(1, 0)]
    if b.kind == "prismatic":
        c, s = _angle(b.fixed)
        turns.append((c, -s))
    turns += [_direction(b.first.x, b.first.y), *(_normal(child) for child in below[:3])]
    for shift in dict.fromkeys((0, _slide(b))):
        for c, s in dict.fromkeys(turns):
            yield _Gauge(c, s, shift)


def _slide(b: Link) -> float:
    """How far from b's origin, along its axis, the axis of the parent is nearest."""
    u, o = b.fixed @ Z, b.offset
    across = Vec3(u.x, u.y, 0)
    size = across @ across
    return -(o @ across) / size if size > ROUNDING else -o.z * u.z


def _normal(child: Link) -> tuple[float, float]:
    """The direction of the common normal to a child's axis, or of its offset if the axes are parallel."""
    u = child.fixed @ Z
    if u.x * u.x + u.y * u.y > ROUNDING:
        return _direction(-u.y, u.x)
    return _direction(child.offset.x, child.offset.y)


def _direction(x: float, y: float) -> tuple[float, float]:
    """The unit vector, of the two, that is nearest to x."""
    size = math.hypot(x, y)
    if size == 0:
        return (1, 0)
    c, s = _unit(x / size), _unit(y / size)
    return (-c, -s) if c < 0 or (c == 0 and s < 0) else (c, s)


def _seen_from(b: Link, g: _Gauge) -> Link:
    """Link b in its new frame."""
    back = g.turn.T
    shift = Vec3(0, 0, -g.shift)
    second = b.second + mixed(b.first, shift) + square(shift) * b.mass
    scale = sum(map(abs, b.second)) + abs(b.mass) * g.shift * g.shift
    return replace(
        b,
        fixed=_clean(b.fixed @ g.turn),
        offset=_tidy_sum(b.offset, b.fixed @ -shift),
        first=_small(back @ _tidy_sum(b.first, shift * b.mass), sum(map(abs, b.first))),
        second=_small(back.congruence(second), scale),
    )


def _carried(child: Link, g: _Gauge) -> Link:
    """A child, as its parent's new frame has it."""
    back = g.turn.T
    offset = _tidy_sum(child.offset, Vec3(0, 0, -g.shift))
    return replace(child, fixed=_clean(back @ child.fixed), offset=_small(back @ offset, sum(map(abs, offset))))


def _replaced(place: Place, g: _Gauge) -> Place:
    back = g.turn.T
    return Place(place.link, _clean(back @ place.R), back @ (place.r + Vec3(0, 0, -g.shift)))


def _cost_with(g: _Gauge, b: Link, below: list[Link]) -> float:
    """The price of b in a new frame, and of its children, those on the best place of their axes."""
    own = _seen_from(b, g)
    cost = _turn_cost(own) + 5 * _nonzero(own.offset) + _inertia_cost(own)
    for child in below:
        cost += min(_child_cost(_carried(child, g)), _child_cost(_carried(_slid(child), g)))
    return cost


def _child_cost(child: Link) -> float:
    return _turn_cost(child) + 5 * _nonzero(child.offset)


def _slid(child: Link) -> Link:
    return _seen_from(child, _Gauge(shift=_slide(child))) if child.kind in SCREWS else child


def _inertia_cost(b: Link) -> float:
    """Products for the inertia that regrouping leaves."""
    left = _split(b)[0]
    return 5 * _nonzero(left.first) + 3 * _nonzero(left.second)


def _turn_cost(b: Link) -> float:
    """Products for the constant rotation, or, if cheaper, for the one without its last turn about z."""
    if b.kind not in ("revolute", "helical"):
        return 5 * _products(b.fixed)
    return min(5 * _products(b.fixed), 5 * _products(_factored(b.fixed)[0]) + 1)


def _products(A: Mat3) -> int:
    return sum(1 for row in A for x in row if x not in (0, 1, -1))


def _nonzero(values: Vec3 | Sym3) -> int:
    return sum(1 for x in values if x != 0)


def _factored(A: Mat3) -> tuple[Mat3, float]:
    """A = B Rz(angle), with b31 = 0."""
    c, s = _angle(A)
    B = A @ Mat3(Vec3(c, s, 0), Vec3(-s, c, 0), Z)
    return _clean(B), math.atan2(s, c)


def _angle(A: Mat3) -> tuple[float, float]:
    """Cosine and sine of the last turn about z in A = Rz Rx Rz."""
    if A.r3.x * A.r3.x + A.r3.y * A.r3.y <= ROUNDING * ROUNDING:
        return _direction_of_turn(A.r1.x, -A.r1.y)
    c, s = _direction_of_turn(A.r3.y, A.r3.x)
    return (c, s) if A.r1.x * c - A.r1.y * s >= 0 else (-c, -s)


def _direction_of_turn(c: float, s: float) -> tuple[float, float]:
    size = math.hypot(c, s)
    return _unit(c / size), _unit(s / size)


def _unangled(b: Link) -> Link:
    """A link whose constant angle is part of its fixed rotation."""
    if b.angle == 0:
        return b
    return replace(b, fixed=_constant_turn(b), angle=0)


def _constant_turn(b: Link) -> Mat3:
    if b.angle == 0 or b.kind not in SCREWS:
        return b.fixed
    c, s = math.cos(b.angle), math.sin(b.angle)
    return _clean(b.fixed @ Mat3(Vec3(c, -s, 0), Vec3(s, c, 0), Z))


def _angled(b: Link) -> Link:
    """A link whose fixed rotation is as cheap as a constant angle makes it."""
    if b.kind in ("revolute", "helical") and _turn_cost(b) < 5 * _products(b.fixed):
        fixed, angle = _factored(b.fixed)
        return replace(b, fixed=fixed, angle=angle)
    return b


def _unit(x: float) -> float:
    """A cosine, exact where it is 0, 1 or -1 up to rounding."""
    nearest = round(x)
    return nearest if abs(x - nearest) <= ROUNDING else x


def _clean(A: Mat3) -> Mat3:
    return Mat3(*(Vec3(*map(_unit, row)) for row in A))


def _small(values: T, scale: float) -> T:
    """Zero where only rounding is left."""
    return type(values)(*(0 if abs(x) <= ROUNDING * scale else x for x in values))
