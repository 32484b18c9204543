"""A simulated robot behind its cards: counts, pulses, volts, delay, heat; friction that lets joints stick."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import appell
from appell.control import (
    Controller,
    Device,
    Encoders,
    Gains,
    Held,
    Load,
    MinimumJerk,
    Motors,
    Plant,
    Potentiometers,
    Sensing,
    Tabled,
    Timing,
    drive,
    point_to_point,
    tracking,
)
from appell.errors import DataError, ModelError, ShapeError
from appell.identify import measurements
from appell.papers.puma_device import ENCODERS, MOTORS, POTENTIOMETERS, device, geared, rubbing, sensing

pytestmark = pytest.mark.filterwarnings("ignore:robot .* radii of gyration implausible")
PUMA = appell.load("puma560")
RUBBING, GEARED = rubbing(), geared()
Q0 = np.array([0.0, -1.0, 2.5, 0.3, 0.5, 0.0])
CLEAN = {
    "encoders": Encoders(10**8), "potentiometers": Potentiometers(-4.0, 4.0, bits=None),
    "motors": Motors(1.0, volts=1e3, bits=None), "timing": Timing(1e-3),
}  # fmt: skip


def block(friction: float = 0.0) -> appell.Robot:
    """A mass of 2 kg on a slide, which may rub."""
    joint: dict[str, Any] = {"name": "slide", "type": "prismatic", "axis": [1.0, 0.0, 0.0]}
    joint |= {"coulomb": friction} if friction else {}
    inertia = dict.fromkeys(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), 0.0)
    body = {"name": "block", "parent": "base", "joint": joint, "placement": {"position": [0.0] * 3}, "mass": 2.0,
            "com": [0.0] * 3, "inertia": inertia}  # fmt: skip
    return appell.Robot.from_dict(
        {"format": "appell-robot/1", "name": "block", "gravity": [0.0, 0.0, -9.81], "bodies": [body], "loops": [],
         "frames": []}
    )  # fmt: skip


# -- motion between samples ---------------------------------------------------------------------------------


def test_without_friction_it_moves_as_simulated():
    tau = PUMA.gravity_forces(Q0) + np.array([8.0, 5.0, -5.0, 1.0, 0.5, 0.2])
    q, v = Plant(PUMA).moved(Q0, np.zeros(6), tau, 0.2)
    run = appell.simulate(PUMA, Q0, np.zeros(6), 0.2, torque=tau)
    np.testing.assert_allclose(q, run.q[-1], atol=1e-11)
    np.testing.assert_allclose(v, run.v[-1], atol=1e-10)


def test_with_friction_it_slides_and_stops_as_simulated():
    v = np.array([0.6, -0.4, 0.5, 1.0, -0.8, 2.0])
    tau = RUBBING.gravity_forces(Q0)
    run = appell.simulate(RUBBING, Q0, v, 1.5, torque=tau)
    q, after = Plant(RUBBING).moved(Q0, v, tau, 1.5)
    assert (run.v[-1] == 0).sum() >= 2  # some have stopped
    np.testing.assert_array_equal(after == 0, run.v[-1] == 0)
    np.testing.assert_allclose(q, run.q[-1], atol=2e-3)


def test_what_sticks_stands_still_and_breaks_loose_at_its_static_friction():
    plant = Plant(block(3.0), static=5.0)
    q, v = plant.moved(np.zeros(1), np.zeros(1), np.array([4.999]), 1.0)
    assert q[0] == 0.0 and v[0] == 0.0
    q, v = plant.moved(q, v, np.array([5.001]), 1.0)
    np.testing.assert_allclose([v[0], q[0]], [2.001 / 2, 2.001 / 4], rtol=1e-9)
    q1, v = plant.moved(q, v, np.zeros(1), 1.0)
    assert v[0] == 0.0
    np.testing.assert_allclose(q1 - q, 2.001**2 / 4 / (2 * 1.5), rtol=2e-3)  # v^2 / 2 a


# -- cards --------------------------------------------------------------------------------------------------


def test_encoders_count_and_index_pulses_tell_where():
    encoders = Encoders([200.0, 250.0], [50.0, -80.0], [1.0, 2.0])
    q = np.array([0.3, -0.7])
    np.testing.assert_allclose(np.abs(encoders.resolution), 2 * np.pi / np.array([200 * 4 * 50, 250 * 4 * 80]))
    off = q / encoders.resolution - encoders.lines_passed(q)
    assert ((off >= -1e-9) & (off < 1)).all()
    mark = encoders.nearest(q)
    shaft = (mark * [50.0, -80.0] - [1.0, 2.0]) / (2 * np.pi)
    np.testing.assert_allclose(shaft, np.round(shaft), atol=1e-9)
    assert (np.abs(mark - q) <= np.pi / np.array([50.0, 80.0])).all()


def test_potentiometers_have_a_range_noise_and_steps():
    pots, rng = Potentiometers(-1.0, 3.0, 0.0, bits=8), np.random.default_rng(0)
    np.testing.assert_allclose(pots.read(np.array([-2.0, 1.0, 5.0]), rng), [0.0, 2.5, 5.0 * 255 / 256])
    np.testing.assert_allclose(pots.angle(pots.read(np.array([0.7]), rng)), 0.7, atol=4.0 / 256)
    noisy = Potentiometers(-1.0, 3.0, 0.01, bits=None).read(np.zeros(4000), rng)
    assert noisy.std() == pytest.approx(0.01, rel=0.05)


def test_converters_have_steps_and_limits():
    motors = Motors.of(0.25, 50.0, 0.8, bits=10)
    assert motors.limit == pytest.approx(100.0)
    steps = np.unique(motors.sent(np.linspace(-12, 12, 100_001)))
    assert len(steps) == 1024 and steps.min() == -10.0 and steps.max() < 10.0
    np.testing.assert_allclose(motors.voltage(np.array([50.0, 500.0, -500.0])), [5.0, 10.0, -10.0])


def test_volts_come_late_and_hold():
    slow = Device(block(), [0.0], **(CLEAN | {"timing": Timing(0.1, 0.03)}))
    slow.read()
    slow.write([2.0])
    slow.read()
    np.testing.assert_allclose(slow.v, 0.07, rtol=1e-12)
    slow.write([0.0])
    slow.read()
    np.testing.assert_allclose([slow.v[0], slow.t], [0.1, 0.2], rtol=1e-12)


def test_samples_come_late_by_jitter():
    late = Device(block(), [0.0], **(CLEAN | {"timing": Timing(0.1, 0.0, 0.01)}))
    t = np.array([late.read().t for _ in range(50)])
    off = t[1:] - 0.1 * np.arange(1, 50)
    assert (off >= 0).all() and off.max() < 0.01 and off.std() > 1e-3


def test_a_motor_that_works_too_hard_gets_hot():
    motors = Motors(1.0, volts=100.0, forever=50.0, cooling=2.0)
    held = Device(block(3.0), [0.0], **(CLEAN | {"motors": motors}), static=200.0)
    times = []
    for _ in range(2000):
        m = held.read()
        times.append((m.t, m.hot[0]))
        held.write([100.0])
    first = next(t for t, hot in times if hot)
    assert first == pytest.approx(2.0 * np.log(1 / (1 - 0.25)), abs=5e-3)  # heat 4 (1 - exp(-t / 2)) = 1


def test_a_load_is_carried_while_the_tool_is_shut():
    box = Load(1.5, (0.0, 0.0, 0.1), frame="link6")
    carrying = Device(PUMA, Q0, **CLEAN, load=box)
    loaded = box.on(PUMA)
    assert loaded.mass == pytest.approx(PUMA.mass + 1.5)
    holding = loaded.gravity_forces(Q0)
    assert np.abs(holding - PUMA.gravity_forces(Q0)).max() > 5.0
    carrying.read()
    carrying.write(holding, (True, False))
    for _ in range(20):
        carrying.read()
    np.testing.assert_allclose(carrying.q, Q0, atol=1e-12)
    carrying.write(holding, (False, False))
    carrying.read()
    assert np.abs(carrying.v).max() > 1e-3


# -- the loop of a PC ---------------------------------------------------------------------------------------


def test_positions_are_those_of_potentiometers_until_index_pulses_come():
    robot, look, off = device(Q0, seed=3), sensing(), []
    law = point_to_point(PUMA, Gains(100.0, 20.0), limit=MOTORS.limit)
    for _ in range(400):
        q, v = look(robot.read())
        off.append(np.abs(q - robot.q))
        (tau,), _ = law(q, v, Q0 + 0.2, state=law.start)
        robot.write(MOTORS.voltage(tau))
    assert look.known.sum() >= 3
    first, last = off[0], off[-1]
    assert (first < 5 * POTENTIOMETERS.noise / 5 * POTENTIOMETERS.span + 2e-3).all() and first.max() > 1e-4
    assert (last[look.known] < 0.51 * ENCODERS.resolution[look.known]).all()


def test_a_speed_is_a_filtered_difference():
    look = Sensing(CLEAN["encoders"], CLEAN["potentiometers"], 20.0)
    moving = Device(block(), [0.0], **CLEAN)
    moving.v[:] = 0.5
    speeds = [look(moving.read())[1][0] for _ in range(200)]
    assert speeds[-1] == pytest.approx(0.5, abs=1e-5) and 0 < speeds[1] < 0.1
    with pytest.raises(DataError, match="wanted time that goes on"):
        look(moving.read()._replace(t=0.0))


def test_a_device_without_faults_is_the_robot():
    way = MinimumJerk(Q0, Q0 + 0.3, 0.5)
    law = tracking(PUMA, Gains(100.0, 20.0))
    clean = Device(PUMA, Q0, **CLEAN)
    log = drive(clean, Controller(law, way, 1e-3), Sensing(CLEAN["encoders"], CLEAN["potentiometers"], 400.0),
                CLEAN["motors"], 0.5)  # fmt: skip
    assert np.abs(log.error).max() < 1e-3
    assert log.hot is None and len(log.t) == 501 and (clean.waiting == 0).all()


def test_a_closed_mechanism_is_driven_by_its_motors():
    bar, motors = appell.load("five_bar"), ["shoulder1", "shoulder2"]
    q0 = bar.assemble().q
    law = tracking(bar, Gains(400.0, 40.0), actuators=motors)
    way = MinimumJerk(q0[[0, 2]], q0[[0, 2]] + [0.2, -0.1], 0.3)
    robot = Device(bar, q0, **CLEAN)
    look = Sensing(CLEAN["encoders"], CLEAN["potentiometers"], 400.0)
    log = drive(robot, Controller(law, Held(way), 1e-3), look, CLEAN["motors"], 0.35)
    assert np.isnan(log.error[:, [1, 3]]).all() and np.abs(log.error[-1, [0, 2]]).max() < 1e-3
    np.testing.assert_allclose(bar.assemble(robot.q).q, robot.q, atol=1e-9)


def test_static_friction_leaves_an_error_and_an_integral_takes_it_away():
    """The dead zone of valera2003, section 4."""
    way, left = Held(Tabled(MinimumJerk(Q0, Q0 + np.array([0.4, 0.3, -0.3, 0.4, 0.3, 0.5]), 1.0))), {}
    for name, gains in {"without": Gains.of(8.0, 1.0), "with": Gains.of(8.0, 1.0, 4.0)}.items():
        law = tracking(GEARED, gains, period=1e-3, limit=MOTORS.limit)
        log = drive(device(Q0), Controller(law, way, 1e-3), sensing(), MOTORS, 2.5)
        left[name] = np.abs(log.error[-300:]).max(0)
    assert left["without"].max() > 5e-3
    assert (left["with"] < 0.3 * left["without"].max()).all()


def test_a_hot_motor_stops_the_loop():
    weak = replace(MOTORS, forever=np.array(MOTORS.limit) * 0.1, cooling=1.0)
    law = point_to_point(PUMA, Gains(100.0, 20.0), limit=MOTORS.limit)
    robot = device(Q0, motors=weak)
    log = drive(robot, Controller(law, Q0, 1e-3), sensing(), weak, 1.0)
    assert log.hot is not None and 0 < log.hot < 0.5 and (robot.waiting == 0).all()


def test_a_log_is_data_to_identify_from():
    law = point_to_point(PUMA, Gains(100.0, 20.0), limit=MOTORS.limit)
    log = drive(device(Q0), Controller(law, Q0 + 0.1, 1e-3), sensing(), MOTORS, 0.2)
    data = measurements(PUMA, log.columns())
    assert data.q.shape[1] == 6
    head, first, *_ = log.csv().splitlines()
    assert head.startswith("t [s],q1 [rad]") and head.endswith("tau6 [N m]") and first.startswith("0,")


def wrong(**other: Any) -> Device:
    return Device(PUMA, Q0, **(CLEAN | other))


def test_what_a_device_cannot_be():
    with pytest.raises(ShapeError, match="got q = .*, wanted 6 finite numbers"):
        Device(PUMA, [0.0], **CLEAN)
    with pytest.raises(ShapeError, match=r"encoders got lines of shape \(2,\), wanted a number or 6 of them"):
        wrong(encoders=Encoders([200, 200]))
    with pytest.raises(DataError, match="too warm before the first sample"):
        burnt = wrong()
        burnt.heat[:] = 2.0
        law = Controller(tracking(PUMA, Gains(1.0, 1.0)), Q0, 1e-3)
        drive(burnt, law, Sensing(CLEAN["encoders"], CLEAN["potentiometers"]), MOTORS, 1.0)
    with pytest.raises(ShapeError, match="got volts = .*, wanted 6 finite numbers"):
        wrong().write([np.nan] * 6)
    with pytest.raises(ShapeError, match="wanted a period above 0"):
        Timing(1e-3, 2e-3)
    with pytest.raises(ShapeError, match="lines above 0, a gear that is not 0"):
        Encoders(200, 0.0)
    with pytest.raises(ShapeError, match="wanted low < high"):
        Potentiometers(1.0, 1.0)
    with pytest.raises(ShapeError, match="it cannot tell which turn"):
        Sensing(Encoders(200, 100.0), Potentiometers(-3.0, 3.0, 0.1))
    with pytest.raises(ModelError, match="has a quaternion in q: a device wants joints with coordinates"):
        wrong_robot = appell.load("quadruped")
        Plant(wrong_robot)
    with pytest.raises(ModelError, match="no static friction where loops are closed"):
        bar = appell.load("five_bar")
        Device(bar, bar.assemble().q, **CLEAN, static=1.0)
    with pytest.raises(ModelError, match="static friction of joint 1 is 1, wanted 3"):
        Plant(block(3.0), static=1.0)
    with pytest.raises(ShapeError, match="wanted the same"):
        law = Controller(tracking(PUMA, Gains(1.0, 1.0)), Q0, 2e-3)
        drive(wrong(), law, sensing(), MOTORS, 1.0)
    with pytest.raises(ModelError, match="load has the mass"):
        Load(0.0)
