"""Forces of chosen actuators in closed mechanisms: against forward dynamics, and least squares in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import appell
from appell.closing import kernels
from appell.errors import ModelError, ShapeError, UnknownName
from appell.model.joints import WIDTHS

from .closed_robots import KINDS, quietly, tied

each_kind = pytest.mark.parametrize("kind", KINDS)


def motion(robot, q, seed=0):
    """Velocities and accelerations that keep the loops closed."""
    rng = np.random.default_rng(seed)
    _, A, _ = kernels.equations(robot)(q, np.zeros(robot.nv))
    v = rng.normal(size=robot.nv)
    v -= np.linalg.pinv(A, 1e-9) @ A @ v
    _, A, c = kernels.equations(robot)(q, v)
    a = rng.normal(size=robot.nv)
    return v, a - np.linalg.pinv(A, 1e-9) @ (A @ a + c)


def motors(robot, q, more=0):
    """Freedoms of joints that drive the mechanism, as few as will do and so many more; and its motions."""
    _, A, _ = kernels.equations(robot)(q, np.zeros(robot.nv))
    N = np.linalg.svd(A)[2][np.linalg.matrix_rank(A, 1e-9) :]
    joints = [*(x.joint for x in robot.loops), *(b.joint for b in robot.bodies)]  # the cut joint's first
    widths = [(x.name, WIDTHS[x.type][1]) for x in joints]
    names = [f"{name}[{k}]" if n > 1 else name for name, n in widths for k in range(n)]
    push, chosen, spare = N @ robot.actuator_map(q, names), [], []
    for k in range(len(names)):
        if np.linalg.matrix_rank(push[:, [*chosen, k]], 1e-2) > len(chosen):
            chosen.append(k)
        elif np.abs(push[:, k]).max() > 1e-2:
            spare.append(k)
    assert len(chosen) == len(N)
    return [names[k] for k in [*chosen, *spare[:more]]], N


@each_kind
def test_forces_of_actuators_are_what_the_motion_takes(kind):
    robot, q = tied(kind, 2, n=5, floating=kind == "fixed")
    names, N = motors(robot, q)
    v, a = motion(robot, q)
    tau = robot.inverse_dynamics(q, v, a, actuators=names)
    B = robot.actuator_map(q, names)
    assert len(tau) == B.shape[1] == len(N)
    t = robot.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(N @ B @ tau, N @ t, atol=1e-11 * np.abs(t).max())


def test_forces_of_actuators_bring_about_the_motion():
    robot, q = tied("revolute", 3, n=5, floating=True)
    names, _ = motors(robot, q)
    v, a = motion(robot, q)
    B, tau = robot.actuator_map(q, names), robot.inverse_dynamics(q, v, a, actuators=names)
    there = robot.forward_dynamics(q, v, B @ tau)
    np.testing.assert_allclose(there, a, atol=1e-10 * np.abs(a).max() * np.linalg.cond(robot.mass_matrix(q)) ** 0.5)


@pytest.mark.parametrize("kind", ("revolute", "cylindrical", "universal", "ball"))
def test_more_actuators_than_freedoms_share_as_their_prices_say(kind):
    robot, q = tied(kind, 2, n=5)
    names, N = motors(robot, q, more=3)
    prices = dict(zip(names, np.random.default_rng(1).uniform(0.5, 2.0, len(names)).tolist()))
    v, a = motion(robot, q)
    B, t = robot.actuator_map(q, names), robot.inverse_dynamics(q, v, a)
    assert B.shape[1] > len(N)
    w = np.array(list(prices.values())) ** -0.5
    wanted = w * np.linalg.lstsq(N @ B * w, N @ t, rcond=1e-9)[0]
    tau = robot.inverse_dynamics(q, v, a, actuators=prices)
    np.testing.assert_allclose(tau, wanted, atol=1e-10 * np.abs(wanted).max())
    np.testing.assert_allclose(
        robot.inverse_dynamics(q, v, a, actuators={k: 3.0 * x for k, x in prices.items()}), tau, rtol=1e-9, atol=1e-9
    )


def test_redundant_equations_change_nothing():
    robot, q = tied("revolute", 3, n=5, floating=True)
    loop = robot.to_dict()["loops"][0]
    thrice = quietly({**robot.to_dict(), "loops": [{**loop, "name": name} for name in "abc"]})
    names = [name for name in motors(robot, q, more=9)[0] if "loop" not in name]
    v, a = motion(robot, q)
    once = robot.inverse_dynamics(q, v, a, actuators=names)
    np.testing.assert_allclose(thrice.inverse_dynamics(q, v, a, actuators=names), once, rtol=1e-10, atol=1e-10)


def test_a_tree_has_a_motor_in_every_joint():
    robot = appell.zoo.tree(5, 1, False, "mixed")
    (q, v), a = robot.random_state(1), np.ones(robot.nv)
    names = [b.name for b in robot.bodies][::-1]
    tau = robot.inverse_dynamics(q, v, a, actuators=names)
    np.testing.assert_array_equal(robot.actuator_map(q, names) @ tau, robot.inverse_dynamics(q, v, a))


def test_batches_and_kernels_and_c(tmp_path):
    robot, q = tied("ball", 2)
    names, _ = motors(robot, q)
    f = robot.kernel("inverse_dynamics", actuators=names)
    v, a = np.random.default_rng(1).normal(size=(2, 9, robot.nv))
    rows = robot.inverse_dynamics(q, v, a, actuators=names)
    for k in range(9):
        np.testing.assert_array_equal(rows[k], f(q, v[k], a[k]))
    assert f(q, v, a, actuators=None).shape == v.shape  # the forces of all joints of the tree
    robot.write_c("inverse_dynamics", tmp_path / "closed.c", actuators=names)
    assert (tmp_path / "closed.c").exists()


def four_bar():
    """A plane mechanism in space."""

    def rod(name, parent, joint, length, x):
        turn = {"name": joint, "type": "revolute", "axis": [0.0, 0.0, 1.0]}
        inertia = {"ixx": 1e-3, "iyy": length**2 / 12, "izz": length**2 / 12, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0}
        return {"name": name, "parent": parent, "joint": turn, "placement": {"position": [x, 0.0, 0.0]}, "mass": 1.0,
                "com": [length / 2, 0.0, 0.0], "inertia": inertia}  # fmt: skip

    bodies = [rod("crank", "base", "j1", 0.4, 0.0), rod("rod", "crank", "j2", 1.0, 0.4),
              rod("rocker", "base", "j3", 0.8, 1.0)]  # fmt: skip
    ends = {"body_a": "rod", "placement_a": {"position": [1.0, 0.0, 0.0]}, "body_b": "rocker",
            "placement_b": {"position": [0.8, 0.0, 0.0]}}  # fmt: skip
    loop = {"name": "pin", "joint": {"type": "revolute", "axis": [0.0, 0.0, 1.0]}, **ends}
    slide = {"name": "slide", "type": "prismatic", "axis": [0.0, 0.0, 1.0]}
    lift = {**rod("lift", "base", "j4", 1.0, 0.0), "joint": slide}
    held = {"name": "weld", "joint": {"type": "fixed"}, "body_a": "base", "body_b": "lift"}
    head = {"format": "appell-robot/1", "name": "four_bar", "gravity": [0.0, -9.81, 0.0]}
    return appell.Robot.from_dict({**head, "bodies": [*bodies, lift], "loops": [loop, held]})


BAD = {
    "cannot move": (["j1", "slide"], ModelError, "actuator 'slide' cannot move 'four_bar': the loops hold its joint"),
    "no name": (["j1", "j5"], UnknownName, "unknown joint 'j5'"),
    "twice": (["j1", "j1"], ShapeError, "actuators has 'j1' twice"),
    "price": ({"j1": 0.0}, ShapeError, "actuator 'j1' has the price 0.0, wanted a positive number"),
    "none": ([], ShapeError, "actuators is [], wanted one name at least"),
    "number": (3, ShapeError, "actuators is 3, wanted a list of names"),
    "fixed": (["weld"], ModelError, "actuator 'weld' is a fixed joint"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_refused(case):
    names, kind, text = BAD[case]
    with pytest.raises(kind) as found:
        four_bar().inverse_dynamics(np.zeros(4), np.zeros(4), np.zeros(4), actuators=names)
    assert text in str(found.value)


def test_what_does_not_suffice_is_named():
    robot, q = tied("ball", 2)
    names, N = motors(robot, q)
    with pytest.raises(ModelError, match=f"drive {len(N) - 1} of the {len(N)} freedoms.*can still move"):
        robot.inverse_dynamics(q, q, q, actuators=names[1:])
    with pytest.raises(ShapeError, match="mass_matrix got actuators, wanted none"):
        robot.mass_matrix(q, actuators=names)
