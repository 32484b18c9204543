"""Closed mechanisms subsystem by subsystem: what is found first, and that it is what matrices of the tree say."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

import appell
from appell.closing.driven import driven_by
from appell.closing.legs import parallel
from appell.closing.subsystems import determined, named, redundant
from appell.closures import closures_of
from appell.errors import ModelError
from appell.formulations import driven
from appell.formulations.closed_subsystems import Subsystems
from appell.formulations.denoc_parallel import Legs
from appell.formulations.world import World
from appell.model.walk import Coordinates, Walk
from appell.vec import omega

from .parallel_robots import Moving, array, equations, platform
from .planar_robots import five_bar, machine, rod, scraper, scraper_at, tie

Array = np.ndarray[Any, Any]
TORQUES = {0: -0.589035690547, 60: -6.468157935006, 180: -17.870458835606}  # of the crank, N m, at angles in degrees
SPEED = 4.712


def check(m: Moving) -> Any:
    robot, n = m.robot, m.robot.nv
    found = determined(robot, m.drives)
    way = partial(Subsystems, closures=closures_of(robot.mechanism, robot.tree), determined=found)
    tau, v, a = driven.inverse_dynamics(Walk(robot.tree), *m.state, way)
    close = 30 * np.finfo(float).eps * m.condition**1.5
    for got, wanted in ((array(tau, len(m.drives)), m.torques()), (array(v, n), m.v), (array(a, n), m.a)):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=close * max(1.0, np.abs(wanted).max()))
    forces = Coordinates(m.forces().tolist())
    got = array(driven.forward_dynamics(Walk(robot.tree), *m.state[:2], forces, way), n)
    np.testing.assert_allclose(got, m.a, rtol=0, atol=10 * close * max(1.0, np.abs(m.a).max()))
    return found


def test_the_scraper_is_solved_in_the_order_of_the_paper() -> None:
    robot = scraper()
    found = determined(robot, [2])
    third, first, second = named(robot, found)
    assert third.bodies == ("III-1-0", "III-1-1", "III-2-0", "III-3-0") and third.drives == ()
    assert third.equations == tuple(f"tracer{k}: position {x}" for k in "12" for x in "xy")
    assert first.bodies == ("I-1", "I-2") and first.equations == ("pin: position x", "pin: position y")
    assert second.bodies == ("II-1",) and second.drives == ("II-1_joint",) and second.equations == ()
    assert [part.unknowns for part in (third, first, second)] == [4, 2, 1]
    assert len(redundant(robot, found)) == 9 and "pin: position z" in redundant(robot, found)


@pytest.mark.parametrize("side", (-1, 1))
def test_the_scraper_moves_as_matrices_of_its_tree_say(side: int) -> None:
    check(Moving.of(scraper(), scraper_at(1.0, side), [2]))


def test_torques_of_the_scraper() -> None:
    robot = scraper()
    d = driven_by(robot, "closed_subsystems", ["II-1"])
    q, v = np.array([scraper_at(np.radians(t)) for t in TORQUES]), np.zeros((3, 7))
    v[:, 2] = SPEED
    tau, rates, _ = d.inverse_dynamics(q, v, 0 * v)
    np.testing.assert_allclose(tau[:, 0], [*TORQUES.values()], rtol=1e-11)
    loads = d.loads(q, v, 0 * v)
    np.testing.assert_allclose(loads.tau, tau, rtol=1e-12)
    np.testing.assert_allclose(loads.joints["II-1_joint"][:, 5], tau[:, 0], rtol=1e-12)
    assert rates[0, 2] == SPEED


def check_newton(robot: appell.Robot, q: Array, v: Array, a: Array, loads: Any) -> None:
    """Every body alone: force and moment about its mass centre, in the world."""
    g, total, at = robot.gravity, {b.name: np.zeros(6) for b in robot.bodies}, {"base": Seen.base()}
    at |= {b.name: Seen.of(robot, place, q, v, a) for b, place in zip(robot.bodies, robot.tree.bodies, strict=True)}

    def push(name: str, force: Array, moment: Array, point: Array) -> None:
        if name != "base":
            c = at[name].o + at[name].R @ np.array(robot.bodies[robot.mechanism.index[name]].com)
            total[name] += np.concatenate([force, moment + np.cross(point - c, force)])

    for b in robot.bodies:
        R, carried = at[b.name].R, loads.joints[b.joint.name]
        push(b.name, R @ carried[:3], R @ carried[3:], at[b.name].o)
        push(b.parent, -R @ carried[:3], -R @ carried[3:], at[b.name].o)
    for loop in robot.loops:
        x = at[loop.body_b].o + at[loop.body_b].R @ np.array(loop.placement_b.position)
        push(loop.body_b, loads.loops[loop.name][:3], loads.loops[loop.name][3:], x)
        push(loop.body_a, -loads.loops[loop.name][:3], -loads.loops[loop.name][3:], x)
    for b in robot.bodies:
        s, i = at[b.name], b.inertia
        c, I = (
            s.R @ np.array(b.com),
            s.R @ [[i.ixx, i.ixy, i.ixz], [i.ixy, i.iyy, i.iyz], [i.ixz, i.iyz, i.izz]] @ s.R.T,
        )
        f = b.mass * (s.du + np.cross(s.dw, c) + np.cross(s.w, np.cross(s.w, c)) - g)
        wanted = np.concatenate([f, I @ s.dw + np.cross(s.w, I @ s.w)])
        np.testing.assert_allclose(total[b.name], wanted, atol=1e-11 * max(1.0, np.abs(wanted).max()))


@dataclass
class Seen:
    """A body in the world: its axes and origin, and how it moves."""

    R: Array
    o: Array
    w: Array
    dw: Array
    du: Array

    @staticmethod
    def base() -> Seen:
        return Seen(np.eye(3), *np.zeros((4, 3)))

    @staticmethod
    def of(robot: appell.Robot, place: Any, q: Array, v: Array, a: Array) -> Seen:
        world, k = World(Walk(robot.tree)), place.link
        for _ in world.outward(*(Coordinates(x.tolist()) for x in (q, v, a))):
            pass
        r = world.arm(place)
        swung = omega(world.w[k], world.dw[k]) @ r
        rows = [[*row] for row in world.R[k] @ place.R]
        found = (rows, [*(world.o[k] + r)], [*world.w[k]], [*world.dw[k]], [*(world.du[k] + swung)])
        return Seen(*(np.array(x, float) for x in found))


def test_what_joints_carry_holds_every_body_of_the_scraper() -> None:
    m = Moving.of(scraper(), scraper_at(2.0), [2])
    check_newton(m.robot, m.q, m.v, m.a, driven_by(m.robot, "closed_subsystems", ["II-1"]).loads(m.q, m.v, m.a))


def test_what_joints_carry_in_space() -> None:
    """A platform on three legs of three hinges and a ball, all of it one subsystem."""
    robot, q = platform([["revolute"] * 3] * 3, "ball", 6)
    drives = [f"leg{n}_{k}" for n in range(3) for k in (0, 1)]
    m = Moving.of(robot, q, [robot.mechanism.v_starts[robot.mechanism.index[name]] for name in drives])
    assert len(check(m).parts) == 1
    check_newton(robot, q, m.v, m.a, driven_by(robot, "closed_subsystems", drives).loads(q, m.v, m.a))


def test_where_none_is_determinate_the_whole_tree_is_solved() -> None:
    robot, q = five_bar(0.7, 0.4)
    found = check(Moving.of(robot, q, [0, 2]))
    assert [len(part.freedoms) for part in found.parts] == [4]


@pytest.mark.parametrize("cut", ("ball", "universal"))
def test_a_leg_that_nobody_drives_is_solved_first(cut: str) -> None:
    """Its own freedoms are as many as its loop binds: what is behind does not concern it."""
    idle = ["revolute"] * (3 if cut == "ball" else 4)
    robot, q = platform([["revolute"] * 3 + ["revolute"] * (3 if cut == "ball" else 2), idle], cut, 8)
    mobility = robot.nv - len(idle)
    m = Moving.of(robot, q, list(range(mobility)))
    found = check(m)
    assert [len(part.freedoms) for part in found.parts] == [len(idle), robot.nv - len(idle)]


@pytest.mark.parametrize(
    "name", ("slider_crank", "four_bar", "planar_3rrr", "wheeled_manipulator", "rolling_disk", "stewart")
)
def test_drives_and_parts_of_the_zoo_are_found(name: str) -> None:
    robot = appell.load(name)
    q = robot.configuration()  # at home, where loops may stand in special ways
    for _ in range(6):
        g, A, _ = equations(robot, q, np.zeros(robot.nv))
        q = robot.integrate(q, -np.linalg.lstsq(A, g, rcond=1e-9)[0])
    check(Moving.of(robot, q, [*determined(robot).driven]))


def four_bars(count: int) -> appell.Robot:
    """Four-bars one after the other: the rocker of each is pushed by the coupler of the one before."""
    bodies = [rod("crank", "base", (0.0, 0.0), 1.0, 0.1, 0.02)]
    loops, last, at = [], "crank", 0.3
    for k in range(count):
        bodies += [rod(f"rocker{k}", "base", (1.0 * (k + 1), 0.0), 1.0, 0.3, 0.12),
                   rod(f"coupler{k}", f"rocker{k}", (0.6, 0.0), 1.0, 0.5, 0.3)]  # fmt: skip
        loops.append(tie(f"pin{k}", last, at, f"coupler{k}", 1.05))
        last, at = f"rocker{k}", 0.6
    return machine("four_bars", bodies, loops)


def test_wrenches_are_passed_on_along_a_row_of_four_bars() -> None:
    robot = four_bars(3)
    guess = np.array([0.9, *(1.7, 1.8) * 3])
    q = robot.assemble(guess, fixed=["crank_joint"]).q
    found = check(Moving.of(robot, q, [0]))
    bodies = [part.bodies for part in named(robot, found)]
    assert bodies == [("rocker2", "coupler2"), ("rocker1", "coupler1"), ("rocker0", "coupler0"), ("crank",)]


def test_near_a_singularity_subsystems_keep_more_digits_than_legs() -> None:
    """Phi has the square of the condition."""
    robot, q = platform([["universal", "prismatic"]] * 6, "ball", 4, carried=False)
    drives = [robot.mechanism.v_starts[robot.mechanism.index[f"leg{n}_1"]] for n in range(6)]
    m = Moving.of(robot, q, drives)
    assert m.condition > 1e5
    legs = Legs(Walk(robot.tree), m.state[0], parallel(robot, robot.tree, drives))
    parts = Subsystems(
        Walk(robot.tree), m.state[0], closures_of(robot.mechanism, robot.tree), determined(robot, drives)
    )
    off = [np.abs(array(way.rates(m.state[1]), robot.nv) - m.v).max() / np.abs(m.v).max() for way in (legs, parts)]
    assert off[1] < 1e-9 and off[0] > 100 * off[1]


def test_drives_that_do_not_move_it_are_refused() -> None:
    with pytest.raises(ModelError, match="2 drives move 1 of the 1 freedoms of 'scraper', wanted one for each"):
        determined(scraper(), [0, 2])
    robot, _ = five_bar(0.7, 0.4)
    with pytest.raises(ModelError, match="loads by denoc_parallel are not to be had, wanted closed_subsystems"):
        driven_by(robot, "denoc_parallel").loads(np.zeros(4), np.zeros(4), np.zeros(4))
    with pytest.raises(Exception, match="unknown method for what drives a closed mechanism 'denoc'"):
        driven_by(robot, "denoc")
