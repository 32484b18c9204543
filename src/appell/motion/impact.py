"""Impacts: what velocities become when contacts close, by the laws of Newton and of Poisson, with friction if asked.

Pure functions of a blow's data; nothing here knows a robot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from .complementarity import complementary
from .friction import rubbing

Array = np.ndarray[Any, Any]
Law: TypeAlias = Literal["newton", "poisson"]
LAWS: tuple[Law, ...] = ("newton", "poisson")
CREATED = 1e-9  # of the energy that passes through the contacts: what an impact may add by round-off


@dataclass(frozen=True)
class Blow:
    """What meets in one impact: k contacts at once, all of them closing or resting."""

    moved: Callable[[Array], Array]  # the velocities that impulses on the freedoms make, M^-1, per column
    v: Array  # before
    J: Array  # (k, nv), of normal velocities
    closing: Array  # (k,) normal velocities against the walls before; a wall may move by itself
    restitution: Array  # (k,)
    friction: Array  # (k,)
    T: Array | None = None  # (k, 2, nv), of tangential velocities, where there is friction
    slipping: Array | None = None  # (k, 2) tangential velocities before


@dataclass(frozen=True)
class Struck:
    """What comes of it."""

    v: Array  # after
    impulse: Array  # (k,) along the normals
    rubbed: Array  # (k, 2) along the tangents
    opening: Array  # (k,) normal velocities after
    gain: float  # energy that the contacts gave; what moving walls gave not counted


def struck(blow: Blow, law: Law = "newton") -> Struck:
    """The velocities after an impact, and the impulses.

        M (v+ - v-) = J' f               (1)
        J v+ = - e J v-                  (2)

    for the contacts that push; a wall never pulls, so f >= 0, J v+ + e J v- >= 0, and one of both is zero. Poisson's
    law compresses first, with e = 0, and gives back e times the impulse of that. With friction the tangential
    impulse is at most mu f, and opposes what slip is left after the impact.

    Source: shafei2018, (45) and (46), solved at once as (47); pfeiffer1996 for the inequalities and Poisson's law.
    """
    return _without_friction(blow, law) if blow.T is None else _with_friction(blow, law)


def _without_friction(blow: Blow, law: Law) -> Struck:
    MJ = blow.moved(blow.J.T)
    A, u, e = blow.J @ MJ, blow.closing, blow.restitution
    A = 0.5 * (A + A.T)
    if law == "newton":
        f = complementary(A, u + e * u)  # (2)
    else:
        f = complementary(A, u)
        f += e * f + complementary(A, u + A @ (f + e * f))
    after = u + A @ f
    none = np.zeros((len(f), 2))
    return Struck(blow.v + MJ @ f, f, none, after, float(0.5 * f @ (u + after)))  # (1)


def _with_friction(blow: Blow, law: Law) -> Struck:
    k, nv = blow.J.shape
    B = np.concatenate([blow.J[:, None], blow.T], 1).reshape(3 * k, nv)  # type: ignore[list-item]
    MB = blow.moved(B.T)
    W, u = B @ MB, np.concatenate([blow.closing[:, None], blow.slipping], 1).reshape(-1)  # type: ignore[list-item]
    W, back = 0.5 * (W + W.T), np.zeros_like(u)
    back[::3] = blow.restitution * blow.closing
    if law == "newton":
        f = rubbing(W, u + back, blow.friction)
    else:
        f = rubbing(W, u, blow.friction)
        f += rubbing(W, u + W @ f, blow.friction, blow.restitution * f[::3])
    after = u + W @ f
    parts = f.reshape(k, 3)
    return Struck(blow.v + MB @ f, parts[:, 0], parts[:, 1:], after[::3], float(0.5 * f @ (u + after)))


def energy_created(blow: Blow, found: Struck) -> float:
    """What an impact adds beyond round-off: a law that does this cannot be."""
    passed = float(found.impulse @ np.abs(blow.closing))
    if blow.slipping is not None:
        passed += float(np.abs(found.rubbed * blow.slipping).sum())
    return found.gain if found.gain > CREATED * passed else 0.0
