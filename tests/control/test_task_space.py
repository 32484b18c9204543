"""Control in space: exact error dynamics, springs that yield by F / K, forces that are reached; learning; observing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import appell
from appell.control import (
    Controller,
    Fourier,
    Gains,
    Line,
    MinimumJerk,
    Observer,
    adaptive,
    continuous,
    hybrid,
    impedance,
    momentum_observer,
    point_to_point,
    task_tracking,
    tracking,
    zyz,
)
from appell.errors import ShapeError, UnknownName

pytestmark = pytest.mark.filterwarnings("ignore:robot .* radii of gyration implausible")
PUMA = appell.load("puma560")
Q0 = np.array([0.04, -1.1, 3.0, 2.4, 1.1, -0.8])
HOME = PUMA.pose(Q0, "tool")
FORCE = np.array([5.0, -3.0, 8.0, 0.1, 0.2, -0.1])


def at(pose: Any) -> Any:
    """A reference that stays."""
    return lambda t: (pose[:3].reshape(-1), np.zeros(6), np.zeros(6))


def pushed(q: Any, force: Any) -> Any:
    """A wrench on the tool in world axes, as `simulate` takes it."""
    W, R = np.zeros((6, 6)), PUMA.pose(q, "tool")[:3, :3]
    W[5, :3], W[5, 3:] = R.T @ force[:3], R.T @ force[3:]
    return W


def test_a_frame_goes_to_its_place_as_the_law_says():
    goal, t = HOME.copy(), np.linspace(0, 1, 11)
    goal[:3, 3] += [0.05, -0.1, 0.1]
    law = continuous(task_tracking(PUMA, Gains(100.0, 20.0)), at(goal))
    run = appell.simulate(PUMA, Q0, np.zeros(6), 1.0, torque=law, times=t)
    off = goal[:3, 3] - PUMA.pose(run.q, "tool")[:, :3, 3]
    exact = np.multiply.outer((1 + 10 * t) * np.exp(-10 * t), [0.05, -0.1, 0.1])
    np.testing.assert_allclose(off, exact, atol=1e-7)


@pytest.mark.parametrize("name", ["puma560", "panda"])
def test_a_frame_follows_a_line_and_turns(name: str):
    robot, frame = appell.load(name), "tool" if name == "puma560" else "flange"
    q = Q0 if name == "puma560" else np.array([0.0, 0.3, 0.0, -1.8, 0.0, 2.0, 0.5])
    T = robot.pose(q, frame)
    turned = [T[:3, :3], T[:3, :3] @ zyz(0.3, 0.2, 0.1)]
    line = Line(T[:3, 3], T[:3, 3] + [0.1, 0.2, -0.1], turned, MinimumJerk(0.0, 1.0, 1.0))
    law = continuous(task_tracking(robot, Gains(100.0, 20.0), frame), line)
    run = appell.simulate(robot, q, np.zeros(robot.nv), 1.0, torque=law, times=np.linspace(0, 1, 6))
    np.testing.assert_allclose(robot.pose(run.q, frame), line(run.t).pose, atol=1e-6)


def test_some_axes_only():
    """A SCARA has no say in rx and ry: the other four axes are tracked."""
    robot = appell.load("scara")
    q = np.array([0.3, 0.9, 0.05, 0.2])
    T = robot.pose(q, "flange")
    line = Line(T[:3, 3], T[:3, 3] + [-0.05, 0.05, 0.03], T[:3, :3], MinimumJerk(0.0, 1.0, 1.0))
    law = task_tracking(robot, Gains(100.0, 20.0), "flange", axes=("x", "y", "z", "rz"))
    run = appell.simulate(robot, q, np.zeros(4), 1.0, torque=continuous(law, line), times=np.linspace(0, 1, 6))
    np.testing.assert_allclose(robot.pose(run.q, "flange"), line(run.t).pose, atol=1e-6)


def test_a_frame_on_springs_yields_by_force_over_stiffness():
    """Where it is off by F / K the springs balance the force, and nothing accelerates."""
    law, yielded = impedance(PUMA, 500.0, 60.0), HOME.copy()
    yielded[:3, 3] += FORCE[:3] / 500
    q = appell.inverse_kinematics(PUMA, yielded, "tool", near=Q0).best
    (tau,), _ = law(q, np.zeros(6), *at(HOME)(0.0), state=law.start)
    force = np.concatenate([FORCE[:3], np.zeros(3)])
    assert np.abs(PUMA.forward_dynamics(q, np.zeros(6), tau, wrench=pushed(q, force))).max() < 1e-9
    assert np.abs(PUMA.forward_dynamics(q, np.zeros(6), tau)).max() > 0.1


def test_an_inertia_that_is_wanted_is_had():
    """inertia e" + damped e' + stiffness e = - F: the frame's acceleration at rest is F / inertia."""
    law = impedance(PUMA, 500.0, 100.0, inertia=[4.0] * 3 + [0.5] * 3, damping=0.0)
    (tau,), _ = law(Q0, np.zeros(6), *at(HOME)(0.0), FORCE, state=law.start)
    a = PUMA.forward_dynamics(Q0, np.zeros(6), tau, wrench=pushed(Q0, FORCE))
    got = PUMA.acceleration(Q0, np.zeros(6), a, "tool")
    np.testing.assert_allclose(got, FORCE / ([4.0] * 3 + [0.5] * 3), atol=1e-9)


