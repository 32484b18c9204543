"""RNEA, CRBA and ABA over CasADi's SX, and the derivatives by CasADi's own `jacobian`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .casadi_text import SpatialText
from .task import M

Pivot = tuple[Any, Any, Any]  # U, D and the force left over: of one freedom of an articulated body


class SpatialQuestions(SpatialText):
    """Each question as a list of SX outputs."""

    def function(self, question: str) -> Any:
        """The question as a CasADi function of (q, v, x), or of q alone."""
        outputs = self.ca.cse(getattr(self, question)())
        inputs = [self.q] if question == M else [self.q, self.v, self.x]
        return self.ca.Function(question, inputs, outputs)

    # ---- inverse dynamics

    def inverse_dynamics(self) -> list[Any]:
        """Out with velocities and accelerations, back with forces."""
        f, tau = self._body_forces(), [None] * self.model.njoints
        for i in range(self.model.njoints - 1, 0, -1):
            tau[i] = self.S[i].T @ f[i] + self.model.armature[self._span(i)] * self.xp[self._span(i)]
            f[self.model.parents[i]] += self._out_of(i, f[i])
        return [self._unpermuted(tau[1:])]

    def _body_forces(self) -> list[Any]:
        velocity, bias = self._rates()
        a, f = [self._fall()], [self.constant(np.zeros(6))]
        for i in range(1, self.model.njoints):
            a.append(self._into(i, a[self.model.parents[i]]) + self.S[i] @ self.xp[self._span(i)] + bias[i])
            inertia = self._inertia(i)
            f.append(inertia @ a[i] + self._force_cross(velocity[i], inertia @ velocity[i]))
        return f

    def inverse_dynamics_derivatives(self) -> list[Any]:
        """By the tangent of q, by v, and M by its own recursion."""
        tau = self.inverse_dynamics()[0]
        dq = self.ca.jacobian(tau, self.q) @ self._tangent()
        dv = self.ca.jacobian(tau, self.v)
        return [self.ca.densify(m).T for m in (dq, dv)] + self.mass_matrix()

    # ---- mass matrix

    def mass_matrix(self) -> list[Any]:
        """Composite bodies."""
        m = self.ca.SX(self.model.nv, self.model.nv)
        for i, composite in self._composites():
            self._column(m, i, composite @ self.S[i])
        back = [int(i) for i in np.argsort(self.oracle.iv)]
        return [self.ca.densify(m[back, back])]

    def _composites(self) -> list[tuple[int, Any]]:
        """Each body with the inertia of all that it carries, from the tips to the base."""
        inertia = [None, *(self._inertia(i) for i in range(1, self.model.njoints))]
        order = range(self.model.njoints - 1, 0, -1)
        for i in order:
            if parent := self.model.parents[i]:
                inertia[parent] += self._carried(i, inertia[i])
        return [(i, inertia[i]) for i in order]

    def _column(self, m: Any, i: int, f: Any) -> None:
        """Entries of M for the freedoms of joint i with those of its ancestors."""
        here, j = self._span(i), i
        m[here, here] = self.S[i].T @ f + np.diag(self.model.armature[here])
        while self.model.parents[j]:
            f, j = self._out_of(j, f), self.model.parents[j]
            m[self._span(j), here] = self.S[j].T @ f
            m[here, self._span(j)] = m[self._span(j), here].T

    def _carried(self, i: int, inertia: Any) -> Any:
        """X' I X: a 6 x 6 inertia of body i seen from its parent."""
        return self._out_of(i, self._out_of(i, inertia).T)

    # ---- forward dynamics

    def forward_dynamics(self) -> list[Any]:
        """Articulated bodies, one freedom eliminated at a time."""
        velocity, bias = self._rates()
        pivots = self._articulated(velocity, bias)
        a, answer = [self._fall()], [None] * self.model.nv
        for i in range(1, self.model.njoints):
            moved = self._into(i, a[self.model.parents[i]])  # the pivots already hold the bias
            for k in self._freedoms(i):
                u, d, rest = pivots[k]
                answer[k] = (rest - u.T @ moved) / d
                moved = moved + self._freedom(i, k) * answer[k]
            a.append(moved + bias[i])
        return [self._unpermuted([self.ca.SX(x) for x in answer])]

    def _articulated(self, velocity: list[Any], bias: list[Any]) -> dict[int, Pivot]:
        """The pivots of all freedoms, from the tips to the base."""
        n, parents, pivots = self.model.njoints, self.model.parents, {}
        inertia = [None, *(self._inertia(i) for i in range(1, n))]
        force = [None, *(self._force_cross(velocity[i], inertia[i] @ velocity[i]) for i in range(1, n))]
        for i in range(n - 1, 0, -1):
            ia, pa = self._eliminated(i, inertia[i], force[i] + inertia[i] @ bias[i], pivots)
            if parents[i]:
                inertia[parents[i]] += self._carried(i, ia)
                force[parents[i]] += self._out_of(i, pa)
        return pivots

    def _eliminated(self, i: int, ia: Any, pa: Any, pivots: dict[int, Pivot]) -> tuple[Any, Any]:
        """Inertia and force of body i once its freedoms have given way."""
        for k in reversed(self._freedoms(i)):
            s = self._freedom(i, k)
            u = ia @ s
            pivots[k] = (u, s.T @ u + self.model.armature[k], self.xp[k] - s.T @ pa)
            scaled = u / pivots[k][1]
            ia, pa = ia - scaled @ u.T, pa + scaled * pivots[k][2]
        return ia, pa

    def _freedoms(self, i: int) -> range:
        return range(*self._span(i).indices(self.model.nv))

    def _freedom(self, i: int, k: int) -> Any:
        return self.S[i][:, k - self._span(i).start]
