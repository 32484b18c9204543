"""Parameters as arguments: each kind of name, values that change nothing, forces linear in the moments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.few import few
from oracles.random_robots import random_robot, random_state

from appell.errors import ModelError, TraceError, UnknownName
from appell.model.lift import GRAVITY, LENGTHS, MET, MOMENTS, Lift, moments, parameters
from appell.model.lower import lower
from appell.model.mechanism import Mechanism
from appell.robot import Robot

DATA = random_robot(60, 4, joints="simple", shape="tree")
for _body in DATA["bodies"]:
    _body["joint"] |= {"rotor_inertia": 0.02, "gear": 3.0, "damping": 0.3, "coulomb": 0.1, "smoothing": 0.5}
    _body["joint"] |= {"stiffness": 2.0, "rest": 0.2, "preload": 0.4}
    _body["placement"]["position"] = [0.2, -0.3, 0.4]
ROBOT = Robot.from_dict(DATA)
Q, V, A = random_state(DATA, 6)
WITH_FIXED = random_robot(61, 6, joints="mixed", floating=True, shape="tree")
WITH_FIXED["bodies"][2]["joint"] = {"name": "weld", "type": "fixed"}


def _changed(data: dict[str, Any], name: str, factor: float) -> dict[str, Any]:
    """The robot's data with a parameter changed by hand."""
    import copy

    body_name, part = name.split(".", 1)
    data = copy.deepcopy(data)
    body = next(b for b in data["bodies"] if b["name"] == body_name)
    if part == "mass":  # m alone: m c and the second moments stay
        m, c = body["mass"], np.array(body["com"])
        body["mass"], body["com"] = m * factor, (c / factor).tolist()
        _add(body, m * c @ c * np.eye(3) - m * np.outer(c, c), 1.0 - 1.0 / factor)
    elif part.startswith("offset"):
        body["placement"]["position"]["xyz".index(part[-1])] *= factor
    elif part == "rotor":
        body["joint"]["rotor_inertia"] *= factor
    else:
        body["joint"][part] *= factor
    return data


def _add(body: dict[str, Any], tensor: Any, share: float) -> None:
    for key in body["inertia"]:
        body["inertia"][key] += share * tensor["xyz".index(key[1]), "xyz".index(key[2])]


@pytest.mark.parametrize("part", few(["mass", *LENGTHS, *MET], "mass", "offset.y", "damping"))
def test_a_lifted_value_is_that_of_the_changed_model(part: str):
    name = f"body2.{part}"
    f = ROBOT.kernel("inverse_dynamics", inputs=[name])
    own = ROBOT.parameters([name])
    np.testing.assert_allclose(f(Q, V, A, own), ROBOT.inverse_dynamics(Q, V, A), rtol=1e-12)
    changed = Robot.from_dict(_changed(ROBOT.to_dict(), name, 1.25))
    np.testing.assert_allclose(changed.parameters([name]), 1.25 * own, rtol=1e-14)
    np.testing.assert_allclose(f(Q, V, A, 1.25 * own), changed.inverse_dynamics(Q, V, A), rtol=1e-10)
    assert np.abs(f(Q, V, A, 1.25 * own) - f(Q, V, A, own)).max() > 1e-6


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(ROBOT.to_dict(), id="all kinds"),
        pytest.param(WITH_FIXED, id="fixed, floating", marks=pytest.mark.slow),
    ],
)
def test_forces_are_linear_in_the_moments(data: dict[str, Any]):
    """tau = Y p, with the other forces (springs, friction, rotors) at p = 0."""
    robot, (q, v, a) = Robot.from_dict(data), random_state(data, 9)
    names = [f"{b.name}.{part}" for b in robot.bodies for part in MOMENTS]
    f, p = robot.kernel("inverse_dynamics", inputs=names), robot.parameters(names)
    rest = f(q, v, a, np.zeros(len(p)))
    Y = f(q, v, a, np.eye(len(p))) - rest
    tau = robot.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(p @ Y + rest, tau, rtol=0, atol=1e-11 * np.abs(tau).max())
    other = np.random.default_rng(1).normal(size=len(p))
    np.testing.assert_allclose(f(q, v, a, other), other @ Y + rest, rtol=0, atol=1e-11 * np.abs(Y).max() * 10)


@pytest.mark.parametrize(
    "what", few(["mass_matrix", "forward_dynamics", "energy", "gravity_forces", "coriolis"], "mass_matrix", "energy")
)
def test_every_question_takes_parameters(what: str):
    robot, (q, v, a) = Robot.from_dict(WITH_FIXED), random_state(WITH_FIXED, 9)
    names = ["body1.mass", "body3.first.x", "body4.second.yz", "body5.offset.z"]
    given = {"mass_matrix": (q,), "gravity_forces": (q,), "forward_dynamics": (q, v, a)}.get(what, (q, v))
    f, p = robot.kernel(what, inputs=names), robot.parameters(names)
    wanted = np.stack(robot.energy(q, v)) if what == "energy" else getattr(robot, what)(*given)
    np.testing.assert_allclose(f(*given, p), wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())


