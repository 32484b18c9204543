"""A tree of other frames: it moves exactly like the given one, and more of its constants are zero."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..vec import Mat3, Sym3, Turn, Vec3, mixed, square
from .regrouped import SCREWS, Z, constant_turn, split
from .tidy import ROUNDING, clean, scale_of, small, tidy_sum, unit
from .topology import children
from .tree import Link, Place, Tree


class _Gauge(NamedTuple):
    """A new frame for a link: turned about its z, by cosine and sine, then shifted along z."""

    c: float = 1
    s: float = 0
    shift: float = 0

    @property
    def back(self) -> Turn:
        """Takes a vector's numbers to the new frame's axes."""
        return Turn(self.c, -self.s)


AS_IT_IS = _Gauge()


def reframed(tree: Tree) -> Tree:
    """Frames chosen for few constants: to a child as Denavit and Hartenberg's, rotation Rx, offset (a, 0, d).

    A link's frame may turn about the axis of its screw joint and slide along it. From the base outward each
    link takes the frame that costs least; one that is clean already stays as it is.
    """
    links, kids = [_tidied(b) for b in tree.links], children([b.parent - 1 for b in tree.links])
    gauges = [AS_IT_IS] * (tree.n + 1)
    for i in range(tree.n):
        if links[i].kind in SCREWS:
            gauges[i + 1], links[i], carried = _best(links[i], [links[k] for k in kids[i]])
            for k, child in zip(kids[i], carried, strict=True):
                links[k] = child
    placed = {name: _replaced(place, gauges[place.link]) for name, place in tree.frames.items()}
    bodies = tuple(_replaced(place, gauges[place.link]) for place in tree.bodies)
    return replace(tree, links=tuple(map(_angled, links)), bodies=bodies, frames=placed)


Choice = tuple[_Gauge, Link, list[Link]]  # a frame, the link in it, and what it carries


def _best(b: Link, below: list[Link]) -> Choice:
    """The cheapest of the frames worth trying; the first of equals."""
    found = dict.fromkeys(_gauges(b, below))
    choices = [(g, _seen_from(b, g), [_carried(child, g) for child in below]) for g in found]
    return choices[0] if len(choices) == 1 else min(choices, key=_Cost([_nearest(child) for child in below]))


def _gauges(b: Link, below: list[Link]) -> Iterator[_Gauge]:
    """The frames worth trying, the present one first."""
    turns: list[tuple[float, float]] = [(1, 0)]
    if b.kind == "prismatic":
        c, s = _angle(b.fixed)
        turns.append((c, -s))
    turns += [_direction(b.first.x, b.first.y), *(_normal(child) for child in below[:3])]
    for shift in (0, _slide(b)):
        for c, s in turns:
            yield _Gauge(c, s, shift)


def _slide(b: Link) -> float:
    """How far from b's origin, along its axis, the axis of the parent is nearest."""
    u, o = _axis(b), b.offset
    across = u.x * u.x + u.y * u.y
    far = -(o.x * u.x + o.y * u.y) / across if across > ROUNDING else -o.z * u.z
    return far if far * far <= 16 * (o @ o) else 0  # nearly parallel axes meet where moments would drown all digits


def _axis(b: Link) -> Vec3:
    """b's own z, in its parent's axes."""
    return Vec3(b.fixed.r1.z, b.fixed.r2.z, b.fixed.r3.z)


def _normal(child: Link) -> tuple[float, float]:
    """The direction of the common normal to a child's axis, or of its offset if the axes are parallel."""
    u = _axis(child)
    if u.x * u.x + u.y * u.y > ROUNDING:
        return _direction(-u.y, u.x)
    return _direction(child.offset.x, child.offset.y)


def _direction(x: float, y: float) -> tuple[float, float]:
    """The unit vector, of the two, that is nearest to x."""
    size = math.hypot(x, y)
    if size == 0:
        return (1, 0)
    c, s = unit(x / size), unit(y / size)
    return (-c, -s) if c < 0 or (c == 0 and s < 0) else (c, s)


def _seen_from(b: Link, g: _Gauge) -> Link:
    """Link b in its new frame."""
    if g == AS_IT_IS:
        return b
    shift = Vec3(0, 0, -g.shift)
    second = b.second + mixed(b.first, shift) + square(shift) * b.mass
    scale = scale_of(b.second) + abs(b.mass) * g.shift * g.shift
    back = Mat3(Vec3(g.c, g.s, 0), Vec3(-g.s, g.c, 0), Z)
    return replace(
        b,
        fixed=clean(Mat3(*(g.back @ row for row in b.fixed))),
        offset=_moved(b, g.shift),
        first=small(back @ tidy_sum(b.first, shift * b.mass), scale_of(b.first)),
        second=small(back.congruence(second), scale),
    )


