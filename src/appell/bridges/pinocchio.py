"""A robot in Pinocchio: its model, and its states in Appell's order and back.

Pinocchio numbers joints depth first and puts the scalar of a quaternion last; joints of several freedoms become
chains of joints with no body between them, `elbow/0` nearest to the parent. So nothing but the order differs; only
models of its own reader keep the angle of a joint without limits as cosine and sine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any
from warnings import warn

import numpy as np

from ..errors import AppellError, ModelError
from ..model.inertia import tensors
from ..model.joints import WIDTHS, opened, per_freedom
from ..model.manifold import limits
from ..model.mechanism import Body, Mechanism, Placement
from ..model.topology import depth_first

Array = np.ndarray
LEFT_OUT = ("damping", "coulomb", "stiffness", "preload")
LETTERS = {(1.0, 0.0, 0.0): "X", (0.0, 1.0, 0.0): "Y", (0.0, 0.0, 1.0): "Z"}
STEMS = {"revolute": ("R", "RevoluteUnaligned"), "prismatic": ("P", "PrismaticUnaligned")}
STEMS |= {"helical": ("H", "HelicalUnaligned")}


@dataclass(frozen=True, eq=False)
class PinocchioRobot:
    """`model` is Pinocchio's; `q`, `v` take states there, `q_back`, `v_back`, `matrix_back` bring answers home.

    `inverse_dynamics`, `mass_matrix` and `forward_dynamics` ask Pinocchio for one state, in Appell's order.
    """

    model: Any
    iq: Array  # Appell's places in q, in Pinocchio's order
    iv: Array
    joints: Mapping[str, tuple[int, Any]]  # of every body: Pinocchio's joint, and where the body stands on it (SE3)
    turns: tuple[int, ...] = ()  # places of the cosines in Pinocchio's q, for which `iq` has the angle twice

    @cached_property
    def data(self) -> Any:
        """Pinocchio's Data; it grows with the cube of the freedoms."""
        return self.model.createData()

    def q(self, q: Any) -> Array:
        """Positions in Pinocchio's order."""
        there = np.asarray(q, float)[..., self.iq]
        for k in self.turns:
            there[..., k], there[..., k + 1] = np.cos(there[..., k]), np.sin(there[..., k])
        return there

    def v(self, v: Any) -> Array:
        """Velocities, accelerations or forces in Pinocchio's order."""
        return np.asarray(v, float)[..., self.iv]

    def q_back(self, q: Any) -> Array:
        """Positions in Appell's order; angles that are kept as cosines within half a turn."""
        q = np.array(q, float)
        for k in self.turns:
            q[..., k] = q[..., k + 1] = np.arctan2(q[..., k + 1], q[..., k])
        out = np.empty((*q.shape[:-1], len(set(self.iq.tolist()))))
        out[..., self.iq] = q
        return out

    def v_back(self, v: Any) -> Array:
        """Velocities, accelerations or forces in Appell's order; of a Jacobian, its columns."""
        out = np.empty(np.shape(v))
        out[..., self.iv] = v
        return out

    def matrix_back(self, m: Any) -> Array:
        """A matrix (nv, nv) in Appell's order."""
        out = np.empty_like(m)
        out[np.ix_(self.iv, self.iv)] = m
        return out

    def inverse_dynamics(self, q: Any, v: Any, a: Any) -> Array:
        """The forces by `pin.rnea`."""
        return self.v_back(pinocchio().rnea(self.model, self.data, self.q(q), self.v(v), self.v(a)))

    def mass_matrix(self, q: Any) -> Array:
        """The mass matrix by `pin.crba`, which fills its upper triangle."""
        upper = np.triu(pinocchio().crba(self.model, self.data, self.q(q)))
        return self.matrix_back(upper + np.triu(upper, 1).T)

    def forward_dynamics(self, q: Any, v: Any, tau: Any) -> Array:
        """The accelerations by `pin.aba`."""
        return self.v_back(pinocchio().aba(self.model, self.data, self.q(q), self.v(v), self.v(tau)))


def pinocchio() -> Any:
    """The module, or a sentence."""
    try:
        return import_module("pinocchio")
    except ImportError as error:
        missing = "pinocchio is not here: python -m pip install 'appell[peers]'"
        raise AppellError(missing if isinstance(error, ModuleNotFoundError) else f"pinocchio: {error}") from None


def to_pinocchio(mechanism: Mechanism) -> PinocchioRobot:
    """The robot in Pinocchio, without geometry."""
    if mechanism.loops:
        raise ModelError(f"robot {mechanism.name!r}: got closed loops, wanted a tree, as Pinocchio's models are")
    return _Building(pinocchio(), mechanism).built()


