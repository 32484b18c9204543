"""Gibbs-Appell in vectors: the published robot's weight, and what its parts stand for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from appell.model import zoo
from appell.model.lower import lower
from appell.model.tree import Tree
from appell.model.walk import Coordinates, Walk
from appell.vec import Sym3, Vec3

from .readings import CASES, Array, Case, close, row

ROW = row("gibbs_appell_vector", "inverse_dynamics")


def asked(tree: Tree, q: Array, v: Array, a: Array) -> Array:
    tau = ROW.text(Walk(tree), *(Coordinates(x.tolist()) for x in (q, v, a)))
    return np.array([float(tau[k]) for k in range(tree.nv)])


@pytest.mark.filterwarnings("ignore:robot")
def test_the_puma_at_rest() -> None:
    """Its weight, with r from O_j as here; from O_(j-1), as (22) of the paper prints it, it comes out wrong."""
    still = np.zeros(6)
    tau = asked(lower(zoo.load("puma560")), still, still, still)
    np.testing.assert_allclose(tau, [0, -68.6914089519, 0.50919237, 0, 0, 0], rtol=0, atol=1e-8)


@pytest.mark.parametrize("case", CASES[:4], ids=lambda c: c.data["name"])
def test_what_only_turns_does_not_ask_where_its_joint_is(case: Case) -> None:
    """Part A is that of the angular terms: without mass and first moments no distance matters."""
    turning = [replace(b, mass=0.0, first=Vec3(), second=b.second + Sym3(1.0, 1.0, 1.0)) for b in case.tree.links]
    moved = [replace(b, offset=b.offset + Vec3(0.3, -0.4, 0.5)) for b in turning]
    tau, same = (asked(case.tree.with_links(tuple(x)), case.q, case.v, case.a) for x in (turning, moved))
    assert np.abs(tau).max() > 1.0
    close(same, tau, 1e-14)
