"""Controllers in joint coordinates: those of valera2003 (Table 4), by inverse dynamics, and PD with gravity.

Each is a `Block`. A robot with closed loops wants `actuators`, the joints that have motors; q and v are the tree's, and
references are the actuators' alone. Torques are limited where limits are given; an integral stands still while its
joint is at its limit and the error would drive it farther.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..errors import ShapeError, unknown
from ..formulations.gibbs_appell import gibbs_appell
from ..formulations.gibbs_appell_vector import gibbs_appell_vector
from ..formulations.newton_euler import newton_euler
from ..formulations.still import Still
from ..robot import Robot
from ..scalar import between, sign
from .axes import Axes
from .block import Block
from .gains import Gains, numbers, of_model

PAGES: dict[str, Callable[..., Any]] = {
    "gibbs_appell": gibbs_appell, "gibbs_appell_vector": gibbs_appell_vector, "newton_euler": newton_euler,
}  # fmt: skip


def point_to_point(
    robot: Robot, gains: Gains, *, actuators: Any = None, limit: Any = None, method: str = "gibbs_appell"
) -> Block:  # fmt: skip
    """tau = M (kp e - kd v) + h: brings the joints to a configuration.

    With a true model every e falls by e" + kd e' + kp e = 0. Source: valera2003, Table 4.
    """
    given = _given(robot, gains, actuators, limit, method)
    return _law(robot, "point_to_point", _point_to_point, ("q_d",), given)


def tracking(
    robot: Robot, gains: Gains, *, period: float = 0.0, actuators: Any = None, limit: Any = None,
    method: str = "gibbs_appell",
) -> Block:  # fmt: skip
    """tau = M (a_d + kd (v_d - v) + kp e + ki integral of e) + h: follows a motion of the joints.

    Dry friction is that of the speed that is wanted, so that noise in v does not make it chatter; of a closed mechanism
    that of the motion. The integral, where ki is not 0, is summed over samples of `period`. Source: valera2003, Table
    4, with the error of the velocity where it prints the velocity.
    """
    given = _given(robot, gains, actuators, limit, method)
    ki = gains.each(len(given["axes"]))[2]
    if any(ki) and not period > 0:
        raise ShapeError(f"tracking with integral action got the period {period!r}, wanted the time between samples")
    given |= {"ki": ki, "period": period}
    return _law(robot, "tracking", _tracking, ("q_d", "v_d", "a_d"), given, np.zeros(len(ki) if any(ki) else 0))


def pd_with_gravity(robot: Robot, gains: Gains, *, actuators: Any = None, limit: Any = None) -> Block:
    """tau = kp e - kd v + g: brings the joints to a configuration; the gains are in N m/rad and N m s/rad."""
    given = _given(robot, gains, actuators, limit, "gibbs_appell")
    return _law(robot, "pd_with_gravity", _pd_with_gravity, ("q_d",), given)


def _given(robot: Robot, gains: Gains, actuators: Any, limit: Any, method: str) -> dict[str, Any]:
    """What all laws in joints take."""
    axes = Axes.of(robot, actuators)
    kp, kd, _ = gains.each(len(axes))
    limits = limits_of(robot, limit, axes.places)
    return {"axes": axes, "page": page_of(method), "kp": kp, "kd": kd, "limits": limits}


def _law(
    robot: Robot, name: str, text: Any, inputs: tuple[str, ...], given: dict[str, Any], start: Any = ()
) -> Block:  # fmt: skip
    axes, sizes = given["axes"], tuple((x, len(given["axes"])) for x in inputs)

    def rest(q: Any) -> tuple[Any, ...]:
        return axes.positions(robot, q), *[np.zeros(len(axes))] * (len(inputs) - 1)

    own = partial(text, **given)
    closed = axes.chosen is not None
    memory, period = np.array(start, float), given["period"] if len(start) else 0.0
    outputs = (("tau", robot.nv),)
    return Block(robot, robot.light_tree, name, own, sizes, outputs, memory, rest, closed, period, axes.places)


def _point_to_point(robot, q, v, q_d, *, axes, page, kp, kd, limits):
    e, rate = errors(robot, axes, q, q_d), [v[z] for z in axes.freedoms(robot)]
    a = [kp[k] * e[k] - kd[k] * rate[k] for k in range(len(axes))]
    return limited(robot, applied(robot, axes, axes.forces(robot, page, q, v, a, Still())), limits)


def _tracking(robot, q, v, q_d, v_d, a_d, state=None, *, axes, page, kp, kd, ki, period, limits):
    e, rate, n = errors(robot, axes, q, q_d), [v[z] for z in axes.freedoms(robot)], len(axes)
    a = [a_d[k] + kd[k] * (v_d[k] - rate[k]) + kp[k] * e[k] for k in range(n)]
    if state is not None:
        a = [a[k] + ki[k] * state[k] for k in range(n)]
    free = applied(robot, axes, axes.forces(robot, page, q, v, a, v_d))
    tau = limited(robot, free, limits)
    if state is None:
        return tau
    after = robot.table(n)
    for k, z in enumerate(axes.freedoms(robot)):
        after[k] = state[k] + period * e[k] * unwound(free[z] - tau[z], e[k])
    return tau, after


def _pd_with_gravity(robot, q, v, q_d, *, axes, page, kp, kd, limits):
    e, rate = errors(robot, axes, q, q_d), [v[z] for z in axes.freedoms(robot)]
    g = axes.holding(robot, page, q)
    tau = [g[k] + kp[k] * e[k] - kd[k] * rate[k] for k in range(len(axes))]
    return limited(robot, applied(robot, axes, tau), limits)


def stay(q: Any) -> tuple[Any, ...]:
    """A motion that rests at q."""
    return q, np.zeros_like(q), np.zeros_like(q)


def errors(robot, axes, q, q_d):
    """Wanted less true coordinates."""
    return [q_d[k] - q[z.position] for k, z in enumerate(axes.freedoms(robot))]


def applied(robot, axes, tau):
    """Forces of the axes as those of all joints."""
    out = robot.vector()
    for z in robot.freedoms():
        out[z] = 0
    for z, x in zip(axes.freedoms(robot), tau, strict=True):
        out[z] = x
    return out


def limited(robot, tau, limits):
    """Forces within their limits."""
    out = robot.vector()
    for z in robot.freedoms():
        most = limits[z.index]
        out[z] = tau[z] if most is None else between(tau[z], -most, most)
    return out


def unwound(cut, e):
    """1 where an integral of e may go on; 0 where a force is cut and e has the sign of what is cut."""
    way = sign(cut)
    return 1 - (way * way + way * sign(e)) * 0.5


def limits_of(robot: Robot, limit: Any, places: Sequence[int] | None = None) -> list[float | None]:
    """The largest force of each joint, or None; given for those at some places, or "model", which has them itself."""
    found: list[float | None] = [None] * robot.nv
    own = range(robot.nv) if places is None else places
    if isinstance(limit, str):
        if limit != "model":
            raise ShapeError(f"limit is {limit!r}, wanted numbers, or 'model' for its effort limits")
        most = of_model(robot, "effort_limit").tolist()
        return [most[k] if k in own and np.isfinite(most[k]) else None for k in range(robot.nv)]
    if limit is not None:
        for k, most in zip(own, numbers("limit", limit, len(own)), strict=True):
            found[k] = most
    return found


def page_of(method: str) -> Callable[..., Any]:
    """A page of inverse dynamics by its name."""
    if method not in PAGES:
        raise unknown("method of a controller", method, PAGES)
    return PAGES[method]
