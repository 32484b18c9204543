"""Controllers in space: a frame follows a motion, yields like a spring to what touches it, or pushes.

Each is a `Block`. Its reference is a `FrameMotion`; position and velocity come first, then turning, in world axes, and
the error of the attitude is half the axial vector of R_d R', exact for small turns. Accelerations of the frame become
those of the joints by the damped pseudo-inverse; joints that are more than the task needs come to rest.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..control.inverse_kinematics import tip
from ..errors import ShapeError, unknown
from ..formulations.kinematics import acceleration, jacobian, pose, velocity
from ..formulations.resistance import Still
from ..linalg import solve
from ..robot import Robot
from ..vec import Vec3, cross
from .axes import driven
from .block import Block, Sizes
from .feedback import limited, limits_of, page_of
from .gains import Gains, numbers

AXES = ("x", "y", "z", "rx", "ry", "rz")
MOTION: Sizes = (("pose_d", 12), ("velocity_d", 6), ("acceleration_d", 6))
DAMPING = 1e-4  # of the pseudo-inverse: beside singular values in metres and radians


def task_tracking(
    robot: Robot, gains: Gains, frame: str | None = None, *, axes: Any = AXES, damping: float = DAMPING,
    limit: Any = None, method: str = "gibbs_appell",
) -> Block:  # fmt: skip
    """Computed torque in space: the frame's error falls by e" + kd e' + kp e = 0 along some axes."""
    kp, kd, _ = gains.each(6)
    given = _given(robot, frame, axes, damping, limit, method)
    text = partial(_task_tracking, kp=kp, kd=kd, **given)
    return Block(robot, robot.tree, "task_tracking", text, MOTION, (("tau", robot.nv),), rest=resting(robot, frame))


def impedance(
    robot: Robot, stiffness: Any, damped: Any, frame: str | None = None, *, inertia: Any = None, axes: Any = AXES,
    damping: float = DAMPING, limit: Any = None, method: str = "gibbs_appell",
) -> Block:  # fmt: skip
    """A frame on springs and dampers: inertia e" + damped e' + stiffness e = - what touches it.

    Without `inertia` it keeps its own, and no force is measured; with it the law asks for `force` as well, the wrench
    (force, moment) on the frame's origin in world axes. Source: hogan1985.
    """
    K, D = numbers("stiffness", stiffness, 6), numbers("damped", damped, 6)
    m = None if inertia is None else numbers("inertia", inertia, 6, 1e-12)
    text = partial(_impedance, K=K, D=D, m=m, **_given(robot, frame, axes, damping, limit, method))
    inputs = MOTION if m is None else (*MOTION, ("force", 6))
    return Block(
        robot, robot.tree, "impedance", text, inputs, (("tau", robot.nv),), rest=resting(robot, frame, len(inputs) - 3)
    )


def hybrid(
    robot: Robot, gains: Gains, pushing: Any, force_gain: float, period: float, frame: str | None = None, *,
    settling: float = 0.0, damping: float = DAMPING, limit: Any = None, method: str = "gibbs_appell",
) -> Block:  # fmt: skip
    """Force along the axes `pushing`, as ("z",), and motion along the others: the law asks for `force_d` and `force`.

    `force` is what the frame pushes with, (force, moment) at its origin in world axes; its error is integrated with
    `force_gain`, 1/s, and `settling` damps the motion that is left along these axes. Source: raibert1981.
    """
    kp, kd, _ = gains.each(6)
    given = _given(robot, frame, AXES, damping, limit, method)
    pushed = _places(pushing)
    text = partial(_hybrid, kp=kp, kd=kd, pushed=pushed, gain=force_gain * period, settling=settling, **given)
    inputs = (*MOTION, ("force_d", 6), ("force", 6))
    outputs, rest = (("tau", robot.nv),), resting(robot, frame, 2)
    return Block(robot, robot.tree, "hybrid", text, inputs, outputs, np.zeros(6), rest, period=period)


def _task_tracking(robot, q, v, T_d, V_d, A_d, *, kp, kd, place, rows, damping, page, limits):
    frame = Seen(robot, q, v, place)
    e = frame.error(T_d)
    wanted = {k: A_d[k] + kd[k] * (V_d[k] - frame.V[k]) + kp[k] * e[k] for k in rows}
    u = frame.resolved(wanted, damping)
    return limited(robot, driven(robot, page, q, v, u, v), limits)


def _impedance(robot, q, v, T_d, V_d, A_d, F=None, *, K, D, m, place, rows, damping, page, limits):
    frame = Seen(robot, q, v, place)
    e = frame.error(T_d)
    f = {k: K[k] * e[k] + D[k] * (V_d[k] - frame.V[k]) for k in rows}
    wanted = {k: A_d[k] if F is None else A_d[k] + (f[k] + F[k]) * (1.0 / m[k]) for k in rows}
    tau = driven(robot, page, q, v, frame.resolved(wanted, damping), v)
    frame.push(tau, f if F is None else {k: -F[k] for k in rows})
    return limited(robot, tau, limits)


def _hybrid(
    robot, q, v, T_d, V_d, A_d, f_d, F, state, *, kp, kd, pushed, gain, settling, place, rows, damping, page, limits
):
    frame, after = Seen(robot, q, v, place), robot.table(6)
    e = frame.error(T_d)
    wanted = {k: A_d[k] + kd[k] * (V_d[k] - frame.V[k]) + kp[k] * e[k] for k in rows if k not in pushed}
    tau = driven(robot, page, q, v, frame.resolved({**wanted, **dict.fromkeys(pushed, 0)}, damping), v)
    for k in range(6):
        after[k] = state[k] + gain * (f_d[k] - F[k]) if k in pushed else 0
    frame.push(tau, {k: f_d[k] + after[k] - settling * frame.V[k] for k in pushed})
    return limited(robot, tau, limits), after


class Seen:
    """Where a frame stands and how it moves."""

    def __init__(self, robot, q, v, place):
        self.robot, self.v = robot, v
        self.T, self.J, self.V = pose(robot, q, place), jacobian(robot, q, place), velocity(robot, q, v, place)
        self.swing = acceleration(robot, q, v, Still(), place)  # dJ/dt v

    def error(self, T_d):
        """From the frame to where it shall be: a way, and half the axial vector of the turn."""
        way = [T_d[4 * i + 3] - self.T[i, 3] for i in range(3)]
        turn = Vec3()
        for j in range(3):
            turn += cross(Vec3(*(self.T[i, j] for i in range(3))), Vec3(*(T_d[4 * i + j] for i in range(3))))
        return (*way, *(x * 0.5 for x in turn))

    def resolved(self, wanted, damping):
        """Accelerations of joints: J' (J J' + damping^2)^-1 (wanted - dJ/dt v - J u) + u, u = - v beyond the task."""
        rows, freedoms, J = list(wanted), list(self.robot.freedoms()), self.J
        rest = 1 if len(freedoms) > len(rows) else 0
        A = {(i, k): sum(J[i, z] * J[k, z] for z in freedoms) + (damping * damping if i == k else 0)
             for i in rows for k in rows}  # fmt: skip
        b = {k: wanted[k] - self.swing[k] + rest * self.V[k] for k in rows}
        x = solve(A, b, rows)
        u = self.robot.per_freedom()
        for z in freedoms:
            u[z] = sum(J[k, z] * x[k] for k in rows) - rest * self.v[z]
        return u

    def push(self, tau, force):
        """Adds the joints' forces of a wrench that the frame pushes with."""
        for z in self.robot.freedoms():
            tau[z] += sum(self.J[k, z] * x for k, x in force.items())


