"""The usual 6-D spatial recursions over CasADi's SX, in body axes: placements, transforms, velocities.

Written here for the comparison, as CasADi has no rigid bodies of its own. Motions and forces are pairs
(linear, angular); zeros of the model are structural, so that no operation is spent on them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .task import Array


class SpatialText:
    """A tree of bodies over SX: inputs q, v, x in Appell's order, everything inside in Pinocchio's."""

    def __init__(self, oracle: Any) -> None:
        import casadi

        self.ca, self.oracle, self.model = casadi, oracle, oracle.model
        self.q = casadi.SX.sym("q", oracle.model.nq)
        self.v = casadi.SX.sym("v", oracle.model.nv)
        self.x = casadi.SX.sym("x", oracle.model.nv)
        order = [int(i) for i in oracle.iv]
        self.vp, self.xp = self.v[order], self.x[order]
        self.R: list[Any] = [None]
        self.p: list[Any] = [None]
        self.S: list[Any] = [None]
        for i in range(1, self.model.njoints):
            self._place(i)

    def constant(self, m: Any) -> Any:
        """A matrix of numbers whose zeros are structural."""
        return self.ca.SX(self.ca.sparsify(self.ca.DM(np.asarray(m, float))))

    def _place(self, i: int) -> None:
        """Placement of body i in its parent, and the joint's freedoms as columns."""
        kind, axis, pitch = self.oracle.joints[i]
        q = self.q[self._coordinates(i)]
        if kind in ("ball", "free"):
            rotation, move, freedoms = self._wide_joint(kind, q)
        else:
            rotation, move, freedoms = self._narrow_joint(kind, axis, pitch, q)
        place = self.model.jointPlacements[i]
        base = self.constant(place.rotation)
        self.R.append(base @ rotation)
        self.p.append(self.constant(place.translation) + base @ move)
        self.S.append(self.constant(freedoms))

    def _wide_joint(self, kind: str, q: Any) -> tuple[Any, Any, Array]:
        """Rotation, displacement and freedoms of a ball or a free joint."""
        move = q[:3] if kind == "free" else self.constant(np.zeros(3))
        return self._from_quaternion(q[-4:]), move, np.eye(6) if kind == "free" else np.eye(6)[:, 3:]

    def _narrow_joint(self, kind: str, axis: Array, pitch: float, q: Any) -> tuple[Any, Any, Array]:
        """The same of a joint with one freedom."""
        if kind == "prismatic":
            return self.constant(np.eye(3)), self.constant(axis) * q, np.concatenate([axis, np.zeros(3)])[:, None]
        return self._about(axis, q), self.constant(pitch * axis) * q, np.concatenate([pitch * axis, axis])[:, None]

    def _coordinates(self, i: int) -> list[int]:
        """Where the coordinates of joint i stand in q."""
        return [int(k) for k in self.oracle.iq[self.model.idx_qs[i] :][: self.model.nqs[i]]]

    def _about(self, axis: Array, angle: Any) -> Any:
        c, s = self.ca.cos(angle), self.ca.sin(angle)
        outer = np.outer(axis, axis)
        cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
        return self.constant(outer) + c * self.constant(np.eye(3) - outer) + s * self.constant(cross)

    def _from_quaternion(self, q: Any) -> Any:
        x, y, z, w = q[0], q[1], q[2], q[3]
        row1 = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)]
        row2 = [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)]
        row3 = [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
        return self.ca.vertcat(*(self.ca.horzcat(*row) for row in (row1, row2, row3)))

    def _inertia(self, i: int) -> Any:
        return self.constant(self.model.inertias[i].matrix())

    def _into(self, i: int, m: Any) -> Any:
        """A motion of the parent seen from body i."""
        cross, turn = self.ca.cross, self.R[i].T
        return self.ca.vertcat(turn @ (m[:3] + cross(m[3:], self.p[i])), turn @ m[3:])

    def _out_of(self, i: int, f: Any) -> Any:
        """Forces (columns) of body i seen from its parent."""
        linear = self.R[i] @ f[:3, :]
        return self.ca.vertcat(linear, self.R[i] @ f[3:, :] + self._skew(self.p[i]) @ linear)

    def _skew(self, p: Any) -> Any:
        return self.ca.sparsify(self.ca.skew(p))

    def _motion_cross(self, v: Any, m: Any) -> Any:
        cross = self.ca.cross
        return self.ca.vertcat(cross(v[3:], m[:3]) + cross(v[:3], m[3:]), cross(v[3:], m[3:]))

    def _force_cross(self, v: Any, f: Any) -> Any:
        cross = self.ca.cross
        return self.ca.vertcat(cross(v[3:], f[:3]), cross(v[3:], f[3:]) + cross(v[:3], f[:3]))

    def _span(self, i: int) -> slice:
        return slice(int(self.model.idx_vs[i]), int(self.model.idx_vs[i] + self.model.nvs[i]))

    def _rates(self) -> tuple[list[Any], list[Any]]:
        """Velocity and bias acceleration of each body."""
        zero = self.constant(np.zeros(6))
        velocity, bias = [zero], [zero]
        for i in range(1, self.model.njoints):
            own = self.S[i] @ self.vp[self._span(i)]
            velocity.append(self._into(i, velocity[self.model.parents[i]]) + own)
            bias.append(self._motion_cross(velocity[i], own))
        return velocity, bias

    def _fall(self) -> Any:
        return self.constant(np.concatenate([-self.model.gravity.linear, np.zeros(3)]))

    def _unpermuted(self, pieces: list[Any]) -> Any:
        return self.ca.vertcat(*pieces)[[int(i) for i in np.argsort(self.oracle.iv)]]

    def _tangent(self) -> Any:
        """dq by the tangent: identity, and R e, q * (0, e) / 2 for quaternions."""
        t = self.ca.SX(self.model.nq, self.model.nv)
        for i in range(1, self.model.njoints):
            kind, rows = self.oracle.joints[i][0], self._coordinates(i)
            columns = [int(k) for k in self.oracle.iv[self._span(i)]]
            if kind not in ("ball", "free"):
                t[rows[0], columns[0]] = 1
                continue
            t[rows[-4:], columns[-3:]] = self._quaternion_rates(rows[-4:])
            if kind == "free":
                t[rows[:3], columns[:3]] = self._from_quaternion(self.q[rows[-4:]])
        return t

    def _quaternion_rates(self, rows: list[int]) -> Any:
        """q * (0, e) / 2 for each axis e; Pinocchio's quaternion ends with w."""
        x, y, z, w = (self.q[k] for k in rows)
        half = [[w, -z, y], [z, w, -x], [-y, x, w], [-x, -y, -z]]
        return self.ca.vertcat(*(self.ca.horzcat(*r) for r in half)) / 2
