"""DeNOC: the paper's values, what it costs, and the freedom to choose its motion of reference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import appell
from appell.formulations.denoc_forward import denoc_forward
from appell.formulations.still import Still
from appell.formulations.table import FORMULATIONS, Formulation
from appell.model.reframed import reframed
from appell.model.regrouped import regrouped
from appell.model.tree import Tree
from appell.model.walk import Coordinates, Walk
from appell.spatial import Twist
from appell.trace.counting import operations
from appell.vec import Vec3

from .readings import CASES, Case, close, first
from .test_table import chain

FORWARD = next(f for f in FORMULATIONS if (f.name, f.computes) == ("denoc", "forward_dynamics"))
cases = pytest.mark.parametrize("case", CASES[:8], ids=lambda c: c.data["name"])


def cycloid(t: float, end: float, T: float = 10.0) -> tuple[float, float, float]:
    """saha2010, eq (22), from rest at 0 to rest at `end`."""
    s = 2 * np.pi * t / T
    return end / T * (t - T / 2 / np.pi * np.sin(s)), end / T * (1 - np.cos(s)), end / T * 2 * np.pi / T * np.sin(s)


@pytest.mark.filterwarnings("ignore:robot")
@pytest.mark.parametrize(
    ("t", "tau"),
    [
        (0.0, (0, -69.68576664, -0.481671, 0, 0, 0)),
        (5.0, (-0.1263381751, 0.5682971969, 0.6226129303, -0.0963588964, 0.1480757637, 0.0111329138)),
    ],
)
def test_the_puma_of_the_paper(t: float, tau: tuple[float, ...]) -> None:
    arm = appell.load("puma_saha")
    q, v, a = (np.full(6, x) for x in cycloid(t, np.pi))
    np.testing.assert_allclose(arm.inverse_dynamics(q, v, a, method="denoc"), tau, atol=1e-8)
    np.testing.assert_allclose(arm.forward_dynamics(q, v, tau, method="denoc"), a, atol=1e-6)


ALONE = Formulation("page", "forward_dynamics", lambda r, q, v, tau: denoc_forward(r, q, Still(), tau), "saha2010")


def cost(row: Formulation, tree: Tree) -> tuple[int, int]:
    """Products and quotients, and sums, as it runs."""
    found = operations(row, regrouped(reframed(tree)), True)
    return found.mul + found.div, found.add


@pytest.mark.parametrize("n", [3, 4, 6, 8, 12])
def test_the_equations_are_solved_for_less_than_published(n: int) -> None:
    """saha2010, Table 2: 173n - 128 products and 150n - 133 sums for a from U D U' a = phi with a known phi."""
    mul, add = cost(ALONE, replace(chain(n), gravity=Vec3()))
    assert mul <= 139 * n - 249
    assert add <= 127 * n - 249
    assert mul <= 173 * n - 128
    assert add <= 150 * n - 133


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_up_to_six_joints_that_pays_for_the_bias_forces_too(n: int) -> None:
    mul, add = cost(FORWARD, chain(n))
    assert mul <= 173 * n - 128
    assert add <= 150 * n - 133


def test_what_two_further_joints_cost() -> None:
    """Two, as every second one has an offset along its axis."""
    (m1, a1), (m2, a2) = cost(FORWARD, chain(9)), cost(FORWARD, chain(11))
    assert m2 - m1 <= 396
    assert a2 - a1 <= 360


@cases
def test_a_split_twist_is_put_together_again(case: Case) -> None:
    rng = np.random.default_rng(case.seed)
    t = Twist(Vec3(*rng.normal(size=3)), Vec3(*rng.normal(size=3)))
    for b in case.tree.links:
        for z in b.freedoms:
            x, rest = t.split(z.twist)
            back = rest + z.twist * x
            close([*back.angular, *back.linear], [*t.angular, *t.linear], 1e-15)
            assert rest.split(z.twist)[0] == 0


@cases
def test_any_acceleration_may_be_asked_for_twice(case: Case) -> None:
    """Forces that differ by M da give accelerations that differ by da: the motion of reference drops out."""
    mass = case.ask(first("mass_matrix"), case.q)
    tau = np.random.default_rng(case.seed).normal(size=case.tree.nv)
    page = Formulation("page", "forward_dynamics", denoc_forward, "saha2010")
    one, two = (case.ask(page, case.q, case.v, x) for x in (tau, tau + mass @ case.a))
    close(two - one, case.a, 1e-10)


def test_a_free_body_falls_exactly() -> None:
    """A base that moves freely has no motion of reference of its own: no rounding of gravity is left in it."""
    robot = appell.load("quadruped")
    q, v = robot.neutral(), np.zeros(robot.nv)
    given = [Coordinates(x.tolist()) for x in (q, v, v)]
    a = denoc_forward(Walk(robot.tree), *given)
    np.testing.assert_allclose([a[k] for k in range(6)], (0, 0, -9.81, 0, 0, 0), atol=1e-13)


def test_a_base_that_moves_as_it_is_told() -> None:
    """saha2010, 4.1: the arm's forces on a shaking base, and its motion under them."""
    riding = appell.load("scara").on_moving_base()
    q, v = riding.random_state(3)
    a = np.random.default_rng(3).normal(size=riding.nv)
    tau = riding.inverse_dynamics(q, v, a, method="denoc")
    spoilt = np.where(np.arange(riding.nv) < 6, np.nan, tau)
    moves, forces = riding.hybrid_dynamics(q, v, a, spoilt, prescribed=["moving_base"], method="denoc")
    np.testing.assert_allclose(moves, a, atol=1e-11)
    np.testing.assert_allclose(forces, tau, atol=1e-10 * np.abs(tau).max())
    still = riding.lock({"moving_base": q[:7]})
    alone = still.forward_dynamics(q[7:], v[6:], tau[6:], method="denoc")
    at_rest = np.concatenate([np.zeros(6), v[6:]])
    there, _ = riding.hybrid_dynamics(q, at_rest, 0 * a, spoilt, prescribed=["moving_base"], method="denoc")
    np.testing.assert_allclose(there[6:], alone, atol=1e-10 * max(1.0, np.abs(alone).max()))