def _given(robot: Robot, frame: str | None, axes: Any, damping: float, limit: Any, method: str) -> dict[str, Any]:
    """What all laws in space take."""
    name = tip(robot) if frame is None else frame
    if name not in robot.tree.frames:
        raise unknown("frame", name, robot.tree.frames)
    if not 0 <= damping < 1:
        raise ShapeError(f"damping of the pseudo-inverse is {damping!r}, wanted from 0 to 1")
    place = robot.tree.frames[name]
    return {"place": place, "rows": _places(axes), "damping": damping, "page": page_of(method),
            "limits": limits_of(robot, limit)}  # fmt: skip


def resting(robot: Robot, frame: str | None, forces: int = 0) -> Any:
    """What asks a frame to stay where it is at q, and for as many forces to be nothing."""
    name = tip(robot) if frame is None else frame
    return lambda q: (robot.pose(q, name)[:3].reshape(-1), *[np.zeros(6)] * (2 + forces))


def _places(axes: Any) -> tuple[int, ...]:
    names = (axes,) if isinstance(axes, str) else tuple(axes)
    for name in names:
        if name not in AXES:
            raise unknown("axis", name, AXES)
    if not names:
        raise ShapeError("no axis of the frame, wanted some of " + ", ".join(AXES))
    return tuple(AXES.index(name) for name in names)
