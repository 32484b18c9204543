"""A mechanism made ready to be walked: `lower(mechanism)` is its `Tree`.

Fixed joints are merged, composite joints opened into chains of massless links, and every screw lies along
its link's own z: a link's axes are C in the body's (columns of `joints.basis`), its origin is the body's.
Where an axis is parallel to a coordinate axis, C is a signed permutation, so that clean numbers stay clean.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from ..vec import IDENTITY, Mat3, Sym3, Vec3
from .collector import collector_paused
from .inertia import second_moments, tensors
from .joints import EYE, Primitive, opened, resistances
from .mechanism import Mechanism, Placement
from .regrouped import regrouped
from .rotation import orthonormal, stacked
from .topology import depth_first
from .tree import FREEDOMS, POSITIONS, Link, Place, Resistance, Tree

Array = np.ndarray
Chains: TypeAlias = list[tuple[Primitive, ...]]
Moments: TypeAlias = tuple[float, Vec3, Sym3]
NOTHING: Moments = (0, Vec3(), Sym3())
EYE9 = tuple(x for row in EYE for x in row)


@dataclass(frozen=True)
class _Stand:
    """Where bodies stand on the links that carry them: x_link = A x_body + r. The base is row -1."""

    link: Array
    A: Array
    r: Array

    def carry(self, on: list[int], R: Array, p: Array) -> tuple[Array, Array]:
        """Placements on bodies, as placements on the links."""
        return self.A[on] @ R, np.einsum("nij,nj->ni", self.A[on], p) + self.r[on]


def lower(mechanism: Mechanism) -> Tree:
    """The tree of links that the formulations walk."""
    with collector_paused():
        tree = _lowered(mechanism, ())
    return regrouped(tree) if mechanism.regrouped else tree


def with_welds(mechanism: Mechanism) -> Tree:
    """The tree of all bodies as they are: those on fixed joints are links of their own, and none is regrouped."""
    return _lowered(mechanism, (Primitive("fixed"),))


def _lowered(mechanism: Mechanism, weld: tuple[Primitive, ...]) -> Tree:
    order = depth_first(mechanism.parents)
    chains = [opened(b.joint) or weld for b in mechanism.bodies]
    placed = _placed(b.placement for b in mechanism.bodies)
    stand = _stand(mechanism.parents, order, chains, placed)
    links = _links(mechanism, order, chains, stand, placed)
    places = _places(stand.link, stand.A, stand.r)
    bodies = {b.name: place for b, place in zip(mechanism.bodies, places, strict=False)}
    frames = {"base": places[-1], **bodies, **_frames(mechanism, stand)}
    return Tree(links, Vec3(*mechanism.gravity), mechanism.nq, mechanism.nv, places[:-1], frames)


def _placed(placements: Iterable[Placement]) -> tuple[Array, Array]:
    """Rotations (n, 3, 3), orthonormal, and positions (n, 3)."""
    listed = list(placements)
    return orthonormal(stacked(listed)), np.array([p.position for p in listed], float).reshape(-1, 3)


def _stand(parents: Sequence[int], order: list[int], chains: Chains, placed: tuple[Array, Array]) -> _Stand:
    n, (R, p) = len(order), placed
    A = np.array([*(c[-1].C if c else EYE for c in chains), EYE]).swapaxes(1, 2).copy()
    r, link, count = np.zeros((n + 1, 3)), np.zeros(n + 1, int), 0
    for i in order:
        on = parents[i]
        if chains[i]:
            count += len(chains[i])
            link[i] = count
        else:
            link[i], A[i], r[i] = link[on], A[on] @ R[i], A[on] @ p[i] + r[on]
    return _Stand(link, A, r)


def _links(
    mechanism: Mechanism, order: list[int], chains: Chains, stand: _Stand, placed: tuple[Array, Array]
) -> tuple[Link, ...]:
    on = list(mechanism.parents)
    R, r = stand.carry(on, *placed)
    fixed = list(_mats(R @ np.array([c[0].C if c else EYE for c in chains]).reshape(-1, 3, 3)))
    parent, offset, moments = stand.link[on].tolist(), list(_vecs(r)), _moments(mechanism, stand)
    starts = list(zip(mechanism.q_starts, mechanism.v_starts, strict=True))
    links: list[Link] = []
    for i in order:
        carried, met = (parent[i], fixed[i], offset[i]), resistances(mechanism.bodies[i].joint)
        links += _chain(len(links) + 1, chains[i], carried, starts[i], met, moments)
    return tuple(links)


def _chain(
    index: int,
    chain: tuple[Primitive, ...],
    carried: tuple[int, Mat3, Vec3],
    places: tuple[int, int],
    met: tuple[Resistance, ...],
    moments: list[Moments],
) -> Iterator[Link]:
    """The links of one joint; the last of them is the body, those before have no mass."""
    (parent, fixed, offset), (q, v), k = carried, places, 0
    for step, joint in enumerate(chain):
        if step:
            parent, fixed, offset = index - 1, _between(chain[step - 1], joint), Vec3()
        wide = FREEDOMS[joint.kind]
        matter = moments[index] if step == len(chain) - 1 else NOTHING
        resists = met[k : k + wide]
        yield Link(index, parent, joint.kind, fixed, offset, 0, joint.pitch, *matter, q, v + k, resists)
        index, q, k = index + 1, q + POSITIONS[joint.kind], k + wide


def _between(first: Primitive, then: Primitive) -> Mat3:
    """The axes of one link of a chain in those of the link before it, at q = 0."""
    if first.C is then.C:
        return IDENTITY
    return next(_mats(np.array(first.C).T @ np.array(then.C)))


def _moments(mechanism: Mechanism, stand: _Stand) -> list[Moments]:
    """Mass, first and second moment of every link about its origin, what is fixed on it included."""
    bodies = mechanism.bodies
    m = np.array([b.mass for b in bodies], float)
    c = np.array([b.com for b in bodies], float).reshape(-1, 3)
    A, link = stand.A[:-1], stand.link[:-1]
    c = np.einsum("nij,nj->ni", A, c) + stand.r[:-1]
    S = A @ second_moments(tensors([b.inertia for b in bodies])) @ A.swapaxes(1, 2)
    S += m[:, None, None] * c[:, :, None] * c[:, None, :]
    rows = np.concatenate([m[:, None], m[:, None] * c, S[:, (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]], axis=1)
    total = np.zeros((int(link.max(initial=0)) + 1, 10))
    np.add.at(total, link, rows)
    return [(x[0], _vec(*x[1:4]), Sym3(*x[4:])) for x in total.tolist()]


def _frames(mechanism: Mechanism, stand: _Stand) -> dict[str, Place]:
    on = [mechanism.index[f.body] for f in mechanism.frames]
    R, r = stand.carry(on, *_placed(f.placement for f in mechanism.frames))
    return dict(zip([f.name for f in mechanism.frames], _places(stand.link[on], R, r), strict=True))


def _places(link: Array, R: Array, r: Array) -> tuple[Place, ...]:
    return tuple(map(Place, link.tolist(), _mats(R), _vecs(r)))


def _mats(A: Array) -> Iterator[Mat3]:
    return (_mat(*row) for row in (A + 0.0).reshape(-1, 9).tolist())


def _vecs(x: Array) -> Iterator[Vec3]:
    return (_vec(*row) for row in (x + 0.0).tolist())


@lru_cache(4096)  # long chains repeat themselves
def _mat(*x: float) -> Mat3:
    return IDENTITY if x == EYE9 else Mat3(Vec3(*x[:3]), Vec3(*x[3:6]), Vec3(*x[6:]))


@lru_cache(4096)
def _vec(*x: float) -> Vec3:
    return Vec3(*x)
