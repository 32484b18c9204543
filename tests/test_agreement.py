"""Agreement with Pinocchio on 300 random mechanisms: all joint types, floating or not, chains and trees, to 60 bodies.

Every text of the basic questions is read with floats on all of them. Compiled, on all of them, are those that answer by
default and, in turn, some of the others; the mechanisms come in families that share their rolled Programs, so that not
every robot needs a build.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from oracles.random_robots import random_robot, random_state

from appell.formulations.table import FORMULATIONS, QUESTIONS, Formulation
from appell.kernel.check import plain
from appell.robot import Robot

pytest.importorskip("pinocchio")
from oracles.pinocchio_model import PinocchioOracle

Array = np.ndarray[Any, Any]
EXACT, SINGLE = 1e-12, 1e-4
JOINTS = ("revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "ball", "simple", "mixed")
MAIN = ("inverse_dynamics", "mass_matrix", "forward_dynamics")
FAMILIES = [*product(JOINTS, (False, True), ("chain", "tree"))]
UNROLLED = 5  # bodies up to which code is also made straight, which takes a build for each robot
COUNT = 300
GROUPS = 10  # in which they are read with floats
TURNS = 2  # formulations beside the default ones that a family compiles


class Case:
    """A random mechanism with a state, in Appell and in Pinocchio."""

    def __init__(
        self, seed: int, n: int, joints: str, floating: bool, shape: str, order: str = "shuffled", rotors: bool = True
    ) -> None:
        self.data = random_robot(seed, n, joints, floating, shape, order, rotors)
        if n > UNROLLED:
            _start_alike(self.data)
        self.robot, self.oracle = Robot.from_dict(self.data), PinocchioOracle(self.data)
        self.q, self.v, self.a = random_state(self.data, seed)
        self.tau = self.oracle.rnea(self.q, self.v, self.a)
        self.label = f"{self.data['name']} {'floating ' * floating}{shape} {order}"
        self.condition = np.linalg.cond(self.oracle.crba(self.q))

    def wanted(self, what: str, frame: str = "tool") -> tuple[Array, ...]:
        """Pinocchio's answer."""
        o, q, v, a, tau = self.oracle, self.q, self.v, self.a, self.tau
        asked: dict[str, Callable[[], Any]] = {
            "inverse_dynamics": lambda: tau,
            "mass_matrix": lambda: o.crba(q),
            "forward_dynamics": lambda: a,  # known better than by `pin.aba`, which loses digits on long ball chains
            "bias": lambda: o.nle(q, v),
            "gravity_forces": lambda: o.gravity(q),
            "inverse_mass_matrix": lambda: np.linalg.inv(o.crba(q)),
            "inverse_dynamics_derivatives": lambda: o.rnea_derivatives(q, v, a),
            "forward_dynamics_derivatives": lambda: o.aba_derivatives(q, v, tau),
            "energy": lambda: np.array(o.energy(q, v)),
            "mass_centre": lambda: o.com(q),
            "centroidal_momentum_matrix": lambda: o.centroidal_momentum_matrix(q, v),
            "momentum": lambda: self._momentum(),
            "hybrid_dynamics": lambda: (a, tau),
            "pose": lambda: o.pose(q, frame),
            "jacobian": lambda: o.jacobian(q, frame),
            "jacobian_rate": lambda: o.jacobian_rate(q, v, frame),
            "velocity": lambda: o.jacobian(q, frame) @ v,
            "acceleration": lambda: o.jacobian(q, frame) @ a + o.jacobian_rate(q, v, frame) @ v,
        }
        answer = asked[what]()
        return answer if isinstance(answer, tuple) else (answer,)

    def _momentum(self) -> Array:
        P = self.oracle.centroidal_momentum_matrix(self.q, self.v) @ self.v
        return np.concatenate([P[:3], P[3:] + np.cross(self.oracle.com(self.q), P[:3])])

    @property
    def given(self) -> dict[str, Array]:
        """What can be asked with."""
        return {"q": self.q, "v": self.v, "a": self.a, "tau": self.tau}

    def found(self, row: Formulation, unroll: bool, dtype: str = "f8") -> tuple[Array, ...]:
        """A formulation's answer."""
        args = [self.given[name].astype(dtype) for name in QUESTIONS[row.computes].inputs]
        f = self.robot.kernel(row.computes, method=row.name, unroll=unroll, dtype=dtype, **self._more(row.computes))
        answer = f(*args)
        return answer if isinstance(answer, tuple) else (answer,)

    def _more(self, what: str) -> dict[str, Any]:
        if what == "hybrid_dynamics":
            return {"prescribed": [b.name for b in self.robot.bodies][::2]}
        return {"frame": "tool"} if QUESTIONS[what].of_frame else {}

    def agrees(self, row: Formulation, unroll: bool, dtype: str = "f8") -> None:
        """The compiled answer."""
        how = f"{'unrolled' if unroll else 'rolled'} {dtype}"
        self._near(row, self.found(row, unroll, dtype), how, EXACT if dtype == "f8" else SINGLE)

    def agrees_as_read(self, row: Formulation) -> None:
        """The answer of the text, read with floats."""
        self._near(row, plain(row, self.robot.tree, self.given), "read", EXACT)

    def _near(self, row: Formulation, found: Sequence[Array], how: str, most: float) -> None:
        """Relative to the largest entry; where M is solved for, its condition has a share."""
        solved = row.computes.startswith(("forward", "inverse_mass", "hybrid"))
        most *= self.condition if solved else 1.0
        for x, y in zip(found, self.wanted(row.computes), strict=True):
            error = float(np.abs(x - y).max(initial=0.0)) / max(float(np.abs(y).max(initial=0.0)), 1e-30)
            assert error <= most, f"{self.label}: {row.name} {row.computes} {how} is off by {error:.1e}, not {most:.1e}"