def test_batches_over_parameters_and_states():
    names = ["body1.mass", "body2.damping"]
    f, p = ROBOT.kernel("inverse_dynamics", inputs=names), ROBOT.parameters(names)
    many = p * np.linspace(0.5, 2.0, 11)[:, None]
    found = f(Q, V, A, many)
    assert found.shape == (11, 4)
    for row, values in zip(found, many):
        np.testing.assert_array_equal(row, f(Q, V, A, values))


def test_wrench_and_parameters_together():
    """Wrenches stand before parameters, in whatever order they are asked for."""
    names, W = ["body1.mass"], np.random.default_rng(3).normal(size=(4, 6))
    wanted = ROBOT.inverse_dynamics(Q, V, A, wrench=W)
    p = ROBOT.parameters(names)
    for inputs in (["wrench", *names], [*names, "wrench"]):
        f = ROBOT.kernel("inverse_dynamics", inputs=inputs)
        np.testing.assert_allclose(f(Q, V, A, W, p), wanted, rtol=1e-11)
    bare = ROBOT.kernel("inverse_dynamics", inputs=names)
    np.testing.assert_allclose(bare(Q, V, A, p, wrench=W), wanted, rtol=1e-11)


def test_a_friction_that_the_model_does_not_have_can_be_lifted():
    data = random_robot(62, 2)
    robot, (q, v, a) = Robot.from_dict(data), random_state(data, 1)
    f = robot.kernel("inverse_dynamics", inputs=["body0.damping", "body1.stiffness", "body1.rest"])
    wanted = robot.inverse_dynamics(q, v, a) + np.array([0.7 * v[0], 2.0 * (q[1] - 0.3)])
    np.testing.assert_allclose(f(q, v, a, [0.7, 2.0, 0.3]), wanted, rtol=1e-11)


def test_large_robots_are_lifted_unrolled():
    from appell import zoo

    robot = zoo.chain(45)
    q, _ = robot.random_state(1)
    f = robot.kernel("gravity_forces", inputs=["link45.mass"])
    np.testing.assert_allclose(f(q, robot.parameters(["link45.mass"])), robot.gravity_forces(q), rtol=1e-9, atol=1e-9)
    with pytest.raises(TraceError, match="lifted parameters .* want unroll=True"):
        robot.kernel("gravity_forces", inputs=["link45.mass"], unroll=False)


def test_names_and_numbers():
    known = ROBOT.parameters()
    assert len(known) == 4 * (len(MOMENTS) + len(LENGTHS) + len(MET)) + len(GRAVITY)
    assert known["gravity.z"] == ROBOT.mechanism.gravity[2]
    assert known == parameters(ROBOT.mechanism)
    assert known["body1.rotor"] == 0.02 * 9.0
    fixed = Robot.from_dict(WITH_FIXED).parameters()
    still = WITH_FIXED["bodies"][2]["name"]
    assert f"{still}.mass" in fixed
    assert f"{still}.offset.x" not in fixed
    assert f"{still}.damping" not in fixed


def test_moments_are_integrals():
    """Of points: sums over them."""
    rng = np.random.default_rng(5)
    points, masses = rng.normal(size=(9, 3)), rng.random(9)
    m, c = masses.sum(), masses @ points / masses.sum()
    r = points - c
    tensor = np.einsum("k,k,ij->ij", masses, (r * r).sum(1), np.eye(3)) - np.einsum("k,ki,kj->ij", masses, r, r)
    data = random_robot(1, 1)
    xyz = {f"i{a}{b}": float(tensor["xyz".index(a), "xyz".index(b)]) for a, b in ("xx", "yy", "zz", "xy", "xz", "yz")}
    data["bodies"][0] |= {"mass": float(m), "com": c.tolist(), "inertia": xyz}
    found = moments(Mechanism.from_dict(data).bodies[0])
    second = np.einsum("k,ki,kj->ij", masses, points, points)
    wanted = [m, *(masses @ points)] + [
        second["xyz".index(a), "xyz".index(b)] for a, b in ("xx", "yy", "zz", "xy", "xz", "yz")
    ]
    np.testing.assert_allclose(list(found.values()), wanted, rtol=1e-12)


def test_body_names_may_hold_dots():
    data = random_robot(62, 2)
    data["bodies"][0]["name"], data["bodies"][1]["parent"] = "arm.mass", "arm.mass"
    robot = Robot.from_dict(data)
    q, v, a = random_state(data, 1)
    f = robot.kernel("inverse_dynamics", inputs=["arm.mass.mass", "arm.mass.first.x"])
    np.testing.assert_allclose(
        f(q, v, a, robot.parameters(["arm.mass.mass", "arm.mass.first.x"])), robot.inverse_dynamics(q, v, a), rtol=1e-11
    )


def test_unknown_and_doubled_names():
    mechanism = ROBOT.mechanism
    with pytest.raises(UnknownName, match="unknown parameter 'body1.mas'; did you mean 'body1.mass'"):
        Lift(mechanism, lower(mechanism), ("body1.mas",))
    with pytest.raises(UnknownName, match="did you mean 'body1.damping'"):
        ROBOT.parameters(["body1.dampin"])
    with pytest.raises(ModelError, match="parameter 'body1.mass' is lifted twice, wanted once"):
        ROBOT.kernel("inverse_dynamics", inputs=["body1.mass", "body2.mass", "body1.mass"])
    assert ROBOT.parameters("body1.mass").shape == (1,)
