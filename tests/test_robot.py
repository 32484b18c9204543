"""The robot in a user's hands: every question's answer, its shapes, its options, and the robot as data."""

from __future__ import annotations

import copy
import pickle
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.few import few
from oracles.random_robots import random_robot, random_state

import appell
from appell.errors import ModelError, UnknownName
from appell.formulations.table import FORMULATIONS, QUESTIONS, Formulation
from appell.robot import Robot

Array = np.ndarray[Any, Any]
ARM = random_robot(90, 3, rotors=True)
TREE = random_robot(92, 4, joints="mixed", floating=True, shape="tree", order="shuffled")
FRAMED = [name for name, question in QUESTIONS.items() if question.of_frame]
questions = pytest.mark.parametrize("what", list(QUESTIONS))


@cache
def _robot(kind: str = "arm") -> Robot:
    return Robot.from_dict(ARM if kind == "arm" else TREE)


def _state(kind: str, count: int | None = None) -> dict[str, Array]:
    data = ARM if kind == "arm" else TREE
    states = [random_state(data, 5 + k) for k in range(count or 1)]
    q, v, a = (np.array(x) if count else x[0] for x in zip(*states))
    return {"q": q, "v": v, "a": a, "tau": 4 * a}


def _ask(robot: Robot, what: str, given: dict[str, Array], **options: Any) -> tuple[Array, ...]:
    """The answer of a question's method, as a tuple of arrays."""
    args: list[Any] = [given[name] for name in QUESTIONS[what].inputs]
    args += ["tool"] if what in FRAMED else []
    if what == "hybrid_dynamics":
        options["prescribed"] = ["joint1"]
    answer = getattr(robot, what)(*args, **options)
    return answer if isinstance(answer, tuple) else (answer,)


def _wanted_shapes(robot: Robot, what: str) -> list[tuple[int, ...]]:
    sizes = {"nv": robot.nv, "nq": robot.nq}
    return [tuple(sizes.get(s, s) for s in shape) for _, shape in QUESTIONS[what].outputs]  # type: ignore[misc]


# -- shapes ---------------------------------------------------------------------------------------------------


@questions
def test_shapes_of_one_state_and_of_batches(what: str):
    robot, one, many = _robot(), _state("arm"), _state("arm", 6)
    shapes = _wanted_shapes(robot, what)
    if what == "energy":
        shapes = [(), ()]
    single, batch = _ask(robot, what, one), _ask(robot, what, many)
    cube = _ask(robot, what, {k: x.reshape(2, 3, -1) for k, x in many.items()})
    assert [x.shape for x in single] == shapes
    assert [x.shape for x in batch] == [(6, *s) for s in shapes]
    assert [x.shape for x in cube] == [(2, 3, *s) for s in shapes]
    for x, y, z in zip(single, batch, cube):
        np.testing.assert_array_equal(y[0], x)
        np.testing.assert_array_equal(z.reshape(y.shape), y)
    again = _ask(robot, what, one)
    for x, y in zip(single, again):
        np.testing.assert_array_equal(x, y)


@questions
def test_answers_are_new_arrays_each_time(what: str):
    robot, one = _robot(), _state("arm")
    first, second = _ask(robot, what, one), _ask(robot, what, one)
    for x, y in zip(first, second):
        assert x is not y
        assert not np.shares_memory(x, y)
        assert x.dtype == np.float64


@pytest.mark.parametrize("row", few(FORMULATIONS, *FORMULATIONS[::3]), ids=lambda f: f"{f.name}-{f.computes}")
def test_methods_agree(row: Formulation):
    robot, one = _robot(), _state("arm")
    found, wanted = _ask(robot, row.computes, one, method=row.name), _ask(robot, row.computes, one)
    for x, y in zip(found, wanted, strict=True):
        np.testing.assert_allclose(x, y, rtol=0, atol=1e-11 * max(1.0, np.abs(y).max()))


@questions
def test_options_of_every_question(what: str):
    robot, many = _robot(), _state("arm", 5)
    wanted = _ask(robot, what, many)
    for options in ({"threads": 2}, {"dtype": "float32"}, {"dtype": np.float64, "unroll": True}):
        found = _ask(robot, what, many, **options)
        most = 1e-3 if "float32" in str(options) else 1e-12
        for x, y in zip(found, wanted):
            assert x.dtype == (np.float32 if most == 1e-3 else np.float64)
            np.testing.assert_allclose(x, y, rtol=0, atol=most * max(1.0, np.abs(y).max()))


