"""Velocities and accelerations of all joints from those of independent coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..asking import numbers_of
from ..errors import ModelError, ShapeError
from . import kernels
from .coordinates import freedom_names, freedoms_of
from .large import large_of
from .mobility import RANK, independent_columns, motions
from .scaled import Scaled

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
OFF = 1e-6  # what an inverse may be off where rows are independent: near a singularity it still is one


def transformation(robot: Robot, q: Any, independent: Any) -> Array:
    """K with v = K u: A K = 0 and S K = 1."""
    scaled, q = Scaled.of(robot), _state(robot, q)
    inverse = _inverse(scaled, q, rows(robot, independent))
    return np.ascontiguousarray(inverse[..., len(scaled.names) :])


def drift(robot: Robot, q: Any, u: Any, independent: Any, bias: Any = 0.0) -> Array:
    """(dK/dt) u, which solves A a = -c and S a = -bias."""
    scaled, q = Scaled.of(robot), _state(robot, q)
    S, (u, bias) = rows(robot, independent), numbers_of("acceleration_drift", u=u, bias=bias)
    d = S.shape[-2]
    if u.shape[-1:] != (d,):
        raise ShapeError(f"acceleration_drift: u has shape {u.shape}, wanted (..., {d})")
    inverse = _inverse(scaled, q, S)
    v = np.einsum("...ij,...j->...i", inverse[..., len(scaled.names) :], u)
    c = _asked(scaled, q, v)[1]
    left = np.concatenate([c, np.broadcast_to(bias, (*c.shape[:-1], d))], -1)
    return -np.einsum("...ij,...j->...i", inverse, left)


def rows(robot: Robot, independent: Any) -> Array:
    """S, which takes u out of v: by names of joints, or given as a matrix (..., d, nv)."""
    if isinstance(independent, str) or all(isinstance(x, str) for x in independent):
        return np.eye(robot.nv)[freedoms_of(robot.mechanism, independent)]
    (S,) = numbers_of("velocity_transformation", independent=independent)
    if S.ndim < 2 or S.shape[-1] != robot.nv:
        raise ShapeError(f"independent has shape {S.shape}, wanted names of joints or rows (..., d, {robot.nv})")
    return S.astype(float)


def _asked(scaled: Scaled, q: Array, v: Array) -> tuple[Array, Array]:
    """A and c at one state or many."""
    robot, lead = scaled.robot, np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
    if not scaled.closed:
        return np.zeros((*lead, 0, robot.nv)), np.zeros((*lead, 0))
    if not scaled.large:
        return kernels.equations(robot)(q, v)[1:]
    rows = zip(*(np.broadcast_to(x, (*lead, x.shape[-1])).reshape(-1, x.shape[-1]) for x in (q, v)), strict=True)
    found = [large_of(robot).equations(*row)[1:] for row in rows]
    A, c = (np.array(x) for x in zip(*((A.toarray(), c) for A, c in found), strict=True))
    return A.reshape(*lead, *A.shape[1:]), c.reshape(*lead, -1)


def _state(robot: Robot, q: Any) -> Array:
    (q,) = numbers_of("velocity_transformation", q=q)
    if q.shape[-1:] != (robot.nq,):
        raise ShapeError(f"velocity_transformation: q has shape {q.shape}, wanted (..., {robot.nq})")
    if not np.isfinite(q).all():
        raise ShapeError("velocity_transformation: q holds numbers that are not finite, wanted finite ones")
    return q.astype(float)


def _inverse(scaled: Scaled, q: Array, S: Array) -> Array:
    """The inverse of [A; S] from the left: the rows of A that depend on others do no harm."""
    A = _asked(scaled, q, np.zeros(scaled.robot.nv))[0] / scaled.units[:, None] * scaled.measures
    sizes = np.linalg.norm(S * scaled.measures, axis=-1)
    sizes = np.where(sizes > 0, sizes, 1.0)
    S = S * scaled.measures / sizes[..., None]
    batch = np.broadcast_shapes(A.shape[:-2], S.shape[:-2])
    A, S = (np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (A, S))
    B = np.concatenate([A, S], -2)
    inverse = np.linalg.pinv(B, rcond=RANK)
    _check(scaled, A, S, np.abs(S @ inverse[..., A.shape[-2] :] - np.eye(S.shape[-2])), _dependent)
    _check(scaled, A, S, np.abs(inverse @ B - np.eye(scaled.robot.nv)), _incomplete)
    units = np.concatenate([np.broadcast_to(scaled.units, (*batch, A.shape[-2])),
                            np.broadcast_to(sizes, S.shape[:-1])], -1)  # fmt: skip
    return inverse * scaled.measures[:, None] / units[..., None, :]


def _check(scaled: Scaled, A: Array, S: Array, off: Array, refusal: Any) -> None:
    """Refuse coordinates by the state in which they fail worst."""
    if off.max(initial=0.0) > OFF:
        k = int(off.reshape(-1, off.shape[-1] * off.shape[-2]).max(axis=1).argmax())
        raise refusal(scaled, *(x.reshape(-1, *x.shape[-2:])[k] for x in (A, S)))


def _dependent(scaled: Scaled, A: Array, S: Array) -> ModelError:
    """The error that names the coordinates that determine each other."""
    N, names = motions(A), freedom_names(scaled.robot.mechanism)
    U, s, _ = np.linalg.svd(S @ N)
    r = int((s > RANK * max(1.0, float(s.max(initial=0.0)))).sum())
    tied = np.abs(U[:, r:]).max(axis=1, initial=0.0) > 1e-6
    single = [np.flatnonzero(row) for row in S]
    told = [names[x[0]] if len(x) == 1 else f"row {k}" for k, x in enumerate(single) if tied[k]]
    return ModelError(
        f"{', '.join(told)}: got coordinates of {scaled.robot.name!r} that are not independent here, where it has "
        f"{N.shape[1]} freedom(s), wanted coordinates that can move one by one"
    )


def _incomplete(scaled: Scaled, A: Array, S: Array) -> ModelError:
    """The error that says what the coordinates leave open."""
    N, names = motions(np.concatenate([A, S])), freedom_names(scaled.robot.mechanism)
    more = ", ".join(names[k] for k in independent_columns(N))
    return ModelError(
        f"robot {scaled.robot.name!r}: got coordinates that leave {N.shape[1]} freedom(s) open, wanted more, as {more}"
    )
