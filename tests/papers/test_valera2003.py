"""valera2003's laws on a simulated robot behind its cards: references, the dead zone, a wrong model, the line."""

from __future__ import annotations

import numpy as np
import pytest

from appell.papers import valera2003

pytestmark = pytest.mark.filterwarnings("ignore:robot .* radii of gyration implausible")


@pytest.mark.slow
def test_ramps_and_splines_are_followed() -> None:
    case = valera2003.references()
    assert case.agrees and len(case.charts) == 2
    for way in ("ramps", "splines"):
        assert (case.data[f"{way}, with integral action"] < case.data[f"{way}, tracking"]).all()


def test_static_friction_leaves_a_dead_zone_that_an_integral_takes_away() -> None:
    case = valera2003.dead_zone()
    assert case.agrees
    assert (case.data["tracking"] > 2e-3).all() and (case.data["with integral action"] < 1e-3).all()


def test_a_wrong_model_shifts_the_equilibrium_as_told() -> None:
    case = valera2003.model_error()
    assert case.agrees and np.abs(case.data["told"]).max() > 4e-3
    np.testing.assert_allclose(case.data["point to point"], case.data["told"], atol=1e-10)


@pytest.mark.slow
def test_the_line_is_driven_in_all_branches() -> None:
    case = valera2003.driven()
    assert case.agrees and len(case.data["off"]) == 8