@questions
def test_out(what: str):
    robot, many = _robot(), _state("arm", 4)
    wanted = _ask(robot, what, many)
    if what == "energy":
        out: Any = np.full((4, 2), np.nan)
        kinetic, potential = _ask(robot, what, many, out=out)
        assert np.shares_memory(kinetic, out)
        np.testing.assert_array_equal(out, np.stack(wanted, -1))
        np.testing.assert_array_equal(potential, wanted[1])
        return
    out = tuple(np.full(x.shape, np.nan) for x in wanted)
    out = out if len(out) > 1 else out[0]
    found = _ask(robot, what, many, out=out)
    for x, y, z in zip(found, wanted, out if isinstance(out, tuple) else (out,)):
        assert x is z
        np.testing.assert_array_equal(x, y)


# -- laws that tie the questions together ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", few(["arm", "tree"], "arm"))
def test_the_questions_fit_together(kind: str):
    r, s = _robot(kind), _state(kind)
    q, v, a = s["q"], s["v"], s["a"]
    M, h, g, C = r.mass_matrix(q), r.bias(q, v), r.gravity_forces(q), r.coriolis(q, v)
    tau = r.inverse_dynamics(q, v, a)
    size = np.abs(tau).max()
    close: dict[str, Any] = {"rtol": 0, "atol": 1e-11 * size}
    np.testing.assert_allclose(M @ a + h, tau, **close)
    np.testing.assert_allclose(C @ v + g, h, **close)
    np.testing.assert_allclose(M, M.T, **close)
    np.testing.assert_allclose(
        r.forward_dynamics(q, v, tau), a, rtol=0, atol=1e-13 * np.linalg.cond(M) * np.abs(a).max()
    )
    np.testing.assert_allclose(r.inverse_mass_matrix(q) @ M, np.eye(r.nv), atol=1e-9)
    kinetic, potential = r.energy(q, v)
    np.testing.assert_allclose(kinetic, v @ M @ v / 2, rtol=1e-12)
    e = 1e-5
    up, down = (r.energy(r.integrate(q, v, t), v)[1] for t in (e, -e))
    np.testing.assert_allclose((up - down) / (2 * e), g @ v, rtol=1e-6, atol=1e-7 * size)
    assert potential == r.energy(q, 0 * v)[1]
    np.testing.assert_allclose(r.velocity(q, v, "tool"), r.jacobian(q, "tool") @ v, **close)
    rate = r.jacobian_rate(q, v, "tool")
    np.testing.assert_allclose(r.acceleration(q, v, a, "tool"), r.jacobian(q, "tool") @ a + rate @ v, **close)
    linear = r.centroidal_momentum_matrix(q)[:3] @ v
    np.testing.assert_allclose(r.momentum(q, v)[:3], linear, **close)
    np.testing.assert_allclose(
        linear,
        r.mass * (r.mass_centre(r.integrate(q, v, e)) - r.mass_centre(r.integrate(q, v, -e))) / (2 * e),
        atol=1e-7,
    )


@pytest.mark.parametrize("kind", few(["arm", "tree"], "arm"))
def test_hybrid_dynamics_is_the_brute_solution(kind: str):
    """The free accelerations from the free rows of M a + h = tau."""
    r, s = _robot(kind), _state(kind)
    q, v, a, tau = (s[k] for k in ("q", "v", "a", "tau"))
    M, h = r.mass_matrix(q), r.bias(q, v)
    for names in (["joint1"], ["joint0", "body2"], [b.name for b in r.bodies], []):
        starts = [*r.mechanism.v_starts]
        given = [
            k
            for i, b in enumerate(r.bodies)
            for k in range(starts[i], starts[i + 1])
            if {b.name, b.joint.name} & {*names}
        ]
        free = np.setdiff1d(np.arange(r.nv), given)
        moves = a.copy()
        if len(free):
            moves[free] = np.linalg.solve(
                M[np.ix_(free, free)], tau[free] - h[free] - M[np.ix_(free, given)] @ a[given]
            )
        forces = M @ moves + h
        found = r.hybrid_dynamics(q, v, a, tau, prescribed=names)
        np.testing.assert_allclose(found[0], moves, rtol=0, atol=1e-9 * np.abs(moves).max())
        np.testing.assert_allclose(found[1], forces, rtol=0, atol=1e-9 * np.abs(forces).max())
        np.testing.assert_array_equal(found[0][given], a[given])
        np.testing.assert_array_equal(found[1][free], tau[free])


