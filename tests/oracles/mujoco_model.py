"""MuJoCo as a second oracle: a model built from an ``appell-robot/1`` mapping, answers in Appell's order.

All joint types but the helical one. MuJoCo's free joint keeps the pose in world axes and its linear
velocity in world axes too, so q, v, a and forces of a floating base are mapped, not only permuted.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from .pinocchio_model import depth_first, inertia_matrix, primitives, refuse_forces, rotor, widths

mujoco: Any = importlib.import_module("mujoco")
Array = np.ndarray
DEEPEST = 1000  # its compiler refuses bodies nested deeper than 1023


def quaternion(rotation: Any) -> Array:
    """Unit quaternion w x y z of a rotation matrix, by its dominant eigenvector (no case distinction)."""
    r = np.asarray(rotation, float)
    k = np.empty((4, 4))
    k[0, 0] = np.trace(r)
    k[0, 1:] = k[1:, 0] = [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]
    k[1:, 1:] = r + r.T - np.trace(r) * np.eye(3)
    q = np.linalg.eigh(k)[1][:, -1]
    return q * (1.0 if q[0] >= 0.0 else -1.0)


def matrix(q: Array) -> Array:
    """Rotation matrix of a unit quaternion w x y z."""
    w, x, y, z = q
    u = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0 * (w * u + u @ u)


def product(p: Array, q: Array) -> Array:
    """Quaternion product, w x y z."""
    vector = p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
    return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], vector])


def specification(d: dict[str, Any], changed: Callable[[Any, dict[str, Any]], None] | None = None) -> Any:
    """The robot as a MjSpec: no contacts, no geometry; body i is named b<i>. `changed` gets it with its bodies by name.

    MJCF text would do for short robots only: its reader refuses elements nested more than 500 deep.
    """
    refuse_forces(d)
    spec = mujoco.MjSpec()
    spec.option.gravity = d["gravity"]
    spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    element = {"base": spec.worldbody}
    for i in depth_first(d):
        body = d["bodies"][i]
        element[body["name"]] = _body(element[body["parent"]], f"b{i}", body)
    if changed:
        changed(spec, element)
    return spec


def _body(parent: Any, name: str, body: dict[str, Any]) -> Any:
    """Principal moments and axes are found here: exact to round-off, unlike the compiler's own."""
    moments, axes = np.linalg.eigh(inertia_matrix(body))
    place = body["placement"]
    where = {"pos": place["position"], "quat": quaternion(place["rotation"])}
    inertia = {"ipos": body["com"], "iquat": quaternion(axes * np.linalg.det(axes)), "inertia": moments}
    element = parent.add_body(name=name, mass=body["mass"], explicitinertial=True, **where, **inertia)
    for kind, axis, _ in primitives(body["joint"]):
        _joint(element, kind, axis, rotor(body["joint"]))
    return element


def _joint(element: Any, kind: str, axis: Array, armature: float) -> None:
    kinds = {"revolute": "HINGE", "prismatic": "SLIDE", "ball": "BALL", "free": "FREE"}
    if kind not in kinds:
        raise ValueError(f"MuJoCo oracle: got a {kind} joint, wanted one of {', '.join(kinds)}")
    along = {"axis": axis} if kind in ("revolute", "prismatic") else {}
    element.add_joint(type=getattr(mujoco.mjtJoint, f"mjJNT_{kinds[kind]}"), armature=armature, **along)