def test_a_force_is_reached_against_a_spring_while_the_rest_moves():
    """A wall of 5000 N/m under the tool: 20 N downwards, and 5 cm along it."""
    stiff, floor = 5000.0, HOME[2, 3] - 0.001
    goal = Line(HOME[:3, 3], HOME[:3, 3] + [0.03, 0.04, 0.0], HOME[:3, :3], MinimumJerk(0.0, 1.0, 0.8))
    wanted = np.array([0.0, 0.0, -20.0, 0.0, 0.0, 0.0])

    def wall(q: Any) -> Any:
        depth = max(0.0, floor - PUMA.pose(q, "tool")[2, 3])
        return np.array([0.0, 0.0, stiff * depth, 0.0, 0.0, 0.0])

    def reference(t: float) -> Any:
        pose, V, A = goal(min(t, 0.8))
        return pose[:3].reshape(-1), V, A, wanted

    law = hybrid(PUMA, Gains(400.0, 40.0), ("z",), 4.0, 1e-3, settling=400.0)
    controller = Controller(law, reference, 1e-3, sense=lambda t, q, v: (-wall(q),))
    stepping = {"integrator": "rk4", "step": 1e-3, "wrench": lambda t, q, v: pushed(q, wall(q))}
    run = appell.simulate(PUMA, Q0, np.zeros(6), 1.2, torque=controller, **stepping)
    assert wall(run.q[-1])[2] == pytest.approx(20.0, abs=0.2)
    np.testing.assert_allclose(PUMA.pose(run.q[-1], "tool")[:2, 3], HOME[:2, 3] + [0.03, 0.04], atol=1e-3)


def heavier() -> appell.Robot:
    own = PUMA.parameters()
    more = {"link6.mass": 1.5, "link6.first.x": 0.02, "link6.first.z": 0.15}
    more |= {f"link6.second.{k}": own[f"link6.second.{k}"] + x for k, x in (("xx", 0.01), ("yy", 0.01), ("zz", 0.03))}
    return PUMA.with_parameters(more)


def test_what_is_not_known_is_learnt():
    robot, motion = heavier(), Fourier([0, -1, 2.5, 0.3, 0.8, 0], 0.4 * np.ones((6, 2)), 0.3 * np.ones((6, 2)), 4.0)
    learning = adaptive(
        PUMA, ["link6.mass", "link6.first.z"], [40.0, 4.0], 2e-3, slope=8.0, damping=[40, 40, 20, 4, 4, 2]
    )
    off = []
    for law in (learning, tracking(PUMA, Gains(64.0, 16.0))):
        controller, start = Controller(law, motion, 2e-3), motion(0.0)
        stepping = {"integrator": "rk4", "step": 2e-3, "times": np.linspace(3, 4, 51)}
        run = appell.simulate(robot, start.q, start.v, 4.0, torque=controller, **stepping)
        off.append(np.abs(motion(run.t).q - run.q).max())
        if law is learning:
            assert controller.state[0] == pytest.approx(1.5, rel=0.1)
    assert off[0] < 0.2 * off[1]


def test_a_true_model_learns_nothing_and_follows():
    motion = Fourier([0, -1, 2.5, 0.3, 0.8, 0], 0.4 * np.ones((6, 2)), 0.3 * np.ones((6, 2)), 4.0)
    law = adaptive(PUMA, "link6.mass", 1.0, 1e-3, slope=8.0, damping=5.0)
    q, v, a = motion(0.7)
    (tau,), after = law(q, v, q, v, a, state=law.start)
    np.testing.assert_allclose(tau, PUMA.inverse_dynamics(q, v, a), atol=1e-10)
    np.testing.assert_array_equal(after, law.start)


def test_forces_from_outside_are_seen():
    push = np.array([0.0, 6.0, -4.0, 0.0, 1.0, 0.0])
    observer = Observer(momentum_observer(PUMA, 50.0, 1e-3, threshold=2.0))
    hold, given, seen = point_to_point(PUMA, Gains(100.0, 20.0)), [np.zeros(6)], []

    class Watched:
        period = 1e-3

        def __call__(self, t: float, q: Any, v: Any) -> Any:
            seen.append((t, observer(q, v, given[0]), observer.alarm.copy()))
            (given[0],), _ = hold(q, v, Q0, state=hold.start)
            return given[0] + (push if t > 0.3 else 0.0)

    appell.simulate(PUMA, Q0, np.zeros(6), 0.7, torque=Watched(), integrator="rk4", step=1e-3)
    quiet = max(np.abs(r).max() for t, r, _ in seen if 0.2 < t < 0.3)
    assert quiet < 1e-2
    np.testing.assert_allclose(seen[-1][1], push, atol=1e-3)
    first = next(t for t, _, alarm in seen if t > 0.3 and alarm.any())
    assert first < 0.32
    assert seen[-1][2].tolist() == [0.0, 1.0, 1.0, 0.0, 0.0, 0.0]


def test_wrong_words():
    with pytest.raises(UnknownName, match="unknown axis 'zz'"):
        task_tracking(PUMA, Gains(1.0, 1.0), axes="zz")
    with pytest.raises(UnknownName, match="unknown frame 'hand'"):
        impedance(PUMA, 1.0, 1.0, "hand")
    with pytest.raises(UnknownName, match=r"parameter 'link7.mass'; did you mean"):
        adaptive(PUMA, "link7.mass", 1.0, 1e-3)
    with pytest.raises(ShapeError, match="an observer of 2000 rad/s sampled every 0.001 s"):
        momentum_observer(PUMA, 2000.0, 1e-3)
    with pytest.raises(ShapeError, match="damping of the pseudo-inverse is 2.0"):
        task_tracking(PUMA, Gains(1.0, 1.0), damping=2.0)
