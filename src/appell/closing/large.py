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
from .augmented import Augmented, Pattern
from .lanes import Lanes, World, crossed, lanes_of, supports

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
        self.own = np.flatnonzero(self.pairs[0] == self.pairs[1])
        self.groups = lanes_of(robot, on)
        self.places = [group.equations for group in self.groups]
        entries = [np.array([x.reshape(-1) for x in group.entries]) for group in self.groups]
        places = np.concatenate([np.zeros((2, 0), int), *entries], 1)
        self.augmented = Augmented(Pattern((self.nv, self.nv), *self.pairs), Pattern((self.m, self.nv), *places))
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
        g, c, found = self._found(self.fields(q, v), q, v)
        return g, self.augmented.coefficients.matrix(found), c

    def senses(self, q: Array) -> tuple[Array, Sparse]:
        """(s, S): how far axes are from meeting the right way round, and how that changes."""
        rows = self.fields(q, self.still)
        world, values, entries, places, at = World(rows), [np.zeros(0)], [np.zeros(0)], [np.zeros((2, 0), int)], 0
        for group in (x for x in self.groups if isinstance(x, Lanes) and isinstance(x.closure, Closure)):
            b, n = group.closure.b, len(group.starts)
            found = list(ways(world, group.closure))
            if not found:
                continue
            x = group.of(rows, world.o[b.link] + world.arm(b), found)
            for k, row in enumerate(found):
                values.append(np.broadcast_to(row.value, n))
                entries.append(x[:, k])
                places.append(np.array([at + group.lanes, group.freedoms]))
                at += n
        pattern = Pattern((at, self.nv), *np.concatenate(places, 1))
        return np.concatenate(values), pattern.matrix(np.concatenate(entries))

    def pivots(self, q: Array) -> Array | None:
        """How well every freedom is bound once those before it are: see `Augmented.pivots`."""
        rows = self.fields(q, self.still)
        return self.augmented.pivots(self._masses(rows), self._found(rows, q, self.still)[2])

    def response(self, q: Array, b: Array, s: Array) -> tuple[Array, Array]:
        """(x, f) such that M x = b + A' f and A x = s."""
        rows = self.fields(q, self.still)
        return self.augmented.solved(self._masses(rows), self._found(rows, q, self.still)[2], b, s)

    def forces(self, q: Array, v: Array, tau: Array, *wrench: Array) -> tuple[Array, Array]:
        """(a, f) of a motion under forces."""
        rows = self.fields(q, v)
        _, c, found = self._found(rows, q, v)
        h = self.bias_under(q, v, *wrench) if wrench else self.bias(q, v)
        return self.augmented.solved(self._masses(rows), found, tau - h, -c)

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

    def _found(self, rows: Array, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """(g, c) of all equations, and their coefficients, group by group."""
        g, c, found = np.zeros(self.m), np.zeros(self.m), [np.zeros(0)]
        for group, places in zip(self.groups, self.places, strict=True):
            g[places], c[places], entries = group.found(rows, q, v)
            found.append(entries.reshape(-1))
        return g, c, np.concatenate(found)

    def _masses(self, rows: Array) -> Array:
        """M_zt = t . (n_z, f_z), carried to where t is, for all pairs."""
        z, t = self.pairs
        f, n, arm = rows[z, 30:33], rows[z, 33:36], rows[z, 15:18] - rows[t, 15:18]
        x = _dot(rows[t, 3:6], f) + _dot(rows[t, :3], n + crossed(arm, f))
        x[self.own] += self.rotors[z[self.own]]
        return x


def _dot(a: Array, b: Array) -> Array:
    return np.einsum("ij,ij->i", a, b)
