"""Serial robots as a row of screws: every joint's axis in the base, what it moves, and the tool, with all at zero."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import ModelError, unknown
from ..model.joints import unit
from ..model.mechanism import Joint, Mechanism, Placement
from ..model.reading import Vector, refuse
from ..model.topology import depth_first
from .matter import Matter, placed, together
from .simple_joints import KINDS, PLANAR, steps
from .turns import HERE, carried, seen_from, turned

SIMPLE = {"revolute", "prismatic", "helical"}
SPLIT = PLANAR | {key: KINDS[key] for key in ("cylindrical", "universal")}
OWN = ("name", "type", "axis", "axis2", "pitch")


@dataclass(frozen=True)
class Link:
    """A joint of one freedom and the link that it moves, whose frame stands at `pose`, its origin on the axis."""

    name: str
    joint: Joint
    pose: Placement
    axis: Vector
    matter: Matter

    @property
    def more(self) -> dict[str, Any]:
        """What the joint has beside its kind: limits, friction, a spring, a rotor."""
        return {key: x for key, x in vars(self.joint).items() if key not in OWN and x is not None}


def serial(mechanism: Mechanism, tool: str | None, what: str) -> tuple[list[Link], Placement]:
    """The links from the base to the tip, and where the tool (by default the first frame of the tip, or it) is."""
    where = f"robot {mechanism.name!r}"
    if mechanism.closed:
        raise refuse(where, "loops or constraints", f"a serial chain, which has {what}")
    links: list[Link] = []
    carrier: dict[str, int] = {"base": -1}
    poses: dict[str, Placement] = {"base": HERE}
    weights: list[list[Matter]] = []
    order = [mechanism.bodies[i] for i in depth_first(mechanism.parents)]
    taken = {b.joint.name for b in order}
    for b in order:
        at, on = carried(poses[b.parent], b.placement), carrier[b.parent]
        pieces = [] if b.joint.type == "fixed" else [x.joint for x in steps(b.joint, taken, SPLIT)]
        if pieces and on != len(links) - 1:
            raise refuse(where, f"branches, at {b.name!r}", f"a serial chain, which has {what}")
        for k, joint in enumerate(pieces):
            if joint.type not in SIMPLE:
                raise refuse(where, f"the {joint.type} joint {joint.name!r}", "joints of one freedom")
            name = b.name if k == len(pieces) - 1 else f"{b.name}/{k}"
            links.append(Link(name, joint, at, unit(turned(at.rotation, joint.axis or (0.0, 0.0, 1.0))), Matter()))
            weights.append([])
        carrier[b.name], poses[b.name] = len(links) - 1, at
        if links and carrier[b.name] >= 0:
            inner = seen_from(links[-1].pose, at)
            weights[-1].append(placed(inner, Matter(b.mass, b.com, b.inertia)))
    _check_order(mechanism, where)
    found = [Link(x.name, x.joint, x.pose, x.axis, together(w)) for x, w in zip(links, weights, strict=True)]
    return found, _tool(mechanism, tool, carrier, poses, len(links) - 1)


def _check_order(mechanism: Mechanism, where: str) -> None:
    """q has to count the joints as they follow each other."""
    moving = [i for i in depth_first(mechanism.parents) if mechanism.bodies[i].joint.type != "fixed"]
    if moving != sorted(moving):
        raise refuse(where, "bodies that are not in the order of the chain", "each behind the one that carries it")


def _tool(
    mechanism: Mechanism, name: str | None, carrier: Mapping[str, int], poses: Mapping[str, Placement], last: int
) -> Placement:  # fmt: skip
    """Where the tool is."""
    frames = {f.name: f for f in mechanism.frames}
    tips = [b for b in mechanism.bodies if carrier[b.name] == last]
    if name is None:
        name = next((f.name for f in mechanism.frames if f.body in {b.name for b in tips}), None)
        name = name or (tips[-1].name if tips else "base")
    if name not in frames and name not in poses:
        raise unknown("frame", name, [*frames, *poses])
    at = frames[name].body if name in frames else name
    if carrier[at] != last:
        raise ModelError(f"robot {mechanism.name!r}: got the tool {name!r}, wanted one on the last link")
    return carried(poses[at], frames[name].placement) if name in frames else poses[at]
