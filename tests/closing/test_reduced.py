"""Mechanisms in independent coordinates: laws, agreement with the whole mechanism, derivatives, what is refused."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest

import appell
from appell.closing import kernels
from appell.errors import AssemblyError, ModelError, ShapeError, UnknownName
from appell.trace.tangent import tangent
from appell.write.interpret import interpret

from .closed_robots import quietly, tied


def of_joints(kind):
    """A random mechanism, in freedoms of joints that tell how it moves, the cut joint's first."""
    robot, q = tied(kind, 2, n=4)
    cut = [robot.loops[0].joint.name] if kind != "fixed" else []
    starts = robot.mechanism.v_starts
    names = [f"{b.joint.name}[{k}]" if e > s + 1 else b.joint.name
             for b, s, e in zip(robot.bodies, starts, starts[1:]) for k in range(e - s)]  # fmt: skip
    names = [*(f"{cut[0]}[{k}]" for k in range(2)), *names] if kind == "cylindrical" else [*cut, *names]
    _, A, _ = kernels.equations(robot)(q, np.zeros(robot.nv))
    N = np.linalg.svd(A)[2][np.linalg.matrix_rank(A, 1e-9) :]
    push, chosen = N @ robot.actuator_map(q, names), []
    for k in range(len(names)):
        if np.linalg.matrix_rank(push[:, [*chosen, k]], 1e-2) > len(chosen):
            chosen.append(k)
    return robot, q, [names[k] for k in chosen]


def of_frames(name):
    robot = appell.load(name)
    return robot, robot.assemble().q, TASKS[name]


TASKS = {
    "five_bar": ["lower1.y", "lower2.wz"],
    "agile_wrist": ["platform.zyx"],
    "slider_crank": ["motor"],
}
CASES = {
    **{kind: (of_joints, kind) for kind in ("revolute", "cylindrical", "fixed")},
    **{name: (of_frames, name) for name in TASKS},
}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    make, name = CASES[request.param]
    robot, q, names = make(name)
    reduced = robot.reduced(names)
    u, du = np.random.default_rng(4).normal(size=(2, reduced.n))
    return robot, reduced, q, u, du


def test_motions_keep_loops_closed(case):
    robot, reduced, q, u, du = case
    v, a, K = reduced.velocities(q, u), reduced.accelerations(q, u, du), reduced.basis(q)
    _, A, c = kernels.equations(robot)(q, v)
    assert np.abs(A @ v).max() < 1e-12 * (1 + np.abs(v).max())
    assert np.abs(A @ a + c).max() < 1e-10 * (1 + np.abs(a).max())
    np.testing.assert_allclose(K @ u, v, atol=1e-12 * np.abs(v).max())
    np.testing.assert_allclose(reduced.rates(q, v), u, atol=1e-12 * np.abs(v).max())


def test_it_agrees_with_the_whole_mechanism(case):
    robot, reduced, q, u, du = case
    v, a, K = reduced.velocities(q, u), reduced.accelerations(q, u, du), reduced.basis(q)
    tau, M = reduced.inverse_dynamics(q, u, du), reduced.mass_matrix(q)
    scale = np.abs(K).max() * np.abs(robot.inverse_dynamics(q, v, a)).max()
    np.testing.assert_allclose(tau, K.T @ robot.inverse_dynamics(q, v, a), atol=1e-11 * scale)
    np.testing.assert_allclose(M, K.T @ robot.mass_matrix(q) @ K, atol=1e-12 * np.abs(M).max())
    np.testing.assert_allclose(reduced.gravity_forces(q), K.T @ robot.gravity_forces(q), atol=1e-11 * scale)
    np.testing.assert_allclose(M @ du + reduced.bias(q, u), tau, atol=1e-11 * scale)
    np.testing.assert_allclose(reduced.forward_dynamics(q, u, tau), du, atol=1e-10 * np.linalg.cond(M))
    assert u @ M @ u / 2 == pytest.approx(robot.energy(q, v)[0], rel=1e-11)


def test_forces_of_velocities_leave_the_rate_of_masses_skew(case):
    robot, reduced, q, u, _ = case
    C, v = reduced.coriolis(q, u), reduced.velocities(q, u)
    h = reduced.bias(q, u) - reduced.gravity_forces(q)
    np.testing.assert_allclose(C @ u, h, atol=1e-11 * (np.abs(C).max() + np.abs(h).max()))
    rate = (robot.integrate(q, v, 1e-6) - robot.integrate(q, v, -1e-6)) / 2e-6  # dq, exact where q is a vector
    if robot.nq == robot.nv:
        rate = v
    _, dM = interpret(tangent(reduced.program("mass_matrix")), q, rate)
    left = dM - C - C.T
    assert np.abs(left).max() < (1e-13 if rate is v else 1e-8) * np.abs(C).max()


