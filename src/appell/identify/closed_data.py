"""All joints of a closed mechanism from those that were measured: where they stand, how they move, what they feel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..closing.coordinates import freedoms_of
from ..closing.scaled import Scaled
from ..errors import AppellError, DataError
from ..robot import Robot
from .signals import Signals

Array = np.ndarray[Any, Any]
FAR = 0.15  # radians, or parts of the mechanism's size, from one configuration that is assembled to the next
BESIDE = 5.0  # times as far may the other joints go, for Newton's answer to be taken
ROUNDS, CLOSED = 8, 1e-11  # of Newton in between, all at once; what may be left open, in parts of the size


def whole(
    signals: Signals, read: dict[str, Array], guess: Any, branch: str | None, notes: list[str]
) -> dict[str, Array]:  # fmt: skip
    """Measurements of the coordinates made those of the mechanism, and forces of motors those on coordinates."""
    robot, names = signals.robot, signals.coordinates
    q = followed(robot, names, read["t"], read["q"], guess, branch)
    reduced = robot.reduced(list(names))
    v, a = reduced.velocities(q, read["v"]), reduced.accelerations(q, read["v"], read["a"])
    tau, weight = read["tau"], read["weight"]
    if signals.motors != names:
        tau = np.einsum("tij,tj->ti", reduced.actuator_map(q, list(signals.motors)), tau)
        weight = np.repeat(weight.min(1, keepdims=True), len(names), 1)
        notes.append(f"forces of {', '.join(signals.motors)} taken together as those on {', '.join(names)}: "
                     "what motors do against each other tells nothing")  # fmt: skip
    return {"t": read["t"], "q": q, "v": v, "a": a, "tau": tau, "weight": weight}


def followed(robot: Robot, names: Sequence[str], t: Array, x: Array, guess: Any, branch: str | None) -> Array:
    """q along measured coordinates x (N, d): one after another where they have moved, all at once in between.

    Where that fails, close to singularities, one after another.
    """
    scaled, held = Scaled.of(robot), freedoms_of(robot.mechanism, names)
    moved = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(x / scaled.measures[held], axis=0)).max(1))])
    knots = np.unique(np.append(np.searchsorted(moved, np.arange(0.0, moved[-1], FAR)), len(x) - 1))
    q = _one_by_one(scaled, names, t[knots], x[knots], guess, branch)
    try:
        return closed_near(scaled, held, between(robot, q, knots, len(x)), x, t)
    except DataError:
        return _one_by_one(scaled, names, t, x, guess, branch)


def _one_by_one(
    scaled: Scaled, names: Sequence[str], t: Array, x: Array, guess: Any, branch: str | None
) -> Array:  # fmt: skip
    robot, held = scaled.robot, freedoms_of(scaled.robot.mechanism, names)
    q = np.empty((len(x), robot.nq))
    for k, row in enumerate(x):
        if k and (near := _stepped(scaled, held, q[k - 1], row)) is not None:
            q[k] = near
            continue
        fixed = dict(zip(names, row.tolist(), strict=True))
        start: Any = (guess, fixed, branch) if k == 0 else (q[k - 1], fixed)
        try:
            q[k] = robot.assemble(*start)
        except AppellError as error:
            raise DataError(f"{', '.join(names)} as measured at t = {t[k]:.6g} s cannot be: {error}") from None
    return q


def _stepped(scaled: Scaled, held: Sequence[int], q: Array, x: Array) -> Array | None:
    """The closed configuration at x that Newton finds from a closed one, if it is near that; else None."""
    try:
        near = closed_near(scaled, held, q[None], x[None], np.zeros(1))[0]
    except DataError:
        return None
    moved = np.abs(scaled.robot.difference(q, near) / scaled.measures).max()
    return near if moved < BESIDE * FAR else None


def between(robot: Robot, q: Array, knots: Array, count: int) -> Array:
    """All rows from those at knots, along the straight way from each to the next."""
    if len(knots) == 1:
        return np.repeat(q, count, 0)
    k = np.clip(np.searchsorted(knots, np.arange(count), side="right") - 1, 0, len(knots) - 2)
    part = (np.arange(count) - knots[k]) / (knots[k + 1] - knots[k])
    return robot.integrate(q[k], robot.difference(q[k], q[k + 1]), part)


def closed_near(scaled: Scaled, held: Sequence[int], q: Array, x: Array, t: Array) -> Array:
    """Configurations near closed ones, closed, with the coordinates at x."""
    from ..closing.kernels import equations

    robot, free = scaled.robot, np.setdiff1d(np.arange(scaled.robot.nv), held)
    own = np.zeros((len(q), robot.nv))
    places = [next(b.q_index for b in robot.tree.links if b.v_index == z) for z in held]
    own[:, held] = x - q[:, places]
    q, bound = robot.integrate(q, own), scaled.binds
    left = np.inf
    for _ in range(ROUNDS):
        g, A, _ = equations(robot)(q, np.zeros(robot.nv))
        g = (g / scaled.units)[:, bound]
        if left < CLOSED:  # the step before was the last one
            return q
        left = float(np.abs(g).max())
        step = np.zeros((len(q), robot.nv))
        A = (A / scaled.units[:, None] * scaled.measures)[:, bound][..., free]
        step[:, free] = -(np.linalg.pinv(A, rcond=1e-9) @ g[..., None])[..., 0]
        q = robot.integrate(q, step * scaled.measures)
    k = int(np.abs(g).max(1).argmax())  # type: ignore[possibly-undefined]
    where = f"the loops of {robot.name!r} do not close at t = {t[k]:.6g} s"
    raise DataError(f"{where}, wanted a motion clear of singularities")
