"""What closes the chains of a URDF: links with two parents, and the tags that were proposed or grew for loops.

    <constraint type name> <parent link/> <parent_origin/> <parent_axis/> <child link/> <child_origin/> <child_axis/>
    <loop type name> <predecessor link> <origin/> </predecessor> <successor link> <origin/> </successor> <axis/>
    <loop_joint type name> <link1 link xyz rpy/> <link2 link xyz rpy/> <axis/>

An axis stands in the frame of the first end; where the second end has one of its own, that end is turned so that the
two agree, unless the joint is universal and has two.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..errors import ModelError, unknown
from ..model.joints import unit
from ..model.mechanism import Coupling, Joint, Loop, Placement
from ..model.reading import Vector
from .graph import free
from .turns import carried, turn_between
from .urdf_joints import TYPES, Edge, dynamics, limit
from .urdf_links import origin, placed
from .xml import Element

TAGS = ("constraint", "loop", "loop_joint")
ENDS = (("parent", "child"), ("predecessor", "successor"), ("link1", "link2"))
STANDS = "the joint is fixed"
FOLLOWS_NOTHING = "what it follows is a fixed joint; it is read as one that moves on its own"
KINDS = TYPES | {"universal": "universal", "cylindrical": "cylindrical"}


def cut(edge: Edge, names: Mapping[str, str]) -> Loop:
    """The loop that a joint closes whose child hangs on another one already."""
    return Loop(edge.name, Joint(**edge.data), names[edge.parent], names[edge.child], edge.placement)


def loop(e: Element, name: str, names: Mapping[str, str]) -> Loop:
    """The loop of one of the tags."""
    written = e.word("type")
    if written not in KINDS:
        raise e.refuse(f"type = {written!r}", f"one of {', '.join(KINDS)}")
    first, second = _ends(e)
    links = [end.label("link") for end in (first, second)]
    for link in links:
        if link not in names:
            raise ModelError(f"{e.where}: {unknown('link', link, names)}")
    stands = [_stand(e, end) for end in (first, second)]
    data: dict[str, Any] = {"name": name, "type": KINDS[written]}
    axes = _axis(e, first.tag, "axis"), _axis(e, second.tag)
    if KINDS[written] not in ("fixed", "ball", "free"):
        data["axis"] = axes[0] or (1.0, 0.0, 0.0)
        if KINDS[written] == "universal":
            data["axis2"] = axes[1] or (0.0, 1.0, 0.0)
        elif axes[1]:
            turn = turn_between(unit(data["axis"]), unit(axes[1]))
            stands[1] = carried(stands[1], Placement(rotation=turn))
        if written != "planar":
            limit(e, "continuous" if e.child("limit") is None else written, data)
            dynamics(e, data)
    return Loop(name, Joint(**data), names[links[0]], names[links[1]], *stands)


def _ends(e: Element) -> tuple[Element, Element]:
    for tags in ENDS:
        found = e.all(*tags)
        if found:
            if len(found) != 2:
                raise e.refuse(f"{len(found)} of <{tags[0]}> and <{tags[1]}>", "both")
            return (found[0], found[1]) if found[0].tag == tags[0] else (found[1], found[0])
    raise e.refuse("no ends", "a <parent> and a <child>")


def _stand(e: Element, end: Element) -> Placement:
    """Where the loop's frame stands on a link: inside the end, on it, or beside it."""
    if end.child("origin") is not None:
        return origin(end)
    if "xyz" in end.attributes or "rpy" in end.attributes:
        return placed(end)
    return origin(e, f"{end.tag}_origin")


def _axis(e: Element, end: str, other: str = "") -> Vector | None:
    """The axis that stands beside an end."""
    found = e.one(f"{end}_axis")
    if found is None and other:
        found = e.one(other)
        if found is not None:
            found.choice("frame", ("parent", "predecessor"), "parent")
    if found is None:
        return None
    axis = found.vector("xyz")
    if not max(map(abs, axis)) > 1e-9:
        raise found.refuse(f"xyz = {axis}", "a direction, which a vector of length 0 is not")
    return axis


def couplings(
    edges: Mapping[str, Edge], taken: Collection[str]
) -> tuple[list[tuple[Coupling, Element]], list[tuple[Element, str]]]:
    """What <mimic> says, as constraints q = multiplier x + offset; and where it says nothing, with the reason."""
    found: list[tuple[Coupling, Element]] = []
    idle: list[tuple[Element, str]] = []
    for edge in edges.values():
        if edge.mimic is None:
            continue
        e, of, multiplier, offset = edge.mimic
        if of not in edges:
            raise ModelError(f"{e.where}: {unknown('joint', of, edges)}")
        if edge.data["type"] == "fixed" or edges[of].data["type"] == "fixed":
            idle.append((e, STANDS if edge.data["type"] == "fixed" else FOLLOWS_NOTHING))
        else:
            found.append((Coupling(free(f"{edge.name}_mimic", taken), edge.name, of, (offset, multiplier)), e))
    return found, idle
