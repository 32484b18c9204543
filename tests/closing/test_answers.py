"""What else is asked of a robot takes notice of its loops."""

from __future__ import annotations

import numpy as np
import pytest

import appell
from appell.closing import kernels
from appell.errors import ModelError

from .closed_robots import ladder, quietly, tied
from .test_actuated import motion

H = 1e-5


def closed_state(robot, q, v):
    """The state on the loops next to one that is off them."""
    for _ in range(6):
        g, A, _ = kernels.equations(robot)(q, v)
        q = robot.integrate(q, -np.linalg.lstsq(A, g, rcond=1e-9)[0])
    _, A, _ = kernels.equations(robot)(q, v)
    return q, v - np.linalg.pinv(A, 1e-9) @ A @ v


def resisting(kind, floating=False):
    robot, q = tied(kind, 2, n=4, floating=floating)
    data = robot.to_dict()
    data["loops"][0]["joint"] |= {"damping": 0.3, "coulomb": 0.2, "smoothing": 0.4, "rotor_inertia": 0.05}
    data["loops"][0]["joint"] |= {} if kind == "ball" else {"stiffness": 2.0}
    return quietly(data), q


CASES = {
    "revolute": lambda: tied("revolute", 2, n=4),
    "ball, resisting": lambda: resisting("ball"),
    "universal, resisting": lambda: resisting("universal"),
    "five_bar": lambda: (appell.load("five_bar"), appell.load("five_bar").assemble().q),
}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    robot, q = CASES[request.param]()
    v, _ = motion(robot, q)
    return robot, q, v, np.random.default_rng(3).normal(size=robot.nv)


def test_forces_to_accelerations(case):
    robot, q, v, tau = case
    W = robot.inverse_mass_matrix(q)
    adds = robot.forward_dynamics(q, v, tau) - robot.forward_dynamics(q, v, 0 * tau)
    np.testing.assert_allclose(W @ tau, adds, atol=1e-9 * np.abs(adds).max())
    M, (_, A, _) = robot.mass_matrix(q), kernels.equations(robot)(q, v)
    N = np.linalg.svd(A)[2][np.linalg.matrix_rank(A, 1e-9) :].T
    np.testing.assert_allclose(W, N @ np.linalg.solve(N.T @ M @ N, N.T), atol=1e-9 * np.abs(W).max())


def test_given_accelerations(case):
    robot, q, v, tau = case
    a = robot.forward_dynamics(q, v, tau)
    name = next(b.joint.name for b in robot.bodies if b.joint.type != "fixed")
    moves, forces = robot.hybrid_dynamics(q, v, a, tau, prescribed=[name])
    np.testing.assert_allclose(moves, a, atol=1e-8 * np.abs(a).max())
    start, end = robot.mechanism.v_starts[0], robot.mechanism.v_starts[1]
    spoilt = tau.copy()
    spoilt[start:end] = 99.0
    moves, forces = robot.hybrid_dynamics(q, v, a, spoilt, prescribed=[name])
    there = robot.forward_dynamics(q, v, forces)
    np.testing.assert_allclose(there, a, atol=1e-7 * np.abs(a).max())


def test_derivatives_along_motions_on_the_loops(case):
    """By states moved along the loops, in which velocities follow."""
    robot, q, v, tau = case
    by_q, by_v, by_tau = robot.forward_dynamics_derivatives(q, v, tau)
    _, A, _ = kernels.equations(robot)(q, v)
    N = np.linalg.svd(A)[2][np.linalg.matrix_rank(A, 1e-9) :].T
    np.testing.assert_allclose(by_tau, robot.inverse_mass_matrix(q), atol=1e-10)
    scale = np.abs(by_q).max() + np.abs(by_v).max()
    for k in range(N.shape[1]):
        ends = [closed_state(robot, robot.integrate(q, N[:, k], s), v) for s in (H, -H)]
        one, two = (robot.forward_dynamics(*x, tau) for x in ends)
        dv = (ends[0][1] - ends[1][1]) / (2 * H)
        dq = robot.difference(ends[1][0], ends[0][0]) / (2 * H)
        np.testing.assert_allclose(by_q @ dq + by_v @ dv, (one - two) / (2 * H), atol=2e-6 * scale)
        one, two = (robot.forward_dynamics(q, v + s * N[:, k], tau) for s in (H, -H))
        np.testing.assert_allclose(by_v @ N[:, k], (one - two) / (2 * H), atol=1e-6 * scale)


