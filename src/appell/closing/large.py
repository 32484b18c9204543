"""Closed mechanisms of many bodies: equations of motion as sparse matrices, in time and memory that grow with them.

What recurses, where links stand and what hangs on them, comes from one rolled kernel. The equations of all loops of a
kind are the same text as everywhere, read over arrays with one lane per loop.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..asking import Identity, numbers_of
from ..closures import loops_resist, names_of
from ..errors import ShapeError
from ..formulations.closure import Closure
from ..formulations.fields import WIDTH, fields
from ..formulations.senses import ways
from ..formulations.table import Formulation, Question
from ..linalg import FLOOR, LEAST, ROUNDS, WEIGHT
from .lanes import Lanes, World, lanes_of, supports

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
Sparse = Any
LARGE = 48  # degrees of freedom above which straight-line code would take long to build


def large(robot: Robot) -> bool:
    """Whether a robot's loops are solved as sparse equations."""
    return robot.mechanism.closed and robot.nv > LARGE and not loops_resist(robot.mechanism)


def large_of(robot: Robot) -> Large:
    """The sparse equations of a robot, kept with it."""
    if "large" not in robot._kernels:
        robot._kernels["large"] = Large(robot)
    return robot._kernels["large"]


class Large:
    """A robot's sparse equations: M a + h = tau + A' f, A a + c = 0. One state at a time."""

    def __init__(self, robot: Robot) -> None:
        from ..kernel.make import make

        self.robot, tree = robot, robot.tree
        asks = Question(("q", "v"), (("rows", ("nv", WIDTH)),), "what sparse equations are made of")
        row = Formulation("links", "fields", fields, "walker1982", asks=asks)
        self.fields = make(row, tree, unroll=False, owner=Identity(robot.mechanism, robot.identity)).callable
        self.m, self.nv = len(names_of(robot.mechanism)), tree.nv
        on = supports(tree)
        self.pairs = np.array([(z, t) for path in on for k, z in enumerate(path) for t in path[k:]]).T
        self.pairs = np.unique(self.pairs, axis=1)
        self.groups = lanes_of(robot, on)
        self.rotors = np.zeros(tree.nv)
        for z in (z for b in tree.links for z in b.freedoms):
            self.rotors[z.index] = z.rotor
        self.still = np.zeros(tree.nv)

    @cached_property
    def bias(self) -> Any:
        """The forces of a motion without acceleration."""
        return self.robot.kernel("bias")

    @cached_property
    def bias_under(self) -> Any:
        """The same under wrenches."""
        return self.robot.kernel("bias", inputs=["wrench"])

    # -- what is asked ------------------------------------------------------------------------------------------

    def equations(self, q: Array, v: Array) -> tuple[Array, Sparse, Array]:
        """(g, A, c)."""
        return self._equations(self.fields(q, v), q, v)

    def senses(self, q: Array) -> tuple[Array, Sparse]:
        """(s, S): how far axes are from meeting the right way round, and how that changes."""
        rows = self.fields(q, self.still)
        world, values, found, at = World(rows), list[Array](), list[Any](), 0
        for group in (x for x in self.groups if isinstance(x, Lanes) and isinstance(x.closure, Closure)):
            b, n = group.closure.b, len(group.starts)
            x = world.o[b.link] + world.arm(b)
            for _, value, _, lanes, z, entries in group.spread(rows, x, list(ways(world, group.closure))):
                values.append(np.broadcast_to(value, n))
                found.append((entries, at + lanes, z))
                at += n
        return np.concatenate([np.zeros(0), *values]), self._matrix(found, at)

    def response(self, q: Array, b: Array, s: Array) -> tuple[Array, Array]:
        """(x, f) such that M x = b + A' f and A x = s."""
        rows = self.fields(q, self.still)
        return _solved(self._mass_matrix(rows), self._equations(rows, q, self.still)[1], b, s)

    def forces(self, q: Array, v: Array, tau: Array, *wrench: Array) -> tuple[Array, Array]:
        """(a, f) of a motion under forces."""
        rows = self.fields(q, v)
        _, A, c = self._equations(rows, q, v)
        h = self.bias_under(q, v, *wrench) if wrench else self.bias(q, v)
        return _solved(self._mass_matrix(rows), A, tau - h, -c)

    def answer(self, q: Any, v: Any, tau: Any, wrench: Any = None, out: Any = None, **others: Any) -> Array:
        """The same for anything that is an array, with leading axes for many states."""
        if others:
            raise ShapeError(f"forward_dynamics of so many joints in loops got {min(others)!r}, wanted wrench or out")
        given = numbers_of("forward_dynamics", q=q, v=v, tau=tau, **({} if wrench is None else {"wrench": wrench}))
        own = ((self.robot.nq,), (self.nv,), (self.nv,), (self.robot.n, 6))
        for x, shape, name in zip(given, own, ("q", "v", "tau", "wrench"), strict=False):
            if x.shape[x.ndim - len(shape) :] != shape:
                raise ShapeError(f"forward_dynamics: {name} has shape {x.shape}, wanted {('...', *shape)}")
        lead = np.broadcast_shapes(*(x.shape[: x.ndim - len(s)] for x, s in zip(given, own, strict=False)))
        states = [np.broadcast_to(x, (*lead, *s)).reshape(-1, *s) for x, s in zip(given, own, strict=False)]
        found = np.array([self.forces(*map(np.ascontiguousarray, row))[0] for row in zip(*states, strict=True)])
        if out is None:
            return found.reshape(*lead, self.nv)
        out[...] = found.reshape(*lead, self.nv)
        return out

    def accelerations(self, q: Array, v: Array, tau: Array, *wrench: Array, out: Array | None = None) -> Array:
        """The same for a simulation, which has its numbers in order."""
        a = self.forces(q, v, tau, *wrench)[0]
        if out is None:
            return a
        out[...] = a
        return out

    # -- matrices -----------------------------------------------------------------------------------------------

    def _equations(self, rows: Array, q: Array, v: Array) -> tuple[Array, Sparse, Array]:
        world, g, c = World(rows), np.zeros(self.m), np.zeros(self.m)
        found = []
        for group in self.groups:
            for place, value, bias, lanes, z, x in group.rows(world, rows, q, v):
                g[place], c[place] = value, bias
                found.append((x, place[lanes], z))
        return g, self._matrix(found, self.m), c

    def _matrix(self, found: list[tuple[Array, Array, Array]], m: int) -> Sparse:
        """A matrix of m rows from entries, their rows, and their columns."""
        from scipy.sparse import csr_array

        nothing = np.zeros(0), np.zeros(0, int), np.zeros(0, int)
        x, rows, columns = (np.concatenate(parts) for parts in zip(nothing, *found, strict=True))
        return csr_array((x, (rows, columns)), (m, self.nv))

    def _mass_matrix(self, rows: Array) -> Sparse:
        """M_zt = t . (n_z, f_z), carried to where t is."""
        from scipy.sparse import csc_array

        z, t = self.pairs
        f, n, arm = rows[z, 30:33], rows[z, 33:36], rows[z, 15:18] - rows[t, 15:18]
        x = _dot(rows[t, 3:6], f) + _dot(rows[t, :3], n + np.cross(arm, f))
        x[z == t] += self.rotors[z[z == t]]
        off = z != t
        places = np.concatenate([z, t[off]]), np.concatenate([t, z[off]])
        return csc_array((np.concatenate([x, x[off]]), places), (self.nv, self.nv))


def _solved(M: Sparse, A: Sparse, b: Array, s: Array) -> tuple[Array, Array]:
    """As `linalg.Bound`, with a sparse factorisation: (x, f) such that M x = b + A' f and A x = s."""
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import splu

    heavy = M.diagonal()
    gives = (A * A) @ (1 / (heavy + heavy.mean() * FLOOR))
    w = WEIGHT / (gives + gives.mean() * LEAST)
    K = splu(
        (M + A.T @ diags_array(w) @ A).tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )  # fmt: skip
    x, f = np.zeros(len(b)), np.zeros(len(s))
    for _ in range(ROUNDS):
        push = f + w * (s - A @ x)
        dx = K.solve(b - M @ x + A.T @ push)
        x = x + dx
        f = push - w * (A @ dx)
    return x, f


def _dot(a: Array, b: Array) -> Array:
    return np.einsum("ij,ij->i", a, b)
