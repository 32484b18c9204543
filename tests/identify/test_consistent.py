"""Physically consistent parameters: matter can have them, they fit as well as any, and they agree by both ways."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import appell
from appell.errors import DataError, UnknownName
from appell.identify import Regressor, consistent, estimate
from appell.identify.consistent import from_log_cholesky, log_cholesky, pseudo_inertias
from appell.model.lift import MOMENTS, part
from identify.motions import NOISE, fourier, measured

PUMA = appell.load("puma560")
OFF = PUMA.with_parameters({n: 1.3 * x for n, x in PUMA.parameters().items() if part(n) in MOMENTS})


def test_log_cholesky_there_and_back():
    rng = np.random.default_rng(1)
    theta = rng.normal(size=10)
    ten, slopes = from_log_cholesky(theta)
    P = np.array([[ten[4], ten[7], ten[8], ten[1]], [ten[7], ten[5], ten[9], ten[2]],
                  [ten[8], ten[9], ten[6], ten[3]], [ten[1], ten[2], ten[3], ten[0]]])  # fmt: skip
    assert np.linalg.eigvalsh(P)[0] > 0
    np.testing.assert_allclose(log_cholesky(P), theta, atol=1e-12)
    for k, e in enumerate(1e-6 * np.eye(10)):
        by_steps = (from_log_cholesky(theta + e)[0] - from_log_cholesky(theta - e)[0]) / 2e-6
        np.testing.assert_allclose(slopes[:, k], by_steps, atol=1e-7)


@pytest.mark.parametrize("method", ["log_cholesky", "lmi"])
def test_a_robot_that_matter_could_make_fits_as_well(method: str):
    if method == "lmi":
        pytest.importorskip("cvxpy")
    data = measured(PUMA, NOISE, 1)
    found = estimate(OFF, data)
    physical = consistent(found, method)
    truth = found.base.matrix @ PUMA.parameters(found.base.regressor.names)
    assert np.linalg.norm(found.base.matrix @ physical.phi - truth) < 5e-3 * np.linalg.norm(truth)
    assert physical.excess < 10
    assert all(np.linalg.eigvalsh(P)[0] > 0 for P in pseudo_inertias(estimate(physical.robot, data)).values())
    q, v, a = fourier(6, seed=9)
    off = [np.sqrt(np.mean((r.inverse_dynamics(q, v, a) - PUMA.inverse_dynamics(q, v, a)) ** 2, 0))
           for r in (physical.robot, OFF)]  # fmt: skip
    assert (off[0] < 0.4 * NOISE).all()
    assert (off[1] > 10 * off[0]).all()


def test_what_forces_do_not_tell_stays_as_it_was():
    found = consistent(estimate(OFF, measured(PUMA, NOISE, 1)))
    assert found.values["link1.mass"] == pytest.approx(OFF.parameters()["link1.mass"], rel=1e-6)


def test_frictions_are_not_negative():
    data = PUMA.to_dict()
    for body in data["bodies"]:
        body["joint"] |= {"damping": 0.5, "coulomb": 0.0}
    robot = appell.Robot.from_dict(data)
    loose = estimate(robot, measured(robot, 20 * NOISE, 5), "moments", "friction")
    free = dict(zip(loose.base.names, loose.values))
    assert min(free[f"link{k}.coulomb"] for k in range(1, 7)) < 0
    held = consistent(loose)
    assert min(held.values[f"link{k}.coulomb"] for k in range(1, 7)) >= 0
    assert held.robot.bodies[0].joint.damping > 0


def test_forces_that_no_matter_makes_are_told():
    """Of link 4 a second moment below zero: parameters without bounds find it, matter cannot."""
    data, K = measured(PUMA, NOISE, 1), Regressor.of(PUMA)
    ghost = replace(data, tau=data.tau - 0.5 * K(data.q, data.v, data.a)[..., K.names.index("link4.second.xx")])
    physical = consistent(estimate(PUMA, ghost))
    assert physical.excess > 200
    assert "the measurements or the model's geometry are off" in physical.notes[0]


def test_wrong_words():
    found = estimate(PUMA, measured(PUMA, NOISE, 1))
    with pytest.raises(UnknownName, match="method of consistent parameters 'lmis'; did you mean 'lmi'"):
        consistent(found, "lmis")
    with pytest.raises(DataError, match="belief is -1, wanted a positive number"):
        consistent(found, belief=-1)


def test_parameters_go_into_a_robot_and_come_back():
    values = {n: 1.1 * x for n, x in PUMA.parameters().items() if part(n) in MOMENTS}
    values |= {"link2.damping": 3.0, "link3.offset.x": 0.2, "link4.rotor": 0.3, "link5.preload": -1.0}
    other = PUMA.with_parameters(values)
    known = other.parameters()
    assert max(abs(known[n] - x) for n, x in values.items()) < 1e-14
    q, v = PUMA.random_state(1)
    lifted = PUMA.kernel("inverse_dynamics", inputs=list(values))
    np.testing.assert_allclose(lifted(q, v, v, list(values.values())), other.inverse_dynamics(q, v, v), rtol=1e-10)
    with pytest.raises(appell.AppellError, match=r"body 'link2': got mass = -1.0"):
        PUMA.with_parameters({"link2.mass": -1.0})
    with pytest.raises(appell.AppellError, match="is regrouped, wanted the original"):
        PUMA.regrouped().with_parameters({"link2.mass": 1.0})
    assert Regressor(other, ("link2.damping",)).values == [3.0]
