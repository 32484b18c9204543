"""A formulation read body by body: one straight run of statements, specialised to this robot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from ..model.tree import Tree
from ..model.walk import Walk
from .expr import Graph
from .program import Array, Program

EXTRA = ("wrench", "parameters")  # inputs that reach the text through the robot that it walks


def trace_unrolled(
    name: str,
    text: Callable[..., Any],
    walk: Callable[[Tree, Graph], Walk],
    tree: Tree,
    inputs: tuple[Array, ...],
    outputs: tuple[tuple[str, tuple[int, ...]], ...],
) -> Program:
    """The Program of a text over one tree; `walk` makes the robot that the text walks."""
    graph = Graph()
    given = [Symbols(graph, array) for array in inputs if array.name not in EXTRA]
    result = text(walk(tree, graph), *given)
    results = result if isinstance(result, tuple) else (result,)
    arrays = tuple(Array(label, "memory", shape) for label, shape in outputs)
    for array, values in zip(arrays, results, strict=True):
        for place in places(array.shape):
            key = place[0] if len(place) == 1 else place
            graph.store(array, place, 0, values[key])
    return Program(name, inputs, arrays, graph.block)


class Symbols:
    """An input as the texts hold it: indexed by a freedom or a place, an expression each."""

    def __init__(self, graph: Graph, array: Array) -> None:
        self._graph, self._array = graph, array

    def __getitem__(self, key: Any) -> Any:
        return self._graph.load(self._array, (getattr(key, "index", key),))


def places(shape: tuple[Any, ...]) -> Iterator[tuple[int, ...]]:
    """Every place of an array of fixed shape, in memory order."""
    return product(*(range(int(n)) for n in shape))
