"""Which inertias are matter, and which are only suspicious."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from appell.errors import ModelError
from appell.model import zoo
from appell.model.inertia import second_moments
from appell.model.mechanism import Body, Inertia, Joint, Mechanism, Placement

Z = (0.0, 0.0, 1.0)


def single(inertia: Inertia, mass: float = 1.0, joint: Joint | None = None, **more: Any) -> Mechanism:
    joint = joint or Joint("turn", "revolute", Z)
    return Mechanism("one", (0.0, 0.0, 0.0), (Body("disc", "base", joint, Placement(), mass, inertia=inertia, **more),))


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_the_triangle_inequality_may_be_an_equality(scale: float) -> None:
    a, b = 0.1 * scale, 0.2 * scale
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert single(Inertia(a, b, a + b)).nv == 1
        with pytest.raises(ModelError, match=r"body 'disc': got principal moments .* wanted the largest not above"):
            single(Inertia(a, b, 1.01 * (a + b)))


def test_negative_principal_moments_are_refused() -> None:
    with pytest.raises(ModelError, match="wanted none negative"):
        single(Inertia(1.0, 1.0, 1.0, ixy=1.5))


def test_a_rotated_rod_is_accepted() -> None:
    d = np.array([1.0, 2.0, -2.0]) / 3.0
    tensor = np.eye(3) - np.outer(d, d)
    entries = [tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    assert single(Inertia(*map(float, entries)), com=(2.0, 0.0, 0.0)).nv == 1


def test_second_moments_give_the_tensor_back() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(5, 8, 3))
    second = np.einsum("nki,nkj->nij", x, x)
    tensor = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
    assert np.allclose(second_moments(tensor), second, rtol=1e-14, atol=1e-14)


def test_second_moments_of_a_lamina_vanish_exactly_across_it() -> None:
    assert second_moments(np.diag([0.1, 0.2, 0.1 + 0.2]))[2, 2] == 0.0
    assert second_moments(np.diag([0.3, 0.3, 0.0]))[0, 0] == 0.0


def test_the_puma_as_printed_is_suspicious() -> None:
    with pytest.warns(UserWarning, match="radii of gyration implausible") as caught:
        zoo.load("puma560")
    assert all(f"'link{i}'" in str(caught[0].message) for i in range(1, 7))


@pytest.mark.parametrize("name", [n for n in zoo.names() if not n.startswith("puma")])
def test_ordinary_robots_are_not(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        zoo.load(name)


def test_a_radius_of_gyration_of_many_metres_is_suspicious() -> None:
    with pytest.warns(UserWarning, match=r"'disc' \(10 m\)"):
        single(Inertia(100.0, 100.0, 100.0))


def test_a_moving_massless_tip_is_warned_of() -> None:
    with pytest.warns(UserWarning, match=r"joint\(s\) 'turn': M is singular"):
        single(Inertia(), mass=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        single(Inertia(), mass=0.0, joint=Joint("turn", "revolute", Z, rotor_inertia=1e-3))
        single(Inertia(), mass=0.0, joint=Joint("weld", "fixed"))
        tip = Body("tip", "disc", Joint("more", "revolute", Z), mass=1.0, com=(0.1, 0.0, 0.0))
        Mechanism("two", (0.0, 0.0, 0.0), (Body("disc", "base", Joint("turn", "revolute", Z)), tip))


@pytest.mark.parametrize("mass", [float("nan"), -0.1])
def test_masses_made_in_code_are_checked_as_well(mass: float) -> None:
    with pytest.raises(ModelError, match="body 'disc': got mass"):
        single(Inertia(), mass=mass)


def test_an_inertia_that_is_no_number_is_refused() -> None:
    for bad in (float("nan"), float("inf")):
        with pytest.raises(ModelError, match="body 'disc': got a com or an inertia that is not finite"):
            single(Inertia(ixx=bad))
        with pytest.raises(ModelError, match="body 'disc'"):
            single(Inertia(), com=(bad, 0.0, 0.0))