def _moved(b: Link, by: float) -> Vec3:
    """The offset of a link whose frame goes so far along its own z."""
    return tidy_sum(b.offset, _axis(b) * by) if by else b.offset


def _carried(child: Link, g: _Gauge) -> Link:
    """A child, as its parent's new frame has it."""
    if g == AS_IT_IS:
        return child
    fixed = clean(Mat3(*(g.back @ column for column in child.fixed.T)).T)
    return replace(child, fixed=fixed, offset=_seen(child.offset, g))


def _seen(offset: Vec3, g: _Gauge) -> Vec3:
    """A child's offset, as its parent's new frame has it."""
    return small(g.back @ tidy_sum(offset, Vec3(0, 0, -g.shift)), scale_of(offset))


def _replaced(place: Place, g: _Gauge) -> Place:
    if g == AS_IT_IS:
        return place
    back = g.back
    turned = Mat3(*(back @ column for column in place.R.T)).T
    return Place(place.link, clean(turned), back @ (place.r + Vec3(0, 0, -g.shift)))


def _nearest(child: Link) -> Vec3:
    """A child's offset with its origin on the best place of its axis."""
    return _moved(child, _slide(child)) if child.kind in SCREWS else child.offset


@dataclass(frozen=True)
class _Cost:
    """The price of a link in a new frame, and of its children, those on the best place of their axes."""

    nearest: list[Vec3]

    def __call__(self, choice: Choice) -> float:
        g, own, carried = choice
        cost = _turn_cost(own) + 5 * _nonzero(own.offset) + _inertia_cost(own)
        for child, offset in zip(carried, self.nearest, strict=True):
            best = min(_nonzero(child.offset), _nonzero(_seen(offset, g)))
            cost += _turn_cost(child) + 5 * best
        return cost


def _inertia_cost(b: Link) -> float:
    """Products for the inertia that regrouping leaves."""
    left = split(b)[0]
    return 5 * _nonzero(left.first) + 3 * _nonzero(left.second)


def _turn_cost(b: Link) -> float:
    """Products for the constant rotation, or, if cheaper, for the one without its last turn about z."""
    own = 5 * _products(b.fixed)
    if not own or b.kind not in ("revolute", "helical"):
        return own
    return min(own, 5 * _products(_factored(b.fixed)[0]) + 1)


def _products(A: Mat3) -> int:
    return sum(1 for row in A for x in row if x not in (0, 1, -1))


def _nonzero(values: Vec3 | Sym3) -> int:
    return sum(1 for x in values if x != 0)


def _factored(A: Mat3) -> tuple[Mat3, float]:
    """A = B Rz(angle), with b31 = 0."""
    c, s = _angle(A)
    back = Turn(c, s)
    return clean(Mat3(*(back @ row for row in A))), math.atan2(s, c)


def _angle(A: Mat3) -> tuple[float, float]:
    """Cosine and sine of the last turn about z in A = Rz Rx Rz."""
    if A.r3.x * A.r3.x + A.r3.y * A.r3.y <= ROUNDING * ROUNDING:
        return _direction_of_turn(A.r1.x, -A.r1.y)
    c, s = _direction_of_turn(A.r3.y, A.r3.x)
    return (c, s) if A.r1.x * c - A.r1.y * s >= 0 else (-c, -s)


def _direction_of_turn(c: float, s: float) -> tuple[float, float]:
    size = math.hypot(c, s)
    return unit(c / size), unit(s / size)


def _tidied(b: Link) -> Link:
    """A link whose constant angle is part of its fixed rotation, and without what is rounding only."""
    first, second = small(b.first, scale_of(b.first)), small(b.second, scale_of(b.second))
    return replace(b, fixed=constant_turn(b), angle=0, first=first, second=second)


def _angled(b: Link) -> Link:
    """A link whose fixed rotation is as cheap as a constant angle makes it."""
    own = 5 * _products(b.fixed)
    if own and _turn_cost(b) < own:
        fixed, angle = _factored(b.fixed)
        return replace(b, fixed=fixed, angle=angle)
    return b