def test_derivatives_are_those_of_motions_on_the_loops(case):
    robot, reduced, q, u, du = case
    by_q, by_u, M = reduced.inverse_dynamics_derivatives(q, u, du)
    h, K = 1e-5, reduced.basis(q)
    np.testing.assert_allclose(M, reduced.mass_matrix(q), atol=1e-12 * np.abs(M).max())

    def on_loops(k, step):
        there = robot.integrate(q, K[:, k], step)
        for _ in range(4):
            g, A, _ = kernels.equations(robot)(there, np.zeros(robot.nv))
            there = robot.integrate(there, -np.linalg.lstsq(A, g, rcond=1e-9)[0])
        return there

    for k in range(reduced.n):
        one, two = (reduced.inverse_dynamics(on_loops(k, s), u, du) for s in (h, -h))
        np.testing.assert_allclose(by_q[:, k], (one - two) / (2 * h), atol=1e-6 * np.abs(by_q).max())
        e = h * np.eye(reduced.n)[k]
        one, two = (reduced.inverse_dynamics(q, u + s, du) for s in (e, -e))
        np.testing.assert_allclose(by_u[:, k], (one - two) / (2 * h), atol=1e-7 * np.abs(by_u).max() + 1e-9)
    tau = reduced.inverse_dynamics(q, u, du)
    one, two = (reduced.forward_dynamics(on_loops(0, s), u, tau) for s in (h, -h))
    found = reduced.forward_dynamics_derivatives(q, u, tau)[0]
    np.testing.assert_allclose(found[:, 0], (one - two) / (2 * h), atol=1e-5 * np.abs(found).max())


def test_motors_push_the_coordinates():
    robot, q, names = of_frames("five_bar")
    reduced = robot.reduced(names)
    u, du = np.random.default_rng(4).normal(size=(2, 2))
    motors = [b.joint.name for b in robot.bodies if b.parent == "base"]
    forces = robot.inverse_dynamics(q, reduced.velocities(q, u), reduced.accelerations(q, u, du), actuators=motors)
    B = reduced.actuator_map(q, motors)
    np.testing.assert_allclose(B @ forces, reduced.inverse_dynamics(q, u, du), atol=1e-11 * np.abs(forces).max())
    np.testing.assert_allclose(robot.reduced(motors).actuator_map(q, motors), np.eye(2), atol=1e-13)


def test_sums_of_velocities_are_coordinates():
    robot, q, _ = of_frames("five_bar")
    S = np.random.default_rng(1).normal(size=(2, robot.nv))
    reduced, u = robot.reduced(S), np.array([0.4, -0.2])
    np.testing.assert_allclose(S @ reduced.velocities(q, u), u, atol=1e-14)
    assert reduced.names == ("u[0]", "u[1]")


@pytest.mark.parametrize("sequence", ("zyx", "zxz", "xyz", "yxy"))
def test_angles_are_those_about_carried_axes(sequence):
    """Of one free body, against SciPy's."""
    from scipy.spatial.transform import Rotation

    data = appell.zoo.tree(1, 1, floating=True).to_dict()
    data["bodies"][0]["placement"] = {}
    robot = appell.Robot.from_dict(data)
    frame = robot.bodies[0].name
    reduced = robot.reduced([f"{frame}.x", f"{frame}.y", f"{frame}.z", f"{frame}.{sequence}"])
    angles, rates = np.array([0.4, 0.7, -1.1]), np.array([0.3, -0.5, 0.9])

    def stands(t):
        p = Rotation.from_euler(sequence.upper(), angles + t * rates).as_quat()
        return np.concatenate([[0.1, 0.2, 0.3], np.roll(p, 1)])

    w = robot.difference(stands(-1e-5), stands(1e-5))[3:] / 2e-5
    v = reduced.velocities(stands(0.0), np.concatenate([np.zeros(3), rates]))
    np.testing.assert_allclose(v[3:], w, atol=1e-9)
    a = reduced.accelerations(stands(0.0), np.concatenate([np.zeros(3), rates]), np.zeros(6))
    ends = [reduced.velocities(stands(s), np.concatenate([np.zeros(3), rates])) for s in (1e-5, -1e-5)]
    np.testing.assert_allclose(a[3:], ((ends[0] - ends[1]) / 2e-5)[3:], atol=1e-8)
    q = reduced.configuration([0.1, 0.2, 0.3, *angles], near=stands(0.2))
    np.testing.assert_allclose(robot.pose(q, frame), robot.pose(stands(0.0), frame), atol=1e-10)


