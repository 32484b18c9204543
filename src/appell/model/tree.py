"""What the formulations walk: links on screw, ball and free joints, numbered depth first from the base.

A `Tree` is a mechanism made ready: fixed joints merged, composite joints opened into chains, every screw
along its link's own z. The same `Link` serves every reading; only its scalars differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

from ..scalar import Scalar
from ..spatial import Pose, Twist, Wrench
from ..vec import IDENTITY, Mat3, Quat, Rot, Sym3, Turn, Vec3, turn
from .columns import Columns, columns, lookups

Kind: TypeAlias = Literal["revolute", "prismatic", "helical", "ball", "free", "fixed"]
KINDS: tuple[Kind, ...] = ("revolute", "prismatic", "helical", "ball", "free", "fixed")
POSITIONS = {"revolute": 1, "prismatic": 1, "helical": 1, "ball": 4, "free": 7, "fixed": 0}
FREEDOMS = {"revolute": 1, "prismatic": 1, "helical": 1, "ball": 3, "free": 6, "fixed": 0}
X, Y, Z, O = Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3()


@dataclass(frozen=True)
class Resistance:
    """What one freedom meets in its own joint, beside the links: all scalars, structural zero if absent."""

    rotor: Scalar = 0  # inertia of the rotor, times the square of the gear ratio
    damping: Scalar = 0
    coulomb: Scalar = 0
    smoothing: Scalar = 0  # speed over which dry friction turns round; 0: the exact sign
    stiffness: Scalar = 0
    rest: Scalar = 0
    preload: Scalar = 0  # a constant force: of a spring, of friction unlike in its two directions, of a zero point

    @property
    def is_zero(self) -> bool:
        return all(_is_zero(x) for x in (self.damping, self.coulomb, self.stiffness, self.preload))


@dataclass(frozen=True)
class Freedom:
    """One degree of freedom: a unit twist in the link's frame, and its place in v, a and tau."""

    index: Any
    twist: Twist
    resistance: Resistance = Resistance()
    position: Any = None  # its place in q, where it has a coordinate of its own

    @property
    def angular(self) -> Vec3:
        return self.twist.angular

    @property
    def linear(self) -> Vec3:
        return self.twist.linear

    @property
    def rotor(self) -> Scalar:
        return self.resistance.rotor

    def dot(self, moment: Vec3, force: Vec3) -> Scalar:
        """The generalised force that a wrench has along this freedom."""
        return self.angular @ moment + self.linear @ force


