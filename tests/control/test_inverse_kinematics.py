"""Inverse kinematics: every arm with a spherical wrist, against forward kinematics; what is out of reach, and where."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import appell
from appell.control import Postures, inverse_kinematics, zyz
from appell.control.spherical_arm import spherical_arm
from appell.errors import AppellError, ModelError, ShapeError, UnknownName
from appell.robot import Robot

KINDS = {"R": "revolute", "P": "prismatic"}
pytestmark = pytest.mark.filterwarnings("ignore:robot .* radii of gyration implausible")


def arm(kinds: str, seed: int, wrist: bool = True, limits: Any = None) -> Robot:
    """An arm with axes anywhere; the last two joints stand where the fourth does if `wrist`."""
    rng, bodies = np.random.default_rng(seed), []
    for k, kind in enumerate(kinds):
        place = np.zeros(3) if wrist and k > 3 else rng.normal(size=3)
        joint = {"name": f"j{k}", "type": KINDS[kind], "axis": [0.0, 0.0, 1.0]}
        turn = Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix().tolist()
        bodies.append(
            {
                "name": f"b{k}",
                "parent": f"b{k - 1}" if k else "base",
                "joint": joint | ({"limits": limits} if limits else {}),
                "placement": {"position": place.tolist(), "rotation": turn},
                "mass": 1.0,
                "com": [0.0, 0.0, 0.0],
                "inertia": {"ixx": 1.0, "iyy": 1.0, "izz": 1.0, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0},
            }
        )
    tool = {"name": "tool", "body": "b5", "placement": {"position": [0.1, 0.2, 0.3]}}
    return Robot.from_dict(
        {"format": "appell-robot/1", "name": kinds, "gravity": [0.0, 0.0, 0.0], "bodies": bodies, "frames": [tool]}
    )


def there(postures: Postures) -> np.ndarray[Any, Any]:
    """How many postures each pose has."""
    return (~np.isnan(postures.q).any(-1)).sum(-1)


def apart(q: Any, p: Any) -> np.ndarray[Any, Any]:
    """The largest difference of coordinates, whole turns left out (slides are shorter than one here)."""
    return np.abs(np.angle(np.exp(1j * (np.asarray(q) - p)))).max(-1)


def check(robot: Robot, Q: Any, tolerance: float = 1e-9) -> Postures:
    """Every posture reaches the pose, and the one that made it is among them."""
    T = robot.pose(Q, "tool")
    found = inverse_kinematics(robot, T)
    real = ~np.isnan(found.q).any(-1)
    assert np.abs(robot.pose(np.nan_to_num(found.q), "tool") - T[:, None])[real].max() < tolerance
    slide = [b.joint.type == "prismatic" for b in robot.bodies]
    apart = np.where(slide, found.q - Q[:, None], np.angle(np.exp(1j * (found.q - Q[:, None]))))
    assert (np.nanmin(np.abs(apart).max(-1), -1) * np.nanmin(found.margin, -1)).max() < tolerance
    return found


@pytest.mark.parametrize("name", ["puma560", "puma_saha", "stanford"])
def test_the_papers_arms_have_eight_postures(name: str) -> None:
    Q = np.random.default_rng(3).uniform(-3, 3, (300, 6))
    found = check(appell.load(name), Q, 1e-13)
    assert (there(found) == 8).all()
    best = inverse_kinematics(appell.load(name), appell.load(name).pose(Q[0], "tool"), near=Q[0]).best
    assert np.abs(best - Q[0]).max() < 1e-11


@pytest.mark.parametrize("kinds", ["".join(k) for k in product("RP", repeat=3)])
def test_arms_with_axes_anywhere(kinds: str) -> None:
    """Turns and slides in every order, no two axes parallel or meeting, and no wrist that is square."""
    robot = arm(kinds + "RRR", seed=kinds.count("P"))
    found = check(robot, np.random.default_rng(4).uniform(-1.5, 1.5, (100, 6)))
    assert (there(found) % 2 == 0).all()


@pytest.mark.slow
def test_a_general_arm_has_up_to_eight_and_the_count_changes_across_the_space() -> None:
    counts = {int(c) for seed in range(4) for c in there(check(arm("RRRRRR", seed), _random(100)))}
    assert {2, 4, 8} <= counts and max(counts) == 8


@pytest.mark.slow
@pytest.mark.parametrize("kinds", ["RRR", "RRP", "PRR"])
def test_many_arms_to_the_last_digits(kinds: str) -> None:
    """Each of many postures is found, also near singularities, where a polynomial's roots lose digits."""
    for seed in (4, 16, 17, 18):
        check(arm(kinds + "RRR", seed + 100), np.random.default_rng(seed).uniform(-3, 3, (300, 6)), 1e-12)