def _rows(*questions: str) -> list[Formulation]:
    return [f for f in FORMULATIONS if f.computes in questions]


def _start_alike(data: dict[str, Any]) -> None:
    """Zeros in the only body of its kind would make a Program of its own: let none be there."""
    data["gravity"] = [0.0, 0.0, -9.81]
    turn = [[0.48, -0.64, 0.6], [0.8, 0.6, 0.0], [-0.36, 0.48, 0.8]]
    tilt = [[0.8, 0.0, 0.6], [0.0, 1.0, 0.0], [-0.6, 0.0, 0.8]]
    rotation = (np.array(turn) @ np.array(tilt) @ np.array(turn)).tolist()
    for body in data["bodies"]:
        if body["parent"] == "base":
            body["placement"] = {"position": [0.1, 0.2, 0.3], "rotation": rotation}


def _case(k: int) -> Case:
    """The k-th of the mechanisms: the first of each family small, the others of up to 60 bodies.

    All of a family are numbered alike and have rotors or none, so that the larger ones share rolled Programs.
    """
    family, round_ = k % len(FAMILIES), k // len(FAMILIES)
    n = 8 + 11 * k % 53 if round_ else 1 + (family + family // 4) % UNROLLED
    return Case(1000 + k, n, *FAMILIES[family], ("depth", "shuffled")[family // 4 % 2], family % 3 == 0)


@pytest.mark.slow
def test_the_mechanisms_are_many_and_differ():
    sizes = [len(_case(k).robot.bodies) for k in range(0, COUNT, 7)]
    assert max(sizes) > 50
    assert min(sizes) == 1


@pytest.mark.parametrize("group", ["few", *(pytest.param(k, marks=pytest.mark.slow) for k in range(GROUPS))])
def test_every_text_agrees_as_it_is_read(group: int | str):
    """All formulations on all mechanisms; in every run a few small ones."""
    for k in range(0, len(FAMILIES), 3) if group == "few" else range(int(group), COUNT, GROUPS):
        case = _case(k)
        for row in _rows(*MAIN):
            case.agrees_as_read(row)


def test_a_few_at_once():
    """A taste of the long list, for every run."""
    case = Case(7, 5, "mixed", True, "tree")
    for row in _chosen(case.robot, 0, unroll=True):
        case.agrees(row, True)


def _chosen(robot: Robot, family: int, unroll: bool) -> list[Formulation]:
    """The formulations that answer by default, and some of the others in turn."""
    usual = [robot.formulation(what, rolled=not unroll) for what in MAIN]
    others = [row for row in _rows(*MAIN) if row not in usual and (unroll or row.rolls)]
    return [*usual, *(others[(family + 5 * k) % len(others)] for k in range(TURNS))]


def test_every_formulation_has_its_turn():
    for unroll in (True, False):
        turns = [row for k in range(len(FAMILIES)) for row in _chosen(_case(0).robot, k, unroll)]
        assert {row for row in _rows(*MAIN) if unroll or row.rolls} == set(turns)


@pytest.mark.slow
@pytest.mark.parametrize("family", range(len(FAMILIES)), ids=lambda k: "-".join(map(str, FAMILIES[k])))
def test_agreement_on_many_mechanisms(family: int):
    for k in range(family, COUNT, len(FAMILIES)):
        case = _case(k)
        for row in _chosen(case.robot, family, unroll=False):
            case.agrees(row, False)
            if k % 8 == 3:
                case.agrees(row, False, "f4")
        if len(case.robot.bodies) <= UNROLLED:
            for row in _chosen(case.robot, family, unroll=True):
                case.agrees(row, True)


EVERY = [
    Case(91, 4, "revolute", False, "chain"),
    Case(93, 3, "mixed", True, "tree"),
    Case(94, 2, "helical", False, "chain"),
]
KNOWN = [f for f in FORMULATIONS if f.computes != "coriolis"]
rows = pytest.mark.parametrize("row", KNOWN, ids=lambda f: f"{f.name}-{f.computes}")


@pytest.mark.slow
@rows
def test_every_formulation(row: Formulation):
    for case in EVERY:
        case.agrees(row, True)
    if row.rolls:
        EVERY[0].agrees(row, False)
        EVERY[0].agrees(row, True, "f4")
        EVERY[0].agrees(row, False, "f4")


def test_no_question_is_left_out():
    """All but the Coriolis matrix, which is not unique: laws test it, and its product with v."""
    case = EVERY[2]
    for what in QUESTIONS:
        if what != "coriolis":
            assert all(np.isfinite(x).all() for x in case.wanted(what))
    product_, known = case.robot.coriolis(case.q, case.v) @ case.v, case.oracle.nle(case.q, case.v)
    np.testing.assert_allclose(product_, known - case.oracle.gravity(case.q), atol=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(24))
def test_derivatives_and_jacobians(seed: int):
    joints = JOINTS[seed % len(JOINTS)]
    case = Case(300 + seed, 2, joints, seed % 4 == 0, ("tree", "chain")[seed % 2])
    questions = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives", "jacobian", "jacobian_rate")
    for row in _rows(*questions):
        if row.computes.startswith("forward") and row.name == ("composite_body", "articulated_body")[seed % 2]:
            continue  # one of the two
        case.agrees(row, True)


def _hinged(case: Case, seed: int) -> tuple[dict[str, Any], Array]:
    """The mechanism with friction and springs, and what they add to the forces."""
    import copy

    rng, data, more = np.random.default_rng(seed), copy.deepcopy(case.data), np.zeros(len(case.v))
    m = case.robot.mechanism
    for body, q0, v0, v1 in zip(data["bodies"], m.q_starts, m.v_starts, (*m.v_starts[1:],)):
        if v0 == v1:
            continue
        damping, coulomb, smoothing, stiffness, rest, preload = rng.uniform(0.1, 2.0, 6).tolist()
        v = case.v[v0:v1]
        body["joint"] |= {"damping": damping, "coulomb": coulomb}
        dry = coulomb * np.sign(v)
        if seed % 2:
            body["joint"]["smoothing"] = smoothing
            dry = coulomb * np.tanh(v / smoothing)
        more[v0:v1] = damping * v + dry
        if body["joint"]["type"] not in ("ball", "free"):
            body["joint"] |= {"stiffness": stiffness, "rest": rest, "preload": preload}
            more[v0:v1] += stiffness * (case.q[q0 : q0 + v1 - v0] - rest) + preload
    return data, more


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(k, marks=pytest.mark.slow) for k in range(2, 18))])
def test_wrenches_friction_springs_and_rotors(seed: int):
    case = Case(600 + seed, 2 + seed % 3, JOINTS[seed % len(JOINTS)], seed % 5 == 4, ("tree", "chain")[seed % 2])
    data, more = _hinged(case, seed)
    robot, W = Robot.from_dict(data), np.random.default_rng(seed).normal(size=(case.robot.n, 6))
    wanted = case.oracle.rnea(case.q, case.v, case.a, W)
    size, spread = np.abs(wanted).max() + np.abs(more).max(), case.condition * np.abs(case.a).max()
    for unroll in (True, False):
        tau = robot.inverse_dynamics(case.q, case.v, case.a, wrench=W, unroll=unroll)
        np.testing.assert_allclose(tau, wanted + more, rtol=0, atol=EXACT * size)
        a = robot.forward_dynamics(case.q, case.v, wanted + more, wrench=W, unroll=unroll)
        np.testing.assert_allclose(a, case.a, rtol=0, atol=EXACT * spread)
    f = robot.kernel("inverse_dynamics", inputs=["wrench"], unroll=False)
    batch = np.stack([W, 2 * W, 0 * W])
    np.testing.assert_allclose(f(case.q, case.v, case.a, W), wanted + more, rtol=0, atol=EXACT * size)
    np.testing.assert_allclose(f(case.q, case.v, case.a, batch)[0], wanted + more, rtol=0, atol=EXACT * size)
