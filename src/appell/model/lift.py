"""Parameters of a model made arguments: masses, moments, lengths, friction, springs, rotors, gravity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..errors import ModelError, unknown
from ..scalar import Scalar
from ..vec import Sym3, Vec3, mixed, square
from .lower import lower
from .mechanism import Body, Mechanism
from .tree import FREEDOMS, Link, Resistance, Tree

MOMENTS = (
    "mass", "first.x", "first.y", "first.z",
    "second.xx", "second.yy", "second.zz", "second.xy", "second.xz", "second.yz",
)  # fmt: skip
LENGTHS = ("offset.x", "offset.y", "offset.z")
MET = tuple(Resistance.__dataclass_fields__)
GRAVITY = ("gravity.x", "gravity.y", "gravity.z")  # the only parameters that belong to no body


@dataclass(frozen=True)
class Lift:
    """Names like "link3.mass", "link3.first.x", "link3.second.xy", "link3.offset.z", "link3.damping", "gravity.z".

    `first` is m c and `second` the integral of x x' dm, both about the body's origin in its axes: forces are linear
    in them. `offset` is where the body's joint stands in its parent.
    """

    mechanism: Mechanism
    tree: Tree
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        numbers(self.mechanism, self.names)
        if twice := {name for name in self.names if self.names.count(name) > 1}:
            raise ModelError(f"parameter {min(twice)!r} is lifted twice, wanted once")

    @cached_property
    def _own(self) -> dict[str, dict[str, float]]:
        return matter(self.mechanism)

    def values(self) -> list[float]:
        """The model's own numbers."""
        return numbers(self.mechanism, self.names).tolist()

    def tree_with(self, values: Sequence[Scalar]) -> Tree:
        """The tree whose named parameters are these scalars."""
        given = dict(zip(self.names, values, strict=True))
        links = list(self.tree.links)
        pull = Vec3(*(given.pop(name, own) for name, own in zip(GRAVITY, self.tree.gravity, strict=True)))
        for at in {self._on(name) for name in given if part(name) in MOMENTS} - {0}:
            links[at - 1] = self._massive(links[at - 1], given)
        for name, value in given.items():
            if part(name) not in MOMENTS:
                at = self._carrier(name) - 1
                links[at] = self._jointed(links[at], name, value)
        return replace(self.tree.with_links(tuple(links)), gravity=pull)

    def _index(self, name: str) -> int:
        return self.mechanism.index[owner(name, self.mechanism)]

    def _on(self, name: str) -> int:
        return self.tree.bodies[self._index(name)].link

    def _massive(self, link: Link, given: dict[str, Scalar]) -> Link:
        """A link whose moments are added up again, body by body."""
        mass, first, second = 0, Vec3(), Sym3()
        for body, place in zip(self.mechanism.bodies, self.tree.bodies, strict=True):
            if place.link != link.index or body.name not in self._own:
                continue
            m, s, J = _rigid(body.name, self._own[body.name], given)
            if self.mechanism.regrouped:  # the link's own
                return replace(link, mass=m, first=s, second=J)
            turned = place.R @ s
            mass, first = mass + m, first + turned + place.r * m
            second = second + place.R.congruence(J) + mixed(turned, place.r) + square(place.r) * m
        return replace(link, mass=mass, first=first, second=second)

    def _carrier(self, name: str) -> int:
        """The first link of the chain that a body's joint opens into."""
        start = self.mechanism.v_starts[self._index(name)]
        return next(b.index for b in self.tree.links if b.v_index == start)

    def _jointed(self, link: Link, name: str, value: Scalar) -> Link:
        kind = part(name)
        if kind in LENGTHS:
            parent = self.mechanism.bodies[self._index(name)].parent
            place = self.tree.frames[parent] if parent != "base" else None
            axis = "xyz".index(kind[-1])
            unit = Vec3(*(1 if k == axis else 0 for k in range(3)))
            along = place.R @ unit if place else unit
            was = self.mechanism.bodies[self._index(name)].placement.position[axis]
            return replace(link, offset=link.offset + along * (value - was))
        met = link.resistances or (Resistance(),) * FREEDOMS[link.kind]
        return replace(link, resistances=(replace(met[0], **{kind: value}), *met[1:]))


