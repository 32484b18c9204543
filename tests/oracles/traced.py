"""Programs of random mechanisms, and the plain readings and exact derivatives that they are compared with."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from appell.formulations.table import FORMULATIONS, QUESTIONS, Formulation
from appell.model.lower import lower
from appell.model.mechanism import Mechanism
from appell.model.tree import Tree
from appell.model.walk import Coordinates, Walk
from appell.trace.reading import read
from appell.trace.unrolled import places

from .random_robots import random_robot, random_state

Array = np.ndarray
MAIN = {("gibbs_appell", "inverse_dynamics"), ("newton_euler", "inverse_dynamics")}
MAIN |= {("composite_body", "mass_matrix"), ("articulated_body", "forward_dynamics")}
PAGES = [f for f in FORMULATIONS if (f.name, f.computes) in MAIN]  # the four that all else is checked against
AWAY = next(f for f in FORMULATIONS if f.name == "gibbs_appell_inertia")  # its walks lead away from the base


class Case(NamedTuple):
    """A tree with a state: q, v and a third vector."""

    tree: Tree
    state: tuple[Array, Array, Array]


def case(seed: int, n: int, **how: Any) -> Case:
    """A random mechanism in a random state."""
    d = random_robot(seed, n, **how)
    return Case(lower(Mechanism.from_dict(d)), random_state(d, seed))


CASES = {
    "arm": case(1, 5),
    "tree": case(2, 5, joints="mixed", shape="tree", order="shuffled"),
    "floating": case(3, 5, floating=True, shape="tree", rotors=True),
}


def inputs(page: Formulation, state: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a page takes of q, v and a third vector."""
    return state[: len(QUESTIONS[page.computes].inputs)]


def unrolled(page: Formulation, tree: Tree) -> Any:
    return read(page, tree)


def rolled(page: Formulation, tree: Tree) -> Any:
    return read(page, tree, unroll=False)


def plain(page: Formulation, tree: Tree, given: tuple[Any, ...]) -> list[Any]:
    """A page over any scalars: the numbers of its first answer, in memory order."""
    shape = QUESTIONS[page.computes].outputs[0][1]
    result = page.text(Walk(tree), *(Coordinates(list(x)) for x in given))
    result = result[0] if isinstance(result, tuple) else result
    sizes = tuple(tree.nv if s == "nv" else s for s in shape)
    return [result[p[0] if len(p) == 1 else p] for p in places(sizes)]


def plain_array(page: Formulation, tree: Tree, given: tuple[Any, ...]) -> Array:
    """A page over floats."""
    return np.array(plain(page, tree, tuple(map(np.ndarray.tolist, given))), float)


def exact_rate(page: Formulation, tree: Tree, given: tuple[Array, ...], rates: tuple[Array, ...]) -> Array:
    """The derivative of a page's answer as the inputs move, by dual numbers."""
    duals = tuple([Dual(x, dx) for x, dx in zip(*pair)] for pair in zip(map(list, given), map(list, rates)))
    return np.array([getattr(x, "d", 0.0) for x in plain(page, tree, duals)])


def error(x: Array, y: Array) -> float:
    """The largest difference relative to the largest number; NaN is no agreement."""
    assert x.shape == y.shape
    worst = float(np.abs(x - y).max(initial=0.0))
    assert math.isfinite(worst)
    return worst / max(float(np.abs(y).max(initial=0.0)), 1e-300) if worst else 0.0


@dataclass(frozen=True)
class Dual:
    """A number and its derivative."""

    x: float
    d: float

    def __add__(self, o: Any) -> Dual:
        return Dual(self.x + _x(o), self.d + _d(o))

    def __sub__(self, o: Any) -> Dual:
        return Dual(self.x - _x(o), self.d - _d(o))

    def __rsub__(self, o: Any) -> Dual:
        return Dual(o - self.x, -self.d)

    def __mul__(self, o: Any) -> Any:
        return Dual(self.x * _x(o), self.d * _x(o) + self.x * _d(o)) if type(o) is not int or o else 0

    def __truediv__(self, o: Any) -> Dual:
        return Dual(self.x / _x(o), (self.d - self.x / _x(o) * _d(o)) / _x(o))

    def __rtruediv__(self, o: Any) -> Dual:
        return Dual(o / self.x, -o / self.x / self.x * self.d)

    def __neg__(self) -> Dual:
        return Dual(-self.x, -self.d)

    def sin(self) -> Dual:
        return Dual(math.sin(self.x), math.cos(self.x) * self.d)

    def cos(self) -> Dual:
        return Dual(math.cos(self.x), -math.sin(self.x) * self.d)

    def sqrt(self) -> Dual:
        return Dual(math.sqrt(self.x), self.d / (2.0 * math.sqrt(self.x)))

    def tanh(self) -> Dual:
        return Dual(math.tanh(self.x), self.d / math.cosh(self.x) ** 2)

    def sign(self) -> Dual:
        return Dual(math.copysign(1.0, self.x), 0.0)

    __radd__ = __add__
    __rmul__ = __mul__


def _x(o: Any) -> float:
    return o.x if isinstance(o, Dual) else o


def _d(o: Any) -> float:
    return o.d if isinstance(o, Dual) else 0.0
