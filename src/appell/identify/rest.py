"""Joints that stand still: dry friction is anything there, and the sign of a speed is that of its noise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..model.joints import resistances
from .measurements import Measurements
from .regressor import Regressor

Array = np.ndarray[Any, Any]
SLOW, HELD = 0.01, 0.001  # of a joint's mean speed (root of the mean square), and of the fastest's, is at rest
FAINT = 0.05  # of what a filter makes of rest and motion together: more of it spoils a sample


def moving(data: Measurements, regressor: Regressor) -> Measurements:
    """The measurements without forces that depend on the friction of a joint at rest, where friction is asked for."""
    dry = dry_freedoms(regressor)
    speeds = data.v if data.seen is None else data.seen.v
    mean = np.sqrt(np.mean(speeds**2, axis=0))
    still = np.zeros(speeds.shape)
    rest = np.maximum(SLOW * mean, HELD * mean.max(initial=0.0))
    still[:, dry] = np.abs(speeds[:, dry]) < rest[dry]
    if regressor.coordinates:  # which feel all joints
        still = np.repeat(still.max(1, keepdims=True, initial=0.0), regressor.rows, 1)
    spoilt = (still if data.seen is None else data.seen.filtered(still)) > FAINT
    if not spoilt.any():
        return data
    weight = ~spoilt * (1.0 if data.weight is None else data.weight)
    note = f"{int(spoilt.sum())} of {spoilt.size} forces are of joints at rest, whose dry friction is unknown: left out"
    return replace(data, weight=weight, notes=(*data.notes, note))


def dry_freedoms(regressor: Regressor) -> list[int]:
    """The freedoms of the tree whose dry friction is a column, and turns with the sign of the speed."""
    found, m = [], regressor.robot.mechanism
    for body, start, end in zip(m.bodies, m.v_starts, m.v_starts[1:], strict=False):
        own = resistances(body.joint)
        for k in range(end - start):
            name = f"{body.name}.coulomb" if end - start == 1 else f"{body.name}.{k}.coulomb"
            if name in regressor.names and not (own and own[k].smoothing):
                found.append(start + k)
    return found
