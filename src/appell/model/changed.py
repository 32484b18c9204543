"""A mechanism with other numbers: the way back from parameters to bodies and joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import ModelError
from .joints import per_freedom
from .lift import GRAVITY, LENGTHS, MOMENTS, moments, numbers, owner, part, unlifted
from .mechanism import Mechanism
from .parts import Body, Inertia, Joint


def changed(mechanism: Mechanism, values: Mapping[str, Any]) -> Mechanism:
    """The mechanism in which parameters, by the names that can be lifted, have other values.

    Moments must be those of matter: a ModelError names the first body that none could make.
    """
    if mechanism.regrouped:
        raise ModelError(f"robot {mechanism.name!r} is regrouped, wanted the original: its links are no matter")
    others = unlifted(mechanism)
    numbers(mechanism, tuple(name for name in values if name not in others))  # which knows the names
    given: dict[str, dict[str, float]] = {}
    pull = tuple(float(values.get(name, own)) for name, own in zip(GRAVITY, mechanism.gravity, strict=True))
    for name, value in ((name, x) for name, x in values.items() if name not in GRAVITY):
        whose, key = others[name][:2] if name in others else (owner(name, mechanism), part(name))
        given.setdefault(whose, {})[key] = float(value)
    bodies = tuple(_body(b, given[b.name]) if b.name in given else b for b in mechanism.bodies)
    loops = tuple(replace(x, joint=_met(x.joint, given[x.name])) if x.name in given else x for x in mechanism.loops)
    return replace(mechanism, bodies=bodies, loops=loops, gravity=pull)


def _body(body: Body, values: Mapping[str, float]) -> Body:
    """One body with other values: its matter, where its joint stands, what resists there."""
    if any(name in MOMENTS for name in values):
        body = _matter(body, [values.get(name, own) for name, own in moments(body).items()])
    place = [values.get(name, x) for name, x in zip(LENGTHS, body.placement.position, strict=True)]
    if any(name in LENGTHS for name in values):
        body = replace(body, placement=replace(body.placement, position=tuple(place)))
    met = {name: x for name, x in values.items() if name not in (*MOMENTS, *LENGTHS)}
    return replace(body, joint=_met(body.joint, met)) if met else body


def _met(joint: Joint, values: Mapping[str, float]) -> Joint:
    """A joint in which something else resists, in its one freedom or, as "1.damping", in one of several."""
    met: dict[str, Any] = {}
    for name, x in values.items():
        freedom, _, key = name.rpartition(".")
        if key == "rotor":
            key, x = "rotor_inertia", x / per_freedom(joint, "gear")[int(freedom or 0)] ** 2
        row = list(met.get(key, per_freedom(joint, key)))
        row[int(freedom or 0)] = x
        met[key] = tuple(row) if freedom else x
    return replace(joint, **met)


def _matter(body: Body, ten: list[float]) -> Body:
    """A body with these moments about its origin."""
    m, first = ten[0], np.array(ten[1:4])
    xx, yy, zz, xy, xz, yz = ten[4:]
    c = first / m if m else np.zeros(3)
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * np.outer(c, c)
    I = np.trace(J) * np.eye(3) - J
    tensor = Inertia(*(float(I[k]) for k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))))
    return replace(body, mass=m, com=tuple(c.tolist()), inertia=tensor)
