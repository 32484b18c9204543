"""Mechanisms made from others: joints held fast, a base that moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import ModelError, unknown
from .joints import WIDTHS
from .lower import lower
from .mechanism import Body, Inertia, Joint, Mechanism, Placement, Rolling


def locked(mechanism: Mechanism, joints: Mapping[str, Any]) -> Mechanism:
    """The mechanism with joints, named by themselves or their bodies, fixed at the coordinates given."""
    if not isinstance(joints, Mapping):
        raise ModelError(f"lock got {joints!r}, wanted coordinates by names of joints, as {{'elbow': 0.5}}")
    held = {_body(mechanism, name): values for name, values in joints.items()}
    bodies = tuple(_fixed(b, held[b.name]) if b.name in held else b for b in mechanism.bodies)
    names = {b.joint.name for b in mechanism.bodies if b.name in held}
    rest = tuple(replace(c, joints=tuple(x for x in c.joints if x[0] not in names)) for c in mechanism.configurations)
    return replace(mechanism, bodies=bodies, configurations=rest)


def _body(mechanism: Mechanism, name: str) -> str:
    known = {n: b.name for b in mechanism.bodies for n in (b.joint.name, b.name)}
    if name not in known:
        raise unknown("joint", name, known)
    return known[name]


def _fixed(body: Body, values: Any) -> Body:
    wanted = WIDTHS[body.joint.type][0]
    try:
        q = np.atleast_1d(np.asarray(values, float))
    except (TypeError, ValueError):
        q = np.zeros(0)
    if q.shape != (wanted,) or not np.isfinite(q).all():
        raise ModelError(f"joint {body.joint.name!r} got the coordinates {values!r}, wanted {wanted} finite numbers")
    R, r = _standing(body, q)
    placement = Placement(tuple(map(float, r)), tuple(tuple(map(float, row)) for row in R))  # type: ignore[arg-type]
    return replace(body, joint=Joint(body.joint.name, "fixed"), placement=placement)


def _standing(body: Body, q: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The body's rotation and position in its parent."""
    alone = replace(body, parent="base", mass=1.0, com=(0.0, 0.0, 0.0), inertia=Inertia())
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
    if rolls := [x.name for x in mechanism.constraints if isinstance(x, Rolling)]:
        raise ModelError(f"constraint {rolls[0]!r} rolls on a plane of the base, wanted a base that does not move")
    base = Body(name, "base", Joint(f"{name}_joint", "free"))
    bodies = tuple(replace(b, parent=name) if b.parent == "base" else b for b in mechanism.bodies)
    frames = tuple(replace(f, body=name) if f.body == "base" else f for f in mechanism.frames)
    carried = tuple(
        replace(x, **{end: name for end in ("body_a", "body_b") if getattr(x, end) == "base"}) for x in mechanism.loops
    )
    shapes = tuple(replace(x, body=name) if x.body == "base" else x for x in mechanism.shapes)
    return replace(mechanism, bodies=(base, *bodies), frames=frames, loops=carried, shapes=shapes)


def snapped(mechanism: Mechanism, tolerance: float) -> Mechanism:
    """The mechanism with its dirty constants cleaned: a URDF's 1.5708 is a right angle that defeats folding.

    Entries of axes and rotations within `tolerance` of 0 or +-1 become so, and lengths that small become 0. A
    rotation of which only a part is cleaned is made orthonormal again.
    """
    if not 0 < tolerance <= 1e-2:
        raise ModelError(f"snap is {tolerance!r}, wanted a number between 0 and 0.01")
    bodies = tuple(
        replace(b, joint=_snapped_joint(b.joint, tolerance), placement=_snapped_placement(b.placement, tolerance))
        for b in mechanism.bodies
    )
    frames = tuple(replace(f, placement=_snapped_placement(f.placement, tolerance)) for f in mechanism.frames)
    return replace(mechanism, bodies=bodies, frames=frames)


def _snap(x: float, tolerance: float) -> float:
    return next((k for k in (0.0, 1.0, -1.0) if abs(x - k) <= tolerance), x)


def _snapped_joint(joint: Joint, tolerance: float) -> Joint:
    axes = {k: getattr(joint, k) for k in ("axis", "axis2") if getattr(joint, k) is not None}
    clean = {k: np.array([_snap(x, tolerance) for x in v]) for k, v in axes.items()}
    return replace(joint, **{k: tuple(map(float, v / np.linalg.norm(v))) for k, v in clean.items()})


def _snapped_placement(placement: Placement, tolerance: float) -> Placement:
    position = tuple(0.0 if abs(x) <= tolerance else x for x in placement.position)
    R = np.array([[_snap(x, tolerance) for x in row] for row in placement.rotation])
    if np.abs(R @ R.T - np.eye(3)).max() > 1e-15:
        U, _, V = np.linalg.svd(R)
        R = U @ V
        R[np.abs(R) < 1e-15] = 0.0
    return Placement(position, tuple(tuple(map(float, row)) for row in R))  # type: ignore[arg-type]
