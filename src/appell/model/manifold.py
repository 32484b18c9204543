"""Where q lives: unit quaternions beside numbers. `integrate` goes along a tangent, `difference` finds it.

Both are exact: a ball turns, a free body screws, for time dt with constant body velocity v. Vectorised over
leading batch axes; a quaternion of any nonzero norm is taken for its direction, and a unit one comes back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ShapeError, unknown
from .joints import joint_type
from .mechanism import Mechanism

Array = np.ndarray


def neutral(mechanism: Mechanism) -> Array:
    """q of zeros and unit quaternions."""
    q = np.zeros(mechanism.nq)
    for start in quaternions(mechanism):
        q[start] = 1.0
    return q


def configuration(mechanism: Mechanism, name: str | None = None) -> Array:
    """q of a configuration by its name; without a name the first, or neutral where there is none."""
    known = {c.name: c for c in mechanism.configurations}
    if name is not None and name not in known:
        raise unknown("configuration", name, known)
    given = known[name] if name is not None else next(iter(known.values()), None)
    q, places = neutral(mechanism), {b.joint.name: k for k, b in enumerate(mechanism.bodies)}
    for joint, values in given.joints if given else ():
        start, end = mechanism.q_starts[places[joint] :][:2]
        q[start:end] = values
    for start in quaternions(mechanism):
        q[start : start + 4] = _unit(q[start : start + 4])
    return q


def random_state(mechanism: Mechanism, seed: int) -> tuple[Array, Array]:
    """(q, v): q uniform, within the limits where they are finite; v normal. The same for the same seed."""
    rng = np.random.default_rng(seed)
    low, high = limits(mechanism)
    some = np.where(np.isfinite(low) | np.isfinite(high), 0.0, np.pi)
    lowest = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 1.0, -some))
    highest = np.where(np.isfinite(high), high, np.where(np.isfinite(low), low + 1.0, some))
    q = lowest + (highest - lowest) * rng.random(mechanism.nq)
    for start in quaternions(mechanism):
        turn = rng.normal(size=4)
        q[start : start + 4] = turn / np.linalg.norm(turn)
    return q, rng.normal(size=mechanism.nv)


def limits(mechanism: Mechanism) -> tuple[Array, Array]:
    """The lowest and highest q; infinite where there is no limit."""
    low, high = np.full(mechanism.nq, -np.inf), np.full(mechanism.nq, np.inf)
    for body, start in zip(mechanism.bodies, mechanism.q_starts, strict=False):
        given = body.joint.limits or ()
        for k, (a, b) in enumerate(given if given and isinstance(given[0], tuple) else [given] if given else []):
            low[start + k], high[start + k] = a, b
    return low, high


def integrate(mechanism: Mechanism, q: Any, v: Any, dt: Any = 1.0) -> Array:
    """q after moving for time dt with the constant velocity v."""
    q, d = _checked(mechanism, q, "q", mechanism.nq), _checked(mechanism, v, "v", mechanism.nv)
    d = d * np.asarray(dt, float)[..., None]
    out = np.empty((*np.broadcast_shapes(q.shape[:-1], d.shape[:-1]), mechanism.nq))
    iq, iv, wide = layout(mechanism)
    out[..., iq] = q[..., iq] + d[..., iv]
    for kind, a, b in wide:
        start = a + (3 if kind == "free" else 0)
        turn, w = _unit(q[..., start : start + 4]), d[..., b + (3 if kind == "free" else 0) :][..., :3]
        if kind == "free":
            out[..., a : a + 3] = q[..., a : a + 3] + _rotate(turn, _screw(w, d[..., b : b + 3]))
        out[..., start : start + 4] = _unit(_times(turn, _exponential(w)))
    return out


def difference(mechanism: Mechanism, q0: Any, q1: Any) -> Array:
    """The tangent d, of the shortest turn, with integrate(q0, d, 1) = q1 (up to the sign of quaternions)."""
    q0, q1 = _checked(mechanism, q0, "q0", mechanism.nq), _checked(mechanism, q1, "q1", mechanism.nq)
    out = np.empty((*np.broadcast_shapes(q0.shape[:-1], q1.shape[:-1]), mechanism.nv))
    iq, iv, wide = layout(mechanism)
    out[..., iv] = q1[..., iq] - q0[..., iq]
    for kind, a, b in wide:
        start = a + (3 if kind == "free" else 0)
        turn = _unit(q0[..., start : start + 4])
        w = _logarithm(_times(_conjugate(turn), _unit(q1[..., start : start + 4])))
        if kind == "free":
            shift = _rotate(_conjugate(turn), q1[..., a : a + 3] - q0[..., a : a + 3])
            out[..., b : b + 3] = _unscrew(w, shift)
            b += 3
        out[..., b : b + 3] = w
    return out


def _checked(mechanism: Mechanism, x: Any, name: str, n: int) -> Array:
    x = np.asarray(x, float)
    if x.ndim == 0 or x.shape[-1] != n:
        raise ShapeError(f"{name} of {mechanism.name!r}: got shape {x.shape}, wanted (..., {n})")
    return x


def quaternions(mechanism: Mechanism) -> list[int]:
    """Where in q quaternions begin."""
    return [a + (3 if kind == "free" else 0) for kind, a, _ in layout(mechanism)[2]]


def layout(mechanism: Mechanism) -> tuple[list[int], list[int], list[tuple[str, int, int]]]:
    """Places in q and in v of the scalar coordinates; kind and places of the ball and free joints."""
    iq: list[int] = []
    iv: list[int] = []
    wide: list[tuple[str, int, int]] = []
    for body, a, b in zip(mechanism.bodies, mechanism.q_starts, mechanism.v_starts, strict=False):
        kind = joint_type(body.joint)
        if kind.is_scalar:
            iq += range(a, a + kind.positions)
            iv += range(b, b + kind.freedoms)
        else:
            wide.append((body.joint.type, a, b))
    return iq, iv, wide


def _unit(p: Array) -> Array:
    return p / np.linalg.norm(p, axis=-1, keepdims=True)


def _conjugate(p: Array) -> Array:
    return p * np.array([1.0, -1.0, -1.0, -1.0])


def _times(p: Array, r: Array) -> Array:
    """The product of quaternions w x y z."""
    a, u, b, v = p[..., :1], p[..., 1:], r[..., :1], r[..., 1:]
    real = a * b - np.sum(u * v, axis=-1, keepdims=True)
    return np.concatenate([real, a * v + b * u + np.cross(u, v)], axis=-1)


def _rotate(p: Array, x: Array) -> Array:
    """x turned by a unit quaternion."""
    t = 2.0 * np.cross(p[..., 1:], x)
    return x + p[..., :1] * t + np.cross(p[..., 1:], t)


def _angle(w: Array) -> Array:
    return np.linalg.norm(w, axis=-1, keepdims=True)


def _exponential(w: Array) -> Array:
    """The quaternion of a turn by the vector w."""
    half = 0.5 * _angle(w)
    return np.concatenate([np.cos(half), 0.5 * w * np.sinc(half / np.pi)], axis=-1)


def _logarithm(p: Array) -> Array:
    """The vector of the shortest turn of a unit quaternion."""
    p = np.where(p[..., :1] < 0, -p, p)
    sine = _angle(p[..., 1:])
    half = np.arctan2(sine, p[..., :1])
    return p[..., 1:] * (2.0 / np.sinc(half / np.pi))


def _screw(w: Array, x: Array) -> Array:
    """The way of the origin during a turn w with constant velocity x in body axes: V(w) x."""
    a = _angle(w)
    one = 0.5 * np.sinc(a / (2 * np.pi)) ** 2  # (1 - cos a) / a^2
    return x + one * np.cross(w, x) + _cubic(a) * np.cross(w, np.cross(w, x))


def _unscrew(w: Array, x: Array) -> Array:
    """The velocity whose way is x: V(w)^-1 x."""
    a = _angle(w)
    half = np.cross(w, x)
    return x - 0.5 * half + _inverse_cubic(a) * np.cross(w, half)


def _cubic(a: Array) -> Array:
    """(a - sin a) / a^3, by its series where the difference would cancel."""
    safe = np.where(a < 0.5, 1.0, a)
    s = a * a
    series = (1 - s / 20 * (1 - s / 42 * (1 - s / 72 * (1 - s / 110 * (1 - s / 156 * (1 - s / 210)))))) / 6
    return np.where(a < 0.5, series, (safe - np.sin(safe)) / safe**3)


def _inverse_cubic(a: Array) -> Array:
    """1/a^2 - cot(a/2) / (2 a): what V's inverse has where V has `_cubic`."""
    s = a * a
    safe = np.where(a < 0.5, 1.0, a)
    exact = (1.0 - 0.5 * safe * np.cos(0.5 * safe) / np.sin(0.5 * safe)) / safe**2
    tail = 1 / 30240 + s * (1 / 1209600 + s * (1 / 47900160 + s * (691 / 1307674368000 + s / 74724249600)))
    return np.where(a < 0.5, 1 / 12 + s * (1 / 720 + s * tail), exact)