class MujocoOracle:
    """A robot in MuJoCo; every method takes and gives arrays in Appell's order and conventions."""

    def __init__(self, d: dict[str, Any], changed: Callable[[Any, dict[str, Any]], None] | None = None) -> None:
        if len(d["bodies"]) > DEEPEST:
            raise MemoryError(f"MuJoCo refuses bodies nested too deep: got {len(d['bodies'])}, most is {DEEPEST}")
        self.robot = d
        self.model: Any = specification(d, changed).compile()
        self.data: Any = mujoco.MjData(self.model)
        self.iq, self.iv = np.empty(self.model.nq, int), np.empty(self.model.nv, int)
        self.free: list[tuple[int, int, dict[str, Any]]] = []  # start in q, start in v, placement
        self._orders(d)

    def _orders(self, d: dict[str, Any]) -> None:
        sizes = np.array([(0, 0), *(widths(b["joint"]) for b in d["bodies"])])
        starts = np.cumsum(sizes, axis=0)
        at_q = at_v = 0
        for i in depth_first(d):
            (q0, v0), (nq, nv), joint = starts[i], sizes[i + 1], d["bodies"][i]["joint"]
            self.iq[at_q : at_q + nq] = np.arange(q0, q0 + nq)
            self.iv[at_v : at_v + nv] = np.arange(v0, v0 + nv)
            if joint["type"] == "free":
                self.free.append((int(q0), int(v0), d["bodies"][i]["placement"]))
            at_q, at_v = at_q + nq, at_v + nv

    # ---- orders and the free joint

    def q_to_mujoco(self, q: Array) -> Array:
        out = np.array(q, float)
        for i, _, place in self.free:
            rotation = np.asarray(place["rotation"], float)
            out[i : i + 3] = np.asarray(place["position"]) + rotation @ q[i : i + 3]
            out[i + 3 : i + 7] = product(quaternion(rotation), np.asarray(q, float)[i + 3 : i + 7])
        return out[self.iq]

    def _attitudes(self, q: Array) -> list[tuple[int, Array]]:
        """Start in v and attitude in the world of each free body."""
        return [(j, np.asarray(p["rotation"], float) @ matrix(q[i + 3 : i + 7])) for i, j, p in self.free]

    def v_to_mujoco(self, q: Array, v: Array) -> Array:
        out = np.array(v, float)
        for j, rotation in self._attitudes(q):
            out[j : j + 3] = rotation @ out[j : j + 3]
        return out[self.iv]

    def a_to_mujoco(self, q: Array, v: Array, a: Array) -> Array:
        out = np.array(a, float)
        for j, rotation in self._attitudes(q):
            out[j : j + 3] = rotation @ (a[j : j + 3] + np.cross(v[j + 3 : j + 6], v[j : j + 3]))
        return out[self.iv]

    def tau_from_mujoco(self, q: Array, tau: Array) -> Array:
        out = np.empty(len(self.iv))
        out[self.iv] = tau
        for j, rotation in self._attitudes(q):
            out[j : j + 3] = rotation.T @ out[j : j + 3]
        return out

    def a_from_mujoco(self, q: Array, v: Array, a: Array) -> Array:
        out = self.tau_from_mujoco(q, a)
        for _, j, _ in self.free:
            out[j : j + 3] -= np.cross(v[j + 3 : j + 6], v[j : j + 3])
        return out

    # ---- dynamics

    def load(self, q: Array, v: Array | None = None, a: Array | None = None) -> None:
        """Put a state into MuJoCo's data."""
        zero = np.zeros(self.model.nv)
        v_or_zero = zero if v is None else v
        self.data.qpos[:] = self.q_to_mujoco(q)
        self.data.qvel[:] = self.v_to_mujoco(q, v_or_zero)
        self.data.qacc[:] = zero if a is None else self.a_to_mujoco(q, v_or_zero, a)

    def rnea(self, q: Array, v: Array, a: Array) -> Array:
        """Joint forces by `mj_inverse`."""
        self.load(q, v, a)
        mujoco.mj_inverse(self.model, self.data)
        return self.tau_from_mujoco(q, self.data.qfrc_inverse)

    def rnea_least_work(self, q: Array, v: Array, a: Array) -> Array:
        """Joint forces by kinematics, comPos, comVel and rne alone (no rotors)."""
        self.load(q, v, a)
        out = np.empty(self.model.nv)
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_comVel(self.model, self.data)
        mujoco.mj_rne(self.model, self.data, 1, out)
        return self.tau_from_mujoco(q, out)

    def crba(self, q: Array) -> Array:
        """The full symmetric mass matrix, rotors included."""
        self.load(q)
        full = np.empty((self.model.nv, self.model.nv))
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_makeM(self.model, self.data)
        mujoco.mj_fullM(self.model, self.data, full)
        return self.matrix_from_mujoco(q, full)

    def matrix_from_mujoco(self, q: Array, full: Array) -> Array:
        out = np.empty_like(full)
        out[np.ix_(self.iv, self.iv)] = full
        for j, rotation in self._attitudes(q):
            out[j : j + 3] = rotation.T @ out[j : j + 3]
            out[:, j : j + 3] = out[:, j : j + 3] @ rotation
        return out

    def aba(self, q: Array, v: Array, tau: Array) -> Array:
        """Accelerations by `mj_forward`."""
        self.load(q, v)
        self.data.qfrc_applied[:] = self.tau_to_mujoco(q, tau)
        mujoco.mj_forward(self.model, self.data)
        return self.a_from_mujoco(q, v, self.data.qacc.copy())

    def tau_to_mujoco(self, q: Array, tau: Array) -> Array:
        return self.v_to_mujoco(q, tau)  # the same turn: body axes to world axes
