"""Motion through impacts, from the published case to endless bouncing, by closed forms and laws."""

from __future__ import annotations

from math import cos, pi, sin, sqrt
from typing import Any

import numpy as np
import pytest

import appell
from appell import Ball, Circle, Edge, Line, Plane, simulate
from appell.errors import AppellError, SimulationError
from appell.motion.contact import contacts_of

from .bodies import ALONG_Z, DOWN_Y, block, body, box, cradle, dropped, falling_chain, free_ball, robot

Array = np.ndarray
G = 9.81

# --- the tree of shafei2018: inside a circle, e = 1; two points at a time, one at the fourth impact ----------------

TABLE_3 = (  # t, points, attack angle in degrees, 2 v_n, impulse on each
    (0.385191984462, ("O1", "O5"), 33.12108190, 6.32951233, 5.26442647),
    (0.569731448675, ("O2", "O4"), 25.41167159, 8.61942045, 31.43572058),
    (1.010620427238, ("O8", "O11"), 36.61455424, 8.65006464, 4.12907354),
    (1.082274684350, ("O3",), 0.0, 12.46700319, 57.36834954),
    (1.387334045794, ("O1", "O5"), 33.70391953, 30.27920050, 15.90648657),
)


def start(x: float = -(1 + sqrt(3)) / 2) -> tuple[Array, Array]:
    """The paper's initial state, symmetric to round-off."""
    angles = [pi / 6, pi / 6, -2 * pi / 3, pi / 6, pi / 6, -2 * pi / 3, pi / 3, 0.0, 2 * pi / 3, -pi / 3]
    return np.array([x, x, *angles]), np.zeros(12)


@pytest.fixture(scope="module")
def tree() -> Any:
    return appell.load("shafei_tree")


@pytest.mark.parametrize("method", ["composite_body", "articulated_body"])
def test_table_3_of_shafei2018(tree: Any, method: str) -> None:
    run = simulate(tree, *start(), 1.5, walls=[Circle(radius=2.5)], rtol=1e-13, method=method)
    assert run.ledger.energy[0] == pytest.approx(18.6578723666, abs=1e-10)
    assert len(run.impacts) == 5
    for impact, (t, points, angle, change, impulse) in zip(run.impacts, TABLE_3, strict=True):
        assert impact.t == pytest.approx(t, abs=1e-11)
        assert impact.points == points
        for contact in impact.contacts:
            assert contact.wall == "circle"
            assert contact.attack_angle == pytest.approx(angle, rel=1e-9, abs=1e-8)
            assert contact.normal_velocity_change == pytest.approx(change, rel=1e-9)
            assert contact.impulse == pytest.approx(impulse, rel=2e-9)  # printed to 9 digits
        assert impact.energy_after == pytest.approx(impact.energy_before, rel=1e-13)
    drift = np.abs(run.ledger.energy / run.ledger.energy[0] - 1).max()
    assert drift < 1e-11


def test_a_gap_tolerance_keeps_pairs_together(tree: Any) -> None:
    """With the printed -1.366, O5 strikes 9.1 microseconds before O1."""
    apart, together = (
        simulate(tree, *start(-1.366), 0.5, walls=Circle(2.5), rtol=1e-11, gap_tolerance=gap) for gap in (1e-9, 1e-3)
    )
    assert [i.points for i in apart.impacts] == [("O5",), ("O1",)]
    assert apart.impacts[1].t - apart.impacts[0].t == pytest.approx(9.1e-6, abs=1e-7)
    assert [i.contacts[0].impulse for i in apart.impacts] == pytest.approx([5.37066, 5.15391], rel=1e-3)
    assert [i.points for i in together.impacts] == [("O1", "O5")]


