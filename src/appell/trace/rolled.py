"""A formulation read with one symbolic body per sweep: loops stay loops, for any number of bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..errors import TraceError
from ..model.columns import FIELDS, MET
from ..model.tree import FREEDOMS, Freedom, Link, Resistance
from ..model.walk import Walk
from ..spatial import Pose, Wrench, leaves, rebuild, width
from ..vec import Mat3, Sym3, Vec3
from .expr import Graph
from .pattern import Pattern
from .program import Array, Index, Loop, Program, block_lines


def trace_rolled(
    name: str,
    text: Callable[..., Any],
    pattern: Pattern,
    inputs: tuple[Array, ...],
    outputs: tuple[tuple[str, tuple[Any, ...]], ...],
) -> Program:
    """The Program of a text over every tree of a pattern."""
    graph = Graph()
    walk = RolledWalk(graph, pattern)
    walk.wrenches = next((a for a in inputs if a.name == "wrench"), None)
    given = (RolledSymbols(graph, a) for a in inputs if a is not walk.wrenches)
    result = text(walk, *given)
    if len(graph.blocks) > 1:
        raise TraceError("a sweep was left before its end; let every sweep run through")
    results = result if isinstance(result, tuple) else (result,)
    for memory, (label, _) in zip(results, outputs, strict=True):
        memory.array.name = label
    answers = tuple(memory.array for memory in results)
    slots = tuple(m.array for m in walk.memories if m.array not in answers)
    return Program(name, inputs, answers, graph.block, slots, kinds=pattern.kinds, chain=pattern.chain)


class RolledSymbols:
    """An input whose places are symbolic."""

    def __init__(self, graph: Graph, array: Array) -> None:
        self._graph, self._array = graph, array

    def __getitem__(self, key: Any) -> Any:
        return self._graph.load(self._array, (place(key),))


class Memory:
    """Slots, vectors and tables of a rolled walk: stores and loads, with what is known to stand there kept at hand."""

    def __init__(self, graph: Graph, array: Array, kind: type | None, symmetric: bool = False) -> None:
        self.graph, self.array, self.kind, self.symmetric = graph, array, kind, symmetric
        self.known: dict[Any, Any] = {}

    def __getitem__(self, key: Any) -> Any:
        at, name = self._where(key)
        if name not in self.known:
            self.known[name] = self._read(key, at)
        return self.known[name]

    def __setitem__(self, key: Any, value: Any) -> None:
        at, name = self._where(key)
        if self.known.get(name) is value:
            return
        for k, x in enumerate(self._parts(key, value)):
            self.graph.store(self.array, at, k, x)
            if self.symmetric:
                self.graph.store(self.array, (at[1], at[0]), k, x)
        self.known = {name: value}  # any other place may be the same one

    def _where(self, key: Any) -> tuple[tuple[Any, ...], Any]:
        at = tuple(place(k) for k in key) if isinstance(key, tuple) else (place(key),)
        return at, tuple(i.key if isinstance(i, Index) else i for i in at)

    def _read(self, key: Any, at: tuple[Any, ...]) -> Any:
        parts = [self.graph.load(self.array, at, k, fresh=True) for k in range(self._width(key))]
        return key.pose_from(parts) if self.kind is Pose else rebuild(self.kind, iter(parts))

    def _width(self, key: Any) -> int:
        return _pose_width(key.kind) if self.kind is Pose else self.array.width

    def _parts(self, key: Any, value: Any) -> list[Any]:
        return key.pose_parts(value) if self.kind is Pose else list(leaves(value))


class RolledWalk(Walk):
    """A robot that yields one symbolic body per sweep and kind of joint, and writes the loop around the text."""

    def __init__(self, graph: Graph, pattern: Pattern) -> None:
        self.graph, self.pattern = graph, pattern
        self.memories: list[Memory] = []
        self.wrenches: Array | None = None
        self.prescribed = frozenset()
        self.depth, self.twice = 0, True
        kind = pattern.kinds[0]
        self.gravity = Vec3(*(self._scalar(kind, f"gravity.{k}", 0) for k in range(3)))

    @property
    def resists(self) -> bool:
        return self.pattern.met

    # -- memory -----------------------------------------------------------------------------------------------

    def slots(self, kind: type | None = None) -> Any:
        size = max(map(_pose_width, self.pattern.kinds)) if kind is Pose else width(kind)
        return self._memory(("n+1",), size, kind)

    def per_freedom(self, kind: type | None = None) -> Any:
        return self._memory(("nv",), width(kind), kind)

    def per_pair(self, kind: type | None = None) -> Any:
        return self._memory(("n+1", "nv"), width(kind), kind)

    def vector(self) -> Any:
        return self._memory(("nv",), 1, None)

    def matrix(self) -> Any:
        return self._memory(("nv", "nv"), 1, None, symmetric=True)

    def table(self, *shape: Any) -> Any:
        return self._memory(shape, 1, None)

    def _memory(self, shape: tuple[Any, ...], size: int, kind: type | None, symmetric: bool = False) -> Memory:
        array = Array(f"m{len(self.memories)}", "memory", shape, size)
        self.memories.append(Memory(self.graph, array, kind, symmetric))
        return self.memories[-1]

    def _forget(self) -> None:
        for memory in self.memories:
            memory.known = {}

    # -- sweeps -----------------------------------------------------------------------------------------------

    def outward(self) -> Iterator[Link]:
        yield from self._sweep("outward")

    def inward(self) -> Iterator[Link]:
        yield from self._sweep("inward")

    def support(self, b: Link) -> Iterator[Link]:
        self.graph.check(b.index)
        yield from self._sweep("support", b.index)

    def carriers(self, b: Link) -> Iterator[Link]:
        self.graph.check(b.index)
        yield from self._sweep("support", b.parent)

    def beyond(self, b: Link) -> Iterator[Link]:
        self.graph.check(b.index)
        yield from self._sweep("beyond", b.index)

    def _sweep(self, way: Any, start: Any = None) -> Iterator[Link]:
        """Each kind of joint is traced twice: a second text that differs means a value leaked between bodies.

        What is inside the second time has been traced twice already, so there once will do.
        """
        number, cases, twice = self.depth, {}, self.twice
        self.depth += 1
        for kind in self.pattern.kinds:
            texts = []
            for self.twice in (True, False) if twice else (False,):
                block = self.graph.open()
                self._forget()
                yield self._link(kind, Index(("i", number), block))
                self._forget()
                if self.graph.close() is not block:
                    raise TraceError("a sweep was left before its end; let every sweep run through")
                texts += [list(block_lines(block))] if twice else []
            if twice and texts[0] != texts[1]:
                raise TraceError("a Python value changed from body to body; keep what changes in a slot")
            cases[kind] = block
        self.depth, self.twice = number, twice
        self.graph.block.items.append(Loop(way, number, cases, start))

    # -- the symbolic body ------------------------------------------------------------------------------------

    def _link(self, kind: Any, index: Index) -> Link:
        """One body standing for all of a kind; its numbers are loads from the tables."""

        def scalars(name: str) -> Any:
            return [self._scalar(kind, f"{name}.{k}", index) for k in range(FIELDS[name])]

        fixed = scalars("fixed")
        return Link(
            index=index,
            parent=index + -1 if self.pattern.chain else self._lookup("parent", index),
            kind=kind,
            fixed=Mat3(Vec3(*fixed[:3]), Vec3(*fixed[3:6]), Vec3(*fixed[6:])),
            offset=Vec3(*scalars("offset")),
            angle=scalars("angle")[0],
            pitch=scalars("pitch")[0],
            mass=scalars("mass")[0],
            first=Vec3(*scalars("first")),
            second=Sym3(*scalars("second")),
            q_index=index + -1 if self.pattern.plain else self._lookup("q_index", index),
            v_index=index + -1 if self.pattern.plain else self._lookup("v_index", index),
            resistances=self._resistances(kind, index),
        )

    def _resistances(self, kind: Any, index: Index) -> tuple[Resistance, ...]:
        if not self.pattern.met:
            return ()
        rows = range(FREEDOMS[kind])
        return tuple(Resistance(*(self._scalar(kind, f"{name}.{k}", index) for name in MET)) for k in rows)

    def _scalar(self, kind: str, column: str, index: Any) -> Any:
        known = self.pattern.structural.get((kind, column))
        if known is not None:
            return known
        return self.graph.load(Array(column, "column", ("n+1",)), (index,))

    def _lookup(self, name: str, index: Index) -> Index:
        return Index(("t", name, index.key), index.block)

    def wrench(self, b: Link) -> Wrench:
        if not self.wrenches:
            return Wrench()
        at = (b.index + -1,)
        parts = [self.graph.load(self.wrenches, at, k) for k in range(6)]
        return Wrench(Vec3(*parts[3:]), Vec3(*parts[:3]))


def _pose_width(kind: Any) -> int:
    b = Link(1, 0, kind)
    return len(b.pose_parts(b.pose(_Ones())))


class _Ones:
    """Coordinates for asking only how many scalars a pose has."""

    def __getitem__(self, _: Any) -> float:
        return 1.0


def place(key: Any) -> Any:
    """The place in memory of a body, a freedom, an index or a number."""
    return key.index if isinstance(key, (Link, Freedom)) else key
