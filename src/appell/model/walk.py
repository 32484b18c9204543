"""Walking a tree: slots, sweeps and results. Any scalar; every link in turn.

With floats this is the plain reading; with expressions it is the unrolled one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..scalar import Scalar, structural
from ..spatial import Wrench
from ..vec import Mat3, Sym3, Vec3
from .tree import Freedom, Link, Place, Resistance, Tree


class Slots:
    """One value per link (or per freedom), the base's in slot 0; what was never set is structural zero."""

    def __init__(self, kind: type | None) -> None:
        self._zero = kind() if kind else 0
        self._data: dict[Any, Any] = {}

    def __getitem__(self, key: Any) -> Any:
        return self._data.get(_place(key), self._zero)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._data[_place(key)] = value


class Matrix(Slots):
    """A symmetric result, indexed by two freedoms."""

    def __getitem__(self, key: tuple[Any, Any]) -> Scalar:
        return self._data.get(_pair(key), 0)

    def __setitem__(self, key: tuple[Any, Any], value: Scalar) -> None:
        self._data[_pair(key)] = value


class Table(Slots):
    """Several indices and no symmetry: places by links, freedoms or small numbers."""

    def __getitem__(self, key: Any) -> Any:
        return self._data.get(_places(key), self._zero)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._data[_places(key)] = value


class Coordinates:
    """q, v, a or tau as the texts hold them: indexed by a freedom or by a place."""

    def __init__(self, values: Sequence[Scalar]) -> None:
        self._values = values

    def __getitem__(self, key: Any) -> Scalar:
        return self._values[_place(key)]


class Walk:
    """A robot as the formulations see it."""

    def __init__(
        self,
        tree: Tree,
        gravity: Vec3 | None = None,
        wrench: Callable[[int], Wrench] | None = None,
        prescribed: frozenset[int] = frozenset(),
    ) -> None:
        self.tree, self.prescribed = tree, prescribed
        self.gravity = structural_vec(tree.gravity) if gravity is None else gravity
        self._links = tuple(structural_link(b) for b in tree.links)
        self._wrench = wrench

    def slots(self, kind: type | None = None) -> Slots:
        """Memory for one value per link."""
        return Slots(kind)

    def per_freedom(self, kind: type | None = None) -> Slots:
        """Memory for one value per freedom."""
        return Slots(kind)

    def per_pair(self, kind: type | None = None) -> Table:
        """Memory for one value per pair of a link and a freedom."""
        return Table(kind)

    def vector(self) -> Slots:
        """A result with one scalar per freedom."""
        return Slots(None)

    def matrix(self) -> Matrix:
        """A symmetric result with one scalar per pair of freedoms."""
        return Matrix(None)

    def table(self, *shape: int | str) -> Table:
        """A result of any shape, as ("nv", "nv") or (6, "nv") or (3,): by freedoms or small numbers."""
        return Table(None)

    def outward(self) -> Iterator[Link]:
        """Every link, from the base to the tips."""
        yield from self._links

    def inward(self) -> Iterator[Link]:
        """Every link, from the tips to the base."""
        yield from reversed(self._links)

    def support(self, b: Link) -> Iterator[Link]:
        """The link itself, its parent, and so on; the base left out."""
        yield b
        yield from self.carriers(b)

    def carriers(self, b: Link) -> Iterator[Link]:
        """The parent of a link, its parent, and so on; the base left out."""
        while b.parent:
            b = self._links[b.parent - 1]
            yield b

    def beyond(self, b: Link) -> Iterator[Link]:
        """Every link that hangs on a link, from there to the tips; the link itself left out."""
        yield from self._links[b.index : self.tree.lasts[b.index - 1]]

    def branches(self) -> Iterator[Walk]:
        """Each chain from the base to a tip, as a robot of its own; what an earlier one had is massless in it."""
        had: set[int] = set()
        for tip in self._links:
            if self.tree.lasts[tip.index - 1] == tip.index:
                path = [*self.support(tip)][::-1]
                yield self._alone(path, frozenset(had))
                had.update(b.index for b in path)

    def _alone(self, path: list[Link], virtual: frozenset[int]) -> Walk:
        """A chain of links as a robot of its own, some of them without mass and without what acts from outside."""
        links = [replace(b, index=k + 1, parent=k) for k, b in enumerate(path)]
        massless = {"mass": 0, "first": Vec3(), "second": Sym3()}
        chain = [replace(b, **massless) if old.index in virtual else b for b, old in zip(links, path, strict=True)]

        def wrench(k: int) -> Wrench:
            return Wrench() if path[k - 1].index in virtual else self.wrench(path[k - 1])

        return Walk(self.tree.with_links(tuple(chain)), self.gravity, wrench)

    @property
    def resists(self) -> bool:
        """Whether any joint has friction, a spring or a rotor."""
        return any(b.resistances for b in self.tree.links)

    def is_prescribed(self, z: Freedom) -> bool:
        """Whether the motion of a freedom is given, and its force wanted."""
        return z.index in self.prescribed

    def wrench(self, b: Link) -> Wrench:
        """What acts on a link from outside, in its frame about its origin."""
        return self._wrench(b.index) if self._wrench else Wrench()

    def place(self, name: str) -> Place:
        """A frame of the user's."""
        return self.tree.frames[name]

    def freedoms(self) -> Iterator[Freedom]:
        """Every freedom, from the base to the tips."""
        for b in self._links:
            yield from b.freedoms


def _place(key: Any) -> Any:
    return key.index if isinstance(key, (Freedom, Link)) else key


def _places(key: Any) -> Any:
    return tuple(_place(k) for k in key) if isinstance(key, tuple) else _place(key)


def _pair(key: tuple[Any, Any]) -> tuple[Any, Any]:
    i, j = _place(key[0]), _place(key[1])
    return (i, j) if i <= j else (j, i)


def structural_vec(v: Vec3) -> Vec3:
    """Exact zeros and ones made structural."""
    return Vec3(*(structural(x) for x in v))


def structural_mat(A: Mat3) -> Mat3:
    """Exact zeros and ones made structural."""
    return Mat3(*(structural_vec(r) for r in A))


def structural_resistance(met: Resistance) -> Resistance:
    """Exact zeros and ones made structural."""
    return Resistance(*(structural(getattr(met, f)) for f in met.__dataclass_fields__))


def structural_link(b: Link) -> Link:
    """A link whose exact zeros and ones are structural, so that they fold."""
    return replace(
        b,
        fixed=structural_mat(b.fixed),
        offset=structural_vec(b.offset),
        angle=structural(b.angle),
        pitch=structural(b.pitch),
        mass=structural(b.mass),
        first=structural_vec(b.first),
        second=Sym3(*(structural(x) for x in b.second)),
        resistances=tuple(map(structural_resistance, b.resistances)),
    )