def _rigid(name: str, own: dict[str, float], given: dict[str, Scalar]) -> tuple[Scalar, Vec3, Sym3]:
    """A body's mass, first and second moment about its origin, some of them given."""
    x = [given.get(f"{name}.{part}", own[part]) for part in MOMENTS]
    return x[0], Vec3(*x[1:4]), Sym3(*x[4:])


def matter(mechanism: Mechanism) -> dict[str, dict[str, float]]:
    """The ten inertial parameters of every body, about its origin and in its axes.

    Of a regrouped robot: of the links, in axes whose z lies along the joint's axis, named by the bodies they carry.
    """
    if not mechanism.regrouped:
        return {b.name: moments(b) for b in mechanism.bodies}
    tree, found = lower(mechanism), dict[str, dict[str, float]]()
    for body, place in zip(mechanism.bodies, tree.bodies, strict=True):
        if body.joint.type != "fixed":  # a merged body's moments are its carrier's
            b = tree.links[place.link - 1]
            found[body.name] = dict(zip(MOMENTS, map(float, (b.mass, *b.first, *b.second)), strict=True))
    return found


def moments(body: Body) -> dict[str, float]:
    """The ten inertial parameters in which forces are linear."""
    m, (x, y, z), I = body.mass, body.com, body.inertia
    half = (I.ixx + I.iyy + I.izz) / 2
    second = (
        half - I.ixx + m * x * x, half - I.iyy + m * y * y, half - I.izz + m * z * z,
        m * x * y - I.ixy, m * x * z - I.ixz, m * y * z - I.iyz,
    )  # fmt: skip
    return dict(zip(MOMENTS, (m, m * x, m * y, m * z, *second), strict=True))


def parameters(mechanism: Mechanism) -> dict[str, float]:
    """Every parameter that can be lifted, by name, with its number."""
    from .joints import joint_type, resistances

    found: dict[str, float] = {}
    own = matter(mechanism)
    for body in mechanism.bodies:
        found |= {f"{body.name}.{part}": value for part, value in own.get(body.name, {}).items()}
        if body.joint.type == "fixed":
            continue
        if not mechanism.regrouped:  # whose moments are made for these lengths
            found |= {f"{body.name}.{part}": body.placement.position[k] for k, part in enumerate(LENGTHS)}
        if joint_type(body.joint).freedoms == 1:
            met = (resistances(body.joint) or (Resistance(),))[0]
            found |= {f"{body.name}.{part}": float(getattr(met, part)) for part in MET}
    return found | dict(zip(GRAVITY, map(float, mechanism.gravity), strict=True))


class Unlifted(NamedTuple):
    """A resistance of a joint: of which body or loop, what it is, as "damping" or "1.damping", and its number."""

    owner: str
    key: str
    value: float


def unlifted(mechanism: Mechanism) -> dict[str, Unlifted]:
    """What resists in joints that close loops, by the loop's name, and in those of several freedoms: "wrist.0.damping".

    Forces are linear in it, but no kernel lifts it.
    """
    from .joints import joint_type, resistances

    joints = [(b.name, b.joint) for b in mechanism.bodies if joint_type(b.joint).freedoms > 1]
    joints += [(x.name, x.joint) for x in mechanism.loops if x.name not in mechanism.index]
    found: dict[str, Unlifted] = {}
    for owner, joint in joints:
        count = 0 if joint.type == "free" else joint_type(joint).freedoms
        for k, met in enumerate(resistances(joint) or (Resistance(),) * count):
            for x in MET:
                key = x if count == 1 else f"{k}.{x}"
                found[f"{owner}.{key}"] = Unlifted(owner, key, float(getattr(met, x)))
    return found


def numbers(mechanism: Mechanism, names: Sequence[str]) -> np.ndarray:
    """The numbers of some parameters, in their order."""
    known = parameters(mechanism)
    for name in names:
        if name not in known:
            raise unknown("parameter", name, known)
    return np.array([known[name] for name in names])


def owner(name: str, mechanism: Mechanism) -> str:
    """The body that a parameter's name begins with; names of bodies may hold dots."""
    for part in (*MOMENTS, *LENGTHS, *MET):
        if name.endswith("." + part) and name[: -len(part) - 1] in mechanism.index:
            return name[: -len(part) - 1]
    raise unknown("parameter", name, parameters(mechanism))


def part(name: str) -> str:
    """What a parameter is of its body: "mass", "second.xy", "damping"."""
    return name if name in GRAVITY else next(p for p in (*MOMENTS, *LENGTHS, *MET) if name.endswith("." + p))
