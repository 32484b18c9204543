"""The equations of many loops at once: all of a kind are one reading of their text, with a lane for each loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..closures import closures_of, equation_names
from ..formulations.closure import Closure, Coupled
from ..formulations.equations import rows_of
from ..formulations.one_loop import LINK, ROW, SPOT, one_loop
from ..formulations.rolling import coupled
from ..formulations.table import Formulation, Question
from ..model.tree import Place, Tree
from ..vec import Mat3, Vec3

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
Found = tuple[Array, Array, Array]  # values and biases of equations, and their coefficients
INPUTS = ("link_a", "link_b", "spot_a", "spot_b", "shape")
NEXT, LAST = [1, 2, 0], [2, 0, 1]
ALONE = Tree((), Vec3(), 0, 0)  # the text of a loop walks no tree
AT_BASE = np.zeros((1, LINK))
AT_BASE[0, [0, 4, 8]] = 1.0


class World:
    """The links in the base's axes, as the texts of loops see them; a link is the row of its first freedom, plus 1."""

    def __init__(self, rows: Array) -> None:
        parts = np.concatenate([AT_BASE, rows[:, 6:30]]).T
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
    """Closures of one kind: where their equations begin, how many each has, and what freedoms move them."""

    closure: Any  # with arrays in place of numbers
    starts: Array
    count: int
    lanes: Array
    freedoms: Array
    senses: Array

    @property
    def equations(self) -> Array:
        """The places of the equations, (lanes, count)."""
        return self.starts[:, None] + np.arange(self.count)

    @property
    def entries(self) -> tuple[Array, Array]:
        """Of all coefficients the equation and the freedom, (entries, count) each."""
        return self.equations[self.lanes], np.broadcast_to(self.freedoms[:, None], (len(self.freedoms), self.count))

    def found(self, rows: Array, q: Array, v: Array) -> Found:
        """Values and biases (lanes, count) and coefficients (entries, count) of all equations."""
        if isinstance(self.closure, Closure):
            given, x = self.kernel(*self.links(rows), *self.places)
            return given[:, :, 0], given[:, :, 1], self.spread(rows, x, given[:, :, 2:5], given[:, :, 5:8])
        x, found = rows_of(World(rows), self.closure)
        value, bias = (np.stack([self._lane(getattr(row, key)) for row in found], 1) for key in ("value", "bias"))
        return value, bias, self.of(rows, x, found)

    def of(self, rows: Array, x: Vec3, found: Any) -> Array:
        """The coefficients of rows of a text, whose wrenches act at x."""
        force, moment = (np.stack([self._lanes(getattr(row, key)) for row in found], 1) for key in ("force", "moment"))
        return self.spread(rows, self._lanes(x), force, moment)

    def spread(self, rows: Array, x: Array, force: Array, moment: Array) -> Array:
        """What wrenches (lanes, count, 3) at x do along every freedom that moves a lane."""
        z, i = self.freedoms, self.lanes
        e, sense = rows[z, :3], self.senses[:, None]
        moved = (rows[z, 3:6] + crossed(e, x[i] - rows[z, 15:18])) * sense
        return np.einsum("ekj,ej->ek", force[i], moved) + np.einsum("ekj,ej->ek", moment[i], e * sense)

    @cached_property
    def kernel(self) -> Any:
        """One reading of the text for all lanes, compiled."""
        from ..kernel.make import make

        sizes = tuple(zip(INPUTS, (LINK, LINK, SPOT, SPOT, 2), strict=True))
        asks = Question(INPUTS, (("rows", (self.count, ROW)), ("at", (3,))), "the equations of a loop", sizes=sizes)
        text = partial(one_loop, closure=Closure(self.closure.kind, None, None))
        row = Formulation("links", "one_loop", text, "nikravesh1988", rolls=False, asks=asks)
        return make(row, ALONE, owner=self.closure.kind).callable

    def links(self, rows: Array) -> tuple[Array, Array]:
        """Where the links of both sides stand and move."""
        parts = np.concatenate([AT_BASE, rows[:, 6:30]])
        return parts[self.closure.a.link], parts[self.closure.b.link]

    @cached_property
    def places(self) -> tuple[Array, Array, Array]:
        """Places on both sides, and the shapes of the joints."""
        a, b = (np.stack([x for vector in (*p.R, p.r) for x in vector], 1) for p in (self.closure.a, self.closure.b))
        return a, b, np.stack([self.closure.pitch, self.closure.lean], 1)

    def _lane(self, number: Any) -> Array:
        return np.broadcast_to(np.asarray(number, float), self.starts.shape)

    def _lanes(self, vector: Vec3) -> Array:
        return np.stack([self._lane(c) for c in vector], 1)


@dataclass(frozen=True)
class OneCoupling:
    """A coordinate that follows another."""

    given: Coupled
    start: int

    @property
    def equations(self) -> Array:
        """The place of its one equation."""
        return np.array([[self.start]])

    @property
    def entries(self) -> tuple[Array, Array]:
        """Of both coefficients the equation and the freedom."""
        return np.full((2, 1), self.start), np.array([[self.given.freedom], [self.given.of_freedom]])

    def found(self, rows: Array, q: Array, v: Array) -> Found:
        """Value, bias and coefficients."""
        value, _, bias, slope = coupled(self.given, q, v)
        return np.array([[value]]), np.array([[bias]]), np.array([[1.0], [-slope]])


def crossed(a: Array, b: Array) -> Array:
    """a x b, row by row."""
    return a[:, NEXT] * b[:, LAST] - a[:, LAST] * b[:, NEXT]


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
    counts: dict[Any, int] = {}
    start, found = 0, list[Any]()
    given = (*robot.mechanism.loops, *robot.mechanism.constraints)
    for one, closure in zip(given, closures_of(robot.mechanism, robot.tree), strict=True):
        key = closure.kind if isinstance(closure, Closure) else len(groups)
        groups.setdefault(key, []).append((start, closure))
        counts[key] = len(equation_names(one))
        start += counts[key]
    for key, members in groups.items():
        starts, closures = np.array([s for s, _ in members]), [c for _, c in members]
        if isinstance(closures[0], Coupled):
            found.append(OneCoupling(closures[0], int(starts[0])))
        else:
            found.append(_together(closures, starts, counts[key], first, on))
    return found


def _together(closures: Sequence[Any], starts: Array, count: int, first: Array, on: list[list[int]]) -> Lanes:
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
    return Lanes(made, starts, count, np.array(lanes, int), np.array(freedoms, int), np.array(senses))


def _placed(places: Sequence[Place], first: Array) -> Place:
    R = np.array([[[float(x) for x in row] for row in p.R] for p in places]).transpose(1, 2, 0)
    r = np.array([[float(x) for x in p.r] for p in places]).T
    links: Any = first[[p.link for p in places]]
    return Place(links, Mat3(*(Vec3(*row) for row in R)), Vec3(*r))
