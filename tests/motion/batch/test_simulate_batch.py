"""Many motions at once are the single ones: in free flight, through impacts, at rest, with forces and parameters."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np
import pytest

import appell
from appell import Ball, Circle, Edge, Plane, Robot, simulate, simulate_batch
from appell.papers.tree_in_circle import POINTS, RADIUS, REFERENCE, Flight

from ..bodies import ALONG_Z, block, body, cradle, dropped, robot

Array = np.ndarray
G = 9.81


@pytest.mark.parametrize("name", ["quadruped", "puma560", "cartpole"])
def test_free_motions_are_those_of_simulate(name: str) -> None:
    """Under constant forces of their own, quaternions included."""
    machine = appell.load(name)
    states = [machine.random_state(seed) for seed in range(5)]
    q, v = (np.array(x) for x in zip(*states))
    v, tau = 0.3 * v, np.random.default_rng(1).normal(size=(5, machine.nv))
    run = simulate_batch(machine, q, v, 0.6, torque=tau, rtol=1e-10, atol=1e-12)
    for k in range(5):
        one = simulate(machine, q[k], v[k], 0.6, torque=tau[k], rtol=1e-12)
        assert np.abs(machine.difference(one.q[-1], run.q[k, -1])).max() < 1e-8
        assert run.v[k, -1] == pytest.approx(one.v[-1], abs=1e-7 * (1 + np.abs(one.v[-1]).max()))
    assert run.complete.all() and run.drift.max() < 1e-8


def test_forces_may_be_a_function_of_all_lanes() -> None:
    """Springs of a stiffness per lane, without gravity."""
    stiff = np.array([1.0, 4.0, 9.0])
    slide = replace(dropped().mechanism, gravity=(0.0, 0.0, 0.0))
    t = np.linspace(0.0, 3.0, 7)
    law = lambda t, q, v, lanes: -stiff[lanes, None] * q  # noqa: E731
    run = simulate_batch(Robot(slide), [1.0], [0.0], 3.0, torque=law, times=t, restitution=np.ones(3), rtol=1e-10)
    assert run.q[:, :, 0] == pytest.approx(np.cos(np.sqrt(stiff)[:, None] * t), abs=1e-8)
    assert run.work[:, -1, 0] == pytest.approx(0.5 * stiff * (1 - run.q[:, -1, 0] ** 2), abs=1e-7)


def test_parameters_are_numbers_per_lane() -> None:
    """A rod as dense as told, with a damper of its own."""
    arm, dense, damping = appell.load("double_pendulum"), np.array([0.5, 1.0, 2.0]), np.array([0.0, 0.1, 0.3])
    rod = arm.bodies[1].name
    names = [f"{rod}.{x}" for x in ("mass", "first.x", "second.xx", "second.yy", "second.zz")]
    given = {name: x * dense for name, x in zip(names, arm.parameters(names))} | {f"{rod}.damping": damping}
    run = simulate_batch(arm, [1.0, 0.5], [0.0, 0.0], 1.0, parameters=given, rtol=1e-10)
    for k in range(3):
        data = arm.to_dict()
        data["bodies"][1]["mass"] *= dense[k]
        data["bodies"][1]["inertia"] = {x: dense[k] * y for x, y in data["bodies"][1]["inertia"].items()}
        data["bodies"][1]["joint"]["damping"] = damping[k]
        one = simulate(Robot.from_dict(data), [1.0, 0.5], [0, 0], 1.0, rtol=1e-12)
        assert run.q[k, -1] == pytest.approx(one.q[-1], abs=1e-8)
        assert run.work[k, -1, 2] == pytest.approx(one.ledger.friction[-1], abs=1e-8)
    assert run.drift.max() < 1e-9


def test_steps_of_one_length_have_the_order_of_their_method() -> None:
    arm, q, v = appell.load("double_pendulum"), [2.0, 0.5], [0.0, 0.0]
    exact = simulate(arm, q, v, 1.0, rtol=1e-13).q[-1]
    off = [np.abs(_fixed(arm, q, v, h).q[0, -1] - exact).max() for h in (0.002, 0.001)]
    assert 12 < off[0] / off[1] < 20


def _fixed(arm: Robot, q: Any, v: Any, h: float) -> Any:
    return simulate_batch(arm, q, v, 1.0, integrator="rk4", step=h)


# --- impacts and rest ------------------------------------------------------------------------------------------------


def test_balls_bounce_and_rest_as_told_by_closed_forms() -> None:
    h, e = np.array([1.0, 0.7, 1.3, 1.0]), np.array([0.9, 0.5, 0.0, 1.0])
    t = np.linspace(0.0, 2.0, 201)
    given = {"walls": Plane(), "restitution": e, "rtol": 1e-9, "gap_tolerance": 1e-9}
    run = simulate_batch(dropped(), h[:, None], [0.0], 2.0, times=t, **given)
    first = np.sqrt(2 * h / G)
    for k in range(4):
        times = np.array([x["t"] for x in run.lane(k)])
        hops = 2 * first[k] * e[k] ** np.arange(1, len(times))
        assert times == pytest.approx(first[k] + np.concatenate([[0.0], np.cumsum(hops)]), abs=2e-9)
    assert run.lane(1)[0]["velocity_after"] == pytest.approx(0.5 * sqrt(2 * G * 0.7))
    over = first * (1 + e) / np.maximum(1 - e, 1e-9)
    resting = t > over[:, None] + 1e-6
    assert resting[1].any() and resting[2].any()
    assert np.abs(run.q[:, :, 0][resting]).max() < 1e-11 and np.abs(run.v[:, :, 0][resting]).max() < 1e-11
    assert run.q.min() > -1e-9 and run.drift.max() < 1e-9


@pytest.fixture(scope="module")
def flights() -> tuple[Any, Array, Array]:
    """The first lane is the case of shafei2018; the others are variants."""
    flight, rng = Flight(), np.random.default_rng(5)
    q = np.tile(flight.start, (25, 1))
    q[1:] += 0.02 * rng.uniform(-1, 1, (24, 12))
    e = np.concatenate([[1.0], rng.uniform(0.3, 1.0, 24)])
    given = {"walls": Circle(RADIUS), "points": POINTS, "restitution": e}
    return simulate_batch(flight.robot, q, np.zeros(12), 1.5, **given), q, e


def test_table_3_of_shafei2018_in_a_lane_among_others(flights: Any) -> None:
    struck = flights[0].lane(0)
    rows = [(row, point) for row in REFERENCE for point in row.points]
    assert [x["point"] for x in struck] == [point for _, point in rows]
    for x, (row, _) in zip(struck, rows):
        assert x["t"] == pytest.approx(row.t, abs=1e-7)
        assert x["attack_angle"] == pytest.approx(row.attack_angle, abs=1e-3)
        assert x["impulse"] == pytest.approx(row.impulse, rel=1e-5)
        assert x["velocity_after"] - x["velocity_before"] == pytest.approx(row.change, rel=1e-5)


def test_variants_are_as_exact_as_one_by_one(flights: Any) -> None:
    run, q, e = flights
    options: dict[str, Any] = {"walls": Circle(RADIUS), "points": POINTS, "gap_tolerance": 1e-6}
    off = []
    for k in range(len(q)):
        options["restitution"] = float(e[k])
        both = [
            simulate(run.robot, q[k], np.zeros(12), 1.5, rtol=r, atol=1e-3 * r, **options).q[-1] for r in (1e-6, 1e-11)
        ]
        off.append((np.abs(run.q[k, -1] - both[1]).max(), np.abs(both[0] - both[1]).max()))
    batch, single = np.sort(np.array(off), axis=0).T
    assert run.complete.all()
    assert np.median(batch) < 2 * np.median(single) < 1e-4
    assert batch[-2] < 10 * single[-2]


def test_energy_goes_down_at_impacts_only_and_nothing_sinks(flights: Any) -> None:
    run, q, e = flights
    t = np.linspace(0.0, 1.5, 151)
    some = slice(0, 6)
    given = {"walls": Circle(RADIUS), "points": POINTS, "restitution": e[some], "times": t}
    run = simulate_batch(run.robot, q[some], np.zeros(12), 1.5, **given)
    assert run.drift.max() < 1e-5
    assert np.diff(run.lost, axis=1).min() > -1e-8
    places = Flight().positions(run.q)
    assert np.linalg.norm(places, axis=-1).max() < RADIUS + 1e-6


@pytest.mark.parametrize("kind", ["stops", "pairs", "edge", "lift", "carried"])
def test_all_kinds_of_contacts_are_those_of_simulate(kind: str) -> None:
    planar = {"type": "planar", "axis": ALONG_Z}
    given: dict[str, Any] = {"restitution": 0.6}
    if kind == "stops":
        machine, q, v, t_end = appell.load("cartpole"), [0.0, 0.1], [2.0, 0.0], 3.0
        given["stops"] = {"rail": (-1.0, 1.0)}
    elif kind == "pairs":
        machine, q, v, t_end = cradle(3, 0.05, 1e-3), [-0.6, 0.0, 0.0], [0.0] * 3, 1.2
        given |= {"points": [Ball(f"ball{k}", 0.05) for k in range(3)], "pairs": "all"}
    elif kind == "edge":
        machine = robot("rod", [body("rod", "base", planar, inertia=(0, 1 / 12, 1 / 12))], {})
        q, v, t_end = [0.0] * 3, [0.0] * 3, 0.9
        post = Circle(0.3, center=(0.05, -1.0), inside=False)
        given |= {"walls": post, "points": [Edge("rod", (-0.5, 0.0, 0.0), (0.5, 0.0, 0.0))]}
    elif kind == "lift":
        machine, q, v, t_end = dropped(), [0.0], [2.0], 1.5
        given["walls"] = Plane(point=lambda t: (0.0, 0.0, 0.2 * np.sin(10.0 * t)))
    else:
        bodies = [body("ring", "base", planar, mass=3.0), body("puck", "base", planar)]
        machine, q, v, t_end = robot("pair", bodies, {}, (0, 0, 0)), [0.0] * 6, [0, 0, 0.5, 1.0, 0.4, 0], 5.0
        given |= {"walls": Circle(1.0, carrier="ring"), "points": ["puck"]}
    one = simulate(machine, q, v, t_end, rtol=1e-11, **given)
    run = simulate_batch(machine, np.array([q, q]), v, t_end, rtol=1e-10, gap_tolerance=1e-8, **given)
    assert len(one.impacts) > 1
    assert run.q[0, -1] == pytest.approx(one.q[-1], abs=2e-6) and np.array_equal(run.q[0], run.q[1])
    assert run.drift.max() < 1e-7


def test_without_restitution_a_block_lands_on_its_side() -> None:
    """Redundant contacts, in lanes that start turned by more and more."""
    tilts = np.array([0.0, 0.2, 0.5])
    q = np.stack([np.zeros(3), np.full(3, 1.5), tilts], 1)
    run = simulate_batch(block(), q, np.zeros(3), 6.0, walls=appell.Line(), restitution=0.0, gap_tolerance=1e-8)
    assert run.complete.all()
    low = np.array([min(run.robot.pose(x[-1], corner)[1, 3] for corner in "ABCD") for x in run.q])
    assert low == pytest.approx(0.0, abs=1e-7)
    assert (np.diff(run.energy, axis=1) < 0).all() and run.drift.max() < 1e-6


# --- as it is run ---------------------------------------------------------------------------------------------------


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("appell.motion.batch.simulate.ABREAST", 16)
    arm = appell.load("double_pendulum")
    q = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    walls = [appell.Line(normal=(1.0, 0.0), point=(-1.5, 0.0))]
    runs = [simulate_batch(arm, q, np.zeros(2), 1.0, walls=walls, threads=n) for n in (1, 3)]
    for name in ("q", "v", "energy", "lost", "stopped"):
        assert np.array_equal(getattr(runs[0], name), getattr(runs[1], name), equal_nan=True)
    assert len(runs[0].impacts["t"]) == len(runs[1].impacts["t"]) > 10


def test_rows_are_where_they_were_asked_for() -> None:
    arm, t = appell.load("double_pendulum"), np.array([0.2, 0.2, 0.5])
    run = simulate_batch(arm, [1.0, 0.0], [0.0, 0.0], 1.0, times=t, rtol=1e-9)
    one = simulate(arm, [1.0, 0.0], [0.0, 0.0], 1.0, times=t)
    assert run.t.tolist() == t.tolist() and run.q.shape == (1, 3, 2)
    assert run.q[0] == pytest.approx(one.q, abs=1e-8)
    nothing = simulate_batch(arm, [1.0, 0.0], [0.0, 0.0], 0.0)
    assert nothing.q[0].tolist() == [[1.0, 0.0], [1.0, 0.0]] and nothing.complete.all()
