"""Closed mechanisms: forces of motors, linear in the parameters of all bodies and of all joints, cut ones as well."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from oracles.few import few

import appell
from appell.control import Fourier
from appell.errors import DataError, ModelError
from appell.formulations.regressor import MET
from appell.identify import Measurements, Regressor, base_parameters, consistent, estimate, measurements, validate
from appell.identify.closed_data import followed
from appell.identify.motions import random_motions
from appell.robot import Robot

MOTORS = ("shoulder1", "shoulder2")
DRIVEN = {"five_bar": MOTORS, "slider_crank": ("crank",), "agile_wrist": ("theta1", "theta2", "theta3"),
          "scraper": ("motor",)}  # fmt: skip
NOISE, RATE = np.array([0.3, 0.2]), 250


@cache
def resisting(name: str) -> Robot:
    """A mechanism of the zoo whose joints resist, those that are cut as well."""
    data = appell.load(name).to_dict()
    for k, body in enumerate(data["bodies"]):
        if body["joint"]["type"] in ("revolute", "prismatic"):
            body["joint"] |= {"damping": 0.3 + 0.1 * k, "coulomb": 0.5 - 0.05 * k}
    for loop in data["loops"]:
        if loop["joint"]["type"] in ("revolute", "prismatic"):
            loop["joint"] |= {"damping": 0.2, "coulomb": 0.3, "rotor_inertia": 0.02, "gear": 2.0}
    return Robot.from_dict(data)


@cache
def excited(seed: int, seconds: float = 20.0) -> tuple[Any, ...]:
    """(t, coordinates, q, v, a) of the five-bar at RATE Hz."""
    robot, rng = resisting("five_bar"), np.random.default_rng(seed)
    series = Fourier([0.6, 0.9], *rng.normal(size=(2, 2, 5)) * 0.3, period=seconds / 2, turns=2)
    t = np.arange(int(RATE * seconds)) / RATE
    x, reduced = series(t), robot.reduced(MOTORS)
    q = followed(robot, MOTORS, t, x.q, None, None)
    return t, x, q, reduced.velocities(q, x.v), reduced.accelerations(q, x.v, x.a)


def measured(seed: int) -> Measurements:
    """Exact motion, noisy forces of the motors."""
    t, _, q, v, a = excited(seed)
    tau = resisting("five_bar").inverse_dynamics(q, v, a, actuators=MOTORS)
    noisy = tau + NOISE * np.random.default_rng(seed).normal(size=tau.shape)
    return Measurements(t, q, v, a, noisy, coordinates=MOTORS)


@pytest.mark.parametrize("name", few(DRIVEN, "five_bar", "slider_crank"))
def test_forces_of_motors_are_k_phi_for_any_phi(name: str):
    robot = resisting(name)
    K = Regressor.of(robot, "moments", "friction", "rotor", "springs", coordinates=DRIVEN[name])
    q, v, a = random_motions(K, 6)
    phi, resist = K.values, np.array([n.endswith(MET) for n in K.names])
    changed = np.where(resist, phi + 0.1, 1.2 * phi)
    for given in (phi, changed):
        other = robot.with_parameters(dict(zip(K.names, given, strict=True)))
        tau = other.inverse_dynamics(q, v, a, actuators=DRIVEN[name])
        np.testing.assert_allclose(K(q, v, a) @ given, tau, rtol=0, atol=1e-11 * np.abs(tau).max())
    some = [*[n for n in K.names if n.startswith(robot.loops[0].name)][::-1], K.names[3]]  # in any order
    places = [K.names.index(n) for n in some]
    few_columns = Regressor(robot, tuple(some), DRIVEN[name])(q, v, a)
    np.testing.assert_allclose(few_columns, K(q, v, a)[..., places], rtol=0, atol=1e-11 * np.abs(few_columns).max())


@pytest.mark.parametrize("name", few(DRIVEN, "five_bar"))
def test_base_parameters_are_enough_and_no_more(name: str):
    robot = resisting(name)
    bases = [base_parameters(robot, coordinates=DRIVEN[name], method=method) for method in ("symbolic", "qr", "svd")]
    assert len({len(b) for b in bases}) == 1
    K = Regressor.of(robot, coordinates=DRIVEN[name])
    rows = K(*random_motions(K, 60, seed=1)).reshape(-1, len(K.names))
    for base in bases:
        np.testing.assert_allclose(rows @ base.spread @ base.matrix, rows, rtol=0, atol=1e-8 * np.abs(rows).max())


def test_the_five_bar_in_letters():
    base = base_parameters(resisting("five_bar"), "moments", coordinates=MOTORS)
    found = dict(zip(base.names, map(str, base.forms), strict=True))
    assert len(base) == 11
    assert found["upper1.first.y"] == "upper1.first.y"
    moment = "(lower2.second.xx + lower2.second.yy)"  # which moves through the cut joint, as a mass of moment / b²
    assert found["upper1.first.x*"] == (
        f"upper1.first.x + lower1.offset.x lower1.mass + lower1.offset.x / tip.b.x² {moment}"
    )
    assert found["lower1.second.xx*"] == f"lower1.second.xx + lower1.second.yy + tip.a.x² / tip.b.x² {moment}"
    assert found["lower2.first.x*"] == f"lower2.first.x - 1 / tip.b.x {moment}"


def test_five_bar_end_to_end():
    """Exact motion: errors as the bound has them, forces of another motion predicted to the noise."""
    robot = resisting("five_bar")
    data = measured(1)
    found = estimate(robot, replace(data, coordinates=list(MOTORS)))  # type: ignore[arg-type]
    off = (found.values - found.base.values) / found.errors
    assert np.sqrt(np.mean(off**2)) < 1.5
    np.testing.assert_allclose(found.sigma, NOISE, rtol=0.03)
    held, before = validate(found, measured(2)), validate(appell.load("five_bar"), measured(2))
    assert (held.rms / NOISE).max() < 1.05
    assert (before.rms / NOISE).min() > 2
    physical = consistent(found).robot
    assert physical.loops[0].joint.damping == pytest.approx(0.2, abs=0.1)
    assert (validate(physical, measured(2)).rms / NOISE).max() < 1.05


@pytest.mark.parametrize("branch", ["below", "above"])
def test_joints_are_followed_on_their_branch(branch: str):
    """As robot.positions follows them, but all at once; through folds of the path, with a gap in it."""
    robot, t = resisting("five_bar"), np.linspace(0.0, 4.0, 300)
    x = np.stack([0.5 + 0.9 * np.sin(2 * t), 0.7 + 0.8 * np.cos(3 * t)], -1)[np.r_[0:100, 130:300]]
    wanted = robot.positions(dict(zip(MOTORS, x.T, strict=True)), None, branch)
    np.testing.assert_allclose(followed(robot, MOTORS, t[: len(x)], x, None, branch), wanted, atol=1e-9)


def columns(seed: int) -> dict[str, Any]:
    """What a data file holds: motors alone, by name, at RATE Hz, with the noise of encoders."""
    t, x, q, v, a = excited(seed)
    rng = np.random.default_rng(seed)
    tau = resisting("five_bar").inverse_dynamics(q, v, a, actuators=MOTORS) + NOISE * rng.normal(size=(len(t), 2))
    found = {"t [s]": t}
    for k, name in enumerate(MOTORS):
        found |= {f"q.{name} [rad]": x.q[:, k] + 2e-6 * rng.normal(size=len(t)), f"tau.{name} [N m]": tau[:, k]}
    return found


def test_five_bar_from_positions_and_forces_of_its_motors_alone():
    robot = resisting("five_bar")
    data = measurements(robot, columns(1), cutoff=20.0)
    assert data.coordinates == MOTORS and data.q.shape == (len(data), 4)
    np.testing.assert_allclose(robot.loop_coordinates(data.q).shape, (len(data), 1))
    found = estimate(robot, data)
    off = (found.values - found.base.values) / found.errors
    assert np.sqrt(np.mean(off**2)) < 1.6
    np.testing.assert_allclose(found.sigma, NOISE * np.sqrt(2 * 20 / RATE), rtol=0.1)
    held = validate(found, measurements(robot, columns(2), cutoff=20.0))
    assert held.ratio is not None and held.ratio.max() < 1.1


def test_more_motors_than_freedoms_are_taken_together():
    robot = resisting("five_bar")
    t, x, q, v, a = excited(1)
    some = slice(0, 500)
    three = robot.inverse_dynamics(q[some], v[some], a[some], actuators=[*MOTORS, "elbow1"])
    given = {"t": t[some]} | {f"{k}.{n}": y[some, j] for k, y in (("q", x.q), ("v", x.v), ("a", x.a))
                              for j, n in enumerate(MOTORS)}  # fmt: skip
    given |= {f"tau.{n}": three[:, j] for j, n in enumerate((*MOTORS, "elbow1"))}
    data = measurements(robot, given)
    np.testing.assert_allclose(data.q, q[some], atol=1e-9)
    wanted = robot.inverse_dynamics(q[some], v[some], a[some], actuators=MOTORS)
    np.testing.assert_allclose(data.tau, wanted, atol=1e-8)
    assert "what motors do against each other tells nothing" in " ".join(data.notes)


def test_mistakes():
    asked = base_parameters(resisting("five_bar"), "moments", coordinates=["shoulder1", "elbow1"])
    with pytest.raises(DataError, match="hold forces on shoulder1, shoulder2, and the base parameters were asked for"):
        estimate(resisting("five_bar"), measured(1), base=asked)
    robot, given = resisting("five_bar"), columns(1)
    one = {k: x for k, x in given.items() if k != "tau.shoulder2 [N m]"}
    with pytest.raises(DataError, match="the data hold forces of shoulder1, and 'five_bar' has 2 freedoms"):
        measurements(robot, one)
    with pytest.raises(DataError, match="has no column of any motor, as 'tau.shoulder1'"):
        measurements(robot, {k: x for k, x in given.items() if not k.startswith("tau")})
    with pytest.raises(DataError, match=r"shoulder1, shoulder2 as measured at t = .* s cannot be"):
        apart = {f"q.{n} [rad]": given[f"q.{n} [rad]"] + x for n, x in zip(MOTORS, (2.5, -0.9), strict=True)}
        measurements(robot, given | apart)
    data = measured(1)
    tree = Measurements(data.t, data.q, data.v, data.a, data.tau)
    with pytest.raises(ModelError, match="has loops, and which joints drive it is not said"):
        estimate(robot, tree)
