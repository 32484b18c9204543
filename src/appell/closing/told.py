"""Answers in coordinates that tell all motion where they are asked; where they do not, a sentence that says so."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ..actuation import numbers as columns
from ..actuation import places
from ..errors import ModelError, SingularError
from .coordinates import freedoms_of
from .mobility import motions
from .scaled import Scaled
from .singular import told

if TYPE_CHECKING:
    from ..asking import Asked
    from ..robot import Robot

Array = np.ndarray[Any, Any]
SAME = 1e-6  # of accelerations: what they may differ by from those prescribed


def checked(robot: Robot, names: Sequence[str], coordinates: Sequence[Any], found: Any, given: Sequence[Any]) -> Any:
    """An answer of a kernel, if it holds numbers, or if it has many rows: of these some may be no numbers."""
    if np.ndim(given[0]) > 1:
        return found
    first = found[0] if isinstance(found, tuple) else found
    flat = first.reshape(-1)
    if isfinite(float(flat @ flat)) or np.isfinite(first).all():
        return found
    if not all(np.isfinite(np.asarray(x, float)).all() for x in given):
        return found
    raise lost(robot, names, coordinates, np.asarray(given[0], float))


def sound(robot: Robot, asked: Asked, found: Any, given: tuple[Any, ...]) -> Any:
    """Forces of actuators where these suffice, and motions that loops allow; else an error, or rows of no numbers."""
    if asked.actuators:
        motors, names = places(robot.mechanism, [name for name, _ in asked.actuators])
        return checked(robot, names, motors, found, given)
    return _allowed(robot, asked.prescribed, found, given) if robot.mechanism.closed else found


def _allowed(robot: Robot, names: tuple[str, ...], found: Any, given: tuple[Any, ...]) -> Any:
    """(a, tau), if a is what was prescribed."""
    places = freedoms_of(robot.mechanism, names)
    a, moves = np.asarray(given[2], float), found[0]
    off = np.abs(moves - a)[..., places].max(-1, initial=0.0)
    wrong = off > SAME * np.maximum(np.abs(moves).max(-1), np.abs(a).max(-1))
    if not np.any(wrong):
        return found
    if moves.ndim > 1:
        for x in found:
            x[wrong] = np.nan
        return found
    listed = ", ".join(map(repr, names))
    text = f"the accelerations prescribed to {listed} would open the loops of {robot.name!r}, by {off:.3g}"
    raise ModelError(f"{text}; wanted such as keep them closed")


def lost(robot: Robot, names: Sequence[str], coordinates: Sequence[Any], q: Array) -> SingularError:
    """The error that names the motion that coordinates do not see at q."""
    listed = ", ".join(map(repr, names))
    try:
        S = columns(robot.mechanism, robot.light_tree, q, coordinates).T
    except ZeroDivisionError:  # of angles whose first and last axis coincide
        return SingularError(f"coordinates {listed} of {robot.name!r} have no rates at this q, wanted another one")
    scaled = Scaled.of(robot)
    N = motions(scaled.at(q)[1])
    S = S * scaled.measures
    size = np.linalg.norm(S, axis=1, keepdims=True)
    _, _, Vt = np.linalg.svd(S / np.where(size > 0, size, 1.0) @ N)
    direction = told(scaled, N @ Vt[-1])
    along = ", ".join(f"{name} {x:+.3g}" for name, x in direction.items())
    text = f"{listed} of {robot.name!r} are singular at this q: with them held it can move along {along}"
    error = SingularError(f"{text}, wanted a q at which they tell all motion")
    error.direction = direction
    return error
