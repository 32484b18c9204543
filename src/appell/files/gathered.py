"""Matter that a format refuses in one body, gathered with that of all that is fixed to it: the same rigid whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..model.inertia import principal, tensors
from ..model.loops import rigid_parts
from ..model.mechanism import Body, Inertia, Mechanism, Placement
from ..model.topology import depth_first
from .matter import Matter, placed, together
from .turns import HERE, carried

SMALLEST = 1e-15  # a moment that MuJoCo takes for none
BASE = "base"


def gathered(mechanism: Mechanism) -> tuple[Mechanism, list[str]]:
    """The mechanism with such matter in the body that carries the rigid whole; and the bodies that were refused."""
    refused = _refused([b.inertia for b in mechanism.bodies])
    odd = {b.name for b, bad in zip(mechanism.bodies, refused, strict=True) if bad}
    carriers = rigid_parts(mechanism) if odd else {}
    bodies = {b.name: b for b in mechanism.bodies}
    places = _places(mechanism, carriers) if odd else {}
    found: list[str] = []
    for carrier in dict.fromkeys(carriers[name] for name in bodies if name in odd):
        members = [b for b in mechanism.bodies if carriers[b.name] == carrier]
        if carrier == BASE or len(members) < 2:
            continue
        whole = together([placed(places[b.name], Matter(b.mass, b.com, b.inertia)) for b in members])
        if not _refused([whole.inertia])[0]:
            found += [b.name for b in members if b.name in odd]
            bodies |= {b.name: _weighed(b, Matter()) for b in members}
            bodies[carrier] = _weighed(bodies[carrier], whole)
    return (replace(mechanism, bodies=tuple(bodies.values())) if found else mechanism), found


def _refused(inertias: list[Inertia]) -> list[bool]:
    """Whether a moment is none, or the largest above the others' sum by a bit; of tensors that are not all zero."""
    moments = principal(tensors(inertias))
    some = np.abs(moments).max(axis=1, initial=0.0) > 0
    return (some & ((moments[:, 0] < SMALLEST) | (moments[:, 0] + moments[:, 1] < moments[:, 2]))).tolist()


def _places(mechanism: Mechanism, carriers: dict[str, str]) -> dict[str, Placement]:
    """Where every body stands on the one that carries its rigid whole."""
    found: dict[str, Placement] = {}
    for i in depth_first(mechanism.parents):
        b = mechanism.bodies[i]
        at = found.get(b.parent, HERE)
        found[b.name] = HERE if carriers[b.name] == b.name else carried(at, b.placement)
    return found


def _weighed(b: Body, m: Matter) -> Body:
    return replace(b, mass=m.mass, com=m.com, inertia=m.inertia)
