"""Controllers in joint coordinates: those of valera2003 (Table 4), by inverse dynamics, and PD with gravity.

Each is a `Block`. Torques are limited where limits are given; an integral stands still while its joint is at its limit
and the error would drive it farther.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..errors import ShapeError, unknown
from ..formulations import resistance
from ..formulations.gibbs_appell import gibbs_appell
from ..formulations.gibbs_appell_vector import gibbs_appell_vector
from ..formulations.newton_euler import newton_euler
from ..robot import Robot
from ..scalar import between, sign
from .block import Block
from .gains import Gains, numbers

PAGES: dict[str, Callable[..., Any]] = {
    "gibbs_appell": gibbs_appell, "gibbs_appell_vector": gibbs_appell_vector, "newton_euler": newton_euler,
}  # fmt: skip


def point_to_point(robot: Robot, gains: Gains, *, limit: Any = None, method: str = "gibbs_appell") -> Block:
    """tau = M (kp e - kd v) + h: brings the joints to a configuration.

    With a true model every e falls by e" + kd e' + kp e = 0. Source: valera2003, Table 4.
    """
    kp, kd, _ = gains.each(robot.nv)
    text = partial(_point_to_point, page=_page(method), kp=kp, kd=kd, limits=limits_of(robot, limit))
    return Block(
        robot, robot.light_tree, "point_to_point", text, (("q_d", robot.nv),), (("tau", robot.nv),), rest=lambda q: (q,)
    )


def tracking(
    robot: Robot, gains: Gains, *, period: float = 0.0, limit: Any = None, method: str = "gibbs_appell"
) -> Block:  # fmt: skip
    """tau = M (a_d + kd (v_d - v) + kp e + ki integral of e) + h: follows a motion of the joints.

    Dry friction is that of the speed that is wanted, so that noise in v does not make it chatter. The integral, where
    ki is not 0, is summed over samples of `period`. Source: valera2003, Table 4, with the error of the velocity where
    it prints the velocity.
    """
    kp, kd, ki = gains.each(robot.nv)
    integral = any(ki)
    if integral and not period > 0:
        raise ShapeError(f"tracking with integral action got the period {period!r}, wanted the time between samples")
    given = {"page": _page(method), "kp": kp, "kd": kd, "ki": ki, "period": period, "limits": limits_of(robot, limit)}
    inputs = tuple((name, robot.nv) for name in ("q_d", "v_d", "a_d"))
    start = np.zeros(robot.nv if integral else 0)
    text = partial(_tracking, **given)
    return Block(robot, robot.light_tree, "tracking", text, inputs, (("tau", robot.nv),), start, stay)


def pd_with_gravity(robot: Robot, gains: Gains, *, limit: Any = None) -> Block:
    """tau = kp e - kd v + g: brings the joints to a configuration; the gains are in N m/rad and N m s/rad."""
    kp, kd, _ = gains.each(robot.nv)
    text = partial(_pd_with_gravity, kp=kp, kd=kd, limits=limits_of(robot, limit))
    return Block(
        robot,
        robot.light_tree,
        "pd_with_gravity",
        text,
        (("q_d", robot.nv),),
        (("tau", robot.nv),),
        rest=lambda q: (q,),
    )


def stay(q: Any) -> tuple[Any, ...]:
    """A motion that rests at q."""
    return q, np.zeros_like(q), np.zeros_like(q)


def _point_to_point(robot, q, v, q_d, *, page, kp, kd, limits):
    u = robot.per_freedom()
    for z in robot.freedoms():
        u[z] = kp[z.index] * (q_d[z] - q[z.position]) - kd[z.index] * v[z]
    return limited(robot, driven(robot, page, q, v, u, resistance.Still()), limits)


def _tracking(robot, q, v, q_d, v_d, a_d, state=None, *, page, kp, kd, ki, period, limits):
    u, e, after = robot.per_freedom(), robot.per_freedom(), robot.table(robot.tree.nv)
    for z in robot.freedoms():
        k = z.index
        e[z] = q_d[z] - q[z.position]
        u[z] = a_d[z] + kd[k] * (v_d[z] - v[z]) + kp[k] * e[z] + (ki[k] * state[k] if state is not None else 0)
    free = driven(robot, page, q, v, u, v_d)
    tau = limited(robot, free, limits)
    if state is None:
        return tau
    for z in robot.freedoms():
        after[z.index] = state[z.index] + period * e[z] * unwound(free[z] - tau[z], e[z])
    return tau, after


def _pd_with_gravity(robot, q, v, q_d, *, kp, kd, limits):
    g, tau = gibbs_appell(robot, q, resistance.Still(), resistance.Still()), robot.vector()
    for z in robot.freedoms():
        spring = resistance.resistance(z, q, resistance.Still())
        tau[z] = g[z] + spring + kp[z.index] * (q_d[z] - q[z.position]) - kd[z.index] * v[z]
    return limited(robot, tau, limits)


def driven(robot, page, q, v, a, v_d):
    """The forces for accelerations a, with dry friction as at the speeds v_d."""
    tau = page(robot, q, v, a)
    for z in robot.freedoms():
        met = z.resistance
        dry = met.coulomb * resistance.way_of(met, v_d[z])
        tau[z] += met.damping * v[z] + dry + resistance.resistance(z, q, resistance.Still()) + z.rotor * a[z]
    return tau


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


def limits_of(robot: Robot, limit: Any) -> list[float | None]:
    """The largest force of each joint, or None."""
    return [None] * robot.nv if limit is None else list(numbers("limit", limit, robot.nv))


def _page(method: str) -> Callable[..., Any]:
    if method not in PAGES:
        raise unknown("method of a controller", method, PAGES)
    return PAGES[method]