def test_one_name_needs_no_list():
    r, s = _robot(), _state("arm")
    given = [s[k] for k in ("q", "v", "a", "tau")]
    for x, y in zip(r.hybrid_dynamics(*given, prescribed="joint1"), r.hybrid_dynamics(*given, prescribed=["joint1"])):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("kind", few(["arm", "tree"], "arm"))
@pytest.mark.parametrize("unroll", [True, False])
def test_wrenches_act_through_jacobians(kind: str, unroll: bool):
    """tau + sum of J' w = M a + h: forces and moments in the body's axes, about its origin."""
    r, s = _robot(kind), _state(kind)
    q, v, a = s["q"], s["v"], s["a"]
    W = np.random.default_rng(2).normal(size=(r.n, 6))
    pushed = np.zeros(r.nv)
    for body, w in zip(r.bodies, W):
        R = r.pose(q, body.name)[:3, :3]
        pushed += r.jacobian(q, body.name).T @ np.concatenate([R @ w[:3], R @ w[3:]])
    tau = r.inverse_dynamics(q, v, a)
    found = r.inverse_dynamics(q, v, a, wrench=W, unroll=unroll)
    np.testing.assert_allclose(found, tau - pushed, rtol=0, atol=1e-11 * np.abs(tau).max())
    moved = r.forward_dynamics(q, v, found, wrench=W, unroll=unroll)
    np.testing.assert_allclose(moved, a, rtol=0, atol=1e-9)
    batch = r.inverse_dynamics(q, v, a, wrench=np.stack([W, 0 * W, -W]), unroll=unroll)
    np.testing.assert_allclose(batch, [tau - pushed, tau, tau + pushed], rtol=0, atol=1e-11 * np.abs(tau).max())
    lists = r.inverse_dynamics(q.tolist(), v, a, wrench=W.tolist(), unroll=unroll, threads=2)
    np.testing.assert_array_equal(lists, found)


def test_a_function_with_wrenches_takes_them_on_bodies_rolled_or_not():
    r, s = _robot("tree"), _state("tree")
    given, W = (s["q"], s["v"], s["a"]), np.random.default_rng(3).normal(size=(r.n, 6))
    wanted = r.inverse_dynamics(*given, wrench=W)
    for unroll in (True, False):
        f = r.kernel("inverse_dynamics", inputs=["wrench"], unroll=unroll)
        np.testing.assert_allclose(f(*given, W), wanted, rtol=1e-10)
        np.testing.assert_allclose(f(*given, wrench=W), wanted, rtol=1e-10)
        out = np.zeros(r.nv)
        assert f(*given, W, out=out) is out
        np.testing.assert_allclose(out, wanted, rtol=1e-10)


# -- coordinates ----------------------------------------------------------------------------------------------


def test_integrate_and_difference():
    r, s = _robot("tree"), _state("tree", 7)
    step = 0.4 * s["v"]
    q1 = r.integrate(s["q"], step)
    np.testing.assert_allclose(r.difference(s["q"], q1), step, atol=1e-12)
    np.testing.assert_allclose(r.integrate(s["q"], s["v"], 0.4), q1, atol=1e-14)
    np.testing.assert_allclose(r.integrate(s["q"], s["v"], np.linspace(0, 0.4, 7))[6], q1[6], atol=1e-14)
    np.testing.assert_allclose(r.integrate(s["q"].tolist(), step.tolist(), 1), q1, atol=1e-14)
    back = r.integrate(q1, r.difference(q1, s["q"]))
    np.testing.assert_allclose(r.pose(back, "tool"), r.pose(s["q"], "tool"), atol=1e-12)
    np.testing.assert_allclose(r.difference(s["q"], s["q"]), 0, atol=1e-14)


