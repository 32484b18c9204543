"""Inertias that a body can have: masses and principal moments not negative, the triangle inequality kept."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING
from warnings import warn

import numpy as np

from .reading import Vector, refuse
from .topology import depth_first
from .welded import carriers, whole

if TYPE_CHECKING:
    from .mechanism import Body, Inertia, Mechanism

ROUNDING = 1e-6  # what printed tables round away, relative to the largest moment
EPSILON = 2.0**-52
NOTHING = 1e-8  # metres: matter nearer than that to its centre is a point


def tensors(inertias: list[Inertia]) -> np.ndarray:
    """The matrices (n, 3, 3) of many inertias."""
    rows = [(i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz) for i in inertias]
    return np.array(rows, float).reshape(-1, 3, 3)


def second_moments(tensor: np.ndarray) -> np.ndarray:
    """Integral of x x' dm from the inertia tensor: tr(I)/2 1 - I; a zero spoilt by rounding is zero."""
    trace = np.trace(tensor, axis1=-2, axis2=-1)[..., None]
    diagonal = 0.5 * trace - np.diagonal(tensor, axis1=-2, axis2=-1)
    diagonal = np.where(np.abs(diagonal) <= 2 * EPSILON * trace, 0.0, diagonal)
    return np.where(np.eye(3, dtype=bool), diagonal[..., None], -tensor) + 0.0


def principal(matter: np.ndarray) -> np.ndarray:
    """The principal moments of tensors (n, 3, 3), in ascending order; no numbers where a tensor is not finite."""
    largest = np.abs(matter).max(axis=(1, 2), initial=0.0)[:, None]
    sound = np.isfinite(largest)
    scale = np.where(sound & (largest > 0), largest, 1.0)
    found = np.linalg.eigvalsh(np.where(sound[:, :, None], matter / scale[:, :, None], 0.0)) * scale
    return np.where(sound, found, np.nan)


def check_inertias(mechanism: Mechanism) -> None:
    """Refuse the first body that no matter could make."""
    bodies = mechanism.bodies
    for body in bodies:
        if not 0 <= body.mass < math.inf:
            raise refuse(f"body {body.name!r}", f"mass = {body.mass}", "a finite mass that is not negative")
    matter = tensors([b.inertia for b in bodies])
    centres = np.array([b.com for b in bodies], float).reshape(-1, 3)
    finite = np.isfinite(matter).all(axis=(1, 2)) & np.isfinite(centres).all(axis=1)
    for k in np.flatnonzero(~finite)[:1]:
        raise refuse(f"body {bodies[k].name!r}", "a com or an inertia that is not finite", "finite numbers")
    moments = principal(matter)
    if not mechanism.unphysical:
        _check_matter(mechanism, matter, moments)
    _warn_of_gyration(mechanism, moments)


