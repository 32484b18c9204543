"""The equations of many loops at once: all of a kind are one reading of their text, with a lane for each loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..closures import closures_of, equation_names
from ..formulations.closure import Closure, Coupled
from ..formulations.equations import rows_of
from ..formulations.rolling import coupled
from ..model.tree import Place, Tree
from ..vec import Mat3, Vec3

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
Found = tuple[Array, Any, Any, Array, Array, Array]  # places, values, biases; of entries lane, freedom, size


class World:
    """The links in the base's axes, as the texts of loops see them; a link is the row of its first freedom, plus 1."""

    def __init__(self, rows: Array) -> None:
        base = np.zeros((1, 24))
        base[0, :9] = np.eye(3).reshape(-1)
        parts = np.concatenate([base, rows[:, 6:30]]).T
        self.R = _Matrices(parts[:9])
        self.o, self.w, self.u, self.dw, self.du = (_Vectors(parts[k : k + 3]) for k in (9, 12, 15, 18, 21))

    def arm(self, place: Place) -> Vec3:
        """From the origins of links to places on them."""
        return self.R[place.link] @ place.r


@dataclass(frozen=True)
class _Vectors:
    parts: Array

    def __getitem__(self, links: Any) -> Vec3:
        return Vec3(*self.parts[:, links])


@dataclass(frozen=True)
class _Matrices:
    parts: Array

    def __getitem__(self, links: Any) -> Mat3:
        x = self.parts[:, links]
        return Mat3(Vec3(*x[:3]), Vec3(*x[3:6]), Vec3(*x[6:]))


@dataclass(frozen=True)
class Lanes:
    """Closures of one kind: where their equations begin, and what freedoms move them."""

    closure: Any  # with arrays in place of numbers
    starts: Array
    lanes: Array
    freedoms: Array
    senses: Array

    def rows(self, world: World, rows: Array, q: Array, v: Array) -> Iterator[Found]:
        """Every equation of all lanes."""
        yield from self.spread(rows, *rows_of(world, self.closure))

    def spread(self, rows: Array, x: Any, found: Any) -> Iterator[Found]:
        """What wrenches at x, those of some rows of a text, do along every freedom that moves a lane."""
        z, i = self.freedoms, self.lanes
        e, arm = rows[z, :3], np.stack(np.broadcast_arrays(*x), 1)[i] - rows[z, 15:18]
        moved = (rows[z, 3:6] + np.cross(e, arm)) * self.senses[:, None]
        turned = e * self.senses[:, None]
        for k, row in enumerate(found):
            force, moment = (self._spread(part)[i] for part in (row.force, row.moment))
            size = np.einsum("ij,ij->i", moved, force) + np.einsum("ij,ij->i", turned, moment)
            yield self.starts + k, row.value, row.bias, i, z, size

    def _spread(self, vector: Vec3) -> Array:
        return np.stack([np.broadcast_to(np.asarray(c, float), self.starts.shape) for c in vector], 1)


@dataclass(frozen=True)
class OneCoupling:
    """A coordinate that follows another."""

    given: Coupled
    start: int

    def rows(self, world: World, rows: Array, q: Array, v: Array) -> Iterator[Found]:
        """Its one equation."""
        value, _, bias, slope = coupled(self.given, q, v)
        z = np.array([self.given.freedom, self.given.of_freedom])
        yield np.array([self.start]), value, bias, np.zeros(2, int), z, np.array([1.0, -slope])


def supports(tree: Tree) -> list[list[int]]:
    """Of every link, base first, the freedoms that move it, its own first."""
    found: list[list[int]] = [[]]
    for b in tree.links:
        found.append([z.index for z in b.freedoms][::-1] + found[b.parent])
    return found


def lanes_of(robot: Robot, on: list[list[int]]) -> list[Lanes | OneCoupling]:
    """All loops and constraints of a robot, those of a kind together."""
    first = np.array([0, *(b.v_index + 1 for b in robot.tree.links)])
    groups: dict[Any, list[tuple[int, Any]]] = {}
    start, found = 0, list[Any]()
    given = (*robot.mechanism.loops, *robot.mechanism.constraints)
    for one, closure in zip(given, closures_of(robot.mechanism, robot.tree), strict=True):
        key = closure.kind if isinstance(closure, Closure) else len(groups)
        groups.setdefault(key, []).append((start, closure))
        start += len(equation_names(one))
    for members in groups.values():
        starts, closures = np.array([s for s, _ in members]), [c for _, c in members]
        if isinstance(closures[0], Coupled):
            found.append(OneCoupling(closures[0], int(starts[0])))
        else:
            found.append(_together(closures, starts, first, on))
    return found


def _together(closures: Sequence[Any], starts: Array, first: Array, on: list[list[int]]) -> Lanes:
    """One closure with arrays in place of numbers."""
    lanes, freedoms, senses = [], [], []
    for i, c in enumerate(closures):
        ahead, behind = set(on[c.b.link]), set(on[c.a.link]) if isinstance(c, Closure) else set()
        for z in sorted(ahead ^ behind):
            lanes.append(i)
            freedoms.append(z)
            senses.append(1.0 if z in ahead else -1.0)
    b = _placed([c.b for c in closures], first)
    if isinstance(closures[0], Closure):
        pitch, lean = (np.array([float(getattr(c, key)) for c in closures]) for key in ("pitch", "lean"))
        made: Any = Closure(closures[0].kind, _placed([c.a for c in closures], first), b, pitch, lean)
    else:
        made = type(closures[0])(b, *(getattr(closures[0], f) for f in list(closures[0].__dataclass_fields__)[1:]))
    return Lanes(made, starts, np.array(lanes, int), np.array(freedoms, int), np.array(senses))


def _placed(places: Sequence[Place], first: Array) -> Place:
    R = np.array([[[float(x) for x in row] for row in p.R] for p in places]).transpose(1, 2, 0)
    r = np.array([[float(x) for x in p.r] for p in places]).T
    links: Any = first[[p.link for p in places]]
    return Place(links, Mat3(*(Vec3(*row) for row in R)), Vec3(*r))