@dataclass(frozen=True)
class Link:
    """One link and the joint that carries it. Vectors in the link's frame, the offset in the parent's."""

    index: Any  # 1..n; 0 is the base
    parent: Any
    kind: Kind
    fixed: Mat3 = IDENTITY  # the link's axes in the parent's, at q = 0
    offset: Vec3 = Vec3()  # from the parent's origin to the link's, at q = 0
    angle: Scalar = 0  # added to q in the turn about z
    pitch: Scalar = 0  # advance per radian of a helical joint
    mass: Scalar = 0
    first: Vec3 = Vec3()  # m c, about the link's origin
    second: Sym3 = Sym3()  # integral of x x' dm, about the link's origin
    q_index: Any = 0
    v_index: Any = 0
    resistances: tuple[Resistance, ...] = ()  # one per freedom, or none

    def pose(self, q: Any) -> Pose:
        """Where the link stands in its parent."""
        if self.kind == "revolute":
            return Pose(Rot(self.fixed, turn(q[self.q_index] + self.angle)), self.offset)
        if self.kind == "prismatic":
            return Pose(Rot(self.fixed, turn(self.angle)), self.offset + self.fixed @ Vec3(0, 0, q[self.q_index]))
        if self.kind == "helical":
            x = q[self.q_index]
            slide = self.fixed @ Vec3(0, 0, self.pitch * x)
            return Pose(Rot(self.fixed, turn(x + self.angle)), self.offset + slide)
        if self.kind == "fixed":
            return Pose(Rot(self.fixed, Turn()), self.offset)
        i = self.q_index
        at = [q[i + k] for k in range(POSITIONS[self.kind])]
        shift = self.fixed @ Vec3(*at[:-4]) if self.kind == "free" else O
        return Pose(Rot(self.fixed, Quat(*at[-4:]).matrix), self.offset + shift)

    def rate(self, v: Any) -> Twist:
        """The joint's own twist, or acceleration, in the link's frame."""
        total = Twist()
        for s in self.freedoms:
            total = total + s.twist * v[s]
        return total

    @cached_property
    def freedoms(self) -> tuple[Freedom, ...]:
        """The unit twists of the joint."""
        own = self.q_index if FREEDOMS[self.kind] == 1 else None
        met = self.resistances or (Resistance(),) * FREEDOMS[self.kind]
        index = (self.v_index,) if own is not None else tuple(self.v_index + k for k in range(FREEDOMS[self.kind]))
        return tuple(Freedom(i, t, r, own) for i, t, r in zip(index, self._twists(), met, strict=True))

    def _twists(self) -> tuple[Twist, ...]:
        turns = (Twist(X, O), Twist(Y, O), Twist(Z, O))
        return {
            "revolute": (Twist(Z, O),),
            "prismatic": (Twist(O, Z),),
            "helical": (Twist(Z, Z * self.pitch),),
            "ball": turns,
            "free": (Twist(O, X), Twist(O, Y), Twist(O, Z), *turns),
            "fixed": (),
        }[self.kind]

    def pose_parts(self, pose: Pose) -> list[Scalar]:
        """The scalars of a pose that vary with q; `pose_from` puts them back."""
        R = pose.R.turn
        turned = [R.c, R.s] if isinstance(R, Turn) else [x for row in R for x in row]
        moves = self.kind in ("prismatic", "helical", "free")
        return ([] if self.kind in ("prismatic", "fixed") else turned) + ([*pose.r] if moves else [])

    def pose_from(self, parts: list[Scalar]) -> Pose:
        """The pose whose varying scalars these are."""
        if self.kind == "prismatic":
            return Pose(Rot(self.fixed, turn(self.angle)), Vec3(*parts))
        if self.kind == "fixed":
            return Pose(Rot(self.fixed, Turn()), self.offset)
        if self.kind in ("revolute", "helical"):
            return Pose(Rot(self.fixed, Turn(*parts[:2])), Vec3(*parts[2:]) if parts[2:] else self.offset)
        rows = Mat3(Vec3(*parts[:3]), Vec3(*parts[3:6]), Vec3(*parts[6:9]))
        return Pose(Rot(self.fixed, rows), Vec3(*parts[9:]) if parts[9:] else self.offset)


@dataclass(frozen=True)
class Place:
    """A frame of the user's, fixed on a link: the rotation's columns are its axes in the link's frame."""

    link: int
    R: Mat3 = IDENTITY
    r: Vec3 = Vec3()


@dataclass(frozen=True)
class Tree:
    """Links depth first, gravity, and where the user's bodies and frames stand on the links."""

    links: tuple[Link, ...]
    gravity: Vec3
    nq: int
    nv: int
    bodies: tuple[Place, ...] = ()  # the user's bodies, in the user's order
    frames: dict[str, Place] = field(default_factory=dict)  # every body and frame, by name

    @property
    def n(self) -> int:
        return len(self.links)

    @cached_property
    def parents(self) -> tuple[int, ...]:
        return tuple(b.parent for b in self.links)

    @cached_property
    def columns(self) -> Columns:
        """The links' numbers, for loops."""
        return columns(self)

    @cached_property
    def lookups(self) -> Columns:
        """The links' whole numbers, for loops."""
        return lookups(self, KINDS)

    @cached_property
    def lasts(self) -> tuple[int, ...]:
        """For each link the last one that hangs on it: depth first, a link and all beyond it are a range."""
        last = list(range(1, self.n + 1))
        for b in reversed(self.links):
            if b.parent:
                last[b.parent - 1] = max(last[b.parent - 1], last[b.index - 1])
        return tuple(last)

    def with_links(self, links: tuple[Link, ...]) -> Tree:
        """The same tree with other links."""
        return replace(self, links=links)

    def support(self, index: int) -> Iterator[Link]:
        """A link, its parent, and so on, without the base."""
        while index:
            yield self.links[index - 1]
            index = self.links[index - 1].parent


def _is_zero(x: object) -> bool:
    return type(x) in (int, float) and x == 0


__all__ = ["FREEDOMS", "KINDS", "POSITIONS", "Freedom", "Kind", "Link", "Place", "Pose", "Resistance", "Tree", "Wrench"]
