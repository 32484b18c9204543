"""Contacts that stay closed: which of them push, slide or stick, the forces in them, and when that changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model.joints import basis
from .complementarity import FLAT, complementary, held, redundant
from .contact import Contacts
from .friction import rubbing
from .rate import Rate

Array = np.ndarray[Any, Any]
SLOW = 1e-9  # metres per second, below which a contact does not slide


@dataclass(frozen=True)
class Touch:
    """What is known of some contacts at one state."""

    g: Array
    rate: Array
    c: Array
    J: Array
    n: Array
    u: Array
    d: Array

    def of(self, which: Array) -> Touch:
        """The same of fewer contacts."""
        return Touch(*(getattr(self, name)[which] for name in ("g", "rate", "c", "J", "n", "u", "d")))

    @property
    def slip(self) -> Array:
        """Velocities along the walls, (k, 3)."""
        return self.u - np.einsum("ki,ki->k", self.u, self.n)[:, None] * self.n

    @property
    def along(self) -> Array:
        """The same as two numbers for each contact, (k, 2)."""
        return np.einsum("kai,ki->ka", tangents(self.n), self.u)


def tangents(n: Array) -> Array:
    """Two directions across each normal, (k, 2, 3)."""
    rows = [basis(tuple(x)) if x.any() else ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)) for x in n]
    return np.array(rows).reshape(-1, 3, 3).swapaxes(1, 2)[:, :2]


class Rest:
    """The contacts that are closed now and stay so: `which` of all, whether each `sticks`, and the way it slides."""

    def __init__(self, contacts: Contacts, rate: Rate, friction: Array) -> None:
        self.contacts, self.rate, self.friction = contacts, rate, friction
        self.rubs = bool((friction > 0).any())
        self.hold(np.zeros(0, int), np.zeros(0))

    def hold(self, which: Array, levels: Array, sticks: Array | None = None, ways: Array | None = None) -> None:
        """From now on these are closed, at the gaps that they have now; what is in its wall is brought out of it."""
        self.which, self.levels = np.asarray(which, int), np.maximum(levels, 0.0)
        k = len(self.which)
        self.sticks = np.zeros(k, bool) if sticks is None else sticks
        self.ways = np.zeros((k, 3)) if ways is None else ways

    def touch(self, t: float, q: Array, v: Array) -> Touch:
        """All contacts at a state."""
        return Touch(*self.contacts.touching(q, v, np.array([t])))

    def across(self, t: float, q: Array, seen: Touch, which: Array) -> Array:
        """The Jacobians (k, 2, nv) of velocities along the walls, of some contacts."""
        return np.einsum("kai,kij->kaj", tangents(seen.n), self.contacts.sliding(q, np.array([t]))[which])

    # -- forces -----------------------------------------------------------------------------------------------

    def push(self, t: float, q: Array, v: Array, a: Array, power: Array) -> None:
        """Adds to free accelerations what the closed contacts do, and to powers: of walls that move, of friction."""
        if not self.rubs:
            _, _, c, J, *_ = self.contacts.touching(q, v, np.array([t]))
            J = J[self.which]
            f, moved = self.pressing(q, J, J @ a + c[self.which])
            a += moved
            power[1] += float(f @ (J @ v))
            return
        seen = self.touch(t, q, v).of(self.which)
        f, force, moved = self._forces(seen, t, q, a)
        a += moved
        rubbed = float(np.einsum("ki,ki->", f, seen.u) - np.einsum("ki,ki,kj,kj->", f, seen.n, seen.u, seen.n))
        power[1] += float(force @ v) - rubbed
        power[2] -= rubbed

    def pressing(self, q: Array, J: Array, closing: Array) -> tuple[Array, Array]:
        """The forces that take back accelerations towards walls, and the accelerations that they make."""
        MJ = self.rate.moved(q, J.T)
        A = J @ MJ
        factor, f, failed = self.rate.solve(A, -closing)
        pivots = factor.diagonal()
        if failed or pivots.min() < FLAT * pivots.max():  # redundant
            f = held(A, -closing)
        return f, MJ @ f

    def _forces(self, seen: Touch, t: float, q: Array, a: Array) -> tuple[Array, Array, Array]:
        """The forces on the points in the world; the same as forces of joints; and the accelerations they make."""
        x, ways, MW = self._held(seen, t, q, a)
        return self._in_world(seen, x), ways.T @ x, MW @ x

    def _held(self, seen: Touch, t: float, q: Array, a: Array) -> tuple[Array, Array, Array]:
        """Normal forces, and tangential ones of what sticks; along what they act, and what that moves."""
        rows, ways, bias = self._system(seen, t, q)
        MW = self.rate.moved(q, ways.T)
        return _solved(rows @ MW, rows, -(rows @ a + bias)), ways, MW

    def _system(self, seen: Touch, t: float, q: Array) -> tuple[Array, Array, Array]:
        """What is held, along what forces act, and the part of what is held that does not depend on a."""
        S, mu = self.contacts.sliding(q, np.array([t]))[self.which], self.friction[self.which]
        along = seen.J - (mu * ~self.sticks)[:, None] * np.einsum("ki,kij->kj", self._sliding(seen), S)
        T, st = tangents(seen.n)[self.sticks], self.sticks
        across = np.einsum("kai,kij->kaj", T, S[st]).reshape(-1, S.shape[2])
        bias = np.einsum("kai,ki->ka", T, seen.d[st]).reshape(-1)
        rows = np.concatenate([seen.J, across])
        return rows, np.concatenate([along, across]), np.concatenate([seen.c, bias])

    def _sliding(self, seen: Touch) -> Array:
        """The directions in which contacts slide: as they move, or as they last did."""
        slip = seen.slip
        speed = np.linalg.norm(slip, axis=1, keepdims=True)
        return np.where(speed > SLOW, slip / np.maximum(speed, SLOW), self.ways)

    def _in_world(self, seen: Touch, x: Array) -> Array:
        k = len(self.which)
        f = seen.n * x[:k, None]
        f -= (self.friction[self.which] * ~self.sticks * x[:k])[:, None] * self._sliding(seen)
        f[self.sticks] += np.einsum("ka,kai->ki", x[k:].reshape(-1, 2), tangents(seen.n)[self.sticks])
        return f

    # -- what changes -----------------------------------------------------------------------------------------

    def margins(self, t: Array, q: Array, v: Array, a: Array) -> Array:
        """Positive while all stays so, (s, 2k): how hard each contact pushes, how far it is from slip or stick."""
        if self.rubs:
            return np.array([self._margins(*state) for state in zip(t.tolist(), q, v, a, strict=True)])
        _, _, c, J, *_ = self.contacts.touching(q, v, t.reshape(-1, 1))
        J = J[:, self.which]
        A = J @ self.rate.moved(q, J.swapaxes(1, 2))
        closing = np.einsum("skj,sj->sk", J, a) + c[:, self.which]
        f = -_many_held(A, closing)
        return np.concatenate([f, np.ones_like(f)], axis=1)

    def _margins(self, t: float, q: Array, v: Array, a: Array) -> Array:
        seen, k = self.touch(t, q, v).of(self.which), len(self.which)
        x, _, _ = self._held(seen, t, q, a)
        mu = self.friction[self.which]
        second = np.einsum("ki,ki->k", seen.slip, self.ways)
        second[self.sticks] = (mu * x[:k])[self.sticks] - np.linalg.norm(x[k:].reshape(-1, 2), axis=1)
        second[mu == 0] = 1.0
        return np.concatenate([x[:k], second])

    def decide(self, t: float, q: Array, v: Array, a: Array, candidates: Array, leaving: int | None = None) -> Array:
        """Holds those of the candidates that push when all accelerations are free; gives the forces they push with.

        One that is `leaving` is held only if it would go through its wall otherwise.
        """
        staying = candidates[candidates != leaving] if leaving is not None else candidates
        forces, left = self._decided(t, q, v, a, staying)
        if leaving is not None and left[leaving] < -1e-9 * (1 + np.abs(a).max(initial=0.0)):
            forces, _ = self._decided(t, q, v, a, candidates)
        return forces

    def _decided(self, t: float, q: Array, v: Array, a: Array, which: Array) -> tuple[Array, Array]:
        """The normal forces on the chosen, which are held if they push; all contacts' accelerations then."""
        everything = self.touch(t, q, v)
        seen = everything.of(which)
        if not len(which):
            self.hold(which, np.zeros(0))
            return np.zeros(0), everything.J @ a + everything.c
        if self.rubs:
            f, push = self._rubbed(seen, t, q, a, which)
        else:
            MJ = self.rate.moved(q, seen.J.T)
            A = seen.J @ MJ
            f = complementary(0.5 * (A + A.T), seen.J @ a + seen.c)
            self.hold(which[f > 0], seen.g[f > 0])
            push = MJ @ f
        return f, everything.J @ (a + push) + everything.c

    def _rubbed(self, seen: Touch, t: float, q: Array, a: Array, which: Array) -> tuple[Array, Array]:
        k, nv = len(which), len(a)
        T, mu = tangents(seen.n), self.friction[which]
        B = np.concatenate([seen.J[:, None], self.across(t, q, seen, which)], 1).reshape(3 * k, nv)
        bias = np.concatenate([seen.c[:, None], np.einsum("kai,ki->ka", T, seen.d)], 1).reshape(-1)
        slip = seen.along
        speed = np.linalg.norm(slip, axis=1, keepdims=True)
        slide = np.where(speed > SLOW, slip / np.maximum(speed, SLOW), 0.0)
        MB = self.rate.moved(q, B.T)
        W, u = B @ MB, B @ a + bias
        f = rubbing(W, u, mu, slide=slide)
        pushing = f[::3] > 1e-12 * np.abs(f).max(initial=1e-300)
        across = f.reshape(k, 3)[:, 1:]
        size = np.linalg.norm(across, axis=1)
        starts = np.linalg.norm((W @ f + u).reshape(k, 3)[:, 1:], axis=1)  # to slide, from rest
        firm = (size < mu * f[::3] * (1 - 1e-9)) | (starts < 1e-9 * (1 + np.abs(a).max()))
        sticks = firm & (speed[:, 0] <= SLOW) & (mu > 0)
        ways = np.where((size > 0)[:, None], -across / np.maximum(size, 1e-300)[:, None], slide)
        self.hold(which[pushing], seen.g[pushing], sticks[pushing], np.einsum("ka,kai->ki", ways, T)[pushing])
        return f[::3], MB @ f

    def slips(self, k: int, t: float, q: Array, v: Array, a: Array) -> None:
        """The k-th of the closed contacts, which stuck, begins to slide against its force."""
        seen = self.touch(t, q, v).of(self.which)
        f, _, _ = self._forces(seen, t, q, a)
        across = f[k] - (f[k] @ seen.n[k]) * seen.n[k]
        self.ways[k], self.sticks[k] = -across / np.linalg.norm(across), False

    # -- drift ------------------------------------------------------------------------------------------------

    def project(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """(q, v) brought back to where the closed contacts are closed and stay so, by the shortest way."""
        robot = self.contacts.robot
        for _ in range(3):
            seen = self.touch(t, q, v).of(self.which)
            off = seen.g - self.levels
            if np.abs(off).max() <= 1e-15:
                break
            q = robot.integrate(q, self._shift(q, seen.J, -off), 1.0)
        seen = self.touch(t, q, v).of(self.which)
        rows, off = seen.J, seen.rate
        if self.sticks.any():
            held, stuck = self.which[self.sticks], seen.of(self.sticks)
            rows = np.concatenate([rows, self.across(t, q, stuck, held).reshape(-1, len(v))])
            off = np.concatenate([off, stuck.along.reshape(-1)])
        return q, v + self._shift(q, rows, -off)

    def _shift(self, q: Array, rows: Array, by: Array) -> Array:
        """The least change of q or v, by kinetic energy, that moves the rows by so much."""
        MR = self.rate.moved(q, rows.T)
        return MR @ held(rows @ MR, by)


def _many_held(A: Array, b: Array) -> Array:
    """The shortest x with A x = b, for many A at once."""
    if not redundant(A):
        return np.linalg.solve(A, b[..., None])[..., 0]
    return np.einsum("skl,sl->sk", np.linalg.pinv(A, 1e-11, hermitian=True), b)


def _solved(A: Array, rows: Array, b: Array) -> Array:
    """A x = b, where redundant rows leave a choice the shortest x."""
    if len(b) == 1:
        return b / A[0, 0]
    size = np.linalg.norm(rows, axis=1)
    size[size == 0] = 1.0
    return np.linalg.lstsq(A / np.outer(size, size), b / size, rcond=1e-11)[0] / size