# --- bouncing ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.0, 0.5, 0.9])
def test_a_bouncing_ball_comes_to_rest(e: float) -> None:
    h = 1.3
    first = sqrt(2 * h / G)
    over = first * (1 + e) / (1 - e)
    run = simulate(dropped(), [h], [0.0], over + 0.5, walls=Plane(), restitution=e)
    hops = 2 * first * e ** np.arange(1, len(run.impacts))
    assert [i.t for i in run.impacts] == pytest.approx(first + np.concatenate([[0.0], np.cumsum(hops)]), rel=1e-12)
    assert len(run.impacts) < 200
    if e:
        assert run.impacts[-1].settled == pytest.approx(over, rel=1e-12)
    assert np.abs(run.q[-1]).max() < 1e-12
    assert run.v[-1] == pytest.approx([0.0], abs=1e-15)
    assert run.ledger.drift < 1e-12
    for impact in run.impacts[:5]:
        assert impact.energy_after == pytest.approx(e * e * impact.energy_before, rel=1e-9)


def test_a_ball_on_a_lift_that_stops() -> None:
    """It is carried up, leaves where the lift's deceleration exceeds g, and comes back."""
    A, w = 0.2, 10.0
    lift = Plane(point=lambda t: (0.0, 0.0, A * np.sin(w * t)))
    run = simulate(dropped(), [0.0], [A * w], 0.6, walls=lift, restitution=0.0, rtol=1e-12)
    leaves = np.arcsin(G / (A * w * w)) / w
    free = run.t > leaves + 1e-9
    before = run.impacts[0].t
    flight = free & (run.t < before)
    t = run.t[flight] - leaves
    z = A * sin(w * leaves) + A * w * cos(w * leaves) * t - 0.5 * G * t * t
    assert flight.sum() >= 2
    assert run.q[flight, 0] == pytest.approx(z, abs=1e-10)
    held = run.t < leaves
    assert run.q[held, 0] == pytest.approx(A * np.sin(w * run.t[held]), abs=1e-12)


