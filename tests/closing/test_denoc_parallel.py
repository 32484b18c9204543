"""DeNOC of parallel robots, leg by leg, against matrices of the whole tree."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from appell.closing.driven import driven_by
from appell.closing.legs import parallel
from appell.errors import ModelError
from appell.formulations import driven
from appell.formulations.denoc_parallel import Legs
from appell.model.walk import Coordinates, Walk

from .parallel_robots import Moving, array, body, platform, tied
from .planar_robots import five_bar

UPS, RUS = ["universal", "prismatic"], ["revolute", "universal"]
KINDS = {
    "6-UPS": (platform([UPS] * 6, "ball", 15), 1),
    "6-UPS, afloat": (platform([UPS] * 6, "ball", 34, carried=False), 1),
    "6-RUS": (platform([RUS] * 6, "ball", 21), 0),
    "3-RRRS": (platform([["revolute"] * 3] * 3, "ball", 6), (0, 1)),
}


def moving(name: str) -> Moving:
    """One of KINDS, with drives in every leg."""
    (robot, q), at = KINDS[name]
    starts = {b.name: robot.mechanism.v_starts[k] for k, b in enumerate(robot.bodies)}
    legs = {b.name.partition("_")[0]: None for b in robot.bodies if b.name.startswith("leg")}
    driven = at if isinstance(at, tuple) else (at,)
    return Moving.of(robot, q, [starts[f"{leg}_{k}"] for leg in legs for k in driven])


def check(m: Moving, structure: Any) -> None:
    """To within the square of the condition, which is that of Phi."""
    way, walk, n = partial(Legs, parallel=structure), Walk(m.robot.tree), m.robot.nv
    close = 100 * np.finfo(float).eps * m.condition**2
    tau, v, a = driven.inverse_dynamics(walk, *m.state, way)
    for got, wanted in ((array(tau, len(m.drives)), m.torques()), (array(v, n), m.v), (array(a, n), m.a)):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=close * max(1.0, np.abs(wanted).max()))
    forces = Coordinates(m.forces().tolist())
    found = array(driven.forward_dynamics(walk, *m.state[:2], forces, way), n)
    np.testing.assert_allclose(found, m.a, rtol=0, atol=10 * close * max(1.0, np.abs(m.a).max()))


@pytest.mark.parametrize("name", KINDS)
def test_legs_move_and_drive_a_platform_as_matrices_of_the_tree_say(name: str) -> None:
    m = moving(name)
    check(m, parallel(m.robot, m.robot.tree, m.drives))


@pytest.mark.parametrize("cut", ("revolute", "ball"))
@pytest.mark.parametrize("as_point", (True, False))
def test_a_five_bar_by_its_point_or_by_its_end_effector(cut: str, as_point: bool) -> None:
    robot, q = five_bar(0.7, 0.4, cut)
    assert parallel(robot, robot.tree).turns == 0
    m = Moving.of(robot, q, [0, 2])
    check(m, parallel(robot, robot.tree, as_point=as_point))


@pytest.mark.parametrize("kind", ("prismatic", "helical", "cylindrical", "universal", "planar", "fixed"))
def test_the_last_joint_of_a_leg_may_be_of_any_kind(kind: str) -> None:
    """A long chain, drives in the middle of nowhere, and a short one, tied by a joint of the kind."""
    rng = np.random.default_rng(3)
    free = {"universal": 2, "cylindrical": 2, "planar": 3, "fixed": 0}.get(kind, 1)
    bodies = [body(b, a, "revolute", rng) for a, b in pairwise(["base", *"abcdefg"])]
    bodies += [body("h", "base", "revolute", rng), body("i", "h", "prismatic", rng)]
    robot, q = tied(bodies, [("i", "g", kind)], rng)
    m = Moving.of(robot, q, [*range(1, 2 + free), 7, 8])
    check(m, parallel(robot, robot.tree, m.drives))


def test_the_twist_of_the_end_effector() -> None:
    m = moving("6-UPS")
    structure = parallel(m.robot, m.robot.tree, m.drives)
    te = Legs(Walk(m.robot.tree), m.state[0], structure).end(m.state[1])
    found = np.array([*te.linear, *te.angular], float)
    np.testing.assert_allclose(found, m.robot.velocity(m.q, m.v, "platform"), atol=1e-10)


def test_compiled() -> None:
    robot, q = five_bar(0.5, 0.6)
    m = Moving.of(robot, q, [0, 2])
    d = driven_by(robot, "denoc_parallel", ["upper1", "upper2"])
    np.testing.assert_allclose(d.inverse_dynamics(q, m.v, m.a)[0], m.torques(), atol=1e-13)
    np.testing.assert_allclose(d.forward_dynamics(q, m.v, m.forces()), m.a, atol=1e-11)
    many = d.inverse_dynamics(np.tile(q, (9, 1)), m.v, m.a)[0]
    np.testing.assert_array_equal(many, np.tile(d.inverse_dynamics(q, m.v, m.a)[0], (9, 1)))


def test_what_is_no_parallel_robot_is_refused() -> None:
    robot, _ = five_bar(0.5, 0.6)
    with pytest.raises(ModelError, match="1 drives move 1 of the 2 freedoms of 'five_bar', wanted one for each"):
        parallel(robot, robot.tree, [0])
    with pytest.raises(ModelError, match="3 drives move 2 of the 2 freedoms"):
        parallel(robot, robot.tree, [0, 1, 2])
    rng = np.random.default_rng(1)
    forked = [body("a", "base", "revolute", rng), body("b", "a", "revolute", rng), body("c", "a", "ball", rng)]
    forked, _ = tied(forked, [("b", "c", "ball")], rng)
    with pytest.raises(ModelError, match="has legs that share 'a', wanted legs from the base to one end-effector"):
        parallel(forked, forked.tree)
