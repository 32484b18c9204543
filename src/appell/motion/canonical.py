"""A robot in Hamilton's coordinates: x = (coordinates, their momenta, work).

Momenta of the quasi-velocities v are m = M v. A coordinate of its own has m itself for its momentum. Under a ball or
free joint the momentum of the quaternion p is the four numbers P with m = 1/2 Q(p)' P, where Q(p) w = p (0, w), and
that of a free body's position is R m. Then, with what drives and holds the joints in m',

    f = m' + w x m                                                (1)
    P' = 2 Q(p) f / (p . p) + 1/2 P (0, w)                        (2)

is Hamilton's equation for every p, of unit length or not, which is what keeps a symplectic method symplectic.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.manifold import layout
from .rate import taken

Array = np.ndarray[Any, Any]


class Canonical:
    """Between (q, v, work) and (q, momenta, work), and the derivative there."""

    def __init__(self, rate: Any) -> None:
        robot = rate.robot
        inputs = () if rate.wrench is None else ("wrench",)
        self.rate, self.nq, self.nv = rate, rate.nq, rate.nv
        self.mass_matrix, self.inverse = robot.kernel("mass_matrix"), robot.kernel("inverse_mass_matrix")
        self.bias, self.coriolis = robot.kernel("bias", inputs=inputs), robot.kernel("coriolis")
        iq, iv, self.wide = layout(robot.mechanism)
        self.iq, self.iv = np.array(iq, int), np.array(iv, int)

    def lifted(self, y: Array) -> Array:
        """(q, momenta, work) of (q, v, work)."""
        q, v, work = self.rate.split(y)
        m = self.mass_matrix(q) @ v
        return np.concatenate([q, self._momenta(q, m), work])

    def lowered(self, x: Array) -> Array:
        """The reverse."""
        q = np.ascontiguousarray(x[: self.nq])
        return np.concatenate([q, self.inverse(q) @ self._quasi(x), x[2 * self.nq :]])

    def slope(self, t: float, x: Array) -> Array:
        """Hamilton's equations, with forces; and powers."""
        q, P = np.ascontiguousarray(x[: self.nq]), x[self.nq : 2 * self.nq]
        m = self._quasi(x)
        v = self.inverse(q) @ m
        dq, power, dm = self._driven(t, q, v)
        dP = np.empty(self.nq)
        dP[self.iq] = dm[self.iv]
        for kind, a, b in self.wide:
            at, w = (a + 3, v[b + 3 : b + 6]) if kind == "free" else (a, v[b : b + 3])
            p = q[at : at + 4]
            if kind == "free":
                dP[a : a + 3] = turned(p) @ (dm[b : b + 3] + across(w, m[b : b + 3]))
                b += 3
            f = dm[b : b + 3] + across(w, m[b : b + 3])  # (1)
            dP[at : at + 4] = 2 / (p @ p) * (spun(p) @ f) + 0.5 * spun(P[at : at + 4]) @ w  # (2)
        return np.concatenate([dq, dP, power])

    def _driven(self, t: float, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """dq; powers; and m', from forces, what the bias holds, and the change of M."""
        rate = self.rate
        tau, pushed = rate.torque.at(t, q, v), ()
        if rate.wrench is not None:
            pushed = (taken(rate.rates, rate.wrench.at(t, q, v)),)
        dq, power = rate.rates(q, v, tau, *pushed)
        C = self.coriolis(q, v)
        return dq, power, tau - self.bias(q, v, *pushed) + C @ v + C.T @ v  # M a is tau - h; M' is C + C'

    def _momenta(self, q: Array, m: Array) -> Array:
        P = np.empty(self.nq)
        P[self.iq] = m[self.iv]
        for kind, a, b in self.wide:
            at = a + 3 if kind == "free" else a
            p = q[at : at + 4]
            if kind == "free":
                P[a : a + 3] = turned(p) @ m[b : b + 3]
                b += 3
            P[at : at + 4] = 2 / (p @ p) * (spun(p) @ m[b : b + 3])
        return P

    def _quasi(self, x: Array) -> Array:
        q, P, m = x[: self.nq], x[self.nq : 2 * self.nq], np.empty(self.nv)
        m[self.iv] = P[self.iq]
        for kind, a, b in self.wide:
            at = a + 3 if kind == "free" else a
            p = q[at : at + 4]
            if kind == "free":
                m[b : b + 3] = turned(p).T @ P[a : a + 3]
                b += 3
            m[b : b + 3] = 0.5 * (spun(p).T @ P[at : at + 4])
        return m


def across(u: Array, v: Array) -> Array:
    """u x v; NumPy's own is for many at once."""
    (a, b, c), (x, y, z) = u.tolist(), v.tolist()
    return np.array([b * z - c * y, c * x - a * z, a * y - b * x])


def spun(p: Array) -> Array:
    """Q(p), of which Q(p) w = p (0, w)."""
    w, x, y, z = p
    return np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])


def turned(p: Array) -> Array:
    """R(p) / (p . p)."""
    w, u = p[0], p[1:]
    K = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    return np.eye(3) + 2 / (p @ p) * (w * K + K @ K)
