"""The DeNOC matrices: their product with v, the equations of motion from them, their factors."""

from __future__ import annotations

import json

import numpy as np
import pytest
from oracles.random_robots import random_robot, random_state

import appell
from appell.decoupled import DenocMatrices
from appell.errors import ShapeError

MORE = [(2, "mixed"), (3, "prismatic"), (4, "universal"), (5, "helical")]
SEEDS = [(1, "mixed"), *(pytest.param(*x, marks=pytest.mark.slow) for x in MORE)]
each = pytest.mark.parametrize(("seed", "joints"), SEEDS)


def case(seed: int, joints: str) -> tuple[appell.Robot, np.ndarray, np.ndarray, DenocMatrices]:
    data = random_robot(seed, 5, joints, seed % 2 == 0, ("chain", "tree")[seed % 2], "shuffled", True)
    robot, (q, v, _) = appell.Robot.from_dict(data), random_state(data, seed)
    return robot, q, v, robot.denoc_matrices(q, v)


@each
def test_equations_of_motion(seed: int, joints: str) -> None:
    robot, q, v, m = case(seed, joints)
    np.testing.assert_allclose(m.I, robot.mass_matrix(q), atol=1e-12 * np.abs(m.I).max())
    wanted = robot.bias(q, v) - robot.gravity_forces(q)
    np.testing.assert_allclose(m.C @ v, wanted, atol=1e-12 * max(1.0, np.abs(wanted).max()))


@each
def test_twists_propagate_along_the_tree(seed: int, joints: str) -> None:
    """(12a) and section 4.3: A_ij A_jk = A_ik on a branch, and nothing passes from one branch to another."""
    robot, _, _, m = case(seed, joints)
    n = robot.tree.n
    A = m.N_l.reshape(n, 6, n, 6).swapaxes(1, 2)
    support = [{b.index - 1 for b in robot.tree.support(i + 1)} for i in range(n)]
    for i in range(n):
        assert {j for j in range(n) if A[i, j].any()} == support[i]
        for j in support[i]:
            for k in support[j]:
                np.testing.assert_allclose(A[i, j] @ A[j, k], A[i, k], atol=1e-12 * max(1.0, np.abs(A[i, k]).max()))


@each
def test_rates_are_those_of_the_motion(seed: int, joints: str) -> None:
    """dN v of the matrices, and the accelerations of the bodies: the linear part of t. is that of the origin."""
    robot, q, v, m = case(seed, joints)
    a = np.linspace(-1, 1, robot.nv)
    rates = (m.N @ a + m.dN @ v).reshape(-1, 6)
    for body in robot.bodies:
        place = robot.tree.frames[body.name]
        inside, r = np.array([[*row] for row in place.R], float), np.array([*place.r], float)
        angular, linear = np.split(rates[place.link - 1], 2)
        w = (m.N @ v).reshape(-1, 6)[place.link - 1, :3]
        to_world = robot.pose(q, body.name)[:3, :3] @ inside.T
        there = linear + np.cross(angular, r) + np.cross(w, np.cross(w, r))
        wanted = np.split(robot.acceleration(q, v, a, body.name), 2)
        scale = max(1.0, np.abs(wanted).max())
        np.testing.assert_allclose(to_world @ there, wanted[0], atol=1e-12 * scale)
        np.testing.assert_allclose(to_world @ angular, wanted[1], atol=1e-12 * scale)


@each
def test_factors(seed: int, joints: str) -> None:
    robot, _, _, m = case(seed, joints)
    np.testing.assert_allclose(m.U @ m.D @ m.U.T, m.I, atol=1e-13 * np.abs(m.I).max())
    assert np.array_equal(np.triu(m.U), m.U)
    assert np.array_equal(np.diag(m.U), np.ones(robot.nv))
    assert (np.diag(m.D) > 0).all()


@each
def test_twists_are_those_of_the_bodies(seed: int, joints: str) -> None:
    robot, q, v, m = case(seed, joints)
    twists = (m.N @ v).reshape(-1, 6)
    for body in robot.bodies:
        place = robot.tree.frames[body.name]
        inside, r = np.array([[*row] for row in place.R], float), np.array([*place.r], float)
        angular, linear = np.split(twists[place.link - 1], 2)
        to_world = robot.pose(q, body.name)[:3, :3] @ inside.T
        wanted = np.split(robot.velocity(q, v, body.name), 2)
        np.testing.assert_allclose(to_world @ (linear + np.cross(angular, r)), wanted[0], atol=1e-12)
        np.testing.assert_allclose(to_world @ angular, wanted[1], atol=1e-12)


@each
def test_the_papers_convective_inertia_is_not_skew_and_ours_is(seed: int, joints: str) -> None:
    """Only v'(dI/dt - 2C) v vanishes for the paper's; `coriolis` by DeNOC differs from it by nothing that v sees."""
    robot, q, v, m = case(seed, joints)
    h = 1e-4
    ahead, behind = (robot.mass_matrix(robot.integrate(q, v, x)) for x in (h, -h))
    rate, own = (ahead - behind) / (2 * h), robot.coriolis(q, v, method="denoc")
    scale = max(1.0, np.abs(rate).max())
    assert abs(v @ (rate - 2 * m.C) @ v) < 1e-5 * scale * (v @ v)
    skew = rate - 2 * own
    np.testing.assert_allclose(skew, -skew.T, atol=1e-5 * scale)
    np.testing.assert_allclose(own @ v, m.C @ v, atol=1e-11 * max(1.0, np.abs(m.C @ v).max()))
    if joints != "prismatic":
        paper = rate - 2 * m.C
        assert np.abs(paper + paper.T).max() > 1e-3 * scale


def test_constraint_wrenches_do_no_work() -> None:
    """(15b): what is left of M t. + W M E t when N' has taken the joints' forces is orthogonal to N."""
    robot, q, v, m = case(3, "prismatic")
    a = np.linspace(-1, 1, robot.nv)
    wrench = m.M @ (m.N @ a + m.dN @ v) + m.W @ m.M @ m.E @ m.N @ v
    tau = robot.inverse_dynamics(q, v, a) - robot.gravity_forces(q) - m.rotors * a
    np.testing.assert_allclose(m.N.T @ wrench, tau, atol=1e-11 * np.abs(tau).max())


def test_at_rest_without_a_velocity() -> None:
    robot, q, v, m = case(1, "mixed")
    rest = robot.denoc_matrices(q)
    assert not rest.C.any()
    assert np.array_equal(rest.I, m.I)
    assert np.array_equal(rest.I, robot.denoc_matrices(q, 0 * v).I)


def test_as_plain_data() -> None:
    m = case(1, "mixed")[-1]
    found = json.loads(json.dumps(m.to_dict()))
    assert np.array_equal(found["U"], m.U)
    assert found["links"] == [*m.links]
    assert np.array_equal(np.array(found["N"]), m.N)


def test_one_state_only() -> None:
    arm = appell.load("panda")
    with pytest.raises(ShapeError, match=r"q of one state has shape \(2, 7\), wanted \(7,\)"):
        arm.denoc_matrices(np.zeros((2, 7)), np.zeros(7))