def test_an_industrial_arm() -> None:
    """Shoulder beside the first axis, second and third axis parallel: the quartic comes in two pairs."""
    rows = [(0, 0, 0.4, 0), (0.15, -np.pi / 2, 0, 0), (0.6, 0, 0, 0), (0.1, -np.pi / 2, 0.65, 0)]
    rows += [(0, np.pi / 2, 0, 0), (0, -np.pi / 2, 0.1, 0)]
    inertia = {"masses": [1.0] * 6, "inertias": [(0.1, 0.1, 0.1)] * 6}
    robot = appell.from_dh(rows, convention="modified", **inertia)
    found = check(robot, np.random.default_rng(1).uniform(-3, 3, (300, 6)), 1e-12)
    assert set(there(found).tolist()) == {4, 8}


def test_parallel_first_axes() -> None:
    """As in a SCARA with a square wrist: the third joint lifts, elbow and wrist have two postures each."""
    data = arm("RRPRRR", 1).to_dict()
    for k, body in enumerate(data["bodies"]):
        body["placement"]["rotation"] = np.eye(3).tolist() if k < 4 else [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    assert (there(check(Robot.from_dict(data), _random(100))) == 4).all()


def test_out_of_reach_is_said_in_metres() -> None:
    """The wrist centre of this PUMA reaches a sphere about its shoulder: the two links, and the offset beside them."""
    robot = appell.load("puma560")
    pose = np.eye(4)
    pose[:3, 3] = 2.0, 0.0, 0.5
    found = inverse_kinematics(robot, pose)
    reach = np.hypot(0.432 + np.hypot(0.02, 0.433), 0.15)
    assert found.q.shape == (0, 6) and not found.reached
    with pytest.raises(AppellError, match="out of reach by"):
        _ = found.best
    assert found.solver.missed_by(pose) == pytest.approx(np.hypot(2.0, 0.5) - reach, abs=1e-9)
    near_edge = pose.copy()
    for shift, reached in ((-1e-7, True), (1e-7, False)):
        near_edge[:3, 3] = pose[:3, 3] / np.hypot(2.0, 0.5) * (reach + shift)
        assert inverse_kinematics(robot, near_edge).reached == reached


def test_singular_postures_are_found_and_reported() -> None:
    robot = appell.load("puma560")
    q = np.array([0.3, -0.4, 0.5, 0.7, 0.0, -0.2])  # the hand's axes in line: q4 + q6 is all that counts
    found = inverse_kinematics(robot, robot.pose(q, "tool"), near=q)
    assert found.singular[0] and np.abs(found.best - q).max() < 1e-9
    straight = np.array([0.3, -0.4, np.arctan2(0.433, -0.02), 0.7, 0.5, -0.2])  # the elbow stretched
    at_edge = inverse_kinematics(robot, robot.pose(straight, "tool"), near=straight)
    assert at_edge.singular.any() and np.nanmin(apart(at_edge.q, straight)) < 1e-6
    regular = inverse_kinematics(robot, robot.pose(q + 0.5, "tool"))
    assert not regular.singular.any() and (regular.margin > 1e-3).all()


def test_limits_choose_among_postures_and_turns() -> None:
    robot, free = arm("RRRRRR", 2, limits=[-4.0, 1.0]), arm("RRRRRR", 2)
    Q = np.random.default_rng(5).uniform(-4.0, 1.0, (50, 6))
    T = robot.pose(Q, "tool")
    held, all_of_them = inverse_kinematics(robot, T, within_limits=True), inverse_kinematics(free, T)
    inside = held.q[~np.isnan(held.q).any(-1)]
    assert (inside >= -4.0 - 1e-8).all() and (inside <= 1.0 + 1e-8).all()
    assert (there(held) >= 1).all() and there(held).sum() < there(all_of_them).sum()
    tight = arm("RRRRRR", 2, limits=[0.0, 1e-3])
    with pytest.raises(AppellError, match="limits"):
        _ = inverse_kinematics(tight, T[0], within_limits=True).best


def test_near_chooses_whole_turns_and_what_the_pose_leaves_open() -> None:
    robot = appell.load("puma560")
    q = np.array([5.0, -4.0, 7.0, -9.0, 4.0, 11.0])
    assert np.abs(inverse_kinematics(robot, robot.pose(q, "tool"), near=q).best - q).max() < 1e-11


def test_joints_beside_the_arm_stay() -> None:
    data = arm("RRRRRR", 3).to_dict()
    extra = {**data["bodies"][5], "name": "finger", "parent": "b5", "joint": {"name": "j", "type": "ball"}}
    robot = Robot.from_dict({**data, "bodies": [extra, *data["bodies"]]})
    q, _ = robot.random_state(0)
    found = inverse_kinematics(robot, robot.pose(q, "tool"), near=q)
    assert np.abs(found.best - q).max() < 1e-9 and (found.q[:, :4] == q[:4]).all()


def test_batches_keep_their_shape() -> None:
    robot = appell.load("stanford")
    Q = _random(6).reshape(2, 3, 6)
    found = inverse_kinematics(robot, robot.pose(Q, "link6"), "link6")
    assert found.q.shape == (2, 3, 8, 6) and found.best.shape == (2, 3, 6) and found.margin.shape == (2, 3, 8)
    assert inverse_kinematics(robot, np.empty((0, 4, 4))).q.shape[0] == 0


def test_a_wrist_that_is_not_square_does_not_turn_everywhere() -> None:
    with pytest.raises(AppellError, match="wrist"):
        _ = inverse_kinematics(arm("PPPRRR", 1), np.eye(4)).best


def test_arms_whose_joints_do_the_same_are_told() -> None:
    same = arm("PPPRRR", 1).to_dict()
    same["bodies"][1]["placement"]["rotation"] = np.eye(3).tolist()
    with pytest.raises(ModelError, match="same direction"):
        spherical_arm(Robot.from_dict(same), "tool")
    for k in (1, 2):
        same["bodies"][k]["placement"]["rotation"] = np.eye(3).tolist()
    third = arm("PPPRRR", 1).to_dict()
    third["bodies"][2]["placement"]["rotation"] = np.eye(3).tolist()
    with pytest.raises(ModelError, match="third joint"):
        spherical_arm(Robot.from_dict(third), "tool")
    line = arm("RRRRRR", 1).to_dict()
    line["bodies"][5]["placement"]["rotation"] = np.eye(3).tolist()
    with pytest.raises(ModelError, match="two axes in line"):
        spherical_arm(Robot.from_dict(line), "tool")


def test_poses_are_made_orthonormal() -> None:
    """As seven printed digits leave them."""
    robot = appell.load("puma560")
    T = robot.pose(_random(1)[0], "tool")
    found = inverse_kinematics(robot, np.round(T, 7))
    assert found.q.shape == (8, 6)
    assert np.abs(robot.pose(found.q, "tool") - T).max() < 2e-7


def test_bad_input_is_one_sentence() -> None:
    robot = appell.load("puma560")
    with pytest.raises(ShapeError, match="pose has shape"):
        inverse_kinematics(robot, np.eye(3))
    with pytest.raises(ShapeError, match="no rotation"):
        inverse_kinematics(robot, np.diag([1.0, 1.0, -1.0, 1.0]))
    with pytest.raises(ShapeError, match="near"):
        inverse_kinematics(robot, np.eye(4), near=[1.0])
    with pytest.raises(ShapeError, match="near"):
        inverse_kinematics(robot, np.eye(4), near="here")
    with pytest.raises(UnknownName, match="frame"):
        inverse_kinematics(robot, np.eye(4), "tooth")
    with pytest.raises(ModelError, match="tips"):
        inverse_kinematics(appell.load("humanoid"), np.eye(4))


def test_zyz_turns_about_its_own_axes() -> None:
    assert np.abs(zyz(0.3, 0.5, 0.7) - Rotation.from_euler("ZYZ", [0.3, 0.5, 0.7]).as_matrix()).max() < 1e-15


def _random(count: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(6).uniform(-1.5, 1.5, (count, 6))
