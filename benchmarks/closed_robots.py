"""Closed mechanisms that are measured: states on their loops, and answers by LAPACK from Pinocchio's matrices."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np

import appell

from .task import FD, ID, Array

MOTORS = {
    "five_bar": ("shoulder1", "shoulder2"),
    "agile_wrist": ("theta1", "theta2", "theta3"),
    "stewart": tuple(f"leg{k}" for k in range(1, 7)),
}
DISTINCT, AROUND, WORST = 32, 0.15, 50.0  # configurations; how far from home; condition of the motors' hold on them
LEVER = 0.1  # metres along a hinge: where a point tells all of the hinge that the mechanism can open


@dataclass(frozen=True, eq=False)
class Closed:
    """A mechanism, its motors, and a batch of states: q, v, a on the loops, and the forces of the motors for that."""

    name: str
    robot: appell.Robot
    motors: tuple[str, ...]
    q: Array
    v: Array
    a: Array
    push: Array

    @property
    def places(self) -> list[int]:
        """Where the motors are in v."""
        m = self.robot.mechanism
        starts = {b.joint.name: m.v_starts[k] for k, b in enumerate(m.bodies)}
        return [starts[name] for name in self.motors]

    @property
    def tau(self) -> Array:
        """The forces in all joints of the tree."""
        tau = np.zeros_like(self.v)
        tau[:, self.places] = self.push
        return tau

    def third(self, question: str) -> Array:
        """What is given beside q and v."""
        return {ID: self.a, FD: self.tau}[question]

    def wanted(self, question: str) -> Array:
        """The answers."""
        return {ID: self.push, FD: self.a}[question]


def closed(name: str, count: int) -> Closed:
    """A mechanism of the zoo in states near home."""
    robot, motors = appell.load(name), MOTORS[name]
    way, rng = robot.reduced(motors), np.random.default_rng(1)
    home, found = robot.assemble().q, []
    while len(found) < min(count, DISTINCT):
        q = robot.assemble(robot.integrate(home, AROUND * rng.normal(size=robot.nv))).q
        if np.linalg.cond(way.basis(q)) < WORST:
            found.append(q)
    q = np.array(found)[np.arange(count) % len(found)]
    u, du = rng.normal(size=(2, count, way.n))
    v = way.velocities(q, u)
    push, a = Truth(robot, motors).answers(q, v, way.accelerations(q, u, du))
    return Closed(name, robot, motors, q, v, a, push)


class Truth:
    """Pinocchio's tree, its loops as pairs of points that coincide, and LAPACK."""

    def __init__(self, robot: appell.Robot, motors: tuple[str, ...]) -> None:
        from tests.oracles.pinocchio_model import PinocchioOracle

        self.pin: Any = importlib.import_module("pinocchio")
        self.oracle = PinocchioOracle(robot.to_dict())
        self.ends = [self._ends(loop) for loop in robot.to_dict()["loops"]]
        self.pairs = [[self._point(*end) for end in pair] for pair in self.ends]
        names, m = {b.joint.name: k for k, b in enumerate(robot.bodies)}, robot.mechanism
        self.S = np.eye(robot.nv)[[m.v_starts[names[name]] for name in motors]]

    def _ends(self, loop: dict[str, Any]) -> list[tuple[str, Array]]:
        """(body, point) on both sides of a loop, on the axis of its hinge."""
        arm = LEVER * np.array(loop["joint"].get("axis", np.zeros(3)))
        places = [(loop[f"body_{x}"], loop[f"placement_{x}"]) for x in "ab"]
        return [(body, np.array(at["position"]) + np.array(at["rotation"]) @ arm) for body, at in places]

    def _point(self, body: str, point: Array) -> tuple[int, Any]:
        """(joint, placement) in Pinocchio."""
        joint, where = self.oracle.joint_of[body]
        return joint, where * self.pin.SE3(np.eye(3), point)

    def models(self) -> Any:
        """The loops as Pinocchio's constraints."""
        pin, found = self.pin, self.pin.StdVec_RigidConstraintModel()
        for (i, at), (j, there) in self.pairs:
            found.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, self.oracle.model, i, at, j, there))
        return found

    def answers(self, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        """The motors' forces for motions, and the accelerations that these make; all in Appell's order."""
        pairs = [self._answer(*state) for state in zip(q, v, a)]
        return np.array([x for x, _ in pairs]), np.array([x for _, x in pairs])

    def _answer(self, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        o = self.oracle
        M, h, (J, drift) = o.crba(q), o.nle(q, v), self._loops(q, v)
        _, s, Vt = np.linalg.svd(J)
        N = Vt[int((s > 1e-9 * s[0]).sum()) :].T
        push = np.linalg.solve(N.T @ self.S.T, N.T @ (M @ a + h))
        first = -np.linalg.lstsq(J, drift, rcond=1e-9)[0]
        free = N.T @ (self.S.T @ push - h - M @ first)
        return push, first + N @ np.linalg.solve(N.T @ M @ N, free)

    def _loops(self, q: Array, v: Array) -> tuple[Array, Array]:
        """How fast points part by v, and what of their accelerations comes without a."""
        pin, o = self.pin, self.oracle
        state = o.q_to_pin(q), o.v_to_pin(v)
        pin.computeJointJacobians(o.model, o.data, state[0])
        pin.forwardKinematics(o.model, o.data, *state, np.zeros(o.model.nv))
        rows, drifts = [], []
        for pair in self.pairs:
            (J, drift), (K, other) = (self._moved(*point) for point in pair)
            rows.append(K - J)
            drifts.append(other - drift)
        return np.concatenate(rows), np.concatenate(drifts)

    def _moved(self, joint: int, at: Any) -> tuple[Array, Array]:
        """A point's Jacobian and its acceleration, in the base's axes."""
        pin, o = self.pin, self.oracle
        if not joint:
            return np.zeros((3, o.model.nv)), np.zeros(3)
        world, arm = o.data.oMi[joint], at.translation
        J = np.empty((6, o.model.nv))
        J[:, o.iv] = pin.getJointJacobian(o.model, o.data, joint, pin.ReferenceFrame.LOCAL)
        w, dw = o.data.v[joint].angular, o.data.a[joint].angular
        linear = J[:3] - np.cross(arm, J[3:].T).T
        turned = o.data.a[joint].linear + np.cross(w, o.data.v[joint].linear)
        return world.rotation @ linear, world.rotation @ (turned + np.cross(dw, arm) + np.cross(w, np.cross(w, arm)))
