"""A question to a tree -> Program, unrolled or rolled."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..formulations.table import QUESTIONS, Formulation
from ..model.tree import Place, Tree
from ..model.walk import Walk
from ..spatial import Wrench
from ..vec import Vec3, cross
from .expr import Graph
from .passes import without_dead_code
from .program import Array, Program
from .rolled import trace_rolled
from .stages import show, statements, timed
from .unrolled import trace_unrolled


def read(formulation: Formulation, tree: Tree, *, unroll: bool = True, wrench: bool = False, **given: Any) -> Program:
    """The Program of a formulation's text; `given` are what the text takes beside numbers, as `place`."""
    question = QUESTIONS[formulation.computes]
    sizes: dict[str, Any] = {"nq": tree.nq, "nv": tree.nv} if unroll else {"nq": "nq", "nv": "nv"}
    inputs = [Array(name, "lane", (sizes["nq" if name == "q" else "nv"],)) for name in question.inputs]
    if wrench:
        inputs.append(Array("wrench", "lane", (len(tree.bodies) if unroll else "n",), 6))
    outputs = tuple((name, tuple(sizes.get(s, s) for s in shape)) for name, shape in question.outputs)
    text = partial(formulation.text, **given) if given else formulation.text
    if unroll:
        walk = partial(_walk, wrench=inputs[-1] if wrench else None)
        trace = partial(trace_unrolled, question_name(formulation), text, walk, tree, tuple(inputs), outputs)
    else:
        trace = partial(trace_rolled, question_name(formulation), text, tree, tuple(inputs), outputs)
    traced = timed("trace", trace, lambda p: f"{formulation.name}: {statements(p)} statements")
    program = timed("passes", lambda: without_dead_code(traced), lambda p: f"without dead code: {statements(p)} statements")
    show(2, "program", program.text)
    return program


def question_name(formulation: Formulation) -> str:
    """What the compiled function is called."""
    return formulation.computes


def _walk(tree: Tree, graph: Graph, wrench: Array | None) -> Walk:
    """A walk whose external wrenches, if any, are inputs: one (force, moment) per body of the user's."""
    if wrench is None:
        return Walk(tree)
    on: dict[int, list[tuple[int, Place]]] = {}
    for k, place in enumerate(tree.bodies):
        on.setdefault(place.link, []).append((k, place))

    def total(link: int) -> Wrench:
        acting = Wrench()
        for k, place in on.get(link, ()):
            parts = [graph.load(wrench, (k,), j) for j in range(6)]
            force = place.R @ Vec3(*parts[:3])
            acting += Wrench(place.R @ Vec3(*parts[3:]) + cross(place.r, force), force)
        return acting

    return Walk(tree, wrench=total)
