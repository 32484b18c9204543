"""What a simulation starts from: states, times and tolerances, checked and in plain arrays."""

from __future__ import annotations

import warnings
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ShapeError
from ..kernel.arrays import numbers
from ..model.manifold import quaternions
from .integrate import Tolerances

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
LEAST_RTOL = 1e-14
NEARLY, FAR = 1e-9, 1e-3  # off unit length by so much, a quaternion is warned of, or refused


def state(robot: Robot, q0: Any, v0: Any) -> tuple[Array, Array]:
    """q0 with unit quaternions, v0."""
    q, v = _vector("q0", q0, robot.nq), _vector("v0", v0, robot.nv)
    for k in quaternions(robot.mechanism):
        p = q[k : k + 4]
        norm = float(np.linalg.norm(p))
        if abs(norm - 1) > FAR:
            raise ShapeError(f"simulate: q0[{k}:{k + 4}] = {p} is a quaternion of length {norm:.6g}, wanted 1")
        if abs(norm - 1) > NEARLY:
            text = f"simulate: q0[{k}:{k + 4}] is a quaternion of length {norm:.12g} and was made 1"
            warnings.warn(text, stacklevel=4)
        p /= norm
    return q, v


def _vector(name: str, given: Any, n: int) -> Array:
    x = numbers("simulate", name, given).astype(float)
    if x.shape != (n,):
        raise ShapeError(f"simulate: {name} has shape {x.shape}, wanted ({n},)")
    if not np.isfinite(x).all():
        raise ShapeError(f"simulate: {name} is {x}, wanted finite numbers")
    return x.copy()


def times(t0: Any, t_end: Any, wanted: Any) -> tuple[float, float, Array | None]:
    """The first and the last time, and those whose rows are wanted."""
    first, last = _number("t0", t0), _number("t_end", t_end)
    if last < first:
        raise ShapeError(f"simulate: t_end is {last:g}, wanted t0 = {first:g} or later")
    if wanted is None:
        return first, last, None
    t = numbers("simulate", "times", wanted).astype(float)
    if t.ndim != 1 or not len(t) or not np.isfinite(t).all() or (np.diff(t) < 0).any():
        raise ShapeError(f"simulate: times of shape {t.shape} are no rising list of finite numbers")
    if t[0] < first or t[-1] > last:
        raise ShapeError(f"simulate: times are from {t[0]:g} to {t[-1]:g}, wanted them from {first:g} to {last:g}")
    return first, last, t


def tolerances(rtol: Any, atol: Any, max_step: Any) -> Tolerances:
    """What every step is held to."""
    r, a = _number("rtol", rtol), _number("atol", atol)
    if not LEAST_RTOL <= r < 1:
        raise ShapeError(f"simulate: rtol is {r:g}, wanted {LEAST_RTOL:g} (round-off) to 1")
    if a < 0:
        raise ShapeError(f"simulate: atol is {a:g}, wanted 0 or more")
    longest = inf if max_step is None else _number("max_step", max_step)
    if longest <= 0:
        raise ShapeError(f"simulate: max_step is {longest:g}, wanted a positive time")
    return Tolerances(r, a, longest)


def _number(name: str, given: Any) -> float:
    try:
        x = float(given)
    except (TypeError, ValueError):
        raise ShapeError(f"simulate: {name} is {given!r}, wanted a number") from None
    if not isfinite(x):
        raise ShapeError(f"simulate: {name} is {x}, wanted a finite number")
    return x