def test_neutral_and_random_states():
    r = _robot("tree")
    q, v = r.random_state(3)
    assert (q.shape, v.shape, r.neutral().shape) == ((r.nq,), (r.nv,), (r.nq,))
    np.testing.assert_array_equal(r.random_state(3)[0], q)
    assert np.abs(r.random_state(4)[1] - v).max() > 0.01
    assert r.difference(r.neutral(), q).shape == (r.nv,)


# -- the robot as an object -----------------------------------------------------------------------------------


def test_the_plain_question_becomes_an_attribute():
    r, s = Robot.from_dict(ARM), _state("arm")
    given = s["q"], s["v"], s["a"]
    assert "inverse_dynamics" not in r.__dict__
    tau = r.inverse_dynamics(*given)
    assert r.__dict__["inverse_dynamics"] is r.kernel("inverse_dynamics")
    assert r.inverse_dynamics is r.kernel("inverse_dynamics")
    np.testing.assert_array_equal(r.inverse_dynamics(*given), tau)
    r.mass_matrix(s["q"], method="composite_body")
    r.pose(s["q"], "tool")
    r.energy(s["q"], s["v"])
    assert not {"mass_matrix", "pose", "energy"} & {*r.__dict__}


def test_options_after_the_plain_question_still_count():
    r, s = Robot.from_dict(ARM), _state("arm", 3)
    given = s["q"], s["v"], s["a"]
    tau = r.inverse_dynamics(*given)
    assert r.inverse_dynamics(*given, dtype="f4").dtype == np.float32
    np.testing.assert_allclose(r.inverse_dynamics(*given, method="newton_euler", unroll=False), tau, rtol=1e-10)
    np.testing.assert_array_equal(r.inverse_dynamics(*given, threads=2), tau)
    out = np.zeros_like(tau)
    assert r.inverse_dynamics(*given, method="newton_euler", out=out) is out
    np.testing.assert_allclose(out, tau, rtol=1e-10)


def test_robots_of_equal_links_but_other_bodies_do_not_mix():
    """A welded body changes no number, but the wrenches have a row more."""
    welded = copy.deepcopy(ARM)
    weld: Any = {"name": "camera", "parent": "body2", "joint": {"name": "mount", "type": "fixed"}, "mass": 0.0}
    weld |= {"com": [0.0, 0.0, 0.0], "inertia": dict.fromkeys(ARM["bodies"][0]["inertia"], 0.0)}
    welded["bodies"].append(weld)
    one, two, s = Robot.from_dict(ARM), Robot.from_dict(welded), _state("arm")
    given = s["q"], s["v"], s["a"]
    np.testing.assert_allclose(one.inverse_dynamics(*given), two.inverse_dynamics(*given), rtol=1e-14)
    W = np.random.default_rng(1).normal(size=(4, 6))
    found, wanted = two.inverse_dynamics(*given, wrench=W), two.kernel("inverse_dynamics", inputs=["wrench"])(*given, W)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_allclose(
        one.inverse_dynamics(*given, wrench=W[:3]) - found,
        two.inverse_dynamics(*given) - two.inverse_dynamics(*given, wrench=[*np.zeros((3, 6)), W[3]]),
        atol=1e-11,
    )
    assert pickle.loads(pickle.dumps(two.inverse_dynamics)).__self__.ask.robot == two


def test_equal_robots_share_their_kernels():
    one, two = Robot.from_dict(ARM), Robot.from_dict(copy.deepcopy(ARM))
    assert one == two
    assert one is not two
    assert one.kernel("bias") is two.kernel("bias")


def test_copies_and_pickles():
    r, s = Robot.from_dict(TREE), _state("tree")
    tau = r.inverse_dynamics(s["q"], s["v"], s["a"])
    for other in (copy.copy(r), copy.deepcopy(r), pickle.loads(pickle.dumps(r))):
        assert other == r
        assert other is not r
        assert set(other.__dict__) == {"mechanism", "_kernels"}
        np.testing.assert_array_equal(other.inverse_dynamics(s["q"], s["v"], s["a"]), tau)
    assert len(pickle.dumps(r)) < 20_000


