"""A question to a tree -> Program, unrolled or rolled."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import TraceError
from ..formulations.table import Formulation
from ..model.tree import Place, Tree
from ..model.walk import Walk
from ..spatial import Wrench
from ..vec import Vec3, cross
from .expr import Graph
from .passes import cleaned
from .pattern import Pattern
from .program import Array, Program
from .stages import show, statements, timed
from .unrolled import trace_unrolled

if TYPE_CHECKING:
    from ..model.lift import Lift


def read(
    formulation: Formulation,
    tree: Tree,
    *,
    unroll: bool = True,
    wrench: bool = False,
    prescribed: frozenset[int] = frozenset(),
    lift: Lift | None = None,
    **given: Any,
) -> Program:
    """The Program of a formulation's text; `given` are what the text takes beside numbers, as `place`."""
    if not unroll and (lift or prescribed):
        raise TraceError("lifted parameters and prescribed joints want unroll=True, got unroll=False")
    if unroll:
        inputs = inputs_of(formulation, tree, wrench, lift)
        sizes: dict[Any, Any] = {"n": tree.n, "nq": tree.nq, "nv": tree.nv}
        outputs = tuple((name, tuple(sizes.get(s, s) for s in shape)) for name, shape in formulation.question.outputs)
        text = partial(formulation.text, **given) if given else formulation.text
        walk = partial(robot_of, arrays={a.name: a for a in inputs}, prescribed=prescribed, lift=lift)
        trace = partial(trace_unrolled, formulation.computes, text, walk, tree, tuple(inputs), outputs)
    else:
        trace = partial(_loops, formulation, Pattern.of(tree), wrench, tuple(given.items()))
    traced = timed("trace", trace, lambda p: f"{formulation.name}: {statements(p)} statements")
    program = timed("passes", lambda: cleaned(traced), lambda p: f"without dead code: {statements(p)} statements")
    show(2, "program", program.text)
    return program


@lru_cache(32)  # robots come in families
def _loops(formulation: Formulation, pattern: Pattern, wrench: bool, given: tuple[tuple[str, Any], ...]) -> Program:
    """The rolled Program of a formulation's text for all trees of a pattern."""
    from .rolled import trace_rolled

    inputs, text = tuple(inputs_of(formulation, None, wrench, None)), partial(formulation.text, **dict(given))
    return trace_rolled(formulation.computes, text, pattern, inputs, formulation.question.outputs)


class Given(Protocol):
    """Where numbers come from: a graph of symbols, or arrays."""

    def load(self, array: Array, place: tuple[Any, ...], component: int = 0) -> Any: ...


def inputs_of(
    formulation: Formulation, tree: Tree | None, wrench: bool, lift: Lift | None
) -> list[Array]:  # fmt: skip
    """The inputs of a question, with what else is given; for loops, which serve many trees, `tree` is None."""
    nq, nv = (tree.nq, tree.nv) if tree else ("nq", "nv")
    sizes: dict[str, Any] = {"q": nq, "t": 1, **dict(formulation.question.sizes)}
    inputs = [Array(name, "lane", (sizes.get(name, nv),)) for name in formulation.question.inputs]
    if wrench:
        inputs.append(Array("wrench", "lane", (len(tree.bodies) if tree else "n",), 6))
    if lift:
        inputs.append(Array("parameters", "lane", (len(lift.names),)))
    return inputs


def robot_of(
    tree: Tree, graph: Graph | Given, arrays: dict[str, Array], prescribed: frozenset[int], lift: Lift | None
) -> Walk:  # fmt: skip
    """A walk whose lifted parameters and external wrenches, if any, are inputs."""
    if lift:
        names = range(len(lift.names))
        tree = lift.tree_with([graph.load(arrays["parameters"], (k,)) for k in names])
    acting = _wrenches(tree, graph, arrays["wrench"]) if "wrench" in arrays else None
    return Walk(tree, wrench=acting, prescribed=prescribed)


def _wrenches(tree: Tree, graph: Graph | Given, array: Array) -> Callable[[int], Wrench]:
    """What acts on a link: one (force, moment) per body of the user's, in the body's axes about its origin."""
    on: dict[int, list[tuple[int, Place]]] = {}
    for k, place in enumerate(tree.bodies):
        on.setdefault(place.link, []).append((k, place))

    def total(link: int) -> Wrench:
        acting = Wrench()
        for k, place in on.get(link, ()):
            parts = [graph.load(array, (k,), j) for j in range(6)]
            force = place.R @ Vec3(*parts[:3])
            acting += Wrench(place.R @ Vec3(*parts[3:]) + cross(place.r, force), force)
        return acting

    return total
