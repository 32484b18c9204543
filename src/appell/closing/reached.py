"""A configuration in which independent coordinates have wanted values: approached step by step, loops closed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import numpy as np

from ..actuation import numbers as columns
from ..closures import holonomic
from ..errors import AssemblyError, ModelError, ShapeError
from ..formulations.coordinates import Along, Angle, Cut, Mixed
from ..kernel.arrays import numbers
from ..model.joints import WIDTHS
from . import kernels

if TYPE_CHECKING:
    from .reduced import Reduced

Array = np.ndarray[Any, Any]
LONGEST, STEPS, CLOSED = 0.2, 30, 1e-11  # of one step, in radians or metres; of Newton's method; what may be left


def reached(given: Reduced, values: Any, near: Any) -> Array:
    """q with the coordinates at values, from near."""
    robot = given.robot
    wanted = numbers("configuration", "values", values).astype(float)
    if wanted.shape != (given.n,):
        raise ShapeError(f"configuration: values have shape {wanted.shape}, wanted ({given.n},)")
    if not np.isfinite(wanted).all():
        raise ShapeError(f"configuration: values are {wanted}, wanted finite numbers")
    q = robot.assemble(near).q
    read, angles = reader(given)
    way = _way(wanted - read(q), angles)
    count = int(np.ceil(np.abs(way).max(initial=0.0) / LONGEST)) or 1
    start = wanted - way
    for k in range(1, count + 1):
        q = _newton(given, read, angles, q, start + way * k / count)
    return q


def _newton(given: Reduced, read: Callable[[Array], Array], angles: Array, q: Array, wanted: Array) -> Array:
    robot, binds = given.robot, holonomic(given.robot.mechanism)
    left = np.zeros(0)
    for _ in range(STEPS):
        g, A, _ = kernels.equations(robot)(q, np.zeros(robot.nv)) if len(binds) else (np.zeros(0), [], [])
        left = np.concatenate([g[binds], -_way(wanted - read(q), angles)])
        if np.abs(left).max(initial=0.0) < CLOSED:
            return q
        try:
            S = columns(robot.mechanism, robot.light_tree, q, given.chosen.coordinates).T
        except ZeroDivisionError:  # of angles whose first and last axis coincide
            raise _lost(given, "have no rates here; start near another configuration", q, np.inf) from None
        J = np.concatenate([np.reshape(A, (-1, robot.nv))[binds], S])
        q = robot.integrate(q, -np.linalg.lstsq(J, left, rcond=1e-10)[0])
    most = float(np.abs(left).max())
    raise _lost(given, f"do not reach {wanted}: {most:.2g} is left, wanted 0", q, most)


def _lost(given: Reduced, text: str, q: Array, left: float) -> AssemblyError:
    names = ", ".join(map(repr, given.names))
    error = AssemblyError(f"coordinates {names} of {given.robot.name!r} {text}")
    error.q, error.residual = q, left
    return error


def _way(difference: Array, angles: Array) -> Array:
    """The shorter way round where an angle knows no whole turns."""
    return np.where(angles, (difference + np.pi) % (2 * np.pi) - np.pi, difference)


def reader(given: Reduced) -> tuple[Callable[[Array], Array], Array]:
    """The coordinates' values at q; and which are angles that are known but for whole turns."""
    readers = [_read(given, name, x) for name, x in zip(given.names, given.chosen.coordinates, strict=True)]
    turns = np.array([isinstance(x, Angle) or _turns(given, x) for x in given.chosen.coordinates])
    return lambda q: np.array([r(q) for r in readers]), turns


def _turns(given: Reduced, x: Any) -> bool:
    if not isinstance(x, Cut):
        return False
    kind = given.robot.loops[x.closure].joint.type
    return kind in ("revolute", "universal") or (kind, x.freedom) in (("cylindrical", 0), ("planar", 2))


def _read(given: Reduced, name: str, x: Any) -> Callable[[Array], Any]:
    robot = given.robot
    if isinstance(x, int | Mixed):
        at = {z.index: z.position for b in robot.tree.links for z in b.freedoms}
        terms = [(at[z], share) for z, share in (((x, 1.0),) if isinstance(x, int) else x.shares)]
        if all(place is not None for place, _ in terms):
            return lambda q: sum(share * q[place] for place, share in terms)
    loops = [WIDTHS[loop.joint.type] for loop in robot.loops]
    if isinstance(x, Cut) and loops[x.closure][0] == loops[x.closure][1]:
        at = sum(n for n, _ in loops[: x.closure]) + x.freedom
        return lambda q: robot.loop_coordinates(q)[at]
    frame = name.rpartition(".")[0]
    if isinstance(x, Along) and not x.turns:
        return lambda q: robot.pose(q, frame)["xyz".index(x.axis), 3]
    if isinstance(x, Angle):
        return lambda q: _angles(robot.pose(q, frame)[:3, :3], x.sequence)[x.number]
    raise ModelError(f"coordinate {name!r} has a rate but no value, wanted coordinates with values")


def _angles(R: Array, sequence: str) -> Array:
    from scipy.spatial.transform import Rotation

    with catch_warnings():
        simplefilter("ignore")  # where two of them are one, any will do
        return Rotation.from_matrix(R).as_euler(sequence.upper())