def test_configurations_have_the_values_asked_for():
    robot, q, _ = of_frames("five_bar")
    motors = [b.joint.name for b in robot.bodies if b.parent == "base"]
    reduced = robot.reduced(motors)
    q = reduced.configuration([1.4, 1.1])
    places = [k for k, b in enumerate(robot.bodies) if b.parent == "base"]
    np.testing.assert_allclose(q[places], [1.4, 1.1], atol=1e-12)
    assert np.abs(kernels.equations(robot)(q, 0 * q)[0]).max() < 1e-11
    tip = robot.pose(q, "lower1")[:3, 3]
    task = robot.reduced(["lower1.x", "lower2.y"])
    wanted = [tip[0], robot.pose(q, "lower2")[1, 3]]
    np.testing.assert_allclose(task.configuration(wanted, near=q), q, atol=1e-9)
    with pytest.raises(AssemblyError, match="do not reach"):
        reduced.configuration([3.1, 0.0])
    with pytest.raises(ModelError, match="has a rate but no value"):
        robot.reduced(["lower1.wz", "lower2.wz"]).configuration([0.0, 0.0])


def test_batches_are_states_one_by_one_and_c_says_the_same(tmp_path):
    robot, q, names = of_joints("revolute")
    reduced = robot.reduced(names)
    u, tau = np.random.default_rng(1).normal(size=(2, 9, reduced.n))
    rows = reduced.forward_dynamics(q, u, tau)
    for k in range(9):
        np.testing.assert_array_equal(rows[k], reduced.forward_dynamics(q, u[k], tau[k]))
    reduced.write_c("inverse_dynamics", tmp_path / "reduced.c")
    (tmp_path / "main.c").write_text('#include "reduced.h"\nint main(void) { return reduced_selftest(); }\n')
    made = ["gcc", "-std=c99", "-O0", "reduced.c", "main.c", "-lm", "-o", "main"]
    subprocess.run(made, cwd=tmp_path, check=True)
    assert subprocess.run([str(tmp_path / "main")], check=False).returncode == 0


BAD = {
    "too many": (["crank", "cylinder"], ModelError, "coordinates 'crank', 'cylinder' depend on each other"),
    "joint": (["crnk"], UnknownName, "unknown joint or frame 'crnk'; did you mean 'crank'"),
    "part": (["rod.q"], ModelError, "coordinate 'rod.q': got 'q', wanted one of x, y, z, wx, wy, wz, or three axes"),
    "none": (["rod.wz[0]"], ModelError, "wanted one of x, y, z"),
    "held": (["rod.wx"], ModelError, "coordinate 'rod.wx' does not move, whatever 'slider_crank' does"),
    "numbers": ([[1.0, 2.0]], ShapeError, "coordinates have shape (1, 2), wanted names, or finite numbers (n, 3)"),
    "nothing": ([], ShapeError, "coordinates have shape (0,), wanted names"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused(name):
    given, kind, text = BAD[name]
    with pytest.raises(kind) as found:
        appell.load("slider_crank").reduced(given)
    assert text in str(found.value)


def test_coordinates_that_leave_something_free_are_refused():
    robot = appell.load("five_bar")
    with pytest.raises(ModelError, match="are 1 of the 2 freedoms of 'five_bar', wanted all: with them held, .* can"):
        robot.reduced([robot.bodies[0].joint.name])
    with pytest.raises(UnknownName, match="unknown question 'mass'"):
        robot.reduced(["lower1.y", "lower2.wz"]).kernel("mass")


def test_rotors_and_springs_in_cut_joints_are_felt():
    data = appell.load("four_bar").to_dict()
    data["loops"][0]["joint"] |= {"rotor_inertia": 0.01, "stiffness": 2.0, "damping": 0.3}
    robot = quietly(data)
    q = robot.assemble().q
    reduced = robot.reduced([robot.bodies[0].joint.name])
    u, du = np.array([0.7]), np.array([0.2])
    v, a = reduced.velocities(q, u), reduced.accelerations(q, u, du)
    tau = reduced.inverse_dynamics(q, u, du)
    np.testing.assert_allclose(tau, reduced.basis(q).T @ robot.inverse_dynamics(q, v, a), rtol=1e-11)
    assert u @ reduced.mass_matrix(q) @ u / 2 == pytest.approx(robot.energy(q, v)[0], rel=1e-12)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, robot.actuator_map(q, ["motor"]) @ tau), a, rtol=1e-9)


def test_a_start_without_rates_is_told_of():
    data = appell.zoo.tree(1, 1, floating=True).to_dict()
    data["bodies"][0]["placement"] = {}
    robot = appell.Robot.from_dict(data)
    frame = robot.bodies[0].name
    reduced = robot.reduced([f"{frame}.x", f"{frame}.y", f"{frame}.z", f"{frame}.zxz"])
    with pytest.raises(AssemblyError, match="have no rates here"):
        reduced.configuration([0.0, 0.0, 0.0, 0.1, 0.2, 0.3])
