"""Joints with exact dry friction: they stop, stick, hold and break loose when closed forms say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import appell
from appell.errors import SimulationError
from appell.motion.dry import sliding

from .test_events import ball
from .test_simulate import pendulum

C = 3.0  # newtons of dry friction, on 1 kg


def block(**joint: float) -> appell.Robot:
    """A mass of 1 kg on a level slide."""
    data = ball().to_dict()
    data["gravity"] = [0.0, 0.0, 0.0]
    data["bodies"][0]["joint"] |= {"coulomb": C, **joint}
    return appell.Robot.from_dict(data)


def test_a_block_slides_to_rest_and_stays() -> None:
    run = appell.simulate(block(), [0.0], [6.0], 5.0, times=[0.0, 1.0, 2.0, 3.0, 5.0])
    assert np.abs(run.q[:, 0] - [0.0, 4.5, 6.0, 6.0, 6.0]).max() < 1e-13
    assert (run.v[3:] == 0).all() and abs(run.ledger.friction[-1] - 18.0) < 1e-12
    assert run.ledger.drift < 1e-14


def test_it_holds_what_it_can_and_breaks_loose_then() -> None:
    """A force that grows by 1 N/s overcomes 3 N after 3 s; then a = t - 3."""
    for law in (lambda t, q, v: [t], ([0.0, 6.0], [[0.0], [6.0]], "linear")):
        run = appell.simulate(block(), [1.0], [0.0], 6.0, torque=law, rtol=1e-11)
        q, v = run(np.array([2.9, 3.0, 4.0, 6.0]))
        assert np.abs(q[:, 0] - (1 + np.array([0, 0, 1, 27]) / 6)).max() < 1e-9
        assert v[0] == 0.0 and abs(v[3, 0] - 4.5) < 1e-9


def test_an_oscillation_loses_the_same_at_every_turn() -> None:
    """A spring of k: each half swing loses 2 c / k; it ends where the spring pulls less than c."""
    k, start = 40.0, 1.0
    run = appell.simulate(block(stiffness=k), [start], [0.0], 10.0, rtol=1e-12, atol=1e-14)
    half = np.pi / np.sqrt(k)
    turns, where = [], start
    while k * abs(where) > C:
        where = -(where - np.sign(where) * 2 * C / k)
        turns.append(where)
    q, v = run(half * np.arange(1, len(turns) + 1))
    assert len(turns) == 7 and np.abs(q[:, 0] - turns).max() < 1e-11 and np.abs(v).max() < 1e-9
    assert (run.v[run.t > half * len(turns) + 1e-9] == 0).all()
    assert abs(run.ledger.friction[-1] - k / 2 * (start**2 - turns[-1] ** 2)) < 1e-10


@pytest.mark.parametrize("seed", range(4))
def test_several_joints_agree_with_a_friction_that_is_hardly_smoothed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, v = rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3)
    law = appell.traced(lambda t, q, v: [4 * np.sin(3 * t), -2.0 + 0 * t, 3 * np.cos(5 * t)])
    sharp = appell.simulate(pendulum(3, coulomb=1.5), q, v, 1.5, torque=law, rtol=1e-9)
    smooth = appell.simulate(pendulum(3, coulomb=1.5, smoothing=2e-4), q, v, 1.5, torque=law, rtol=1e-7)
    assert np.abs(sharp.q[-1] - smooth.q[-1]).max() < 2e-3
    assert abs(sharp.ledger.friction[-1] / smooth.ledger.friction[-1] - 1) < 1e-3
    assert sharp.ledger.drift < 1e-7 and sharp.ledger["steps"] < smooth.ledger["steps"]


def test_what_sticks_does_not_creep() -> None:
    data = pendulum(2, coulomb=3.0).to_dict()
    data["bodies"][0]["joint"]["coulomb"] = 100.0
    run = appell.simulate(appell.Robot.from_dict(data), [-1.0, 0.4], [0.0, 9.0], 3.0, rtol=1e-8)
    assert (run.q[:, 0] == -1.0).all() and np.ptp(run.q[:, 1]) > 0.5 and run.v[-1, 1] == 0.0


@pytest.mark.parametrize("seed", range(20))
def test_who_slides_is_who_must(seed: int) -> None:
    """The friction that comes out dissipates most: it solves the quadratic problem with bounds."""
    from scipy.optimize import lsq_linear

    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    B = rng.normal(size=(n, n)) + 0.3 * np.eye(n)
    W, a, sizes = B.T @ B, 3 * rng.normal(size=n), rng.uniform(0.1, 2.0, n)
    best = lsq_linear(B, -np.linalg.solve(B.T, a), (-sizes, sizes), method="bvls", tol=1e-14).x
    at_bound = np.abs(best) > sizes * (1 - 1e-9)
    assert np.array_equal(sliding(W, a, sizes, np.zeros(n)), np.where(at_bound, -np.sign(best), 0.0))


def test_a_sampled_force_breaks_it_loose_at_a_sample() -> None:
    class Pushing:
        period = 0.5

        def __call__(self, t: float, q: Any, v: Any) -> Any:
            return [2 * t]

    run = appell.simulate(block(), [0.0], [0.0], 3.0, torque=Pushing())
    assert run(1.99)[1] == 0.0 and abs(run(2.5)[1][0] - 0.5) < 1e-12 and abs(run(3.0)[1][0] - 1.5) < 1e-12


def test_it_strikes_walls_but_does_not_rest_on_them() -> None:
    wall = appell.Plane((0.0, 0.0, -1.0), (0.0, 0.0, 2.0))
    run = appell.simulate(block(), [0.0], [6.0], 3.0, walls=wall, restitution=0.5, points=["ball"])
    speed = np.sqrt(36 - 12)
    assert len(run.impacts) == 1 and abs(run.impacts[0].t - (6 - speed) / 3) < 1e-12
    assert abs(run.q[-1, 0] - (2 - speed**2 / 4 / 6)) < 1e-11 and run.v[-1, 0] == 0.0
    with pytest.raises(SimulationError, match="dry friction without smoothing while contacts stay closed"):
        appell.simulate(block(), [1.9], [0.0], 3.0, torque=[6.0], walls=wall, restitution=0.0, points=["ball"])
