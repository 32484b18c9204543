"""A Program as SymPy reads it: the textbook's equations, and the numbers of the kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import appell

m1, m2, l1, l2, g = sp.symbols("m1 m2 l1 l2 g", positive=True)
q1, q2, v1, v2 = sp.symbols("q1 q2 v1 v2", real=True)
RODS = {
    "upper.mass": m1, "upper.first.x": m1 * l1 / 2, "upper.second.xx": m1 * l1**2 / 3, "lower.mass": m2,
    "lower.first.x": m2 * l2 / 2, "lower.second.xx": m2 * l2**2 / 3, "lower.offset.x": l1, "gravity.y": -g,
}  # fmt: skip


def same(found: Any, wanted: Any) -> bool:
    return sp.simplify(sp.Matrix(found) - sp.Matrix(wanted)).is_zero_matrix


@pytest.fixture(scope="module")
def arm() -> appell.Robot:
    return appell.load("double_pendulum")


def test_a_double_pendulum_of_rods(arm: appell.Robot) -> None:
    """As every textbook has it, angles from the horizontal."""
    c, s = m2 * l1 * l2 * sp.cos(q2) / 2, m2 * l1 * l2 * sp.sin(q2) / 2
    corner = m2 * l2**2 / 3
    M = [[(m1 / 3 + m2) * l1**2 + corner + 2 * c, corner + c], [corner + c, corner]]
    assert same(arm.symbolic("mass_matrix", inputs=RODS), M)
    assert same(arm.symbolic("coriolis", inputs=RODS), [[-s * v2, -s * (v1 + v2)], [s * v1, 0]])
    low = m2 * g * l2 * sp.cos(q1 + q2) / 2
    assert same(arm.symbolic("gravity_forces", inputs=RODS), [(m1 / 2 + m2) * g * l1 * sp.cos(q1) + low, low])


@pytest.mark.parametrize("method", ["gibbs_appell", "newton_euler", "denoc", "lagrange"])
def test_all_formulations_are_one_in_symbols(arm: appell.Robot, method: str) -> None:
    tau = arm.symbolic("inverse_dynamics", method=method, inputs=RODS)
    assert same(tau, arm.symbolic("inverse_dynamics", method="kane", inputs=RODS))


def test_letters_and_numbers(arm: appell.Robot) -> None:
    M = arm.symbolic("mass_matrix", inputs=["lower.mass", "lower.offset.x"])
    assert {x.name for x in M.free_symbols} == {"m_lower", "x_lower", "q2"}
    assert {x.name for x in arm.symbolic("mass_matrix", inputs="all").free_symbols} >= {"Jxx_upper", "sx_lower"}
    assert arm.symbolic("mass_matrix")[0, 1].coeff(sp.cos(q2)) == sp.Rational(1, 2)  # and no float
    W = arm.symbolic("inverse_dynamics", inputs=["wrench"])
    assert "W2_6" in {x.name for x in W.free_symbols}
    assert sp.latex(arm.symbolic("gravity_forces", inputs={"gravity.y": -g})).count("g") >= 3


@pytest.mark.parametrize("name", ["puma560", "quadruped"])
def test_steps_give_the_numbers_of_the_kernel(name: str) -> None:
    robot = appell.load(name)
    steps, (tau,) = (lambda s, t: (s, (t,)))(*robot.symbolic("inverse_dynamics", steps=True))
    q, v = robot.random_state(2)
    a = np.cos(np.arange(robot.nv))
    names = [f"{k}{i + 1}" for k, x in (("q", q), ("v", v), ("a", a)) for i in range(len(x))]
    values = dict(zip(names, np.concatenate([q, v, a]), strict=True))
    for symbol, expression in steps:
        own = sorted(expression.free_symbols, key=str)
        values[symbol.name] = sp.lambdify(own, expression, "math")(*(values[x.name] for x in own))
    found = [values[x.name] if x.free_symbols else float(x) for x in tau]
    exact = robot.inverse_dynamics(q, v, a)
    assert np.abs(found - exact).max() < 1e-12 * np.abs(exact).max()


def test_several_outputs_and_frames(arm: appell.Robot) -> None:
    kinetic, potential = arm.symbolic("energy", inputs=RODS)
    assert sp.simplify(potential.diff(q2) - arm.symbolic("gravity_forces", inputs=RODS)[1]) == 0
    M = arm.symbolic("mass_matrix", inputs=RODS)
    v = sp.Matrix([v1, v2])
    assert sp.simplify(kinetic - (v.T * M * v)[0] / 2) == 0
    assert arm.symbolic("pose", frame="tip")[0, 3] == sp.cos(q1) + sp.expand(sp.cos(q1) * sp.cos(q2)) - sp.sin(
        q1
    ) * sp.sin(q2)


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        (["lower.mas"], "unknown parameter 'lower.mas'; did you mean 'lower.mass'"),
        ({"lower.mass": [1]}, r"parameter 'lower.mass' is to be \[1\], wanted a name or an expression of SymPy"),
        (3, "inputs is 3, wanted a list of names"),
    ],
)
def test_what_cannot_be_a_letter(arm: appell.Robot, inputs: Any, sentence: str) -> None:
    with pytest.raises(appell.AppellError, match=sentence):
        arm.symbolic("mass_matrix", inputs=inputs)


def test_gravity_is_a_parameter(arm: appell.Robot) -> None:
    q, v = arm.random_state(1)
    moon = arm.with_parameters({"gravity.y": -1.62})
    kernel = arm.kernel("inverse_dynamics", inputs=["gravity.y"])
    np.testing.assert_allclose(kernel(q, v, v, [-1.62]), moon.inverse_dynamics(q, v, v), rtol=1e-13)
    assert arm.parameters(["gravity.y"])[0] == arm.mechanism.gravity[1]
