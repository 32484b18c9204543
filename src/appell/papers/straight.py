"""A frame moved along a straight line, in every posture that the arm can take: what valera2003 and mata2002 do.

Source: valera2003, mata2002.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..control.inverse_kinematics import inverse_kinematics
from ..control.joint_path import JointPath
from ..control.space import Line
from ..control.trajectory import Motion
from ..errors import ShapeError
from ..robot import Robot
from ..show.charts import Chart, Panel, merged
from .case import Agreement, Table
from .joints import panels, units, without_rounding

Array = np.ndarray[Any, Any]
STEPS = 101  # instants of tables and charts


@dataclass(frozen=True, eq=False)
class Straight:
    """The line, and the robot that follows it in branches numbered from 1 by q1, q3 and q5 at the start."""

    robot: Robot
    line: Line

    @cached_property
    def branches(self) -> list[JointPath]:
        """One path for each posture at the start."""
        found = inverse_kinematics(self.robot, self.line(0.0).pose).q
        order = np.lexsort(np.round(found[:, [4, 2, 0]], 9).T)
        return [JointPath(self.robot, self.line, near=q) for q in found[order]]

    def branch(self, number: int) -> JointPath:
        """A path by its number."""
        if not 1 <= number <= len(self.branches):
            raise ShapeError(f"branch is {number}, wanted 1 to {len(self.branches)}")
        return self.branches[number - 1]

    def number(self, q: Any) -> int:
        """The branch that starts nearest to q."""
        return 1 + int(np.argmin([np.abs(path(0.0).q - q).max() for path in self.branches]))

    @cached_property
    def t(self) -> Array:
        """The instants of tables and charts."""
        return np.linspace(0.0, self.line.t_end, STEPS)

    @cached_property
    def motions(self) -> list[Motion]:
        """Of every branch at these instants."""
        return [path(self.t) for path in self.branches]

    @cached_property
    def torques(self) -> Array:
        """(branches, steps, joints)."""
        return np.stack([self.robot.inverse_dynamics(*m) for m in self.motions])

    def tables(self, suffix: str = "") -> tuple[Table, ...]:
        """Where each branch starts and what it needs at most; all angles and torques, rounding errors as 0."""
        joints, torques = range(1, self.robot.nv + 1), without_rounding(self.torques)
        starts = [
            (n, *map(float, m.q[0]), *map(float, largest))
            for n, (m, largest) in enumerate(zip(self.motions, np.abs(torques).max(1), strict=True), 1)
        ]
        head = ("branch", *(f"q_{k}(0) [rad]" for k in joints), *(f"max |tau_{k}| [N m]" for k in joints))
        return (
            Table(f"branches{suffix}", head, starts),
            self._over_time(f"torques{suffix}", "force", torques),
            self._over_time(f"angles{suffix}", "position", np.stack([m.q for m in self.motions])),
        )

    def _over_time(self, name: str, what: Any, values: Array) -> Table:
        """A reader sees the first instant of each branch."""
        head = ("branch", "t [s]", *(f"joint {k + 1} [{u}]" for k, u in enumerate(units(self.robot, what))))
        rows = [
            (n, float(t), *map(float, row))
            for n, branch in enumerate(values, 1)
            for t, row in zip(self.t, branch, strict=True)
        ]
        return Table(name, head, rows, every=STEPS)

    def charts(self, branch: int, title: str, suffix: str = "") -> tuple[Chart, ...]:
        """The torques and the angles of one branch, and the torques of all."""
        q, v, a = self.branch(branch)(self.t)
        tau = self.robot.inverse_dynamics(q, v, a)
        which = f"{title}, branch {branch}"
        return (
            Chart(f"torques{suffix}", f"Torques: {which}", "time [s]", self.t, panels(self.robot, "force", tau)),
            Chart(f"angles{suffix}", f"Joint angles: {which}", "time [s]", self.t, panels(self.robot, "position", q)),
            Chart(f"branches{suffix}", f"Torques: {title}, all branches", "time [s]", self.t, self._by_joint()),
        )

    def _by_joint(self) -> tuple[Panel, ...]:
        """A panel for each joint that has something to do, a curve for each branch; equal ones are one."""
        tau = without_rounding(self.torques)
        moved = [k for k in range(self.robot.nv) if tau[..., k].any()]
        return tuple(Panel(f"joint {k + 1} [N m]", _by_branch(tau[..., k])) for k in moved)

    def agreements(self, length: float, allowed: float, branches: int) -> tuple[Agreement, ...]:
        """What holds along every such line: its length, its branches, two formulations of its torques."""
        other = np.stack([self.robot.inverse_dynamics(*m, method="newton_euler") for m in self.motions])
        poses = np.stack([self.robot.pose(m.q, path.tip) for m, path in zip(self.motions, self.branches, strict=True)])
        off = float(np.abs(poses - self.line(self.t).pose).max())
        apart = float(np.abs(other - self.torques).max())
        return (
            Agreement("length of the line [m]", length, self.line.length, allowed),
            Agreement("branches of the inverse kinematics", branches, len(self.branches), 0.0),
            Agreement("frame off the line, all branches [m, 1]", 0.0, off, 1e-12),
            Agreement("Newton-Euler against Gibbs-Appell, all branches [N m]", 0.0, apart, 1e-9),
            Agreement("largest torque of joint 6, all branches [N m]", 0.0, float(np.abs(other[..., 5]).max()), 1e-9),
        )

    def data(self, branch: int, times: tuple[float, ...]) -> dict[str, Any]:
        """One branch at some instants, and where all start."""
        t = np.array(times) if times else self.t
        q, v, a = self.branch(branch)(t)
        tau = self.robot.inverse_dynamics(q, v, a)
        starts = np.stack([m.q[0] for m in self.motions])
        return {"branch": branch, "t": t, "q": q, "v": v, "a": a, "tau": tau, "branches": starts}


def _by_branch(curves: Array) -> dict[str, Array]:
    """Curves by the numbers of the branches that they belong to."""
    numbered = {str(k): curve for k, curve in enumerate(curves, 1)}
    return {f"branch {numbers}": curve for numbers, curve in merged(numbered).items()}