def test_equality_and_hash():
    r = Robot.from_dict(ARM)
    other = copy.deepcopy(ARM)
    other["bodies"][0]["mass"] *= 1.0 + 1e-15
    assert r != Robot.from_dict(other)
    assert r != "robot"
    assert len({r, Robot.from_dict(ARM)}) == 2, "robots are keys by identity"


def test_what_a_robot_says_of_itself():
    r = _robot("tree")
    assert repr(r) == f"<Robot {TREE['name']!r}: 4 bodies, {r.nv} degrees of freedom>"
    assert r.name == TREE["name"]
    assert [b.name for b in r.bodies] == [b["name"] for b in TREE["bodies"]]
    assert [f.name for f in r.frames] == ["tool"]
    assert r.n == 4
    assert r.mass == pytest.approx(sum(b["mass"] for b in TREE["bodies"]))
    np.testing.assert_array_equal(r.gravity, TREE["gravity"])
    assert r.nq == len(r.neutral())
    r.gravity[:] = 0
    np.testing.assert_array_equal(r.gravity, TREE["gravity"])


@pytest.mark.parametrize("data", [ARM, TREE], ids=["arm", "tree"])
def test_data_and_files_give_the_same_robot_back(data: dict[str, Any], tmp_path: Path):
    r = Robot.from_dict(data)
    assert r.to_dict() == Robot.from_dict(r.to_dict()).to_dict()
    assert Robot.from_dict(r.to_dict()) == r
    r.save(tmp_path / "robot.toml")
    back = appell.load(tmp_path / "robot.toml")
    assert back == r
    assert back.to_dict() == r.to_dict()
    assert appell.load(str(tmp_path / "robot.toml")) == r


@pytest.mark.slow
def test_the_robots_of_the_zoo_answer():
    for name in appell.zoo.names():
        robot = appell.load(name)
        q, v = robot.random_state(1)
        tau = robot.inverse_dynamics(q, v, 0.5 * v)
        assert np.isfinite(tau).all()
        np.testing.assert_allclose(
            robot.mass_matrix(q) @ (0.5 * v) + robot.bias(q, v), tau, rtol=0, atol=1e-10 * np.abs(tau).max()
        )


@pytest.mark.parametrize("n", [41, 300])
def test_large_robots_are_rolled_of_their_own_accord(n: int):
    robot = appell.zoo.chain(n)
    q, v = robot.random_state(1)
    assert robot.kernel("inverse_dynamics").__self__.program.rolled
    a = np.cos(np.arange(n))
    tau = robot.inverse_dynamics(q, v, a)
    found = robot.forward_dynamics(q, v, tau)
    assert np.abs(robot.inverse_dynamics(q, v, found) - tau).max() < 1e-9 * np.abs(tau).max()
    W = np.random.default_rng(1).normal(size=(n, 6))
    left = robot.inverse_dynamics(q, v, a, wrench=W) - tau
    tip = robot.jacobian(q, f"link{n}").T @ np.kron(np.eye(2), robot.pose(q, f"link{n}")[:3, :3]) @ W[-1]
    np.testing.assert_allclose(left[-1], -tip[-1], rtol=1e-9, atol=1e-9)


def test_formulations_are_chosen_by_name_and_by_cost():
    arm, long = _robot(), appell.zoo.chain(60)
    assert arm.formulation("forward_dynamics").name == "composite_body"
    assert long.formulation("forward_dynamics").name == "denoc"
    assert arm.formulation("forward_dynamics", rolled=True).name == "denoc"
    assert arm.formulation("bias", "newton_euler").computes == "bias"
    assert arm.methods("forward_dynamics")[:2] == ("composite_body", "denoc")
    assert long.methods("forward_dynamics")[:2] == ("denoc", "composite_body")
    assert set(arm.methods("forward_dynamics")) == set(long.methods("forward_dynamics"))
    with pytest.raises(UnknownName, match="unknown question 'inverse_dynamic'"):
        arm.methods("inverse_dynamic")
    with pytest.raises(UnknownName):
        arm.formulation("bias", "articulated_body")
    with pytest.raises(ModelError, match="does not roll"):
        arm.kernel("forward_dynamics", method="gibbs_appell_tree", unroll=False)
