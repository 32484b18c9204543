"""Assembling: a configuration in which every loop is closed, from a guess, with coordinates held, on a branch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ShapeError
from ..kernel.arrays import numbers
from ..model import manifold
from ..model.joints import TYPES
from .assembly import assembly
from .coordinates import freedoms_of
from .newton import Closed
from .refused import cannot
from .scaled import Scaled
from .search import led, nearest

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
ALL = "all"
NEAR = 1e-6  # what lacks less is as good as closed: it moves with what is held, and does not leap


def assemble(robot: Robot, guess: Any, fixed: Any, branch: Any, tolerance: float) -> Any:
    """See `Robot.assemble`."""
    if not isinstance(tolerance, (int, float)) or not 0 < tolerance < 1e-2:
        raise ShapeError(f"assemble: tolerance is {tolerance!r}, wanted a number between 0 and 0.01")
    scaled = Scaled.of(robot)
    named = isinstance(branch, str) and branch != ALL
    if named and guess is not None:
        raise ShapeError(f"assemble got a guess and the branch {branch!r}, wanted one of them")
    start = robot.configuration(branch) if named else started(robot, guess)
    free, target = held(robot, start, fixed)
    if branch is None or named:
        return assembly(scaled, reached(scaled, start, target, free, tolerance, guess is None).q)
    from .branches import branches

    found = branches(scaled, start, target, free, tolerance)
    if branch == ALL:
        return tuple(assembly(scaled, c.q) for c in found)
    if isinstance(branch, bool) or not isinstance(branch, int) or not 0 <= branch < len(found):
        raise ShapeError(f"assemble: branch is {branch!r}, wanted 'all', a name or a number below {len(found)}")
    return assembly(scaled, found[branch].q)


def started(robot: Robot, guess: Any) -> Array:
    """The guess, or where the mechanism is at home."""
    if guess is None:
        return robot.configuration()
    q = numbers("assemble", "guess", np.asarray(guess)).astype(float)
    if q.shape != (robot.nq,):
        raise ShapeError(f"assemble: guess has shape {q.shape}, wanted ({robot.nq},)")
    if not np.isfinite(q).all():
        raise ShapeError(f"assemble: guess is {q}, wanted finite numbers")
    for start in manifold.quaternions(robot.mechanism):
        if not q[start : start + 4].any():
            raise ShapeError(f"assemble: guess holds a quaternion of zeros at place {start}, wanted one that turns")
    return robot.integrate(q, np.zeros(robot.nv))


def held(robot: Robot, start: Array, fixed: Any) -> tuple[Array, Array]:
    """Which freedoms are free, and q with those that are held where they are wanted."""
    free, target, m = np.ones(robot.nv, bool), start.copy(), robot.mechanism
    if fixed is None:
        return free, target
    if not isinstance(fixed, (Mapping, str, Iterable)):
        raise ShapeError(f"assemble: fixed is {fixed!r}, wanted coordinates by names of joints, or names")
    free[freedoms_of(m, list(fixed) if not isinstance(fixed, str) else fixed)] = False
    for name, values in fixed.items() if isinstance(fixed, Mapping) else ():
        places = positions_of(robot, name)
        given = np.atleast_1d(numbers("assemble", name, values).astype(float))
        if given.shape != (len(places),) or not np.isfinite(given).all():
            raise ShapeError(f"assemble: {name} is fixed at {values!r}, wanted {len(places)} finite number(s)")
        target[places] = given
    return free, robot.integrate(target, np.zeros(robot.nv)) if np.any(target != start) else target


def positions_of(robot: Robot, name: str) -> list[int]:
    """The places in q of a joint, or of one of its freedoms."""
    m, places = robot.mechanism, freedoms_of(robot.mechanism, name)
    k = next(k for k in range(robot.n) if m.v_starts[k] <= places[0] < m.v_starts[k + 1])
    start, end, first = m.q_starts[k], m.q_starts[k + 1], m.v_starts[k]
    if len(places) == m.v_starts[k + 1] - first:
        return list(range(start, end))
    if not TYPES[m.bodies[k].joint.type].is_scalar:
        raise ShapeError(f"{name} is one freedom of a {m.bodies[k].joint.type} joint, wanted the whole joint")
    return [start + p - first for p in places]


def reached(scaled: Scaled, start: Array, target: Array, free: Array, tolerance: float, home: bool) -> Closed:
    """Closed with what is held at the target: on the way there where it starts closed, else from there."""
    everything = np.ones_like(free)
    if not np.array_equal(start, target) and not free.all():
        first = nearest(scaled, start, everything, tolerance) if home else None
        if first is None and _lacks(scaled, start) <= NEAR:
            first = nearest(scaled, start, everything, tolerance)
        if first is not None and first.gap <= tolerance:
            there, done = led(scaled, first.q, target, free, tolerance)
            if done == 1:
                return there
    found = nearest(scaled, target, free, tolerance)
    if not found.gap <= tolerance:
        raise cannot(scaled, found, free)
    return found


def _lacks(scaled: Scaled, q: Array) -> float:
    g, _ = scaled.at(q)
    return float(np.abs(g[scaled.binds]).max(initial=0.0))
