"""Links and joints of a file as a graph: which joints carry links, and which close loops."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from ..errors import ModelError, unknown
from .xml import Element


class Joining(Protocol):
    """A joint between two links."""

    element: Element
    parent: str
    child: str
    freedoms: int


E = TypeVar("E", bound=Joining)


def once(elements: Iterable[Element], what: str) -> dict[str, Element]:
    """Elements by their names, which must differ."""
    found: dict[str, Element] = {}
    for e in elements:
        name = e.label()
        if name in found:
            raise e.refuse(f"a name that is taken on line {found[name].line}", f"a name of its own for every {what}")
        found[name] = e
    return found


def check_ends(edges: Iterable[Joining], links: Collection[str]) -> None:
    """Refuse a joint whose ends are not there, or are one."""
    for edge in edges:
        for end in (edge.parent, edge.child):
            if end not in links:
                raise ModelError(f"{edge.element.where}: {unknown('link', end, links)}")
        if edge.parent == edge.child:
            raise edge.element.refuse(f"the link {edge.parent!r} as parent and child", "two links")


class Spanning(NamedTuple):
    """The links without a parent, the joints that carry the others, and those that close loops; in the given order."""

    roots: list[str]
    tree: list[Any]
    loops: list[Any]


def spanning(links: Sequence[str], edges: Sequence[E]) -> Spanning:
    """The tree that leaves the fewest equations: each link on the one of its joints that frees least, first of equals.

    Where that makes cycles, each link hangs on the joint that is met first on the way from the roots.
    """
    carriers: dict[str, E] = {}
    for edge in edges:
        if edge.child not in carriers or edge.freedoms < carriers[edge.child].freedoms:
            carriers[edge.child] = edge
    roots = [name for name in links if name not in carriers]
    if len(reachable(roots, carriers.values())) < len(links):
        carriers = reachable(roots, edges)
    carrying = {id(edge) for edge in carriers.values() if edge is not None}
    tree = [edge for edge in edges if id(edge) in carrying]
    return Spanning(roots, tree, [edge for edge in edges if id(edge) not in carrying])


def reachable(roots: Sequence[str], edges: Iterable[E]) -> dict[str, Any]:
    """The links that hang on the roots, each with the joint that is met first; the roots with none."""
    below: dict[str, list[E]] = {}
    for edge in edges:
        below.setdefault(edge.parent, []).append(edge)
    found: dict[str, Any] = dict.fromkeys(roots)
    waiting = deque(roots)
    while waiting:
        for edge in below.get(waiting.popleft(), ()):
            if edge.child not in found:
                found[edge.child] = edge
                waiting.append(edge.child)
    return found


def rooted(whole: Element, links: Mapping[str, Element], edges: Sequence[E]) -> Spanning:
    """The spanning tree of links that hang together on one root."""
    found = spanning(list(links), edges)
    if len(found.roots) > 1:
        named = " and ".join(f"{name!r} (line {links[name].line})" for name in found.roots[:2])
        raise whole.refuse(f"{len(found.roots)} links that no joint carries, {named}", "one root")
    reached = reachable(found.roots, found.tree)
    lost = [name for name in links if name not in reached]
    if lost:
        raise links[lost[0]].refuse("a cycle of parents", "every link to hang on one root")
    return found


def free(name: str, taken: Collection[str]) -> str:
    """A name that is not taken."""
    while name in taken:
        name += "_"
    return name