class _Building:
    """A model while it is built."""

    def __init__(self, pin: Any, mechanism: Mechanism) -> None:
        self.pin, self.mechanism, self.model = pin, mechanism, pin.Model()
        self.model.name = mechanism.name
        self.model.gravity.linear = np.array(mechanism.gravity)
        self.joints: dict[str, tuple[int, Any]] = {"base": (0, pin.SE3.Identity())}
        self.iq: list[int] = []
        self.iv: list[int] = []

    def built(self) -> PinocchioRobot:
        for i in depth_first(self.mechanism.parents):
            self._add(i, self.mechanism.bodies[i])
        for frame in self.mechanism.frames:
            joint, where = self.joints[frame.body]
            self._frame(frame.name, joint, where * self._se3(frame.placement))
        iq, iv = np.array(self.iq, int), np.array(self.iv, int)
        self._constants(iq, iv)
        return PinocchioRobot(self.model, iq, iv, self.joints)

    def _se3(self, p: Placement) -> Any:
        return self.pin.SE3(np.array(p.rotation), np.array(p.position))

    def _frame(self, name: str, joint: int, where: Any) -> None:
        kind = self.pin.FrameType.OP_FRAME if name in self._frames else self.pin.FrameType.BODY
        self.model.addFrame(self.pin.Frame(name, joint, where, kind))

    @cached_property
    def _frames(self) -> set[str]:
        return {frame.name for frame in self.mechanism.frames}

    def _add(self, i: int, body: Body) -> None:
        joint, where = self.joints[body.parent]
        where = where * self._se3(body.placement)
        chain = opened(body.joint)
        for k, primitive in enumerate(chain):
            axis = np.array([row[2] for row in primitive.C])
            name = body.joint.name if len(chain) == 1 else f"{body.joint.name}/{k}"
            joint = self.model.addJoint(joint, self._joint(primitive.kind, axis, primitive.pitch), where, name)
            where = self.pin.SE3.Identity()
        self.iq += quaternions_last(body.joint.type, self.mechanism.q_starts[i])
        self.iv += range(self.mechanism.v_starts[i], self.mechanism.v_starts[i + 1])
        matter = self.pin.Inertia(body.mass, np.array(body.com), tensors([body.inertia])[0])
        self.model.appendBodyToJoint(joint, matter, where)
        self.joints[body.name] = (joint, where)
        self._frame(body.name, joint, where)

    def _joint(self, kind: str, axis: Array, pitch: float) -> Any:
        if kind in ("ball", "free"):
            return self.pin.JointModelSpherical() if kind == "ball" else self.pin.JointModelFreeFlyer()
        stem, unaligned = STEMS[kind]
        more = (pitch,) if kind == "helical" else ()
        letter = LETTERS.get(tuple(axis.tolist()))
        if letter:
            return getattr(self.pin, f"JointModel{stem}{letter}")(*more)
        return getattr(self.pin, f"JointModel{unaligned}")(axis, *more)

    def _constants(self, iq: Array, iv: Array) -> None:
        """Rotors, limits, friction: what belongs to single freedoms."""
        model = self.model
        model.armature = (self._each("rotor_inertia", 0.0) * self._each("gear", 1.0) ** 2)[iv]
        model.lowerPositionLimit, model.upperPositionLimit = (ends[iq] for ends in limits(self.mechanism))
        model.effortLimit = self._each("effort_limit", np.inf)[iv]
        model.velocityLimit = self._each("velocity_limit", np.inf)[iv]
        model.damping, model.friction = self._each("damping", 0.0)[iv], self._each("coulomb", 0.0)[iv]
        lost = [key for key in LEFT_OUT if self._each(key, 0.0).any()]
        if lost:
            warn(f"robot {self.mechanism.name!r}: Pinocchio's rnea and aba leave out {', '.join(lost)}", stacklevel=4)

    def _each(self, key: str, absent: float) -> Array:
        """One of the joints' constants for every freedom, in Appell's order."""
        joints = [b.joint for b in self.mechanism.bodies]
        rows = [(absent,) * WIDTHS[j.type][1] if getattr(j, key) is None else per_freedom(j, key) for j in joints]
        return np.array([x for row in rows for x in row], float)


def quaternions_last(kind: str, start: int) -> Iterator[int]:
    """Appell's places in q of a joint in the order of Pinocchio: w moves behind x y z."""
    if kind == "free":
        yield from range(start, start + 3)
        start += 3
    if kind in ("ball", "free"):
        yield from (start + 1, start + 2, start + 3, start)
    else:
        yield from range(start, start + WIDTHS[kind][0])
