"""As fast as limits allow: closed forms of a block on a slide, limits kept on an arm, what no motion can keep to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import appell
from appell.control import MinimumJerk, Spline, Uniform, fastest
from appell.errors import DataError, ModelError

pytestmark = pytest.mark.filterwarnings("ignore:robot .* radii of gyration implausible")
PUMA = appell.load("puma560")
Q0 = np.array([0.0, -1.0, 2.5, 0.3, 0.5, 0.0])
Q1 = Q0 + np.array([0.8, 0.5, -0.6, 1.0, 0.5, -1.0])
FORCE = np.array([97.6, 186.4, 89.4, 24.2, 20.1, 21.3])


def block(**joint: Any) -> appell.Robot:
    """2 kg on a slide."""
    body = {"name": "block", "parent": "base", "placement": {"position": [0.0] * 3}, "mass": 2.0, "com": [0.0] * 3,
            "joint": {"name": "slide", "type": "prismatic", "axis": [1.0, 0.0, 0.0], **joint},
            "inertia": dict.fromkeys(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), 0.0)}  # fmt: skip
    return appell.Robot.from_dict({"format": "appell-robot/1", "name": "block", "gravity": [0.0, 0.0, -9.81],
                                   "bodies": [body], "loops": [], "frames": []})  # fmt: skip


WAY = Uniform([0.0], [1.0], 1.0)


def test_a_block_is_pushed_half_the_way_and_braked_the_other() -> None:
    found = fastest(block(), WAY, force=4.0)
    assert found.t_end == pytest.approx(2 * np.sqrt(0.5), rel=1e-4)
    half = found(found.t_end / 2)
    np.testing.assert_allclose([half.q[0], half.v[0]], [0.5, np.sqrt(2.0)], rtol=2e-3)
    assert set(found.binding[:-1]) == {"the force of 'slide'"}


def test_dry_friction_helps_to_brake() -> None:
    """1.5 m/s^2 up, 2.5 m/s^2 down."""
    found, peak = fastest(block(coulomb=1.0), WAY, force=4.0), np.sqrt(2 * 1.5 * 2.5 / 4)
    assert found.t_end == pytest.approx(peak / 1.5 + peak / 2.5, rel=1e-3)


def test_viscous_friction_limits_the_speed() -> None:
    """2 v' = 4 - 8 v: half a metre per second, in the end."""
    found = fastest(block(damping=8.0), Uniform([0.0], [5.0], 1.0), force=4.0)
    assert np.abs(found(np.linspace(0, found.t_end, 500)).v).max() == pytest.approx(0.5, rel=1e-3)


def test_speeds_and_accelerations_have_limits_as_well_and_the_model_may_have_them() -> None:
    trapezoid = 1 / 0.5 + 0.5 / 2.0  # way / speed + speed / acceleration
    assert fastest(block(), WAY, speed=0.5, acceleration=2.0).t_end == pytest.approx(trapezoid, rel=2e-3)
    own = block(effort_limit=4.0, velocity_limit=0.5)
    assert fastest(own, WAY).t_end == pytest.approx(trapezoid, rel=2e-3)


@pytest.mark.parametrize("way", [MinimumJerk(Q0, Q1, 1.0), Spline([0, 1, 2, 3], [Q0, Q1, Q0 + 0.3, Q1])])
def test_an_arm_uses_what_it_has_and_no_more(way: Any) -> None:
    found = fastest(PUMA, way, force=FORCE, speed=3.0, points=201)
    t = np.linspace(0, found.t_end, 2001)
    q, v, a = found(t)
    use = np.maximum(np.abs(PUMA.inverse_dynamics(q, v, a)) / FORCE, np.abs(v) / 3.0).max(1)
    assert use.max() < 1.02 and np.median(use) > 0.85
    np.testing.assert_allclose(q[[0, -1]], way(np.array([0.0, way.t_end])).q, atol=1e-12)
    assert np.abs(v[[0, -1]]).max() < 1e-9
    np.testing.assert_allclose(np.gradient(q, t, axis=0)[5:-5], v[5:-5], atol=0.05)


def test_what_no_motion_keeps_to() -> None:
    with pytest.raises(DataError, match=r"keeps the force of 'joint2' within its limit 50: just to be there"):
        fastest(PUMA, MinimumJerk(0 * Q0, Q1, 1.0), force=50.0)
    with pytest.raises(DataError, match="got no limits, wanted force, speed or acceleration"):
        fastest(PUMA, MinimumJerk(Q0, Q1, 1.0))
    with pytest.raises(DataError, match="a path that stands still"):
        fastest(PUMA, MinimumJerk(Q0, Q0, 1.0), force=FORCE)
    with pytest.raises(DataError, match="got the speed -1, wanted a number above 0 or 6 of them"):
        fastest(PUMA, MinimumJerk(Q0, Q1, 1.0), speed=-1)
    with pytest.raises(ModelError, match="wants an open chain"):
        fastest(appell.load("five_bar"), WAY, force=1.0)
