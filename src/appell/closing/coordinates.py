"""The freedoms of a mechanism by name, and what unit each of them has."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import ShapeError, unknown
from ..model.joints import TYPES
from ..model.mechanism import Mechanism

Array = np.ndarray[Any, Any]
ONE_OF = re.compile(r"(.+)\.(\d+)")
SLIDES = {"revolute": (0,), "helical": (0,), "prismatic": (1,), "ball": (0,) * 3, "free": (1, 1, 1, 0, 0, 0)}


def freedom_names(mechanism: Mechanism) -> list[str]:
    """The joint's name for each freedom; where a joint has several, "joint.0", "joint.1" ..."""
    names: list[str] = []
    for body, start, end in zip(mechanism.bodies, mechanism.v_starts, mechanism.v_starts[1:], strict=False):
        k, name = end - start, body.joint.name
        names += [name] if k == 1 else [f"{name}.{i}" for i in range(k)]
    return names


def freedoms_of(mechanism: Mechanism, given: str | Iterable[str]) -> list[int]:
    """The places in v of joints (all their freedoms), bodies (those of their joints) and single freedoms."""
    names = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else [given]
    ranges = joint_ranges(mechanism)
    places: list[int] = []
    for name in names:
        if not isinstance(name, str):
            raise ShapeError(f"coordinates are {names!r}, wanted names of joints")
        places += _places(ranges, name)
    if len(set(places)) < len(places):
        raise ShapeError(f"coordinates {', '.join(names)} name one of them twice, wanted each once")
    return places


def joint_ranges(mechanism: Mechanism) -> dict[str, range]:
    """Where in v the freedoms of each joint stand, by the joint's name and its body's."""
    starts = mechanism.v_starts
    found: dict[str, range] = {}
    for k, body in enumerate(mechanism.bodies):
        found.setdefault(body.name, range(starts[k], starts[k + 1]))
    for k, body in enumerate(mechanism.bodies):  # where a joint is named like another's body, the joint is meant
        found[body.joint.name] = range(starts[k], starts[k + 1])
    return found


def _places(ranges: dict[str, range], name: str) -> list[int]:
    if name in ranges:
        return [*ranges[name]]
    one = ONE_OF.fullmatch(name)
    if one and one[1] in ranges and int(one[2]) < len(ranges[one[1]]):
        return [ranges[one[1]][int(one[2])]]
    raise unknown("joint", name, ranges)


def slides(mechanism: Mechanism) -> Array:
    """Which freedoms are lengths, and not angles."""
    kinds = [k for body in mechanism.bodies for k in TYPES[body.joint.type].chain]
    return np.array([x for kind in kinds for x in SLIDES[kind]], bool)


def size(mechanism: Mechanism) -> float:
    """A length to measure others by: the mean of those between joints; 1 where all of them meet in a point."""
    places = [b.placement.position for b in mechanism.bodies]
    places += [p.position for x in mechanism.loops for p in (x.placement_a, x.placement_b)]
    lengths = np.linalg.norm(np.array(places, float).reshape(-1, 3), axis=1)
    return float(lengths[lengths > 0].mean()) if (lengths > 0).any() else 1.0
