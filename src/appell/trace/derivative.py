"""Derivatives of unrolled Programs: the chain rule as a graph whose inner vertices are eliminated one by one.

Every value is a vertex, every derivative of a value by one of its arguments the weight of an edge. Eliminating
a vertex joins its users to its arguments, weight times weight; when only outputs and inputs are left, the
edges between them are the Jacobian. Eliminated from the inputs on, that is forward mode, from the outputs on
reverse mode; the cheapest vertex first (Markowitz) needs the fewest operations of the three on mechanisms.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ..errors import TraceError, unknown
from .expr import Expr, Graph
from .operations import partials, rebuilt
from .passes import without_dead_code
from .program import Array, Block, Loop, Program, Store
from .unrolled import Symbols, places

Order: TypeAlias = Literal["forward", "reverse", "cheapest"]
Column: TypeAlias = Mapping[int, Any]  # place in an input -> how fast it changes along the column's direction
Seeds: TypeAlias = Mapping[str, "Sequence[Column] | Callable[[dict[str, Symbols]], Sequence[Column]]"]


def jacobian(
    program: Program,
    wrt: Sequence[str] | None = None,
    seeds: Seeds | None = None,
    order: Order = "cheapest",
    outputs: Sequence[str] | None = None,
) -> Program:
    """The derivatives of outputs y by inputs x, as outputs `dy_dx` with one more axis.

    `seeds` replaces the plain derivatives by an input's numbers by directional ones: for each column of `dy_dx`
    the mapping of the input's places to their coefficients, given as a sequence or as a function of the inputs
    (a mapping of their names) that makes it; so a quaternion's columns become those of its tangent. What
    cannot depend on an input is a constant zero.
    """
    names = _wanted(wrt, [a.name for a in program.inputs if a.role == "lane"], "input", program.inputs)
    answers = _wanted(outputs, [a.name for a in program.outputs], "output", program.outputs)
    linear = _Linear.of(program)
    columns = {name: linear.columns(name, (seeds or {}).get(name)) for name in names}
    for name in names:
        linear.seed(name, columns[name])
    sinks = [s for s in linear.stores if s.array.name in answers]
    table = _Elimination.of(linear, sinks).eliminated(order)
    arrays = [_Block(a, name, len(columns[name])) for a in program.outputs if a.name in answers for name in names]
    for one in arrays:
        one.write(linear.graph, table)
    made = Program(f"{program.name}_jacobian", program.inputs, tuple(b.result for b in arrays), linear.graph.block)
    return without_dead_code(made)


def gradient(program: Program, output: str | None = None, wrt: Sequence[str] | None = None) -> Program:
    """The derivatives of one scalar output y by inputs x, as outputs `dy_dx` of the shape of x, by reverse mode."""
    (name,) = _wanted((output,) if output else None, [program.outputs[0].name], "output", program.outputs)
    array = next(a for a in program.outputs if a.name == name)
    if len(list(places(array.shape))) != 1:
        raise TraceError(f"the gradient wants a scalar output; {name!r} of {program.name!r} has shape {array.shape}")
    made = jacobian(program, wrt, order="reverse", outputs=(name,))
    for a in made.outputs:  # made here, so nobody else holds them
        a.shape = a.shape[len(array.shape) :]
    return Program(made.name, made.inputs, made.outputs, _without_axes(made.body, len(array.shape)))


def _without_axes(body: Block, count: int) -> Block:
    """The same stores with the first places left out."""
    return Block([
        Store(x.array, x.place[count:], x.component, x.value) if isinstance(x, Store) else x for x in body.items
    ])  # fmt: skip


def _wanted(
    given: Sequence[str] | None, default: list[str], kind: str, known: tuple[Array, ...]
) -> tuple[str, ...]:
    names = [a.name for a in known]
    for name in given or ():
        if name not in names:
            raise unknown(kind, name, names)
    return tuple(default if given is None else given)


@dataclass
class _Block:
    """The derivative of one output by one input."""

    output: Array
    name: str
    width: int

    def __post_init__(self) -> None:
        self.result = Array(f"d{self.output.name}_d{self.name}", "memory", (*self.output.shape, self.width))

    def write(self, graph: Graph, table: dict[Any, dict[Any, Any]]) -> None:
        for place in places(self.result.shape):
            row = table.get((self.output.name, place[:-1]), {})
            graph.store(self.result, place, 0, row.get((self.name, place[-1]), 0))


@dataclass
class _Linear:
    """An unrolled Program made anew, ready to be differentiated."""

    graph: Graph
    inputs: dict[str, Array]
    stores: list[Store]
    loads: dict[str, dict[int, Expr]]  # what is read of every input, by place
    edges: dict[Any, list[tuple[Any, Any]]] = field(default_factory=dict)

    @staticmethod
    def of(program: Program) -> _Linear:
        if program.rolled or any(isinstance(x, Loop) for x in program.body.items):
            raise TraceError(f"a Jacobian wants an unrolled Program; {program.name!r} has loops: take its tangent")
        graph, values, stores = Graph(), {}, []
        loads: dict[str, dict[int, Expr]] = {}
        for item in program.body.items:
            args = () if isinstance(item, Store) else tuple(_of(values, a) for a in item.args)
            if isinstance(item, Store):
                stores.append(Store(item.array, item.place, item.component, _of(values, item.value)))
            elif item.op == "load":
                values[item] = graph.load(*item.args)
                loads.setdefault(item.args[0].name, {})[item.args[1][0]] = values[item]
            else:
                values[item] = rebuilt(item, args)
        return _Linear(graph, {a.name: a for a in program.inputs}, stores, loads)

    def columns(self, name: str, seed: Any) -> list[Column]:
        """The directions along which an input changes: its own axes unless others are given."""
        array = self.inputs[name]
        if seed is None:
            return [{k: 1} for k in range(int(array.shape[0]))]
        given = {a.name: Symbols(self.graph, a) for a in self.inputs.values()}
        return list(seed(given) if callable(seed) else seed)

    def seed(self, name: str, columns: list[Column]) -> None:
        """Joins what is read of an input to its columns."""
        for place, load in self.loads.get(name, {}).items():
            self.edges[load] = [((name, k), column[place]) for k, column in enumerate(columns) if place in column]


@dataclass
class _Elimination:
    """Vertices still to be eliminated, in the order of the Program, with the edges to and from them."""

    inner: list[Expr]
    down: dict[Any, dict[Any, Any]]  # vertex -> its arguments and the derivatives by them
    up: dict[Any, dict[Any, Any]]  # vertex -> its users

    @staticmethod
    def of(linear: _Linear, sinks: list[Store]) -> _Elimination:
        made = _Elimination([], {}, {})
        made._active(linear, _needed(sinks))
        for store in sinks:
            if store.value in made.down:
                made._join((store.array.name, store.place), store.value, 1)
        return made

    def _active(self, linear: _Linear, needed: list[Expr]) -> None:
        """Every value between the outputs and the seeds, the seeds first."""
        for node in needed:
            edges = linear.edges.get(node)
            if edges is None and node.op != "load" and any(a in self.down for a in node.args if isinstance(a, Expr)):
                edges = [(a, w) for a, w in partials(node) if a in self.down]
            if edges:
                self.inner.append(node)
                self.down[node] = {}
                for a, weight in edges:
                    self._join(node, a, weight)

    def _join(self, user: Any, argument: Any, weight: Any) -> None:
        down, up = self.down.setdefault(user, {}), self.up.setdefault(argument, {})
        down[argument] = down[argument] + weight if argument in down else weight
        up[user] = down[argument]

    def eliminated(self, order: Order) -> dict[Any, dict[Any, Any]]:
        """The derivatives of the outputs' places by the columns."""
        for node in self._order(order):
            below, above = self.down.pop(node), self.up.pop(node, {})
            for argument in below:
                del self.up[argument][node]
            for user, outer in above.items():
                del self.down[user][node]
                for argument, inner in below.items():
                    self._join(user, argument, outer * inner)
        return self.down

    def _order(self, order: Order) -> Iterator[Expr]:
        if order == "cheapest":
            return self._cheapest()
        return iter(self.inner) if order == "forward" else reversed(self.inner)

    def _cheapest(self) -> Iterator[Expr]:
        """The vertex with the fewest pairs of users and arguments, the latest of equals."""
        heap = [(self._cost(x), -k, x) for k, x in enumerate(self.inner)]
        heapq.heapify(heap)
        while heap:
            cost, k, node = heapq.heappop(heap)
            now = self._cost(node)
            if now > cost:
                heapq.heappush(heap, (now, k, node))
            else:
                yield node

    def _cost(self, node: Expr) -> int:
        return len(self.down[node]) * len(self.up.get(node, ()))


def _needed(sinks: list[Store]) -> list[Expr]:
    """What the outputs depend on, in the order in which it was made."""
    seen: dict[Expr, None] = {}
    waiting = [s.value for s in sinks]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Expr) and node not in seen:
            seen[node] = None
            waiting += [] if node.op == "load" else node.args
    return sorted(seen, key=lambda x: x.id)


def _of(values: dict[Any, Any], x: Any) -> Any:
    return values[x] if isinstance(x, Expr) else x
