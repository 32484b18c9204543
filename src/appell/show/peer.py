"""Pinocchio, where it is installed: the same arm there, for a second opinion on torques and times."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from ..model.mechanism import Body, Inertia, Mechanism
from .comparison import Motion, best

CALLS = {
    "inverse_dynamics": ("rnea", ("q", "v", "a")),
    "mass_matrix": ("crba", ("q",)),
    "forward_dynamics": ("aba", ("q", "v", "tau")),
}


@dataclass(frozen=True)
class Peer:
    """Pinocchio's version, its torques along a motion, and its seconds per call for each question."""

    version: str
    torques: np.ndarray
    seconds: dict[str, float]


def pinocchio(mechanism: Mechanism, motion: Motion, seconds: float = 0.3) -> Peer | None:
    """None where Pinocchio is missing, or where a joint is not a plain hinge."""
    try:
        pin: Any = import_module("pinocchio")
    except ImportError:
        return None
    if any(b.joint.type != "revolute" or b.joint.axis != (0.0, 0.0, 1.0) for b in mechanism.bodies):
        return None
    model = _model(pin, mechanism)
    data = model.createData()
    tau = np.array([pin.rnea(model, data, *x) for x in zip(motion.q, motion.v, motion.a, strict=True)])
    row = len(motion.t) // 3
    state = {"q": motion.q[row], "v": motion.v[row], "a": motion.a[row], "tau": tau[row]}
    times = {}
    for what, (name, inputs) in CALLS.items():
        args = [model, data, *(state[x] for x in inputs)]
        times[what] = best("f(*x)", {"f": getattr(pin, name), "x": args}, seconds)
    return Peer(pin.__version__, tau, times)


def _model(pin: Any, mechanism: Mechanism) -> Any:
    model = pin.Model()
    model.gravity.linear = np.array(mechanism.gravity)
    joints = {"base": 0}
    for b in mechanism.bodies:
        stand = pin.SE3(np.array(b.placement.rotation), np.array(b.placement.position))
        joints[b.name] = model.addJoint(joints[b.parent], pin.JointModelRZ(), stand, b.joint.name)
        model.appendBodyToJoint(joints[b.name], _inertia(pin, b), pin.SE3.Identity())
    return model


def _inertia(pin: Any, b: Body) -> Any:
    i: Inertia = b.inertia
    rows = [[i.ixx, i.ixy, i.ixz], [i.ixy, i.iyy, i.iyz], [i.ixz, i.iyz, i.izz]]
    return pin.Inertia(b.mass, np.array(b.com), np.array(rows))
