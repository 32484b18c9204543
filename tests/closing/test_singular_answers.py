"""Where coordinates or drives do not tell all motion: a sentence that names it, and no numbers in batches."""

from __future__ import annotations

import numpy as np
import pytest

import appell
from appell.errors import SingularError

MOTORS = ("shoulder1", "shoulder2")
Q = "singular at this q: with them held it can move along"


def stretched():
    """The five-bar with its lower links in line, where the motors do not hold the tip; and another configuration."""
    robot = appell.load("five_bar")
    ends = robot.reach({"shoulder1": 3.2, "shoulder2": -0.3}, guess=robot.assemble())
    return robot, ends.q, np.asarray(robot.assemble())


def asked(robot):
    """Whatever starts from the motors."""
    u, v = np.ones(2), np.ones(4)
    way, lead, legs = robot.reduced(MOTORS), robot.driven_by(MOTORS), robot.driven_by(MOTORS, "denoc_parallel")
    yield lambda x: way.mass_matrix(x)
    yield lambda x: way.basis(x)
    yield lambda x: way.inverse_dynamics(x, u, u)
    yield lambda x: way.forward_dynamics(x, u, u)
    yield lambda x: robot.inverse_dynamics(x, v, v, actuators=MOTORS)
    yield from (lambda x, f=f: f(x, v, v)[0] for f in (lead.inverse_dynamics, legs.inverse_dynamics))
    yield from (lambda x, f=f: f(x, v, v) for f in (lead.forward_dynamics, legs.forward_dynamics))
    yield lambda x: lead.loads(x, v, v).tau


def test_drives_and_coordinates_that_are_singular_say_what_still_moves():
    robot, q, other = stretched()
    for ask in asked(robot):
        with pytest.raises(SingularError, match=rf"'shoulder1', 'shoulder2' of 'five_bar' are {Q} elbow1") as found:
            ask(q)
        assert set(found.value.direction) == {"elbow1", "elbow2"}
        assert np.isfinite(ask(other)).all()
        rows = ask(np.stack([other, q]))
        np.testing.assert_array_equal(rows[0], ask(other))
        assert not np.isfinite(rows[1]).all()


def test_next_to_it_numbers_are_right():
    """A millionth of a radian off, the mass matrix is that of the tree's motions."""
    robot, q, _ = stretched()
    near = robot.assemble(robot.integrate(q, [1e-6, 0.0, -1e-6, 0.0])).q
    way = robot.reduced(MOTORS)
    K = way.basis(near)
    np.testing.assert_allclose(way.mass_matrix(near), K.T @ robot.mass_matrix(near) @ K, rtol=1e-9)


def test_angles_without_rates_are_told():
    robot = appell.load("stewart")
    way = robot.reduced([f"platform.{k}" for k in ("x", "y", "z", "zyx")])
    q = robot.assemble().q.copy()
    q[3:7] = np.sqrt(0.5) * np.array([1.0, 0.0, 1.0, 0.0])
    with pytest.raises(SingularError, match="have no rates at this q|singular at this q"):
        way.mass_matrix(q)
