"""A robot in MuJoCo: its model, and its states in Appell's terms and back.

MuJoCo numbers joints depth first. A free body's pose and linear velocity are in the axes of the world there, so states
and forces of floating robots are turned, not only put in order.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from ..errors import AppellError, ModelError
from ..files import mjcf_write
from ..model.joints import opened
from ..model.mechanism import Mechanism
from ..model.reading import refuse
from ..model.rotation import orthonormal, stacked
from ..model.topology import depth_first

Array = np.ndarray
KINDS = {0: "free", 1: "ball", 2: "prismatic", 3: "revolute"}  # mjtJoint
OFF = ("CONTACT", "CONSTRAINT", "ACTUATION")


def mujoco() -> Any:
    """The module, or a sentence."""
    try:
        return import_module("mujoco")
    except ImportError as error:
        missing = "mujoco is not here: python -m pip install 'appell[peers]'"
        raise AppellError(missing if isinstance(error, ModuleNotFoundError) else f"mujoco: {error}") from None


@dataclass(frozen=True)
class Floating:
    """A free body: where it begins in q and v, and the axes and the origin of its joint in the world."""

    q: int
    v: int
    R: Array
    p: Array


@dataclass(frozen=True, eq=False)
class MujocoRobot:
    """`model` is MuJoCo's; `q`, `v`, `a` take a state there, the `..._back` bring answers home. One state at a time.

    `inverse_dynamics`, `mass_matrix` and `forward_dynamics` ask MuJoCo for one state, in Appell's terms: with springs
    and damping, without contacts, limits, dry friction, equalities and actuators.
    """

    model: Any
    iq: Array  # Appell's places in q, in MuJoCo's order
    iv: Array
    floating: tuple[Floating, ...] = ()

    @cached_property
    def data(self) -> Any:
        """MuJoCo's MjData."""
        return mujoco().MjData(self.model)

    # -- states ---------------------------------------------------------------------------------------------------

    def q(self, q: Any) -> Array:
        """qpos."""
        out = np.array(q, float)
        for x in self.floating:
            turn = out[x.q + 3 : x.q + 7].copy()
            out[x.q : x.q + 3] = x.p + x.R @ out[x.q : x.q + 3]
            out[x.q + 3 : x.q + 7] = _times(_quaternion(x.R), turn)
        return out[self.iq]

    def v(self, q: Any, v: Any) -> Array:
        """qvel, or a force in MuJoCo's terms."""
        out = np.array(v, float)
        for x, R in self._attitudes(q):
            out[x.v : x.v + 3] = R @ out[x.v : x.v + 3]
        return out[self.iv]

    def a(self, q: Any, v: Any, a: Any) -> Array:
        """qacc."""
        out, v = np.array(a, float), np.asarray(v, float)
        for x, R in self._attitudes(q):
            out[x.v : x.v + 3] = R @ (out[x.v : x.v + 3] + np.cross(v[x.v + 3 : x.v + 6], v[x.v : x.v + 3]))
        return out[self.iv]

    def force_back(self, q: Any, tau: Any) -> Array:
        """A force, or a velocity, in Appell's terms."""
        out = np.empty(len(self.iv))
        out[self.iv] = tau
        for x, R in self._attitudes(q):
            out[x.v : x.v + 3] = R.T @ out[x.v : x.v + 3]
        return out

    def a_back(self, q: Any, v: Any, a: Any) -> Array:
        """An acceleration in Appell's terms."""
        out, v = self.force_back(q, a), np.asarray(v, float)
        for x in self.floating:
            out[x.v : x.v + 3] -= np.cross(v[x.v + 3 : x.v + 6], v[x.v : x.v + 3])
        return out

    def matrix_back(self, q: Any, m: Any) -> Array:
        """A matrix (nv, nv) in Appell's terms."""
        out = np.empty_like(m)
        out[np.ix_(self.iv, self.iv)] = m
        for x, R in self._attitudes(q):
            out[x.v : x.v + 3] = R.T @ out[x.v : x.v + 3]
            out[:, x.v : x.v + 3] = out[:, x.v : x.v + 3] @ R
        return out

    def _attitudes(self, q: Any) -> Iterator[tuple[Floating, Array]]:
        """The free bodies, each with its attitude in the world."""
        for x in self.floating:
            yield x, x.R @ _matrix(np.asarray(q, float)[x.q + 3 : x.q + 7])

    # -- answers --------------------------------------------------------------------------------------------------

    @cached_property
    def calm(self) -> Any:
        """The model without contacts, constraints and actuators."""
        model, flags = copy.copy(self.model), mujoco().mjtDisableBit
        for name in OFF:
            model.opt.disableflags |= int(getattr(flags, f"mjDSBL_{name}"))
        return model

    def load(self, q: Any, v: Any = None, a: Any = None) -> None:
        """Put a state into `data`."""
        zero = np.zeros(self.model.nv)
        still = zero if v is None else v
        self.data.qpos[:] = self.q(q)
        self.data.qvel[:] = self.v(q, still)
        self.data.qacc[:] = zero if a is None else self.a(q, still, a)

    def inverse_dynamics(self, q: Any, v: Any, a: Any) -> Array:
        """The forces by `mj_inverse`."""
        self.load(q, v, a)
        mujoco().mj_inverse(self.calm, self.data)
        return self.force_back(q, self.data.qfrc_inverse)

    def mass_matrix(self, q: Any) -> Array:
        """The mass matrix by `mj_fullM`, rotors included."""
        self.load(q)
        m, full = mujoco(), np.empty((self.model.nv, self.model.nv))
        for step in (m.mj_kinematics, m.mj_comPos, m.mj_makeM):
            step(self.calm, self.data)
        m.mj_fullM(self.calm, self.data, full)
        return self.matrix_back(q, full)

    def forward_dynamics(self, q: Any, v: Any, tau: Any) -> Array:
        """The accelerations by `mj_forward`."""
        self.load(q, v)
        self.data.qfrc_applied[:] = self.v(q, tau)
        mujoco().mj_forward(self.calm, self.data)
        return self.a_back(q, v, self.data.qacc.copy())


