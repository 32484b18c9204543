"""Forces from outside, as collisions and faults are, without a sensor for them: from what the momentum should be."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..errors import ShapeError
from ..formulations import resistance
from ..formulations.composite_body import composite_body
from ..formulations.coriolis import coriolis
from ..formulations.gibbs_appell import gibbs_appell
from ..robot import Robot
from ..scalar import sign
from .block import Block
from .gains import numbers


def momentum_observer(robot: Robot, bandwidth: Any, period: float, threshold: Any = np.inf) -> Block:
    """r -> what acts on the joints from outside, as by a low pass of so many rad/s.

    With the momentum p = M v and dp/dt = tau + C' v - g - what resists + what acts,

        r = bandwidth (p - integral of (tau + C' v - g - what resists + r))

    The law asks for `tau`, the forces that the motors gave since the last sample; it begins at rest. `alarm` is 1 for
    joints where |r| is above its threshold. Source: deluca2005.
    """
    K = numbers("bandwidth", bandwidth, robot.nv, 1e-12)
    if not 0 < period * max(K) < 1:
        raise ShapeError(f"an observer of {max(K):g} rad/s sampled every {period:g} s, wanted a product from 0 to 1")
    most = [x if np.isfinite(x) else None for x in np.broadcast_to(np.asarray(threshold, float), (robot.nv,)).tolist()]
    text = partial(_observer, K=K, period=period, most=most)
    outputs, start = (("r", robot.nv), ("alarm", robot.nv)), np.zeros(2 * robot.nv)
    return Block(
        robot, robot.light_tree, "momentum_observer", text, (("tau", robot.nv),), outputs, start, period=period
    )


def _observer(robot, q, v, tau, state, *, K, period, most):
    n, freedoms = robot.tree.nv, list(robot.freedoms())
    M, C = composite_body(robot, q), coriolis(robot, q, v)
    g = gibbs_appell(robot, q, resistance.Still(), resistance.Still())
    r, alarm, after = robot.vector(), robot.vector(), robot.table(2 * n)
    for z in freedoms:
        k = z.index
        p = sum(M[z, t] * v[t] for t in freedoms)
        swing = sum(C[t, z] * v[t] for t in freedoms)
        gone = state[k] + period * (tau[z] + swing - g[z] - resistance.resistance(z, q, v) + state[n + k])
        r[z] = K[k] * (p - gone)
        alarm[z] = 0 if most[k] is None else (1 + sign(r[z] * r[z] - most[k] * most[k])) * 0.5
        after[k], after[n + k] = gone, r[z]
    return r, alarm, after


class Observer:
    """The observer at work: sample after sample (q, v, tau) -> r; `alarm` tells the joints beyond their thresholds."""

    def __init__(self, law: Block) -> None:
        self.law, self.state, self.alarm = law, law.start.copy(), np.zeros(law.robot.nv)

    def __call__(self, q: Any, v: Any, tau: Any) -> np.ndarray[Any, Any]:
        signals = (np.asarray(x, float) for x in (q, v, tau))
        (r, self.alarm), self.state = self.law(*signals, state=self.state)
        return r
