"""Pinocchio as an oracle: a model built from an ``appell-robot/1`` mapping, answers in Appell's order.

Compound joints become chains of one-freedom joints with massless bodies between them, so that
Pinocchio's numbers (after a permutation) are Appell's: same freedoms, same units, same axes.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np

pin: Any = importlib.import_module("pinocchio")  # its stubs name half of it
Array = np.ndarray
Primitive = tuple[str, Array, float]  # kind, axis in the body's frame, pitch

WORLD_ALIGNED = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
LARGEST = 450  # Data holds several nv^3 tensors: 3.7 GB at nv = 400
WIDTHS = {
    "fixed": (0, 0),
    "cylindrical": (2, 2),
    "universal": (2, 2),
    "planar": (3, 3),
    "ball": (4, 3),
    "free": (7, 6),
}


def basis(normal: Any) -> Array:
    """Columns (e1, e2, n): a signed permutation for a coordinate axis, else e1 from the least aligned one."""
    n = np.asarray(normal, float) / np.linalg.norm(normal)
    k = int(np.argmax(np.abs(n)))
    if np.count_nonzero(n) == 1:
        e1 = np.eye(3)[(k + 1) % 3]
    else:
        e1 = np.cross(np.eye(3)[int(np.argmin(np.abs(n)))], n)
        e1 /= np.linalg.norm(e1)
    return np.column_stack([e1, np.cross(n, e1), n]) + 0.0


def widths(joint: dict[str, Any]) -> tuple[int, int]:
    """Lengths of a joint's q and v."""
    return WIDTHS.get(joint["type"], (1, 1))


def unit(axis: Any) -> Array:
    return np.asarray(axis, float) / np.linalg.norm(axis)


def primitives(joint: dict[str, Any]) -> list[Primitive]:
    """The joint as a chain of elementary joints, the first one next to the parent."""
    kind = joint["type"]
    if kind in ("fixed", "ball", "free"):
        return [] if kind == "fixed" else [(kind, np.zeros(3), 0.0)]
    axis = unit(joint["axis"])
    if kind == "cylindrical":
        return [("revolute", axis, 0.0), ("prismatic", axis, 0.0)]
    if kind == "universal":
        return [("revolute", axis, 0.0), ("revolute", unit(joint["axis2"]), 0.0)]
    if kind == "planar":
        e1, e2, n = basis(axis).T
        return [("prismatic", e1, 0.0), ("prismatic", e2, 0.0), ("revolute", n, 0.0)]
    return [(kind, axis, float(joint.get("pitch", 0.0)))]


def depth_first(d: dict[str, Any]) -> list[int]:
    """Indices of the bodies, parents first, each subtree in one piece (`pin.crba` is wrong otherwise)."""
    children: dict[str, list[int]] = {}
    for i, body in enumerate(d["bodies"]):
        children.setdefault(body["parent"], []).append(i)
    order, stack = [], children.get("base", [])[::-1]
    while stack:
        i = stack.pop()
        order.append(i)
        stack += children.get(d["bodies"][i]["name"], [])[::-1]
    return order


def inertia_matrix(body: dict[str, Any]) -> Array:
    """The 3 x 3 matrix about the mass centre, in the body's axes."""
    xx, yy, zz, xy, xz, yz = (body["inertia"][k] for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], float)


def rotor(joint: dict[str, Any]) -> float:
    """What the rotor adds on the joint's diagonal of the mass matrix."""
    return float(joint.get("rotor_inertia") or 0.0) * float(joint.get("gear") or 1.0) ** 2


def refuse_forces(d: dict[str, Any]) -> None:
    """Friction and springs are no part of the oracles: say so rather than leave them out."""
    for body in d["bodies"]:
        for key in ("damping", "coulomb", "stiffness"):
            if body["joint"].get(key):
                raise ValueError(f"oracle: got {key} in joint {body['joint']['name']!r}, wanted a joint without it")


def _se3(placement: dict[str, Any]) -> Any:
    return pin.SE3(np.array(placement["rotation"], float), np.array(placement["position"], float))


def _joint_model(kind: str, axis: Array, pitch: float) -> Any:
    if kind in ("ball", "free"):
        return pin.JointModelSpherical() if kind == "ball" else pin.JointModelFreeFlyer()
    letter = {(1.0, 0.0, 0.0): "X", (0.0, 1.0, 0.0): "Y", (0.0, 0.0, 1.0): "Z"}.get(tuple(axis))
    stem, unaligned, rest = {
        "revolute": ("R", "RevoluteUnaligned", ()),
        "prismatic": ("P", "PrismaticUnaligned", ()),
        "helical": ("H", "HelicalUnaligned", (pitch,)),
    }[kind]
    if letter:
        return getattr(pin, f"JointModel{stem}{letter}")(*rest)
    return getattr(pin, f"JointModel{unaligned}")(axis, *rest)


