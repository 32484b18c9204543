"""Derivatives of unrolled Programs, by the chain rule over their values in forward or reverse order.

Every value carries its derivatives as a mapping, so that what cannot depend on an input is not there at all.
Forward, these are its derivatives by the columns (directions in the inputs); in reverse, those of the rows
(places in the outputs) by it. Both fold as they are built, and equal terms are built once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ..errors import TraceError, unknown
from .expr import Expr, Graph
from .operations import partials, rebuilt
from .passes import without_dead_code
from .program import Array, Loop, Program, Store
from .unrolled import Symbols, places

Order: TypeAlias = Literal["forward", "reverse"]
# Place in an input (flat, where its elements are wide) -> how fast it changes along the column's direction.
Column: TypeAlias = Mapping[int, Any]
Given: TypeAlias = dict[str, Symbols]  # the inputs, by name
Seed: TypeAlias = "Sequence[Column] | Callable[[Given], Sequence[Column]]"
Slopes: TypeAlias = dict[Any, dict[Any, Any]]
Arcs: TypeAlias = dict[Expr, list[tuple[Any, Any]]]  # value -> its arguments and the derivatives by them


def jacobian(
    program: Program,
    wrt: Sequence[str] | None = None,
    seeds: Mapping[str, Seed] | None = None,
    order: Order | None = None,
    outputs: Sequence[str] | None = None,
) -> Program:
    """The derivatives of outputs y by inputs x, as outputs `dy_dx` with one more axis.

    `seeds` replaces the derivatives by an input's numbers by directional ones: for each column of `dy_dx`
    a mapping of the input's places to their coefficients, as a sequence or as a function of the inputs (by
    name) that makes it; so the columns of a quaternion become those of its tangent. What cannot depend on an
    input is a constant zero. The cheaper order is taken unless one is named.
    """
    linear = _Linear.of(program, _chosen(wrt, program.inputs, "lane", "input"), seeds or {})
    answers = [a for a in program.outputs if a.name in _chosen(outputs, program.outputs, "memory", "output")]
    return _written(program, linear, answers, order, lambda a: a.shape)


def gradient(program: Program, output: str | None = None, wrt: Sequence[str] | None = None) -> Program:
    """The derivatives of one scalar output y by inputs x, as outputs `dy_dx` as long as x, in reverse."""
    (name,) = _chosen((output or program.outputs[0].name,), program.outputs, "memory", "output")
    array = next(a for a in program.outputs if a.name == name)
    if len(list(places(array.shape))) != 1:
        got = f"{name!r} of {program.name!r} with shape {array.shape}"
        raise TraceError(f"a gradient got the output {got} and wants a scalar one")
    linear = _Linear.of(program, _chosen(wrt, program.inputs, "lane", "input"), {})
    return _written(program, linear, [array], "reverse", lambda _: ())


def _chosen(given: Sequence[str] | None, known: Sequence[Array], role: str, kind: str) -> list[str]:
    """The names that are given, or those of every array of a role."""
    names = [a.name for a in known]
    for name in given or ():
        if name not in names:
            raise unknown(kind, name, names)
    return list(given) if given is not None else [a.name for a in known if a.role == role]


def _written(
    program: Program,
    linear: _Linear,
    answers: list[Array],
    order: Order | None,
    lead: Callable[[Array], tuple[Any, ...]],
) -> Program:
    """The Program of the derivatives; `lead` tells which axes of an output stay."""
    rows = [s for s in linear.stores if s.array in answers]
    arcs = linear.arcs([s.value for s in rows])
    slopes = {"forward": _forward, "reverse": _reverse}[order or _cheaper(arcs, rows)](arcs, rows)
    made = []
    for y in answers:
        for x, width in linear.widths.items():
            made.append(Array(f"d{y.name}_d{x}", "memory", (*lead(y), width)))
            for place in places((*y.shape, width)):
                slope = slopes.get((y.name, *place[:-1]), {}).get((x, place[-1]), 0)
                linear.graph.store(made[-1], place[len(y.shape) - len(lead(y)) :], 0, slope)
    name = f"{program.name}_derivatives"
    return without_dead_code(Program(name, program.inputs, tuple(made), linear.graph.block))


@dataclass
class _Linear:
    """An unrolled Program made anew, and how what it reads changes along the columns."""

    graph: Graph
    stores: list[Store]
    widths: dict[str, int] = field(default_factory=dict)  # of each input, how many columns
    seeds: Arcs = field(default_factory=dict)

    @staticmethod
    def of(program: Program, wrt: list[str], seeds: Mapping[str, Seed]) -> _Linear:
        if program.rolled or any(isinstance(x, Loop) for x in program.body.items):
            raise TraceError(f"the Jacobian of {program.name!r} got loops and wants none: unroll it")
        linear, loads = _rebuilt(program)
        for name in wrt:
            columns = linear._columns(program, name, seeds.get(name))
            linear.widths[name] = len(columns)
            for load in (x for x in loads if x.args[0].name == name):
                at = load.args[1][0] * load.args[0].width + load.args[2]
                linear.seeds[load] = [((name, k), c[at]) for k, c in enumerate(columns) if at in c]
        return linear

    def _columns(self, program: Program, name: str, seed: Seed | None) -> Sequence[Column]:
        """The directions along which an input changes: its own axes unless others are given."""
        arrays = {a.name: a for a in program.inputs}
        if seed is None:
            return [{k: 1} for k in range(int(arrays[name].shape[0]) * arrays[name].width)]
        return seed({n: Symbols(self.graph, a) for n, a in arrays.items()}) if callable(seed) else seed

    def arcs(self, results: list[Any]) -> Arcs:
        """Every value between the seeds and the results, in the order in which it was made."""
        arcs: Arcs = {}
        for node in _needed(results):
            found = self.seeds.get(node, [])
            if node.op != "load" and any(isinstance(a, Expr) and a in arcs for a in node.args):
                found = [(a, w) for a, w in partials(node.op, node, node.args) if a in arcs]
            if found:
                arcs[node] = found
        return arcs


def _rebuilt(program: Program) -> tuple[_Linear, list[Expr]]:
    """The same values in a graph of their own, and which of them are read from inputs."""
    graph, stores, loads = Graph(), [], []
    values: dict[Any, Any] = {}
    for item in program.body.items:
        if isinstance(item, Store):
            stores.append(Store(item.array, item.place, item.component, values.get(item.value, item.value)))
        elif item.op == "load":
            values[item] = graph.load(*item.args)
            loads.append(values[item])
        else:
            values[item] = rebuilt(item, tuple(values.get(a, a) for a in item.args))
    return _Linear(graph, stores), loads


def _needed(results: list[Any]) -> list[Expr]:
    """What results depend on, in the order in which it was made."""
    seen: set[Expr] = set()
    waiting = list(results)
    while waiting:
        node = waiting.pop()
        if isinstance(node, Expr) and node not in seen:
            seen.add(node)
            waiting += [] if node.op == "load" else node.args
    return sorted(seen, key=lambda x: x.id)


def _forward(arcs: Arcs, rows: list[Store]) -> Slopes:
    """The derivatives of the rows by the columns, values before their users."""
    slopes: Slopes = {}
    for node, arguments in arcs.items():
        slopes[node] = {}
        for a, weight in arguments:
            for column, slope in slopes.get(a, {a: 1}).items():
                _add(slopes[node], column, weight * slope)
    return {_row(s): slopes.get(s.value, {}) for s in rows}


def _reverse(arcs: Arcs, rows: list[Store]) -> Slopes:
    """The same, users before their values."""
    felt: Slopes = {node: {} for node in arcs}
    result: Slopes = {_row(s): {} for s in rows}
    for s in rows:
        if s.value in felt:
            felt[s.value][_row(s)] = 1
    for node in reversed(arcs):
        for a, weight in arcs[node]:
            for row, slope in felt[node].items():
                _add(*((felt[a], row) if a in felt else (result[row], a)), slope * weight)
    return result


def _row(store: Store) -> tuple[Any, ...]:
    return (store.array.name, *store.place)


def _add(total: dict[Any, Any], key: Any, term: Any) -> None:
    total[key] = total[key] + term if key in total else term


def _cheaper(arcs: Arcs, rows: list[Store]) -> Order:
    """Which order multiplies less: an arc costs as many products as it joins columns below, or rows above."""
    below: dict[Any, int] = {}  # sets of columns and rows, a bit each
    above: dict[Any, int] = dict.fromkeys(arcs, 0)
    bits: dict[Any, int] = {}
    for k, s in enumerate(rows):
        if s.value in above:
            above[s.value] |= 1 << k
    for node, arguments in arcs.items():
        below[node] = 0
        for a, _ in arguments:
            below[node] |= below[a] if a in arcs else 1 << bits.setdefault(a, len(bits))
    forward = reverse = 0
    for node in reversed(arcs):
        for a, weight in (x for x in arcs[node] if x[0] in arcs):
            above[a] |= above[node]
            cost = 2 if isinstance(weight, Expr) else 1  # a constant is mostly a sign
            forward += cost * below[a].bit_count()
            reverse += cost * above[node].bit_count()
    return "forward" if forward < reverse else "reverse"
