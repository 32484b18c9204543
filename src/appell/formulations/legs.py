"""The legs of a parallel robot in one configuration: what its end-effector leaves to each of their joints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..linalg import SQUARE, Factors, inverse_of, udu
from ..scalar import Scalar
from ..spatial import Articulated, Twist, Wrench
from ..vec import Mat3, Sym3, Vec3, cross
from .closure import NONE, Closure
from .equations import rows_of


@dataclass(frozen=True)
class Leg:
    """The links of a chain from the base to the end-effector, and the joint where it is cut from it, if it is."""

    links: frozenset[int]
    cut: Closure | None = None
    sense: int = 1  # 1: the end-effector is the cut joint's b


@dataclass(frozen=True)
class Parallel:
    """Legs that carry one end-effector, and the freedoms that are driven.

    The end-effector is a body whose turns count as ways at a distance with the square `turns`, or, without, a point.
    """

    legs: tuple[Leg, ...]
    end: Any  # a place: where its twist is taken
    driven: tuple[int, ...]
    turns: Scalar = 0

    @property
    def is_point(self) -> bool:
        return type(self.turns) is int and self.turns == 0


@dataclass(frozen=True)
class Step:
    """A freedom of a leg: A_ei p_i; and where it is not driven, p~_i and 1 / delta_i."""

    freedom: Any
    twist: Twist
    tilde: Wrench | None = None
    inverse: Scalar = 0


@dataclass(frozen=True)
class Passed:
    """A leg from the base outward, and Phi before its first freedom."""

    steps: tuple[Step, ...]
    phi: Articulated


def passed(world, leg: Leg, parallel: Parallel, e: Vec3) -> Passed:
    """What a leg leaves of Phi, from the end-effector inward.

        p~_i = Phi_i+1 A_ei p_i,   delta_i = p~_i . A_ei p_i           (1)
        Phi_i = Phi_i+1 - p~_i p~_i' / delta_i                         (2)

    for every joint that is not driven. Phi starts as 1, or as what a cut joint leaves of 1, the sum of c c' over
    the directions c in which it binds. As Phi is a projection, delta is the paper's p~ . p~.

    Source: saha2010, eqs (27a), (27b).
    """
    phi, steps = bound(world, leg, parallel, e), []
    for z, t in reversed([*screws(world, leg, e)]):
        if z.index in parallel.driven:
            steps.append(Step(z, t))
            continue
        tilde = phi @ t  # (1)
        inverse = inverse_of(tilde @ t, t.linear @ t.linear + t.angular @ t.angular * parallel.turns, SQUARE)
        phi = phi.less(tilde * inverse, tilde)  # (2)
        steps.append(Step(z, t, tilde, inverse))
    return Passed(tuple(reversed(steps)), phi)


def screws(world, leg: Leg, e: Vec3) -> Iterator[tuple[Any, Twist]]:
    """Every freedom of a leg and the twist that its unit speed gives to the end-effector, at e."""
    for b in world.robot.outward():
        if b.index in leg.links:
            for z in b.freedoms:
                t = world.turned(b, z.twist)
                yield z, Twist(t.angular, t.linear + cross(t.angular, e - world.o[b]))


def bound(world, leg: Leg, parallel: Parallel, e: Vec3) -> Articulated:
    """The Phi that a leg starts with."""
    w = parallel.turns
    if leg.cut is None or parallel.is_point:
        return Articulated(Sym3(1, 1, 1), Mat3(), Sym3(w, w, w))
    phi = Articulated()
    for c, weight, _ in directions(world, leg, parallel, e):
        phi = phi.less(c * -weight, c)
    return phi


def directions(world, leg: Leg, parallel: Parallel, e: Vec3) -> Iterator[tuple[Wrench, Scalar, Scalar]]:
    """The directions c in which a cut joint binds, how much they weigh, and what of c . dt_e comes without a."""
    x, rows = rows_of(world, leg.cut)
    for row in rows:
        if row.force is NONE and parallel.is_point:
            continue
        arm = NONE if parallel.is_point else cross(x - e, row.force)
        weight = parallel.turns if row.force is NONE else 1
        yield Wrench(row.moment + arm, row.force), weight, row.bias * -leg.sense


def factored(phi: Articulated, parallel: Parallel) -> Factors:
    """The factors of Phi, by the places of a twist: linear, then angular; of a point linear alone."""
    H = phi.H
    rows = [*zip(phi.A.matrix, H, strict=True), *zip(H.T, phi.C.matrix, strict=True)]
    entries = {(i, j): x for i, (a, b) in enumerate(rows) for j, x in enumerate((*a, *b))}
    return udu(entries, range(3 if parallel.is_point else 6), SQUARE)
