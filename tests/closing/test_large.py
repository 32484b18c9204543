"""Sparse equations of many loops against the straight-line ones, and their growth."""

from __future__ import annotations

import numpy as np
import pytest

import appell
from appell.closing import augmented, kernels
from appell.closing.large import Large, large
from appell.errors import ShapeError

from .closed_robots import KINDS, ladder, quietly, tied, turned


@pytest.mark.parametrize("kind", KINDS)
def test_sparse_equations_are_the_same_equations(kind):
    robot, q = tied(kind, 3, floating=True)
    many, (v, tau) = Large(robot), np.random.default_rng(1).uniform(-1, 1, (2, robot.nv))
    for found, wanted in zip(many.equations(q, v), kernels.equations(robot)(q, v)):
        dense = found if isinstance(found, np.ndarray) else found.toarray()
        np.testing.assert_allclose(dense, wanted, atol=1e-14)
    for found, wanted in zip(many.forces(q, v, tau), kernels.forces(robot)(q, v, tau)):
        np.testing.assert_allclose(found, wanted, atol=1e-11 * np.abs(wanted).max())
    b, s = np.random.default_rng(2).uniform(-1, 1, robot.nv), kernels.equations(robot)(q, v)[1] @ v
    for found, wanted in zip(many.response(q, b, s), kernels.response(robot)(q, b, s)):
        np.testing.assert_allclose(found, wanted, atol=1e-11 * np.abs(wanted).max())


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in ("ball", "universal")])
def test_sparse_senses_are_the_same_senses(kind):
    robot, q = tied(kind, 3, floating=True)
    q, asked = robot.integrate(q, np.random.default_rng(1).normal(size=robot.nv)), kernels.senses(robot)
    assert asked is not None
    s, S = Large(robot).senses(q)
    np.testing.assert_allclose(s, asked(q)[0], atol=1e-14)
    np.testing.assert_allclose(S.toarray(), asked(q)[1], atol=1e-14)


def test_many_loops_are_assembled_and_told():
    robot = ladder(120)
    q, _ = turned(robot, 0.5, 0.0)
    found = robot.assemble(q + 0.02 * np.random.default_rng(1).normal(size=robot.nv))
    assert found.residual < 1e-13
    assert (found.mobility.gruebler, found.mobility.here, found.mobility.generic) == (-359, 1, 1)
    assert found.redundant[:3] == ("pin1: position z", "pin1: tilt about y", "pin1: tilt about x")
    assert len(found.redundant) == 360
    assert len(found.independent) == 1
    led = robot.assemble(found, fixed={robot.bodies[0].joint.name: 0.7}).q
    np.testing.assert_allclose(led, turned(robot, 0.7, 0.0)[0], atol=1e-12)
    K = robot.velocity_transformation(led, [robot.bodies[0].joint.name])
    np.testing.assert_allclose(K[:, 0], turned(robot, 1.0, 0.0)[0], atol=1e-10)


def test_many_loops_in_line_are_singular():
    found = ladder(30).assemble()
    assert (found.mobility.here, found.mobility.generic) == (31, 1)
    assert found.singularity.measure == 0


def test_constraints_and_rotors_too():
    chain = appell.zoo.tree(6, 4, True).to_dict()
    chain["bodies"][2]["joint"] |= {"rotor_inertia": 0.01, "gear": 5.0, "damping": 0.2}
    given = [
        {"name": "roll", "type": "rolling", "body": "body1", "radius": 0.3, "axis": [0.0, 1.0, 0.0]},
        {"name": "edge", "type": "knife_edge", "body": "body3", "direction": [0.0, 1.0, 0.0]},
        {"name": "gear", "type": "coupling", "joint": "joint3", "of": "joint4", "coefficients": [0.0, 2.0, 0.1]},
    ]
    robot = quietly({**chain, "constraints": given})
    q, v = robot.random_state(2)
    tau = np.random.default_rng(1).uniform(-1, 1, robot.nv)
    found, wanted = Large(robot).forces(q, v, tau)[0], robot.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(found, wanted, atol=1e-10 * np.abs(wanted).max())


def test_many_parallelograms_move_as_one_pendulum():
    robot = ladder(30)
    assert large(robot)
    q, v = turned(robot, 1.0, 0.5)
    a = robot.forward_dynamics(q, v, np.zeros(robot.nv))
    alone = -9.81 * (31 / 2 + 30) * np.cos(1.0) / (31 / 3 + 30)
    np.testing.assert_allclose(a, alone * turned(robot, 1.0, 0.0)[0], atol=1e-9)
    rows = robot.forward_dynamics(np.tile(q, (2, 3, 1)), v, np.zeros(robot.nv))
    np.testing.assert_array_equal(rows, np.tile(a, (2, 3, 1)))
    with pytest.raises(ShapeError, match="tau has shape"):
        robot.forward_dynamics(q, v, [1.0])
    with pytest.raises(ShapeError, match="got 'threads', wanted wrench or out"):
        robot.forward_dynamics(q, v, v, threads=2)


def test_a_long_ladder_stays_closed():
    robot = ladder(100)
    run = appell.simulate(robot, *turned(robot, np.pi / 2, -1.0), 0.2)
    g, A, _ = Large(robot).equations(run.q[-1], run.v[-1])
    assert max(np.abs(g).max(), np.abs(A @ run.v[-1]).max()) < 1e-12
    assert run.ledger.drift < 1e-9


def test_a_long_ladder_passes_the_line_of_all_its_bars():
    robot = ladder(60)
    run = appell.simulate(robot, *turned(robot, 0.4, -5.0), 0.3)
    assert run.q[-1, 0] < -0.5  # it came from the other side
    np.testing.assert_allclose(run.q, np.outer(run.q[:, 0], turned(robot, 1.0, 0.0)[0]), atol=1e-10)
    assert run.ledger.drift < 1e-9
    assert run.ledger["steps"] < 50


def test_what_is_no_band_is_solved_all_the_same(monkeypatch):
    robot = ladder(20)
    q, v = turned(robot, 0.8, 0.5)
    tau = np.random.default_rng(1).normal(size=robot.nv)
    wanted = Large(robot).forces(q, v, tau)[0]
    monkeypatch.setattr(augmented, "WIDEST", 0)
    np.testing.assert_allclose(Large(robot).forces(q, v, tau)[0], wanted, atol=1e-10 * np.abs(wanted).max())