def test_derivatives_of_forces_know_what_resists_in_cut_joints():
    robot, q = resisting("universal")
    v, a = motion(robot, q)
    by_q, by_v, M = robot.inverse_dynamics_derivatives(q, v, a)
    np.testing.assert_allclose(M, robot.mass_matrix(q), atol=1e-13)
    for e in np.eye(robot.nv):
        one, two = (robot.inverse_dynamics(robot.integrate(q, e, s), v, a) for s in (H, -H))
        np.testing.assert_allclose(by_q @ e, (one - two) / (2 * H), atol=1e-6 * np.abs(by_q).max())
        one, two = (robot.inverse_dynamics(q, v + s * e, a) for s in (H, -H))
        np.testing.assert_allclose(by_v @ e, (one - two) / (2 * H), atol=1e-6 * np.abs(by_v).max())


def test_a_closed_mechanism_hangs_at_rest():
    robot = appell.load("four_bar")
    q = robot.equilibrium(robot.assemble().q)
    assert np.abs(kernels.equations(robot)(q, 0 * q)[0]).max() < 1e-10
    assert np.abs(robot.forward_dynamics(q, 0 * q, 0 * q)).max() < 1e-8
    A, B = robot.linearise(q, 0 * q, 0 * q)
    assert A.shape == (6, 6) and B.shape == (6, 3)


def slider():
    """A crank, a rod and a slide: its crank tells all."""
    robot = appell.load("slider_crank")
    return robot, robot.bodies[0].joint.name


def test_linear_models_in_independent_coordinates():
    """By states moved along the loops; and the tree's own model agrees along them."""
    robot, crank = slider()
    given = robot.reduced([crank])
    q, u, tau = robot.assemble(fixed={crank: 0.7}).q, np.array([1.3]), np.array([0.4])
    A, B = given.linearise(q, u, tau)
    np.testing.assert_array_equal(A[0], [0.0, 1.0])

    def rate(x, du):
        at = robot.assemble(fixed={crank: 0.7 + x}, guess=q).q
        return given.forward_dynamics(at, u + du, tau)

    np.testing.assert_allclose(A[1, 0], (rate(H, 0) - rate(-H, 0))[0] / (2 * H), rtol=1e-6)
    np.testing.assert_allclose(A[1, 1], (rate(0, H) - rate(0, -H))[0] / (2 * H), rtol=1e-6)
    np.testing.assert_allclose(B[:, 0], [0.0, 1 / given.mass_matrix(q)[0, 0]], rtol=1e-9)
    K, v = given.basis(q), given.velocities(q, u)
    push = robot.actuator_map(q, [crank])[:, 0]
    whole, W = robot.linearise(q, v, tau[0] * push)
    bend = given.accelerations(q, u, 0 * u) / u  # of K along a unit rate of the crank
    change = np.concatenate([K[:, 0], bend])  # of the state while the crank moves and u stays
    n = robot.nv
    np.testing.assert_allclose((whole @ change)[:n], bend, atol=1e-12)
    np.testing.assert_allclose((W @ push)[n:], K[:, 0] * B[1, 0], atol=1e-9 * np.abs(W).max())
    found = (whole @ change)[n:][0]  # of the crank's acceleration
    np.testing.assert_allclose(found, A[1, 0], rtol=1e-7)


def test_linear_models_are_refused_where_coordinates_tell_no_configuration():
    robot = appell.load("stewart")
    body = robot.loops[0].body_b
    given = robot.reduced([f"{body}.{k}" for k in ("x", "y", "z", "wx", "wy", "wz")])
    q = robot.assemble().q
    with pytest.raises(ModelError, match="has a rate but no value"):
        given.linearise(q, np.zeros(6), np.zeros(6))


def test_a_base_that_moves_carries_no_plane_to_roll_on():
    with pytest.raises(ModelError, match="rolls on a plane of the base"):
        appell.load("rolling_disk").on_moving_base()


def test_too_many_joints_in_loops_for_straight_lines_are_refused():
    with pytest.raises(ModelError, match="inverse_mass_matrix got loops with 121 degrees of freedom, wanted at most"):
        ladder(60).inverse_mass_matrix(np.zeros(121))


@pytest.mark.parametrize("name", ("five_bar", "slider_crank", "planar_3rrr"))
def test_single_precision_has_weights_of_its_own(name):
    robot = appell.load(name)
    q = robot.assemble().q
    v, _ = motion(robot, q)
    tau = np.random.default_rng(1).normal(size=robot.nv)
    a, a4 = (robot.forward_dynamics(q, v, tau, dtype=kind) for kind in ("f8", "f4"))
    assert a4.dtype == np.float32
    np.testing.assert_allclose(a4, a, atol=3e-6 * np.abs(a).max())
