"""Who follows a motion through impacts: Appell, Pinocchio with SciPy's integrator, MuJoCo with soft contact."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import pi, sqrt
from typing import Any

import numpy as np

import appell

from .motion_problems import Array, Found, Problem, damping_ratio
from .task import available

TOLERANCES = (1e-4, 1e-7, 1e-10, 1e-13)
STEPS = (1e-3, 1e-4, 1e-5)
SOFT = (
    10  # of the longest steps of MuJoCo in half a swing of its contact, more of shorter ones: fewer do not resolve it
)
GAP = 1e-6  # metres within which contacts are one impact
HARD = "0.9999 0.9999 0.001"  # the largest impedance that MuJoCo allows
METHOD = "articulated_body"


@dataclass(frozen=True)
class Follower:
    """Who, how exactly, and a run from the start to the end."""

    who: str
    setting: str
    run: Callable[[], Found]


def followers(problem: Problem, skip: Callable[[str, str], None]) -> Iterator[Follower]:
    """All who can."""
    yield from _appell(problem)
    for module, make in (("pinocchio", _pinocchio), ("mujoco", _mujoco)):
        if not available(module):
            skip(module, "it is not installed")
        elif module == "mujoco" and not problem.mjcf:
            skip(module, "impacts of several points at once have no like in soft contact")
        else:
            yield from make(problem)


def _appell(problem: Problem) -> Iterator[Follower]:
    robot = appell.Robot.from_dict(problem.robot)
    options = {"walls": problem.wall(), "points": problem.points, "restitution": problem.restitution}
    options |= {"method": METHOD, "gap_tolerance": GAP}

    def follow(rtol: float) -> Found:
        still, end = np.zeros(robot.nv), problem.t_end
        run = appell.simulate(robot, problem.q0, still, end, rtol=rtol, atol=1e-3 * rtol, **options)
        return run.q[-1], [impact.t for impact in run.impacts]

    for rtol in TOLERANCES:
        yield Follower("appell", f"rtol {rtol:g}", lambda rtol=rtol: follow(rtol))


def _pinocchio(problem: Problem) -> Iterator[Follower]:
    peer = _Pinocchio(problem)
    for rtol in TOLERANCES:
        yield Follower("pinocchio + scipy", f"DOP853, rtol {rtol:g}", lambda rtol=rtol: peer.follow(rtol))


class _Pinocchio:
    """`solve_ivp` with `pin.aba` and terminal events; equation (47) of shafei2018 at each."""

    def __init__(self, problem: Problem) -> None:
        from tests.oracles.pinocchio_model import PinocchioOracle

        self.problem, oracle = problem, PinocchioOracle(appell.Robot.from_dict(problem.robot).to_dict())
        self.pin: Any = importlib.import_module("pinocchio")
        self.model, self.data, self.n = oracle.model, oracle.data, oracle.model.nv
        self.frames = [self.model.getFrameId(f"frame {name}") for name in problem.points]
        self.still = np.zeros(self.n)
        self.hits = [self._hit(k) for k in range(len(self.frames))]

    def follow(self, rtol: float) -> Found:
        from scipy.integrate import solve_ivp

        t, y, struck = 0.0, np.concatenate([self.problem.q0, self.still]), []
        while t < self.problem.t_end:
            span = (t, self.problem.t_end)
            found = solve_ivp(self._rate, span, y, "DOP853", rtol=rtol, atol=1e-3 * rtol, events=self.hits)
            t, y = float(found.t[-1]), found.y[:, -1]
            if found.status == 1:
                struck.append(t)
                y = self._strike(y)
        return y[: self.n], struck

    def _rate(self, _: float, y: Array) -> Array:
        n = self.n
        return np.concatenate([y[n:], self.pin.aba(self.model, self.data, y[:n], y[n:], self.still)])

    def _hit(self, k: int) -> Any:
        def gap(_: float, y: Array) -> float:
            self.pin.forwardKinematics(self.model, self.data, y[: self.n])
            return self.problem.gap(self.pin.updateFramePlacement(self.model, self.data, self.frames[k]).translation)[0]

        gap.terminal, gap.direction = True, -1  # type: ignore[attr-defined]
        return gap

    def _strike(self, y: Array) -> Array:
        q, v = y[: self.n], y[self.n :]
        self.pin.computeJointJacobians(self.model, self.data, q)
        self.pin.updateFramePlacements(self.model, self.data)
        rows = []
        for frame in self.frames:
            gap, normal = self.problem.gap(self.data.oMf[frame].translation)
            aligned = self.pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
            moves = self.pin.getFrameJacobian(self.model, self.data, frame, aligned).reshape(6, self.n)
            row = normal @ moves[:3]
            if gap < GAP and row @ v < 0:
                rows.append(row)
        J = np.array(rows)
        self.pin.crba(self.model, self.data, q)
        M = np.triu(self.data.M) + np.triu(self.data.M, 1).T
        MJ = np.linalg.solve(M, J.T)
        return np.concatenate([q, v - MJ @ np.linalg.solve(J @ MJ, (1 + self.problem.restitution) * (J @ v))])


def soft(problem: Problem, step: float) -> Any:
    """MuJoCo's likeness of a problem, whose contacts give back the right share of the speed."""
    model = importlib.import_module("mujoco").MjModel.from_xml_string(problem.mjcf)  # type: ignore[attr-defined]
    stiff = pi / (SOFT * sqrt(STEPS[0] * step))
    model.opt.timestep = step
    model.geom_solref[:] = -(stiff**2), -2 * damping_ratio(problem.restitution) * stiff
    model.geom_solimp[:, :3] = [float(x) for x in HARD.split()]
    return model


def _mujoco(problem: Problem) -> Iterator[Follower]:
    mujoco: Any = importlib.import_module("mujoco")

    def follow(step: float) -> Found:
        model = soft(problem, step)
        data = mujoco.MjData(model)
        data.qpos[:] = problem.q0
        mujoco.mj_step(model, data, round(problem.t_end / step))
        return data.qpos.copy(), []

    for step in STEPS:
        yield Follower("mujoco, soft contact", f"RK4, {step:g} s", lambda step=step: follow(step))