def test_a_ball_that_slides_begins_to_roll() -> None:
    r, mu, m, inertia = 0.1, 0.2, 1.0, 0.1
    q, v = [0.0, 0.0, r, 1.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    run = simulate(free_ball(), q, v, 1.2, walls=Plane(), points=[Ball("ball", r)], friction=mu, rtol=1e-10)
    rolls_at = 2.0 / (mu * G * (1 + m * r * r / inertia))
    speed = 2.0 - mu * G * rolls_at
    position = 2.0 * rolls_at - 0.5 * mu * G * rolls_at**2 + speed * (1.2 - rolls_at)
    assert run.q[-1, 0] == pytest.approx(position, rel=1e-8)
    assert float(run.v[-1, 4]) * r == pytest.approx(speed, rel=1e-8)
    lost = 0.5 * 2.0**2 - 0.5 * speed**2 - 0.5 * inertia * (speed / r) ** 2
    assert run.ledger.friction[-1] == pytest.approx(lost, rel=1e-8)
    assert run.ledger.drift < 1e-9


@pytest.mark.parametrize(("slope", "slides"), [(0.2, False), (0.4, True)])
def test_a_box_on_a_slope_sticks_or_slides(slope: float, slides: bool) -> None:
    mu, tilt = 0.3, -slope
    normal = (sin(slope), 0.0, cos(slope))
    q = [0.5 * normal[0], 0.0, 0.5 * normal[2], cos(-tilt / 2), 0.0, sin(-tilt / 2), 0.0]
    run = simulate(box(), q, np.zeros(6), 0.5, walls=Plane(normal=normal), friction=mu, gap_tolerance=1e-8)
    down = np.array([cos(slope), 0.0, -sin(slope)])
    way = (run.q[-1, :3] - np.array(q[:3])) @ down
    wanted = 0.5 * G * (sin(slope) - mu * cos(slope)) * 0.5**2 if slides else 0.0
    assert way == pytest.approx(wanted, abs=1e-8)


# --- rocking, tumbling, a row of balls -----------------------------------------------------------------------------


@pytest.mark.slow
def test_a_rocking_block_loses_what_housner_says() -> None:
    """Its rate after each impact is 1 - 3/2 sin^2 of the slenderness times that before; in the end it stands."""
    a, b, tilt = 0.2, 0.6, 0.15
    c, s = cos(tilt), sin(tilt)
    q = [a * c - b * s, a * s + b * c, tilt]  # it stands on corner A, at the origin
    run = simulate(block(a, b), q, np.zeros(3), 5.0, walls=Line(), restitution=0.0, friction=10.0, rtol=1e-10)
    impulses = np.array([i.contacts[0].impulse for i in run.impacts[:8]])
    assert [i.points for i in run.impacts[:4]] == [("B",), ("A",), ("B",), ("A",)]
    assert impulses[1:] / impulses[:-1] == pytest.approx(1 - 1.5 * a * a / (a * a + b * b), rel=1e-6)
    assert len(run.impacts) < 300
    assert run.q[-1, 1:] == pytest.approx([b, 0.0], abs=1e-8)
    assert run.v[-1] == pytest.approx(0.0, abs=1e-12)


def test_a_box_lands_on_four_corners_at_once() -> None:
    q = np.array([0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    run = simulate(box(), q, np.zeros(6), 2.0, walls=Plane(), restitution=0.5)
    first = sqrt(2 * 0.5 / G)
    assert run.impacts[0].points == ("c0", "c2", "c4", "c6")
    assert [c.impulse for c in run.impacts[0].contacts] == pytest.approx([1.5 * G * first / 4] * 4)
    assert run.impacts[-1].settled == pytest.approx(3 * first, abs=1e-10)  # round-off of 0.5 m by 5e-6 m/s
    assert run.q[-1, :3] == pytest.approx([0.0, 0.0, 0.5], abs=1e-11)


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_a_tumbling_box_never_gains_and_never_sinks(friction: float) -> None:
    q = np.array([0.0, 0.0, 1.5, 0.9, 0.3, 0.2, 0.1])
    q[3:] /= np.linalg.norm(q[3:])
    run = simulate(box(), q, [0.5, 0, 0, 1, 2, 3], 4.0, walls=Plane(), restitution=0.5, friction=friction)
    gaps = contacts_of(run.robot, Plane()).gaps(run.q, run.v, run.t.reshape(-1, 1))[0]
    assert gaps.min() > -1e-9
    assert np.diff(run.ledger.energy).max() < 1e-8
    assert run.ledger.drift < 1e-9
    assert run.q[-1, 2] == pytest.approx(0.5, abs=1e-8)  # it lies on a face


@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_what_the_laws_say_of_newtons_cradle(law: Any) -> None:
    """Balls that touch: simultaneous impact sends four on together. A hair apart, only the last one goes on."""
    n, r = 5, 0.05
    balls = [Ball(f"ball{k}", r) for k in range(n)]
    q, pairs = np.array([-0.5, *np.zeros(n - 1)]), [(f"ball{k}", f"ball{k + 1}") for k in range(n - 1)]
    options = {"points": balls, "pairs": pairs, "impact_law": law, "rtol": 1e-11}
    run = simulate(cradle(n, r), q, np.zeros(n), 0.6, **options)
    before, after = (run(run.impacts[0].t, side)[1] for side in ("left", "right"))
    assert after / before[0] == pytest.approx([(2 - n) / n, *[2 / n] * (n - 1)], abs=1e-6)
    apart = simulate(cradle(n, r, 1e-6), q, np.zeros(n), 0.6, **options)
    assert [i.points for i in apart.impacts[:4]] == [(f"ball{k}",) for k in range(4)]
    after = apart(apart.impacts[3].t)[1]
    assert after / before[0] == pytest.approx([0, 0, 0, 0, 1], abs=1e-4)


# --- pendulums, stops, obstacles ----------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [1.0, 0.6])
def test_a_double_pendulum_between_two_walls(e: float) -> None:
    walls = [Line(normal=(1.0, 0.0), point=(-0.3, 0.0)), Line(normal=(-1.0, 0.0), point=(0.7, 0.0))]
    arm = appell.load("double_pendulum")
    run = simulate(arm, [-1.4, 0.1], [2.0, 0.0], 6.0, walls=walls, restitution=e, rtol=1e-11)
    gaps = contacts_of(arm, walls).gaps(run.q, run.v, run.t.reshape(-1, 1))[0]
    assert gaps.min() > -1e-12
    assert len(run.impacts) > 5
    assert {i.walls[0] for i in run.impacts} == {"line 1", "line 2"}
    assert run.ledger.drift < 1e-10
    lost = [i.energy_lost for i in run.impacts]
    assert min(lost) > -1e-12
    assert (max(lost) < 1e-12) == (e == 1.0)


def test_joint_stops_bounce_and_hold() -> None:
    """A cart without its pole between stops: speeds by the restitution; pushed on, it comes to rest at one."""
    cart = appell.load("cartpole").lock({"hinge": 0.0})
    run = simulate(cart, [0.0], [2.0], 6.0, stops={"rail": (-1.0, 1.0)}, restitution=0.5)
    assert [i.t for i in run.impacts] == pytest.approx([0.5, 2.5])
    assert [i.walls[0] for i in run.impacts] == ["highest stop", "lowest stop"]
    assert run.v[-1] == pytest.approx([0.5])
    pushed = simulate(cart, [0.0], [0.0], 8.0, torque=[1.1], stops={"rail": (-1.0, 1.0)}, restitution=0.5)
    assert pushed.impacts[-1].settled == pytest.approx(3 * sqrt(2.0), abs=1e-9)
    assert pushed.q[-1] == pytest.approx([1.0], abs=1e-12)


def test_a_wall_on_a_body_and_momentum() -> None:
    """A ball in a box that floats: nothing from outside acts, so momentum stays; energy, too, with e = 1."""
    planar = {"type": "planar", "axis": ALONG_Z}
    bodies = [body("ring", "base", planar, mass=3.0), body("puck", "base", planar, mass=1.0)]
    pair = robot("pair", bodies, {}, (0.0, 0.0, 0.0))
    wall = Circle(1.0, carrier="ring")
    run = simulate(pair, np.zeros(6), [0, 0, 0.5, 1.0, 0.4, 0], 10.0, walls=wall, points=["puck"], rtol=1e-11)
    assert len(run.impacts) > 4
    momentum = pair.momentum(run.q, run.v)
    assert momentum == pytest.approx(np.broadcast_to(momentum[0], momentum.shape), abs=1e-9)
    assert run.ledger.energy == pytest.approx(np.full(len(run.t), run.ledger.energy[0]), rel=1e-10)


def test_a_bead_whispers_along_a_bowl() -> None:
    """Sliding without friction inside a circle it does not bounce: a pendulum of the same length."""
    planar = {"type": "planar", "axis": ALONG_Z}
    bead = robot("bead", [body("bead", "base", planar, mass=2.0)], {}, DOWN_Y)
    pendulum = robot(
        "pendulum",
        [body("bob", "base", {"type": "revolute", "axis": ALONG_Z}, mass=2.0, com=(0, -1.5, 0), inertia=(0, 0, 0))],
        {},
    )
    angle = 1.0
    q = [1.5 * sin(angle), -1.5 * cos(angle), 0.0]
    options = {"rtol": 1e-11, "times": np.linspace(0, 3, 7)}
    slides = simulate(bead, q, np.zeros(3), 3.0, walls=Circle(1.5), **options)
    swings = simulate(pendulum, [angle], [0.0], 3.0, **options)
    assert slides.impacts == []
    assert slides.q[:, 0] == pytest.approx(1.5 * np.sin(swings.q[:, 0]), abs=1e-8)
    assert np.hypot(slides.q[:, 0], slides.q[:, 1]) == pytest.approx(1.5, abs=1e-9)


def test_a_rod_falls_over_a_post() -> None:
    """A whole link meets an obstacle between its ends; without restitution it rests there, and slides off."""
    rod = robot("rod", [body("rod", "base", {"type": "planar", "axis": ALONG_Z}, inertia=(0, 1 / 12, 1 / 12))], {})
    post = Circle(0.3, center=(0.05, -1.0), inside=False)
    edge = Edge("rod", (-0.5, 0.0, 0.0), (0.5, 0.0, 0.0))
    run = simulate(rod, np.zeros(3), np.zeros(3), 1.5, walls=post, points=[edge], restitution=0.0, rtol=1e-11)
    hit = run.impacts[0]
    assert hit.points == ("rod edge",)
    assert hit.t == pytest.approx(sqrt(2 * 0.7 / G), abs=1e-12)
    speed = G * hit.t
    assert hit.contacts[0].impulse == pytest.approx(speed / (1 + 0.05**2 * 12))
    gaps = contacts_of(rod, post, [edge]).gaps(run.q, run.v, run.t.reshape(-1, 1))[0]
    assert gaps.min() > -1e-9
    on = (np.abs(gaps[:, 2]) < 1e-10) & (run.t > hit.t)
    assert on.sum() >= 3
    assert run.ledger.drift < 1e-10


@pytest.mark.slow
def test_a_chain_of_fifty_links_falls_into_a_bowl() -> None:
    chain = falling_chain(50)
    q = np.zeros(52)
    q[:2], q[3:] = (-1.0, 0.3), 0.04 * np.sin(np.arange(49))
    wall, gap = Circle(1.5), 1e-6
    run = simulate(chain, q, np.zeros(52), 0.81, walls=wall, restitution=0.0, rtol=1e-6, atol=1e-8, gap_tolerance=gap)
    gaps = contacts_of(chain, wall).gaps(run.q, run.v, run.t.reshape(-1, 1))[0]
    assert len(run.impacts) > 100
    assert gaps.min() > -gap
    assert np.diff(run.ledger.energy).max() < 1e-6
    assert max(i.energy_after - i.energy_before for i in run.impacts) < 1e-9


# --- what cannot be -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"walls": Line(point=(0.0, 1.0))}, r"starts 1 m inside a wall, tip at line at t = 0, wanted all outside"),
        ({"walls": Line(point=(0.0, -9.0)), "restitution": 1.5}, "restitution of tip at line is 1.5, wanted a number"),
        ({"walls": Line(point=(0.0, -9.0)), "friction": -1}, "friction of tip at line is -1, wanted a number that"),
        ({"walls": Line(point=(0.0, -9.0)), "restitution": {"lower": 1.0}}, "restitution names nothing for tip at"),
        ({"walls": Line(point=(0.0, -9.0)), "restitution": {"knee": 1.0}}, "unknown contact in restitution 'knee'"),
        ({"walls": Line(point=(0.0, -9.0)), "impact_law": "newtan"}, "unknown impact law 'newtan'; did you mean"),
        ({"walls": Line(point=(0.0, -9.0)), "gap_tolerance": -1.0}, "gap_tolerance is -1.0, wanted a length"),
    ],
)
def test_bad_input(given: Any, sentence: str) -> None:
    with pytest.raises(AppellError, match=sentence):
        simulate(appell.load("double_pendulum"), [0.0, 0.0], [0.0, 0.0], 1.0, **given)


def test_walls_that_close_on_a_point_are_told_and_the_run_is_kept() -> None:
    press = [Plane(), Plane(normal=(0.0, 0.0, -1.0), point=lambda t: (0.0, 0.0, 0.5 - t))]
    with pytest.raises(
        SimulationError, match=r"walls contradict each other at t = 0\.5.*ball at plane 1, ball at"
    ) as told:
        simulate(dropped(), [0.2], [0.0], 1.0, walls=press, restitution=0.0)
    run = told.value.run
    assert run.t[-1] == pytest.approx(0.5, abs=1e-6)
    assert len(run.impacts) >= 1


def test_restitution_by_names() -> None:
    walls = [Line(normal=(1.0, 0.0), point=(-0.3, 0.0)), Line(normal=(-1.0, 0.0), point=(0.7, 0.0), name="right")]
    given = {"right": 0.2, ("tip", "line"): 0.4, "others": 0.9}
    arm = appell.load("double_pendulum")
    run = simulate(arm, [-1.4, 0.1], [2.0, 0.0], 4.0, walls=walls, restitution=given, rtol=1e-10)
    for impact in run.impacts:
        for c in impact.contacts:
            e = given.get(c.wall, given.get((c.point, c.wall), given["others"]))
            if impact.settled is None and c.impulse > 1e-3:
                assert c.velocity_after == pytest.approx(-e * c.velocity_before, rel=1e-9)
