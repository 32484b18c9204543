"""Mechanisms made from others: joints held fast, a base that moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import ModelError, unknown
from .joints import WIDTHS
from .lower import lower
from .mechanism import Body, Joint, Mechanism, Placement


def locked(mechanism: Mechanism, joints: Mapping[str, Any]) -> Mechanism:
    """The mechanism with joints, named by themselves or their bodies, fixed at the coordinates given."""
    held = {_body(mechanism, name): values for name, values in joints.items()}
    bodies = tuple(_fixed(b, held[b.name]) if b.name in held else b for b in mechanism.bodies)
    return replace(mechanism, bodies=bodies)


def _body(mechanism: Mechanism, name: str) -> str:
    known = {n: b.name for b in mechanism.bodies for n in (b.joint.name, b.name)}
    if name not in known:
        raise unknown("joint", name, known)
    return known[name]


def _fixed(body: Body, values: Any) -> Body:
    q = np.atleast_1d(np.asarray(values, float))
    wanted = WIDTHS[body.joint.type][0]
    if q.shape != (wanted,) or not np.isfinite(q).all():
        raise ModelError(f"joint {body.joint.name!r} got the coordinates {values!r}, wanted {wanted} finite numbers")
    R, r = _standing(body, q)
    placement = Placement(tuple(map(float, r)), tuple(tuple(map(float, row)) for row in R))
    return replace(body, joint=Joint(body.joint.name, "fixed"), placement=placement)


def _standing(body: Body, q: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The body's rotation and position in its parent."""
    alone = replace(body, parent="base", mass=1.0)
    tree = lower(Mechanism("alone", (0.0, 0.0, 0.0), (alone,)))
    R, r = np.eye(3), np.zeros(3)
    for link in tree.links:
        X = link.pose(q)
        r = r + R @ np.array([*X.r], float)
        R = R @ np.array([[*row] for row in X.R.matrix], float)
    place = tree.bodies[0]
    last = np.array([[*row] for row in place.R], float)
    return R @ last, r + R @ np.array([*place.r], float)


def on_moving_base(mechanism: Mechanism, name: str = "moving_base") -> Mechanism:
    """The mechanism on a massless base with six freedoms, to be driven by a prescribed motion."""
    if name in mechanism.index:
        raise ModelError(f"robot {mechanism.name!r} has a body named {name!r} already; choose another name")
    base = Body(name, "base", Joint(f"{name}_joint", "free"))
    bodies = tuple(replace(b, parent=name) if b.parent == "base" else b for b in mechanism.bodies)
    frames = tuple(replace(f, body=name) if f.body == "base" else f for f in mechanism.frames)
    return replace(mechanism, bodies=(base, *bodies), frames=frames)
