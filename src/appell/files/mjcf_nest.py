"""The bodies of a mechanism as MJCF nests them: with what weighs nothing and carries one other as a joint of that."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.mechanism import Body, Inertia, Joint, Mechanism, Placement
from ..model.topology import children, depth_first
from .graph import free
from .simple_joints import KINDS, PLANAR, steps
from .turns import HERE, carried, seen_from

WORLD = "world"
TURNS = ("revolute", "ball")


@dataclass(frozen=True)
class Nest:
    """A body there: the bodies that it stands for, the last of which is seen, and its joints in their order."""

    name: str
    parent: str  # the body here that carries it
    bodies: tuple[Body, ...]
    placement: Placement
    joints: tuple[tuple[Joint, Placement], ...]  # each with the frame in which it is given, on the last body
    called: dict[str, list[str]]  # the links that will be read of it, by the bodies
    follows: tuple[str, str, float] | None = None  # the hinge and the slide of a helical joint, and the pitch

    @property
    def body(self) -> Body:
        return self.bodies[-1]

    @property
    def names(self) -> list[str]:
        """The links that will be read of it."""
        return [name for names in self.called.values() for name in names]


def nests(mechanism: Mechanism) -> list[Nest]:
    """The bodies there, parents first."""
    empty = mere(mechanism)
    waiting: dict[str, tuple[Body, ...]] = {}
    found, joints = [], {b.joint.name for b in mechanism.bodies}
    for i in depth_first(mechanism.parents):
        body = mechanism.bodies[i]
        chain = (*waiting.pop(body.parent, ()), body)
        if body.name in empty:
            waiting[body.name] = chain
        else:
            found.append(_nest(chain, joints, mechanism))
    return found


def mere(mechanism: Mechanism) -> set[str]:
    """The bodies that are nothing but a joint: of no matter, marked by nothing, with one body on them."""
    marked = {x.body for x in (*mechanism.frames, *mechanism.shapes)}
    marked |= {end for x in mechanism.loops for end in (x.body_a, x.body_b)}
    marked |= {body for x in mechanism.constraints if (body := getattr(x, "body", None))}
    below = children(mechanism.parents)
    found = set()
    for i, b in enumerate(mechanism.bodies):
        light = (
            not b.mass and b.inertia == Inertia() and b.name not in marked and b.joint.type not in ("free", "helical")
        )
        if light and len(below[i]) == 1 and mechanism.bodies[below[i][0]].joint.type not in ("free", "helical"):
            found.add(b.name)
    return found


def _nest(chain: tuple[Body, ...], taken: set[str], mechanism: Mechanism) -> Nest:
    body = chain[-1]
    name = free(body.name, mechanism.index) if body.name == WORLD else body.name
    pieces = [steps(b.joint, taken, KINDS | PLANAR) if b.joint.type != "fixed" else [] for b in chain]
    rest, joints = HERE, []  # from a body of the chain to the last one
    for b, mine in zip(reversed(chain), reversed(pieces), strict=True):
        back = seen_from(rest, HERE)
        joints = [*((x.joint, back) for x in mine), *joints]
        rest = carried(b.placement, rest)
    follows = next(((x.follows, x.joint.name, x.ratio) for mine in pieces for x in mine if x.follows), None)
    called = _called(name, chain, pieces, joints)
    return Nest(name, chain[0].parent, chain, rest, tuple(joints), called, follows)


def _called(name: str, chain: tuple[Body, ...], pieces: list, joints: list) -> dict[str, list[str]]:
    """The links that the reader makes of a body: one for each joint, and one more behind a joint off its origin."""
    at, links = HERE.position, [f"{name}/{k}" for k in range(len(joints))]
    for x, back in joints:
        at = back.position if x.type in TURNS else at
    links = [*(links if at != HERE.position else links[:-1]), name]
    found = {}
    for b, mine in zip(chain[:-1], pieces, strict=False):
        found[b.name], links = links[: len(mine)], links[len(mine) :]
    return {**found, chain[-1].name: links}
