"""Mechanisms made from others: held joints, a moving base."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.few import few
from oracles.random_robots import random_robot, random_state

from appell.errors import ModelError, UnknownName
from appell.model.joints import WIDTHS
from appell.model.variants import locked, on_moving_base
from appell.robot import Robot

KINDS = ("revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "ball", "free")


def _split(robot: Robot, name: str) -> tuple[slice, slice]:
    """Where a body's joint is in q and in v."""
    k = [b.name for b in robot.bodies].index(name)
    q, v = robot.mechanism.q_starts, robot.mechanism.v_starts
    return slice(q[k], q[k + 1]), slice(v[k], v[k + 1])


@pytest.mark.parametrize("kind", few(KINDS, "revolute", "planar", "free"))
def test_a_held_joint_is_a_joint_that_does_not_move(kind: str):
    data = random_robot(70, 4, shape="tree")
    middle = data["bodies"][1]
    middle["joint"] = {"name": middle["joint"]["name"], "type": kind, "axis": [0.6, 0.0, 0.8]}
    middle["joint"] |= {"axis2": [0.0, 1.0, 0.0]} if kind == "universal" else {}
    middle["joint"] |= {"pitch": 0.2} if kind == "helical" else {}
    robot, (q, v, a) = Robot.from_dict(data), random_state(data, 2)
    iq, iv = _split(robot, middle["name"])
    held = robot.lock({middle["joint"]["name"]: q[iq]})
    v[iv] = a[iv] = 0.0
    rest_q, rest_v = (np.delete(np.arange(len(x)), s) for x, s in ((q, iq), (v, iv)))
    assert (held.nq, held.nv) == (robot.nq - WIDTHS[kind][0], robot.nv - WIDTHS[kind][1])
    tau = robot.inverse_dynamics(q, v, a)
    found = held.inverse_dynamics(q[rest_q], v[rest_v], a[rest_v])
    np.testing.assert_allclose(found, tau[rest_v], rtol=0, atol=1e-12 * np.abs(tau).max())
    for frame in ("tool", "body3", middle["name"]):
        np.testing.assert_allclose(held.pose(q[rest_q], frame), robot.pose(q, frame), atol=1e-13)
    moves, forces = robot.hybrid_dynamics(q, v, a, 3 * tau, prescribed=[middle["name"]])
    np.testing.assert_allclose(held.forward_dynamics(q[rest_q], v[rest_v], 3 * tau[rest_v]), moves[rest_v], rtol=1e-9)
    np.testing.assert_allclose(robot.inverse_dynamics(q, v, moves)[iv], forces[iv], rtol=1e-9, atol=1e-9)


def test_names_of_joints_or_bodies_and_several_at_once():
    robot = Robot.from_dict(random_robot(71, 4))
    by_joint, by_body = robot.lock({"joint1": 0.4, "joint3": -1.0}), robot.lock({"body1": [0.4], "body3": (-1.0,)})
    assert by_joint == by_body
    assert [b.joint.type for b in by_joint.bodies] == ["revolute", "fixed", "revolute", "fixed"]
    assert [b.name for b in by_joint.bodies] == [b.name for b in robot.bodies]
    assert robot.lock({}) == robot
    assert robot.nv == 4, "the robot itself stays as it is"


def test_no_warning_speaks_of_a_robot_that_nobody_knows(recwarn: pytest.WarningsRecorder):
    data = random_robot(72, 3)
    data["bodies"][1] |= {
        "mass": 1000.0,
        "inertia": {**dict.fromkeys(data["bodies"][1]["inertia"], 0.0), "ixx": 900.0, "iyy": 900.0, "izz": 900.0},
    }
    Robot.from_dict(data).lock({"joint1": 0.3})
    assert not [w for w in recwarn if "alone" in str(w.message)]


def test_a_locked_robot_is_data_like_any_other():
    robot = Robot.from_dict(random_robot(72, 4, joints="mixed")).lock({"joint1": np.zeros(2)[:1]})
    assert Robot.from_dict(robot.to_dict()) == robot


def test_a_quaternion_of_any_length_holds_a_ball():
    robot = Robot.from_dict(random_robot(73, 2, joints="ball"))
    unit = np.array([0.5, -0.5, 0.5, 0.5])
    one, other = (robot.lock({"joint0": k * unit}) for k in (1.0, -3.0))
    q = robot.neutral()[4:]
    np.testing.assert_allclose(one.pose(q, "tool"), other.pose(q, "tool"), atol=1e-14)