def to_mujoco(mechanism: Mechanism, least_inertia: float = 0.0) -> MujocoRobot:
    """The robot in MuJoCo, without geometry; masses and moments are raised to the least one that is told."""
    bare = replace(mechanism, shapes=())
    if any(b.joint.type == "helical" for b in bare.bodies):
        where = f"robot {mechanism.name!r} in MuJoCo"
        raise refuse(
            where, "a helical joint", "joints that it has; an MJCF holds a hinge, and a slide that follows"
        )
    if odd := [x for x in bare.loops if x.joint.type not in mjcf_write.CLOSES]:
        where = f"robot {mechanism.name!r} in MuJoCo"
        got = f"the loop {odd[0].name!r} of a {odd[0].joint.type} joint"
        raise refuse(where, got, "revolute, ball or fixed ones; an MJCF holds it by half of a body")
    written = mjcf_write.text(bare, least=least_inertia)
    try:
        model = mujoco().MjModel.from_xml_string(written.text)
    except ValueError as error:
        raise ModelError(f"robot {mechanism.name!r}: MuJoCo refuses it: {_said(error)}") from None
    return matched(bare, model)


def _said(error: ValueError) -> str:
    """What MuJoCo says, in one line."""
    text = " ".join(str(error).split())
    return f"{text}; least_inertia=1e-9 gives them some" if "mjMINVAL" in text else text


def matched(mechanism: Mechanism, model: Any) -> MujocoRobot:
    """The robot in a model of MuJoCo's that has the same joints in the same order, depth first."""
    where = f"robot {mechanism.name!r} in MuJoCo"
    iq: list[int] = []
    iv: list[int] = []
    floating: list[Floating] = []
    kinds: list[str] = []
    for i in depth_first(mechanism.parents):
        body, q, v = mechanism.bodies[i], mechanism.q_starts[i], mechanism.v_starts[i]
        kinds += [primitive.kind for primitive in opened(body.joint)]
        iq += range(q, mechanism.q_starts[i + 1])
        iv += range(v, mechanism.v_starts[i + 1])
        if body.joint.type == "free":
            R = orthonormal(stacked([body.placement]))[0]
            floating.append(Floating(q, v, R, np.array(body.placement.position)))
    theirs = [KINDS[int(k)] for k in model.jnt_type]
    if kinds != theirs:
        raise refuse(
            where, f"{len(theirs)} joints, {', '.join(theirs[:6])} ...", f"{len(kinds)}, {', '.join(kinds[:6])} ..."
        )
    return MujocoRobot(model, np.array(iq, int), np.array(iv, int), tuple(floating))


def _quaternion(R: Array) -> Array:
    """w x y z of a rotation matrix, by its dominant eigenvector."""
    k = np.empty((4, 4))
    k[0, 0] = np.trace(R)
    k[0, 1:] = k[1:, 0] = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    k[1:, 1:] = R + R.T - np.trace(R) * np.eye(3)
    q = np.linalg.eigh(k)[1][:, -1]
    return q * (1.0 if q[0] >= 0.0 else -1.0)


def _matrix(q: Array) -> Array:
    """The rotation matrix of a quaternion w x y z."""
    w, x, y, z = q / np.linalg.norm(q)
    u = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0 * (w * u + u @ u)


def _times(p: Array, q: Array) -> Array:
    """The product of quaternions w x y z."""
    vector = p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
    return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], vector])
