"""A mechanism with other numbers: the way back from parameters to bodies and joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import ModelError
from .joints import per_freedom
from .lift import LENGTHS, MOMENTS, moments, numbers, owner, part
from .mechanism import Mechanism
from .parts import Body, Inertia


def changed(mechanism: Mechanism, values: Mapping[str, Any]) -> Mechanism:
    """The mechanism in which parameters, by the names that can be lifted, have other values.

    Moments must be those of matter: a ModelError names the first body that none could make.
    """
    if mechanism.regrouped:
        raise ModelError(f"robot {mechanism.name!r} is regrouped, wanted the original: its links are no matter")
    numbers(mechanism, tuple(values))  # which knows the names
    given: dict[str, dict[str, float]] = {}
    for name, value in values.items():
        given.setdefault(owner(name, mechanism), {})[part(name)] = float(value)
    bodies = tuple(_body(b, given[b.name]) if b.name in given else b for b in mechanism.bodies)
    return replace(mechanism, bodies=bodies)


def _body(body: Body, values: Mapping[str, float]) -> Body:
    """One body with other values: its matter, where its joint stands, what resists there."""
    if any(name in MOMENTS for name in values):
        body = _matter(body, [values.get(name, own) for name, own in moments(body).items()])
    place = [values.get(name, x) for name, x in zip(LENGTHS, body.placement.position, strict=True)]
    if any(name in LENGTHS for name in values):
        body = replace(body, placement=replace(body.placement, position=tuple(place)))
    met = {name: x for name, x in values.items() if name not in (*MOMENTS, *LENGTHS, "rotor")}
    if "rotor" in values:
        met["rotor_inertia"] = values["rotor"] / per_freedom(body.joint, "gear")[0] ** 2
    return replace(body, joint=replace(body.joint, **met)) if met else body


def _matter(body: Body, ten: list[float]) -> Body:
    """A body with these moments about its origin."""
    m, first = ten[0], np.array(ten[1:4])
    xx, yy, zz, xy, xz, yz = ten[4:]
    c = first / m if m else np.zeros(3)
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * np.outer(c, c)
    I = np.trace(J) * np.eye(3) - J
    tensor = Inertia(*(float(I[k]) for k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))))
    return replace(body, mass=m, com=tuple(c.tolist()), inertia=tensor)