def impossible(moments: np.ndarray, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whether principal moments (n, 3), ascending, are negative; whether the largest is above the others' sum."""
    slack = ROUNDING * np.abs(moments).max(axis=1, initial=0.0) + mass * NOTHING**2
    return ~(moments[:, 0] >= -slack), moments[:, 0] + moments[:, 1] < moments[:, 2] - slack


def _check_matter(mechanism: Mechanism, matter: np.ndarray, moments: np.ndarray) -> None:
    """Refuse an impossible body, unless it is welded to others and the whole is possible: that is all they feel."""
    bodies, mass = mechanism.bodies, np.array([b.mass for b in mechanism.bodies], float)
    negative, broken = impossible(moments, mass)
    bad = np.flatnonzero(negative | broken).tolist()
    welded = carriers(mechanism) if bad else []
    for k in bad:
        members = [i for i, c in enumerate(welded) if c == welded[k]]
        with np.errstate(all="ignore"):  # numbers beyond all numbers are no inertia
            total = principal(whole(mechanism, welded[k], members, matter)[None])
        if len(members) > 1 and not np.any(impossible(total, mass[members].sum()[None])):
            continue
        got = "principal moments of inertia " + ", ".join(f"{x:.6g}" for x in moments[k])
        wanted = "none negative" if negative[k] else "the largest not above the sum of the two others"
        raise refuse(f"body {bodies[k].name!r}", got, f"{wanted} (or `unphysical=True`, to take them as they are)")
    if bad:
        named = ", ".join(repr(bodies[k].name) for k in bad[:6]) + (", ..." if len(bad) > 6 else "")
        what = f"no matter has the inertia of {named}; what it is fixed to has, together with it"
        warn(f"robot {mechanism.name!r}: {what}", stacklevel=2)


def _warn_of_gyration(mechanism: Mechanism, moments: np.ndarray) -> None:
    """Warn of bodies whose radius of gyration suits neither their own size nor that of their neighbours."""
    mass = np.array([b.mass for b in mechanism.bodies], float)
    matter = np.where(mass > 0, moments.max(axis=1, initial=0.0), 0.0)
    radius = np.sqrt(np.maximum(matter, 0.0) / np.where(mass > 0, mass, 1.0))
    own, near = _extents(mechanism)
    small = (radius > 0.15) & (near > 0) & (radius > 1.3 * own) & (radius > 0.8 * near)
    odd = np.flatnonzero(small | (radius > np.maximum(3.0, own))).tolist()
    if odd:
        named = ", ".join(f"{mechanism.bodies[k].name!r} ({radius[k]:.3g} m)" for k in odd[:8])
        more = f" and {len(odd) - 8} more" if len(odd) > 8 else ""
        where = f"robot {mechanism.name!r}"
        warn(f"{where}: radii of gyration implausible for the size of {named}{more}", stacklevel=2)


def _extents(mechanism: Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """How far each body's own points lie from its origin; the largest such of it and its neighbours."""
    bodies, parents = mechanism.bodies, np.array(mechanism.parents, int)
    index = mechanism.index
    own = np.array([*(_length(b.com) for b in bodies), 0.0])
    np.maximum.at(own, parents, np.array([_length(b.placement.position) for b in bodies]))
    for frame in mechanism.frames:
        own[index[frame.body]] = max(own[index[frame.body]], _length(frame.placement.position))
    for x in mechanism.loops:
        for name, placement in ((x.body_a, x.placement_a), (x.body_b, x.placement_b)):
            own[index[name]] = max(own[index[name]], _length(placement.position))
    near = own.copy()
    near[-1] = own[-1] = 0.0  # the base: a robot far from the origin is no larger for it
    np.maximum.at(near, parents, own[:-1])
    return own[:-1], np.maximum(near[:-1], own[parents])


def _length(v: Vector) -> float:
    return math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


def check_massless(mechanism: Mechanism) -> None:
    """Warn of joints that move nothing that resists: the mass matrix is singular there, unless loops hold them."""
    if mechanism.loops or mechanism.constraints:
        return
    resists, idle = [_resists(b) for b in mechanism.bodies], []
    for i in reversed(depth_first(mechanism.parents)):
        body, parent = mechanism.bodies[i], mechanism.parents[i]
        if not resists[i] and body.joint.type != "fixed":
            idle.append(repr(body.joint.name))
        if parent >= 0:
            resists[parent] = resists[parent] or resists[i]
    if idle:
        named = ", ".join(idle[::-1][:6]) + (", ..." if len(idle) > 6 else "")
        warn(f"nothing of mass and no rotor moves with joint(s) {named}: M is singular", stacklevel=2)


def _resists(body: Body) -> bool:
    i, rotor = body.inertia, body.joint.rotor_inertia
    felt = max(rotor, default=0.0) if isinstance(rotor, tuple) else rotor or 0.0
    return body.mass > 0 or max(i.ixx, i.iyy, i.izz) > 0 or felt > 0