def _quaternion_last(kind: str, start: int) -> Iterator[int]:
    """Appell's indices of q in the order of Pinocchio: w moves behind x y z."""
    if kind == "free":
        yield from range(start, start + 3)
        start += 3
    yield from (start + 1, start + 2, start + 3, start)


class PinocchioOracle:
    """A robot in Pinocchio; every method takes and gives arrays in Appell's order and conventions."""

    def __init__(self, d: dict[str, Any]) -> None:
        refuse_forces(d)
        self.robot = d
        self.model: Any = pin.Model()
        self.model.gravity.linear = np.array(d["gravity"], float)
        self.joints: list[Primitive] = [("universe", np.zeros(3), 0.0)]  # by Pinocchio's joint number
        self.joint_of: dict[str, tuple[int, Any]] = {"base": (0, pin.SE3.Identity())}
        self._iq: list[int] = []
        self._iv: list[int] = []
        self._build(d)
        self.iq, self.iv = np.array(self._iq, int), np.array(self._iv, int)
        self._data: Any = None

    @property
    def data(self) -> Any:
        """Pinocchio's Data, made when first asked for."""
        if self._data is None:
            if self.model.nv > LARGEST:
                raise MemoryError(f"Pinocchio's Data grows with the cube of nv: got {self.model.nv}, most is {LARGEST}")
            self._data = self.model.createData()
        return self._data

    def _build(self, d: dict[str, Any]) -> None:
        sizes = np.array([(0, 0), *(widths(b["joint"]) for b in d["bodies"])])
        starts, armature = np.cumsum(sizes, axis=0), []
        for i in depth_first(d):
            self._add(d["bodies"][i], *starts[i])
            armature += [rotor(d["bodies"][i]["joint"])] * int(sizes[i + 1][1])
        for frame in d.get("frames", []):
            joint, where = self.joint_of[frame["body"]]
            self._add_frame(frame["name"], joint, where * _se3(frame["placement"]))
        self.model.armature = np.array(armature, float)

    def _add(self, body: dict[str, Any], q0: int, v0: int) -> None:
        joint, where = self.joint_of[body["parent"]]
        where = where * _se3(body["placement"])
        for k, (kind, axis, pitch) in enumerate(primitives(body["joint"])):
            name = f"{body['name']}/{k}"
            joint = self.model.addJoint(joint, _joint_model(kind, axis, pitch), where, name)
            where = pin.SE3.Identity()
            self.joints.append((kind, axis, pitch))
            wide = kind in ("ball", "free")
            self._iq += _quaternion_last(kind, q0) if wide else [q0 + k]
            self._iv += range(v0, v0 + widths({"type": kind})[1]) if wide else [v0 + k]
        inertia = pin.Inertia(float(body["mass"]), np.array(body["com"], float), inertia_matrix(body))
        self.model.appendBodyToJoint(joint, inertia, where)
        self.joint_of[body["name"]] = (joint, where)
        self._add_frame(body["name"], joint, where)

    def _add_frame(self, name: str, joint: int, where: Any) -> None:
        self.model.addFrame(pin.Frame(f"frame {name}", joint, where, pin.FrameType.OP_FRAME))

    def _frame(self, name: str) -> int:
        return self.model.getFrameId(f"frame {name}")

    # ---- orders

    def q_to_pin(self, q: Array) -> Array:
        return np.asarray(q, float)[self.iq]

    def q_from_pin(self, q: Array) -> Array:
        return self._scatter(q, self.iq)

    def v_to_pin(self, v: Array) -> Array:
        return np.asarray(v, float)[self.iv]

    def v_from_pin(self, v: Array) -> Array:
        return self._scatter(v, self.iv)

    @staticmethod
    def _scatter(x: Array, index: Array) -> Array:
        out = np.empty(len(index))
        out[index] = x
        return out

    def square_from_pin(self, m: Array) -> Array:
        out = np.empty_like(m)
        out[np.ix_(self.iv, self.iv)] = m
        return out

    def _columns(self, m: Array) -> Array:
        out = np.empty_like(m)
        out[:, self.iv] = m
        return out

    # ---- dynamics

    def _forces(self, wrenches: Array) -> list[Any]:
        """Wrenches (bodies, 6): force, moment at the body's origin in body axes; summed per joint."""
        forces = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for body, wrench in zip(self.robot["bodies"], wrenches, strict=True):
            joint, where = self.joint_of[body["name"]]
            forces[joint] = forces[joint] + where.act(pin.Force(np.asarray(wrench, float)))
        return forces

    def rnea(self, q: Array, v: Array, a: Array, wrenches: Array | None = None) -> Array:
        """Joint forces; `wrenches` act on the bodies from outside."""
        state = self.q_to_pin(q), self.v_to_pin(v), self.v_to_pin(a)
        if wrenches is None:
            return self.v_from_pin(pin.rnea(self.model, self.data, *state))
        return self.v_from_pin(pin.rnea(self.model, self.data, *state, self._forces(wrenches)))

    def crba(self, q: Array) -> Array:
        """The full symmetric mass matrix, rotors included."""
        upper = np.triu(pin.crba(self.model, self.data, self.q_to_pin(q)))
        return self.square_from_pin(upper + np.triu(upper, 1).T)

    def aba(self, q: Array, v: Array, tau: Array, wrenches: Array | None = None) -> Array:
        state = self.q_to_pin(q), self.v_to_pin(v), self.v_to_pin(tau)
        if wrenches is None:
            return self.v_from_pin(pin.aba(self.model, self.data, *state))
        return self.v_from_pin(pin.aba(self.model, self.data, *state, self._forces(wrenches)))

    def nle(self, q: Array, v: Array) -> Array:
        state = self.q_to_pin(q), self.v_to_pin(v)
        return self.v_from_pin(pin.nonLinearEffects(self.model, self.data, *state))

    def gravity(self, q: Array) -> Array:
        return self.v_from_pin(pin.computeGeneralizedGravity(self.model, self.data, self.q_to_pin(q)))

    def rnea_derivatives(self, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        """d tau by the tangent of q (body axes), by v and by a."""
        state = self.q_to_pin(q), self.v_to_pin(v), self.v_to_pin(a)
        dq, dv, da = pin.computeRNEADerivatives(self.model, self.data, *state)
        full = np.triu(da) + np.triu(da, 1).T
        return self.square_from_pin(dq), self.square_from_pin(dv), self.square_from_pin(full)

    def aba_derivatives(self, q: Array, v: Array, tau: Array) -> tuple[Array, Array, Array]:
        """d a by the tangent of q (body axes), by v and by tau (the inverse mass matrix)."""
        state = self.q_to_pin(q), self.v_to_pin(v), self.v_to_pin(tau)
        dq, dv, dtau = pin.computeABADerivatives(self.model, self.data, *state)
        full = np.triu(dtau) + np.triu(dtau, 1).T
        return self.square_from_pin(dq), self.square_from_pin(dv), self.square_from_pin(full)

    # ---- motion

    def pose(self, q: Array, name: str) -> Array:
        """4 x 4 pose of a body or a named frame in the world."""
        pin.framesForwardKinematics(self.model, self.data, self.q_to_pin(q))
        return self.data.oMf[self._frame(name)].homogeneous.copy()

    def jacobian(self, q: Array, name: str) -> Array:
        """Rows linear then angular, world axes, at the origin of the body or frame."""
        pin.computeJointJacobians(self.model, self.data, self.q_to_pin(q))
        pin.updateFramePlacements(self.model, self.data)
        return self._columns(pin.getFrameJacobian(self.model, self.data, self._frame(name), WORLD_ALIGNED))

    def jacobian_rate(self, q: Array, v: Array, name: str) -> Array:
        state = self.q_to_pin(q), self.v_to_pin(v)
        pin.computeJointJacobiansTimeVariation(self.model, self.data, *state)
        pin.updateFramePlacements(self.model, self.data)
        frame = self._frame(name)
        return self._columns(pin.getFrameJacobianTimeVariation(self.model, self.data, frame, WORLD_ALIGNED))

    def velocity(self, q: Array, v: Array, name: str) -> Array:
        """(linear, angular) velocity of a body in its own axes."""
        pin.forwardKinematics(self.model, self.data, self.q_to_pin(q), self.v_to_pin(v))
        return pin.getFrameVelocity(self.model, self.data, self._frame(name)).vector.copy()

    def energy(self, q: Array, v: Array) -> tuple[float, float]:
        """Kinetic (with rotors) and potential, zero at the base origin; bodies fixed to the base left out."""
        kinetic = 0.5 * float(np.asarray(v) @ self.crba(q) @ np.asarray(v))
        return kinetic, float(pin.computePotentialEnergy(self.model, self.data, self.q_to_pin(q)))

    def com(self, q: Array) -> Array:
        """Mass centre of the moving bodies in the world."""
        return pin.centerOfMass(self.model, self.data, self.q_to_pin(q)).copy()

    def centroidal_momentum_matrix(self, q: Array, v: Array) -> Array:
        """Rows linear then angular, world axes, at the mass centre."""
        pin.ccrba(self.model, self.data, self.q_to_pin(q), self.v_to_pin(v))
        return self._columns(self.data.Ag)

    def integrate(self, q: Array, step: Array) -> Array:
        """q moved by a tangent step (body axes); only where Pinocchio's free joint is the exponential."""
        return self.q_from_pin(pin.integrate(self.model, self.q_to_pin(q), self.v_to_pin(step)))

    def difference(self, q0: Array, q1: Array) -> Array:
        return self.v_from_pin(pin.difference(self.model, self.q_to_pin(q0), self.q_to_pin(q1)))
