"""What the tests of the texts share: robots to try them on, and their reading with floats."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np
import pytest
from oracles.random_robots import random_robot, random_state

from appell.formulations.table import FORMULATIONS, QUESTIONS, Formulation
from appell.model import manifold
from appell.model.lower import lower
from appell.model.mechanism import Mechanism
from appell.model.walk import Coordinates, Walk
from appell.spatial import Wrench
from appell.vec import Vec3

Array = np.ndarray
KINDS = ("mixed", "simple", "revolute", "helical", "planar", "universal", "ball", "cylindrical")


class Case:
    """A random robot with a state and the forces and frames to ask about."""

    def __init__(self, seed: int, joints: str = "mixed", resists: bool = False, data: Any = None) -> None:
        shape, order = ("chain", "tree")[seed % 2], ("depth", "shuffled")[seed // 2 % 2]
        chosen = (seed, 3 + seed % 5, joints, seed % 3 == 0, shape, order)
        self.data = data or random_robot(*chosen, rotors=True)
        self.seed, rng = seed, np.random.default_rng(seed)
        if resists:
            for body in self.data["bodies"]:
                body["joint"] |= _resistances(rng, body["joint"]["type"])
        self.mechanism = Mechanism.from_dict(self.data)
        self.tree = lower(self.mechanism)
        self.q, self.v, self.a = random_state(self.data, seed)
        self.wrenches = rng.normal(size=(self.tree.n + 1, 6))
        self.frames = [*[name for name in self.tree.frames if name != "base"][:2], "tool"]

    @cached_property
    def oracle(self) -> Any:
        """Pinocchio's view of the robot."""
        pytest.importorskip("pinocchio")
        from oracles.pinocchio_model import PinocchioOracle

        return PinocchioOracle(self.data)

    def wrench(self, link: int) -> Wrench:
        """Any wrench, on every link."""
        return Wrench(*(Vec3(*part.tolist()) for part in np.split(self.wrenches[link], 2)))

    def moved(self, dt: float, v: Array | None = None) -> Array:
        """q after a small time of motion with v."""
        return manifold.integrate(self.mechanism, self.q, self.v if v is None else v, dt)

    def ask(self, row: Formulation, *values: Array, **given: Any) -> Any:
        """A text read with floats: one array, or a tuple of them."""
        walk = {name: given.pop(name) for name in ("wrench", "prescribed") if name in given}
        text = partial(row.text, **given)
        answer = text(Walk(self.tree, **walk), *(Coordinates([float(x) for x in y]) for y in values))
        shapes = [shape for _, shape in QUESTIONS[row.computes].outputs]
        if len(shapes) == 1:
            return self._array(answer, shapes[0])
        return tuple(self._array(x, shape) for x, shape in zip(answer, shapes))

    def _array(self, values: Any, shape: tuple[Any, ...]) -> Array:
        out = np.zeros(tuple({"nv": self.tree.nv}.get(s, s) for s in shape))
        for place in np.ndindex(out.shape):
            out[place] = values[place[0] if len(place) == 1 else place]
        return out


def _resistances(rng: np.random.Generator, kind: str) -> dict[str, float]:
    if kind == "fixed":
        return {}
    friction = {"damping": rng.random(), "coulomb": rng.random(), "smoothing": 0.1 + rng.random()}
    spring = {"stiffness": rng.random(), "rest": rng.normal(), "preload": rng.normal()}
    spring = {} if kind in ("ball", "free") else spring
    return {key: float(x) for key, x in {**friction, **spring}.items()}


CASES = [Case(seed, kind) for seed, kind in enumerate((*KINDS, *KINDS[:4]))]
RESISTING = [Case(seed, kind, resists=True) for seed, kind in enumerate(("mixed", "helical", "mixed", "ball"))]

cases = pytest.mark.parametrize("case", CASES, ids=lambda c: c.data["name"])
resisting = pytest.mark.parametrize("case", RESISTING, ids=lambda c: c.data["name"])


def rows(*questions: str) -> pytest.MarkDecorator:
    """Every formulation that answers one of these questions."""
    found = [f for f in FORMULATIONS if f.computes in questions]
    assert found
    return pytest.mark.parametrize("row", found, ids=lambda f: f"{f.name}-{f.computes}")


def row(name: str, question: str) -> Formulation:
    """What a formulation answers to a question."""
    return next(f for f in FORMULATIONS if (f.name, f.computes) == (name, question))


def first(question: str) -> Formulation:
    """The first formulation that answers a question."""
    return next(f for f in FORMULATIONS if f.computes == question)


def close(got: Any, wanted: Any, tolerance: float = 1e-11) -> None:
    """Equal, relative to the largest entry or to one."""
    scale = max(1.0, float(np.max(np.abs(wanted), initial=0.0)))
    np.testing.assert_allclose(got, wanted, rtol=0.0, atol=tolerance * scale)


def slope(f: Callable[[float], Array], h: float = 1e-3) -> Array:
    """The derivative of f at 0, by differences of sixth order."""
    pairs = [f(k * h) - f(-k * h) for k in (1, 2, 3)]
    return (45 * pairs[0] - 9 * pairs[1] + pairs[2]) / (60 * h)
