"""A model of an SDF: its links and joints with those of the models in it, and how they hang together."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import ModelError
from ..model.mechanism import Body, Coupling, Frame, Joint, Loop, Mechanism, Placement
from ..model.shapes import Shape
from .geometry import References
from .graph import check_ends, free, reachable, spanning
from .matter import Matter
from .sdf_frames import MODEL, WORLD, Frames, pose
from .sdf_joints import TRUE, Edge
from .sdf_links import matter, shape
from .source import Choices, Ignored
from .turns import HERE
from .xml import Element

BASE = "base"
PARTS = ("include", "joint", "link", "frame", "model")


def included(e: Element) -> ModelError:
    return e.refuse("another file", "one file with all in it, as `gz sdf -p` makes it")


class Model:
    """Links and joints as they were read, and how they hang together."""

    def __init__(self, model: Element, refer: References, choices: Choices, old: bool) -> None:
        self.frames, self.refer, self.choices = Frames(), refer, choices
        self.links: dict[str, tuple[Element, str]] = {}
        self.joints: dict[str, tuple[Element, str]] = {}
        self.told: dict[str, str] = {}  # names of joints of links that float
        self.extra: dict[str, str] = {}  # frames that have names, and what they are called here
        self.notes: list[Ignored] = []
        self.static: set[str] = set()
        model.label()
        self._scope(model)
        self.edges = {name: Edge(e, name, scope, self.frames, old) for name, (e, scope) in self.joints.items()}
        self.called = {x.data["name"] for x in self.edges.values()}  # the joints, as they are called here
        ends = {WORLD, *self.links}
        check_ends(self.edges.values(), ends)
        for name in self.frames.given:
            self.frames.world(name)  # or an error
        self.weights = {name: matter(e, self.frames, scope, name) for name, (e, scope) in self.links.items()}
        self.names = self._named()
        self.tree, self.cut = self._spanned()
        self.lines = self._lines()
        self.shapes = list(self._shapes())

    # -- scopes -------------------------------------------------------------------------------------------------------

    def _scope(self, model: Element) -> None:
        """The names of a model, and of the models in it; all in the order of the file."""
        waiting = [(model, "", "")]
        while waiting:
            model, scope, outer = waiting.pop()
            placement, relative = pose(model)
            above = outer + relative if relative else self._above(scope)
            self.frames.add(scope + MODEL, model, self._root(model, scope), placement, above)
            for x in model.all("static"):
                self.static |= {scope} if TRUE.get(x.content(), False) else set()
            for e in model.children:
                if e.tag in PARTS:
                    self._element(e, scope)
            inner = [x for x in model.all(*PARTS) if x.tag == "model"]
            model.word("canonical_link", None)
            waiting += [(x, f"{scope}{x.name}::", scope) for x in reversed(inner)]

    def _above(self, scope: str) -> str:
        """The frame in which a model stands by default."""
        return "::".join([*scope.split("::")[:-2], MODEL]) if scope else WORLD

    def _root(self, model: Element, scope: str) -> str:
        """The link to which a model's own frame is fixed."""
        told = model.attributes.get("canonical_link", "")
        first = told or next((x.name for x in model.children if x.tag == "link"), "")
        inner = next((x.name for x in model.children if x.tag == "model"), "")
        return scope + first if first else f"{scope}{inner}::{MODEL}" if inner else WORLD

    def _element(self, e: Element, scope: str) -> None:
        """One element of a model, as a frame of its name."""
        if e.tag == "include":
            raise included(e)
        name = scope + e.label()
        if e.tag == "model":
            self.frames.add(name, e, name + "::" + MODEL, HERE, name + "::" + MODEL)
            return
        placement, relative = pose(e)
        default, attached = MODEL, name
        if e.tag == "joint":
            child = e.child("child")
            default = attached = child.text.strip() if child is not None else MODEL
            attached = scope + attached
            self.joints[name] = (e, scope)
        elif e.tag == "frame":
            default = e.word("attached_to", "") or MODEL
            attached = scope + default
            self.extra[name] = e.label("appell:name", name)
        else:
            self.links[name] = (e, scope)
            self.told[name] = e.label("appell:joint", "")
        self.frames.add(name, e, attached, placement, _whole(scope, relative or default))

    def _named(self) -> dict[str, str]:
        """What each link is called here."""
        names = {name: name for name in self.links} | {WORLD: BASE}
        if BASE in self.links:
            names[BASE] = free("base_link", names)
            e = self.links[BASE][0]
            self.notes.append(
                Ignored(e.line, f"<link> {BASE!r}", f"called {names[BASE]!r} here, as 'base' is the world")
            )
        return names

    # -- the tree -----------------------------------------------------------------------------------------------------

    def _spanned(self) -> tuple[dict[str, Edge], list[Edge]]:
        """The joint that carries each link, and those that close loops."""
        links, edges = [WORLD, *self.links], list(self.edges.values())
        for edge in edges:
            if edge.child == WORLD:
                raise edge.element.refuse("the world as a child", "a link")
        floats = _floating(links, edges)
        found = spanning(links, [e for e in edges if e.child not in floats])
        kept = {edge.child: edge for edge in found.tree}
        return kept, [e for e in edges if kept.get(e.child) is not e]

    def mechanism(self, name: str, gravity: tuple[float, float, float]) -> Mechanism:
        bodies = tuple(x for link in self.links for x in self._bodies(link))
        loops = tuple(self._loop(e) for e in self.cut)
        return Mechanism(
            name, gravity, bodies, tuple(self._frames()), loops, tuple(self._couplings()),
            shapes=tuple(self.shapes) if self.choices.geometry else (), unphysical=self.choices.unphysical,
        )  # fmt: skip

    def _bodies(self, link: str) -> Iterator[Body]:
        """A link, on an empty one where its joint stands elsewhere."""
        name, edge, weight, between = self.names[link], self.tree.get(link), self.weights[link], self.frames.between
        if edge is None:
            yield _weighed(name, BASE, self._rootless(link), between(WORLD, link), weight)
            return
        parent, joint = self.names[edge.parent], Joint(**edge.data)
        stand, aside = between(edge.parent, edge.name), between(edge.name, link)
        if _same(aside, HERE):
            yield _weighed(name, parent, joint, stand, weight)
        elif joint.type == "fixed":
            yield _weighed(name, parent, joint, between(edge.parent, link), weight)
        else:
            carrier = free(f"{name}/0", self.names.values())
            yield Body(carrier, parent, joint, stand)
            yield _weighed(name, carrier, Joint(free(f"{name}_fixed", self.called), "fixed"), aside, weight)

    def _rootless(self, link: str) -> Joint:
        alone = len(self.tree) == len(self.links) - 1
        kind = "fixed" if self.links[link][1] in self.static or "" in self.static else "free"
        told = self.told[link]
        return Joint(free(told or ("root_joint" if alone else f"{link}_{kind}"), self.called), kind)

    def _loop(self, edge: Edge) -> Loop:
        ends = tuple(self.frames.between(x, edge.name) for x in (edge.parent, edge.child))
        return Loop(edge.data["name"], Joint(**edge.data), self.names[edge.parent], self.names[edge.child], *ends)

    def _frames(self) -> Iterator[Frame]:
        taken = {*self.names.values()}
        for name, called in self.extra.items():
            link = self.frames.link(name, self.frames.given[name].element)
            yield Frame(free(called, taken), self.names[link], self.frames.between(link, name))

    def _couplings(self) -> Iterator[Coupling]:
        cut = {e.name for e in self.cut}
        for edge in self.edges.values():
            if edge.mimic is None:
                continue
            e, of, multiplier, offset = edge.mimic
            if of not in self.edges:
                raise e.refuse(f"joint = {of!r}", "a joint of this model")
            if {edge.name, of} & cut:
                raise e.refuse("a coordinate of a joint that closes a loop", "joints of the tree")
            name, leader = edge.data["name"], self.edges[of].data["name"]
            yield Coupling(free(f"{name}_mimic", self.called), name, leader, (offset, multiplier))

    def _shapes(self) -> Iterator[Shape]:
        for link, (e, scope) in self.links.items() if self.choices.geometry else ():
            for x in [x for x in e.children if x.tag in ("visual", "collision")]:
                found = shape(x, self.names[link], self.frames, scope, link, self.refer)
                if found is not None:
                    e.take(x)
                    yield found

    def _lines(self) -> dict[str, int]:
        """Where bodies, joints and what binds them stand in the file."""
        links = [(k, self.names[name], e) for name, (e, _) in self.links.items() for k in ("body", "shape of body")]
        edges = [(x.data["name"], x.element) for x in self.edges.values()]
        joints = [(k, name, e) for name, e in edges for k in ("joint", "loop")]
        mimics = [("constraint", f"{name}_mimic", e) for name, e in edges]
        return {f"{kind} {name!r}": e.line for kind, name, e in (*links, *joints, *mimics)}


def _floating(links: list[str], edges: list[Edge]) -> set[str]:
    """Of each ring without a root the first link."""
    below: dict[str, list[str]] = {}
    for e in edges:
        below.setdefault(e.parent, []).append(e.child)
    met, found = set(reachable(spanning(links, edges).roots, edges)), set()
    for first in (name for name in links if name not in met):
        found |= {first} - met
        waiting = [first]
        while waiting:
            name = waiting.pop()
            waiting += [] if name in met else below.get(name, ())
            met.add(name)
    return found


def _weighed(name: str, parent: str, joint: Joint, stand: Placement, weight: Matter) -> Body:
    return Body(name, parent, joint, stand, weight.mass, weight.com, weight.inertia)


def _whole(scope: str, name: str) -> str:
    return name if name == WORLD else scope + name


def _same(a: Placement, b: Placement) -> bool:
    """Whether two frames are one, to round-off."""
    near = zip((*a.position, *sum(a.rotation, ())), (*b.position, *sum(b.rotation, ())), strict=True)
    return all(abs(x - y) <= 1e-15 for x, y in near)
