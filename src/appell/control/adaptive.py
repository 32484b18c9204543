"""A controller that learns its robot's parameters while it follows a motion."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..analysis import regressor_columns
from ..asking import words
from ..errors import unknown
from ..formulations.regressor import reference_regressor
from ..model.lift import parameters
from ..robot import Robot
from .block import Block
from .feedback import limited, limits_of, stay
from .gains import numbers


def adaptive(
    robot: Robot, parameter: Any, rate: Any, period: float, *, slope: Any = 10.0, damping: Any = 10.0, limit: Any = None
) -> Block:  # fmt: skip
    """Slotine and Li's: with e = q_d - q, v_r = v_d + slope e and s = v_r - v

        tau = Y(q, v, v_r, a_r) phi + damping s,     d phi/dt = rate Y' s

    Parameters (a name or several, of `robot.parameters()`) begin at the robot's numbers and are the law's state; e goes
    to nought whether or not they come to be true. `rate` is one number or one for each. Source: slotine1987.
    """
    names, known = words("parameter", parameter), regressor_columns(robot)
    for name in names:
        if name not in known:
            raise unknown("parameter", name, known)
    rates = numbers("rate", rate, len(names))
    own = parameters(robot.mechanism)
    fixed = [name for name in known if name not in names and own[name]]
    given = {
        "bodies": robot.tree.bodies, "columns": [known[n] for n in (*names, *fixed)],
        "fixed": [own[n] for n in fixed], "rates": [r * period for r in rates],
        "slope": numbers("slope", slope, robot.nv), "damping": numbers("damping", damping, robot.nv),
        "limits": limits_of(robot, limit),
    }  # fmt: skip
    inputs = tuple((name, robot.nv) for name in ("q_d", "v_d", "a_d"))
    start = np.array([own[name] for name in names])
    text, outputs = partial(_adaptive, **given), (("tau", robot.nv),)
    return Block(robot, robot.tree, "adaptive", text, inputs, outputs, start, stay, period=period)


def _adaptive(robot, q, v, q_d, v_d, a_d, state, *, bodies, columns, fixed, rates, slope, damping, limits):
    v_r, a_r, s = robot.per_freedom(), robot.per_freedom(), robot.per_freedom()
    for z in robot.freedoms():
        k = slope[z.index]
        v_r[z] = v_d[z] + k * (q_d[z] - q[z.position])
        a_r[z] = a_d[z] + k * (v_d[z] - v[z])
        s[z] = v_r[z] - v[z]
    Y = reference_regressor(robot, q, v, v_r, a_r, bodies, columns)
    phi = [state[k] for k in range(len(rates))] + list(fixed)
    tau, after = robot.vector(), robot.table(len(rates))
    for z in robot.freedoms():
        tau[z] = sum(Y[z, k] * x for k, x in enumerate(phi)) + damping[z.index] * s[z]
    for k, rate in enumerate(rates):
        after[k] = state[k] + rate * sum(Y[z, k] * s[z] for z in robot.freedoms())
    return limited(robot, tau, limits), after
