"""A reading with any number of digits: its functions, and texts that agree far beyond double precision."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from oracles.random_robots import random_robot, random_state

from appell.formulations.table import FORMULATIONS, Formulation
from appell.model.lower import lower
from appell.model.mechanism import Mechanism
from appell.papers.digits import Digits, read, rounding_to

INVERSE = [f for f in FORMULATIONS if f.computes == "inverse_dynamics"]
FORWARD = [f for f in FORMULATIONS if f.computes == "forward_dynamics"]


def number(x: float | str, digits: int = 50) -> Digits:
    return Digits(Decimal(x), rounding_to(digits))


@pytest.mark.parametrize("x", (-6.0, -0.7, 0.0, 1e-9, 0.3, 2.0, 11.5))
def test_functions_are_those_of_floats_and_obey_their_laws(x: float) -> None:
    given = number(x)
    s, c, t = given.sin(), given.cos(), given.tanh()
    for got, wanted in ((s, math.sin(x)), (c, math.cos(x)), (t, math.tanh(x)), (given.sign(), float(np.sign(x)))):
        assert float(got) == pytest.approx(wanted, rel=1e-15, abs=1e-300)
    assert abs(float(s * s + c * c - 1)) < 1e-48
    assert abs(float((given * 0.5).tanh() * 2 / (1 + (given * 0.5).tanh() * (given * 0.5).tanh()) - t)) < 1e-48
    assert abs(float((given * given).sqrt() - given * given.sign())) < 1e-48


def test_the_sine_of_pi_has_the_digits_it_was_given() -> None:
    pi = "3.14159265358979323846264338327950288419716939937510582097494459"
    assert 0 < abs(float(number(pi, 45).sin())) < 1e-44


@pytest.mark.parametrize("digits", (3, 7, 30))
def test_every_operation_is_rounded(digits: int) -> None:
    x = number(1, digits) / 3
    for y in (x, x * 7, 1 - x, x - 2, -x, x + 1e-3, 2 / x, x.sin()):
        assert len(y.x.as_tuple().digits) <= digits


def _case(joints: str) -> tuple[object, np.ndarray, np.ndarray, np.ndarray]:
    data = random_robot(5, 3, joints, joints == "mixed", "tree", rotors=joints == "simple")
    return lower(Mechanism.from_dict(data)), *random_state(data, 5)


@pytest.mark.parametrize("row", INVERSE, ids=lambda f: f.name)
@pytest.mark.parametrize("joints", ("revolute", "mixed"))
def test_inverse_dynamics_agree_to_35_digits(row: Formulation, joints: str) -> None:
    """Texts that were equal in double precision by luck would differ here."""
    tree, *state = _case(joints)
    one, other = read(INVERSE[0], tree, 40, *state), read(row, tree, 40, *state)
    assert max(abs(float(x - y)) for x, y in zip(one, other)) < 1e-35 * max(abs(float(x)) for x in one)


@pytest.mark.parametrize("row", FORWARD, ids=lambda f: f.name)
@pytest.mark.parametrize("joints", ("simple", "mixed"))
def test_forward_dynamics_leads_back_with_35_digits(row: Formulation, joints: str) -> None:
    tree, q, v, a = _case(joints)
    tau = read(INVERSE[0], tree, 40, q, v, a)
    found = read(row, tree, 40, q, v, tau)
    assert max(abs(float(x - y)) for x, y in zip(found, a.tolist())) < 1e-34 * np.abs(a).max()
