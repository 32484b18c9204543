"""Events on polynomials between steps: all of them, exactly when, and what they may change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import appell
from appell.errors import ShapeError, SimulationError
from appell.motion.events import Event

from .test_simulate import NONE, pendulum


def ball() -> appell.Robot:
    """A mass on a vertical slide: it falls by closed form, in steps as long as they are allowed to be."""
    body = {
        "name": "ball", "parent": "base", "joint": {"name": "slide", "type": "prismatic", "axis": [0, 0, 1]},
        "mass": 1.0, "com": [0, 0, 0], "inertia": {"ixx": 0.1, "iyy": 0.1, "izz": 0.1, **NONE},
    }  # fmt: skip
    return appell.Robot.from_dict(
        {"format": "appell-robot/1", "name": "ball", "gravity": [0, 0, -10], "bodies": [body]}
    )


def thrown(events: Any, v0: float = 10.0, t_end: float = 3.0, **options: Any) -> appell.Run:
    """Up from height 0: the height is 10 t - 5 t^2, the top is 5 at t = 1."""
    return appell.simulate(ball(), [0.0], [v0], t_end, events=events, **options)


def test_two_passings_within_one_step() -> None:
    ends = thrown((), rtol=1e-9).t
    assert not ((ends > 0.5) & (ends < 1.5)).any(), "this test wants both passings in one step"
    run = thrown(Event(lambda t, q, v: q[0] - 4.99, "near the top"), rtol=1e-9)
    w = np.sqrt(2 * 0.01 / 10)
    assert [e.direction for e in run.events] == [1, -1]
    assert np.abs([e.t for e in run.events] - np.array([1 - w, 1 + w])).max() < 4e-14


def test_scipy_misses_them() -> None:
    from scipy.integrate import solve_ivp

    found = solve_ivp(
        lambda t, y: [y[1], -10.0], (0, 3), [0.0, 10.0], method="DOP853", rtol=1e-9, events=lambda t, y: y[0] - 4.99
    )
    assert not len(found.t_events[0])


@pytest.mark.parametrize("depth", [1e-3, 1e-6, 1e-9, 1e-12, 1e-14])
def test_a_graze_is_seen_however_short(depth: float) -> None:
    run = thrown(lambda t, q, v: q[0] - (5.0 - depth))
    w = np.sqrt(2 * depth / 10)
    assert [e.direction for e in run.events] == [1, -1]
    assert np.abs([e.t for e in run.events] - np.array([1 - w, 1 + w])).max() < 4e-15 / w + 4e-16


def test_what_stays_away_is_no_event() -> None:
    assert thrown(lambda t, q, v: q[0] - (5.0 + 1e-13)).events == []


@pytest.mark.parametrize("seed", range(5))
def test_random_waves_lose_no_zero(seed: int) -> None:
    """sin(w t + p) - c, faster than the ball's own motion asks for, with zeros known in closed form."""
    rng = np.random.default_rng(seed)
    w, p, c = rng.uniform(5, 40), rng.uniform(0, 6), rng.uniform(-0.999, 0.999)
    run = thrown(Event(lambda t, q, v: np.sin(w * t + p) - c, "wave", vectorised=True), max_step=0.2)
    k = np.arange(-1, 60)
    zeros = np.concatenate([(np.arcsin(c) + 2 * np.pi * k - p) / w, (np.pi - np.arcsin(c) + 2 * np.pi * k - p) / w])
    wanted = np.sort(zeros[(zeros > 0) & (zeros < 3)])
    assert len(run.events) == len(wanted)
    assert np.abs([e.t for e in run.events] - wanted).max() < 1e-13


def test_directions_and_names() -> None:
    def height(t: float, q: Any, v: Any) -> float:
        return q[0] - 1.0

    run = thrown([Event(height, "up", direction=1), Event(height, direction=-1), lambda t, q, v: v[0]])
    assert [(e.name, e.direction) for e in run.events] == [("up", 1), ("event3", -1), ("height", -1)]


def test_a_terminal_event_ends_it_there() -> None:
    run = thrown(Event(lambda t, q, v: q[0] + 1.0, "below", terminal=True), t_end=10.0)
    fallen = 1 + np.sqrt(1 + 2 / 10)
    assert abs(run.t[-1] - fallen) < 1e-14 and abs(run.q[-1, 0] + 1) < 1e-14
    assert run.ledger.outcome == f"ended by event 'below' at t = {run.t[-1]:.15g}."


def test_events_may_change_the_state() -> None:
    """A ball that keeps e of its speed at height 0, thrown up at 10 m/s: the n-th bounce is at 2 (1 - e^n)/(1 - e)."""
    e = 0.8
    bounce = Event(lambda t, q, v: q[0], "bounce", -1, then=lambda t, q, v: (0 * q, -e * v))
    run = thrown(bounce, t_end=9.0)
    n = np.arange(1, 1 + len(run.events))
    assert len(run.events) == 10
    assert np.abs([x.t for x in run.events] - 2 * (1 - e**n) / (1 - e)).max() < 3e-13
    after = run.ledger.kinetic[np.flatnonzero(np.diff(run.t) == 0) + 1]
    assert np.abs(after / (50 * e ** (2 * n)) - 1).max() < 1e-13
    assert run.ledger.drift < 1e-13 and abs(run.ledger.impacts[-1] - 50 * (1 - e**20)) < 1e-12


def test_both_sides_of_a_jump() -> None:
    bounce = Event(lambda t, q, v: q[0], "bounce", -1, then=lambda t, q, v: (q, -0.5 * v))
    run = thrown(bounce, t_end=2.5)
    t = run.events[0].t
    assert run(t, side="left")[1][0] == pytest.approx(-10.0, abs=1e-13)
    assert run(t)[1][0] == pytest.approx(5.0, abs=1e-13)


def test_two_events_at_one_instant_are_both_noted() -> None:
    run = thrown([lambda t, q, v: q[0] - 3.0, lambda t, q, v: 2 * (q[0] - 3.0)])
    assert sorted(e.name for e in run.events) == ["event1", "event1", "event2", "event2"]


@pytest.mark.slow
def test_an_endless_event_is_said() -> None:
    stuck = Event(lambda t, q, v: q[0] - 1.0, "stuck", then=lambda t, q, v: (q - 1e-9, v))
    with pytest.raises(SimulationError, match="events without end at t = 0.1.*'stuck'"):
        thrown(stuck)


def test_bad_events_are_said() -> None:
    with pytest.raises(ShapeError, match="direction is 2, wanted -1, 0 or 1"):
        Event(lambda t, q, v: q[0], "odd", direction=2)
    with pytest.raises(SimulationError, match=r"event 'nan' is not finite at t = 0\b"):
        thrown(Event(lambda t, q, v: np.nan, "nan"))
    with pytest.raises(ShapeError, match="events is 3, wanted a list"):
        thrown(3)


def test_the_pendulum_passes_the_bottom_in_quarter_periods() -> None:
    from scipy.special import ellipk

    largest = np.pi / 2 - 0.5
    run = appell.simulate(
        pendulum(), [-0.5], [0.0], 5.0, rtol=1e-12, atol=1e-14, events=lambda t, q, v: q[0] + np.pi / 2
    )
    quarter = ellipk(np.sin(largest / 2) ** 2) / np.sqrt(2.0 * 9.81 * 0.5 / 0.52)
    wanted = quarter * np.arange(1, 2 * len(run.events), 2)
    assert len(run.events) == 6
    assert np.abs([e.t for e in run.events] - wanted).max() < 1e-11