@pytest.mark.parametrize("values", [[1.0, 2.0], [], np.nan, np.inf, "half", None, [[0.1]], 1j])
def test_coordinates_that_do_not_fit(values: Any):
    mechanism = Robot.from_dict(random_robot(71, 2)).mechanism
    with pytest.raises(ModelError, match="joint 'joint0' got the coordinates .*, wanted 1 finite numbers"):
        locked(mechanism, {"joint0": values})


def test_names_that_are_unknown():
    mechanism = Robot.from_dict(random_robot(71, 2)).mechanism
    with pytest.raises(UnknownName, match="unknown joint 'joint9'; did you mean 'joint0'|'joint1'"):
        locked(mechanism, {"joint9": 0.0})
    with pytest.raises(ModelError, match=r"lock got \['joint0'\], wanted coordinates by names of joints"):
        locked(mechanism, ["joint0"])  # type: ignore[arg-type]


# -- a moving base --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", few(["chain", "tree"], "chain"))
def test_a_base_that_stands_still_changes_nothing(shape: str):
    data = random_robot(74, 4, joints="simple", shape=shape)
    robot, (q, v, a) = Robot.from_dict(data), random_state(data, 3)
    moving = robot.on_moving_base()
    rest = moving.neutral()[:7]
    tau, zero = robot.inverse_dynamics(q, v, a), np.zeros(6)
    full = moving.inverse_dynamics([*rest, *q], [*zero, *v], [*zero, *a])
    np.testing.assert_allclose(full[6:], tau, rtol=0, atol=1e-12 * np.abs(tau).max())
    given = ([*rest, *q], [*zero, *v], [*zero, *(0 * a)], [*zero, *tau])
    moves, forces = moving.hybrid_dynamics(*given, prescribed=["moving_base"])
    np.testing.assert_allclose(moves[6:], a, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(forces[:6], full[:6], rtol=0, atol=1e-10 * np.abs(full).max())


def test_a_base_that_is_driven():
    data = random_robot(75, 3, joints="mixed")
    robot = Robot.from_dict(data).on_moving_base("cart")
    q, v, a = random_state(robot.to_dict(), 4)
    tau = robot.inverse_dynamics(q, v, a)
    given = np.concatenate([a[:6], np.zeros(robot.nv - 6)]), np.concatenate([np.zeros(6), tau[6:]])
    moves, forces = robot.hybrid_dynamics(q, v, *given, prescribed=["cart"])
    scale = np.linalg.cond(robot.mass_matrix(q))
    np.testing.assert_allclose(moves, a, rtol=0, atol=1e-14 * scale * np.abs(a).max())
    np.testing.assert_allclose(forces, tau, rtol=0, atol=1e-13 * scale * np.abs(tau).max())


def test_a_lift_feels_like_gravity():
    """A base that accelerates upwards by g doubles the weight, one that falls takes it away."""
    robot = Robot.from_dict(random_robot(76, 3))
    g, moving, q = robot.gravity, robot.on_moving_base(), robot.random_state(1)[0]
    rest, still, weight = moving.neutral()[:7], np.zeros(3), robot.gravity_forces(q)
    for share, wanted in ((1.0, 0.0), (-1.0, 2.0)):
        a = np.concatenate([share * g, np.zeros(6)])
        tau = moving.inverse_dynamics([*rest, *q], [*np.zeros(6), *still], a)[6:]
        np.testing.assert_allclose(tau, wanted * weight, atol=1e-11)


def test_frames_of_the_base_move_with_it():
    data = random_robot(77, 2)
    data["frames"].append({"name": "mount", "body": "base", "placement": {"position": [1.0, 2.0, 3.0]}})
    moving = Robot.from_dict(data).on_moving_base()
    q = moving.neutral()
    q[:3] = 5.0, 0.0, -1.0
    np.testing.assert_allclose(moving.pose(q, "mount")[:3, 3], [6.0, 2.0, 2.0])


def test_the_name_must_be_free():
    mechanism = Robot.from_dict(random_robot(71, 2)).mechanism
    with pytest.raises(ModelError, match="a body named 'body1' already; choose another name"):
        on_moving_base(mechanism, "body1")
    twice = on_moving_base(on_moving_base(mechanism), "outer")
    assert [b.parent for b in twice.bodies[:3]] == ["base", "outer", "moving_base"]
