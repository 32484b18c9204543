"""Estimates: exact without noise, as good as can be with it, honest about errors, gaps and outliers."""

from __future__ import annotations

import numpy as np
import pytest

import appell
from appell.errors import DataError, UnknownName
from appell.identify import Measurements, base_parameters, estimate
from appell.identify.estimate import from_factors
from appell.identify.least_squares import METHODS
from appell.papers.valera2003 import straight
from identify.motions import NOISE, measured

PUMA = appell.load("puma560")
BASE = base_parameters(PUMA)


@pytest.mark.parametrize("method", METHODS)
def test_noise_free_data_give_the_base_values_back(method: str):
    found = estimate(PUMA, measured(PUMA), method=method, base=BASE)
    np.testing.assert_allclose(found.values, BASE.values, rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.base.matrix @ found.phi, BASE.values, rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.base.matrix @ found.full, BASE.values, rtol=0, atol=1e-10)
    assert found.untold == ()


def test_single_parameters_are_told_to_mean_nothing():
    found = estimate(PUMA, measured(PUMA), method="pseudo_inverse", base=BASE)
    assert np.linalg.norm(found.phi) < np.linalg.norm(BASE.regressor.values)
    assert "forces tell 36 sums of the 60 parameters" in found.notes[0]
    assert "pseudo_inverse returns the shortest, and what it says of single parameters means nothing" in found.notes[0]
    np.testing.assert_allclose(found.full, BASE.regressor.values, atol=1e-9)  # the nearest to the model is the model


def test_errors_are_those_of_the_bound_and_intervals_cover():
    """Noise of the valera2003 study, 40 seeds: the Cramer-Rao bound, and 95 % of the intervals."""
    covered, off = [], []
    for seed in range(40):
        found = estimate(PUMA, measured(PUMA, NOISE, seed), base=BASE)
        low, high = found.interval(0.95).T
        covered.append((low <= BASE.values) & (BASE.values <= high))
        off.append(found.values - BASE.values)
    R = found.factors.together(NOISE).R @ BASE.spread  # type: ignore[possibly-undefined]
    bound = np.diag(np.linalg.inv(R.T @ R))
    error = np.mean(np.square(off), axis=0)
    assert np.sqrt(error / bound).max() < 1.5
    assert np.sqrt(error.sum() / bound.sum()) < 1.15
    assert 0.92 < np.mean(covered) < 0.97
    np.testing.assert_allclose(found.sigma, NOISE, rtol=0.1)  # type: ignore[possibly-undefined]
    np.testing.assert_allclose(found.errors, np.sqrt(bound), rtol=0.1)  # type: ignore[possibly-undefined]


def test_weights_help_where_joints_differ():
    data = measured(PUMA, NOISE, 1)
    both = [estimate(PUMA, data, weights=w, base=BASE) for w in ("joint", "none")]
    assert both[0].errors[-1] < 0.5 * both[1].errors[-1]


@pytest.mark.parametrize("loss", ["huber", "tukey"])
def test_outliers_are_weighed_down(loss: str):
    data, rng = measured(PUMA, NOISE, 1), np.random.default_rng(2)
    data.tau[rng.random(data.tau.shape) < 0.05] += 20.0
    plain, robust = (estimate(PUMA, data, base=BASE, robust=r) for r in (None, loss))
    off = [np.linalg.norm(f.values - BASE.values) for f in (plain, robust)]
    assert off[1] < 0.3 * off[0]
    assert np.mean(np.abs(robust.values - BASE.values) < 2.5 * robust.errors) > 0.85
    assert f"measurements have less than half their weight ({loss})" in robust.notes[-1]


def test_the_straight_paths_tell_27_of_36():
    paths = straight().motions
    q, v, a = (np.concatenate([m[k] for m in paths]) for k in range(3))
    found = estimate(PUMA, Measurements(np.arange(len(q)), q, v, a, PUMA.inverse_dynamics(q, v, a)), base=BASE)
    assert len(found.values) == 27
    assert "link6.second.xx" in found.untold
    assert "these data tell 27 of the 36 base parameters" in " ".join(found.notes)
    np.testing.assert_allclose(found.values, found.base.matrix @ BASE.regressor.values, rtol=0, atol=1e-8)


def test_ridge_shows_its_choice():
    found = estimate(PUMA, measured(PUMA, 30 * NOISE, 1), method="ridge", base=BASE)
    assert found.ridge is not None
    assert found.ridge.scores[np.flatnonzero(found.ridge.weights == found.ridge.weight)] == found.ridge.scores.min()
    assert 0 < found.ridge.shrunk < 1
    assert "values are biased" in found.notes[-1]


def test_friction_rotors_and_springs_are_found():
    data = PUMA.to_dict()
    for k, body in enumerate(data["bodies"]):
        body["joint"] |= {"damping": 1.0 + k, "coulomb": 2.0 - 0.3 * k, "preload": 0.1 * k}
        body["joint"] |= {"rotor_inertia": 1e-4, "gear": 60.0 + k}
    robot = appell.Robot.from_dict(data)
    found = estimate(robot, measured(robot, 1e-6), "moments", "rotor", "friction")
    wanted = found.base.values
    assert len(wanted) == 36 + 4 + 18
    np.testing.assert_allclose(found.values, wanted, atol=1e-5)
    q, v = robot.random_state(1)
    np.testing.assert_allclose(found.forces(q, v, v), robot.inverse_dynamics(q, v, v), atol=1e-3)


def test_the_friction_of_a_joint_that_is_held_is_not_told():
    """Its speed is noise, and the sign of that is no friction."""
    data, rng = measured(PUMA), np.random.default_rng(0)
    data.q[:, 5], data.v[:, 5], data.a[:, 5] = 0.3, 1e-5 * rng.normal(size=len(data)), 0.0
    tau = PUMA.inverse_dynamics(data.q, data.v, data.a) + 1e-3 * rng.normal(size=data.tau.shape)
    held = Measurements(data.t, data.q, data.v, data.a, tau)
    found = estimate(PUMA, held, "moments", "friction")
    assert "link6.coulomb" in found.untold and "link5.coulomb" not in found.untold
    assert found.factors.counts[5] == 0 and found.factors.counts[4] > 900


def test_too_little_data():
    data = measured(PUMA)
    with pytest.raises(DataError, match="30 measurements for 36 base parameters, wanted many more"):
        estimate(PUMA, data.part(slice(0, 5)), base=BASE)
    still = estimate(PUMA, data, base=BASE).factors
    nothing = type(still)(still.names, tuple(t._replace(R=0 * t.R) for t in still.joints))
    with pytest.raises(DataError, match="no motion in the data moves any force"):
        from_factors(BASE, nothing)
    with pytest.raises(UnknownName, match="method of estimation 'qrr'; did you mean 'qr'"):
        estimate(PUMA, data, method="qrr")
