"""What cannot be in a batch: mistakes are told at once, lanes that fail stop alone, and what was found is kept."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
import pytest

import appell
from appell import BatchRun, Plane, simulate_batch
from appell.errors import AppellError, Interrupted, SimulationError

from ..bodies import dropped


def falls(**given: Any) -> BatchRun:
    """Three balls, from 1, 2 and 3 m."""
    heights = np.array([[1.0], [2.0], [3.0]])
    return simulate_batch(dropped(), given.pop("q0", heights), [0.0], given.pop("t_end", 1.0), **given)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"q0": np.zeros((3, 2))}, r"q0 has shape \(3, 2\), wanted \(3, 1\)"),
        ({"q0": [[1.0], [np.nan], [1.0]]}, "q0 of lane 1 is not finite"),
        ({"torque": np.zeros((2, 1))}, "lanes do not fit together, got q0 of 3, torque of 2"),
        ({"torque": np.zeros((3, 2))}, r"torque has shape \(3, 2\), wanted \(3, 1\)"),
        ({"restitution": [0.5, 1.5, 0.5]}, "restitution of lane 1 is 1.5, wanted a number from 0 to 1"),
        ({"walls": Plane(), "restitution": 2.0}, "restitution of ball at plane is 2.0, wanted a number from 0 to 1"),
        ({"restitution": np.ones((3, 1))}, r"restitution has shape \(3, 1\), wanted a number, or \(3,\)"),
        ({"t_end": -1.0}, "t_end is -1, wanted t0 = 0 or later"),
        ({"integrator": "euler"}, "unknown integrator 'euler'"),
        ({"integrator": "rk4"}, "rk4 knows nothing of its error, wanted a step"),
        ({"step": 0.0}, "step is 0.0, wanted a positive time"),
        ({"gap_tolerance": 0.0}, "gap_tolerance is 0.0, wanted a length above 0"),
        ({"parameters": {"ball.mass": [1.0, 2.0]}}, "lanes do not fit together, got q0 of 3, ball.mass of 2"),
        ({"parameters": {"wheel.mass": [1.0, 2.0, 3.0]}}, "wheel"),
        ({"threads": -1}, "threads"),
        ({"rtol": 1e-20}, "rtol is 1e-20"),
        ({"times": [0.5, 0.2]}, "no rising list"),
    ],
)
def test_mistakes_are_told(given: Any, sentence: str) -> None:
    with pytest.raises(AppellError, match=sentence):
        falls(**given)


def test_loops_and_joints_that_stick_are_for_simulate() -> None:
    data = dropped().to_dict()
    data["bodies"][0]["joint"]["coulomb"] = 0.3
    with pytest.raises(AppellError, match="dry friction without smoothing, wanted smoothing; or simulate"):
        simulate_batch(appell.Robot.from_dict(data), [1.0], [0.0], 1.0)
    with pytest.raises(AppellError, match="has loops, wanted a tree"):
        simulate_batch(appell.load("five_bar"), [1.0], [0.0], 1.0)


def test_a_lane_that_fails_stops_alone() -> None:
    """One starts inside the floor, one is crushed between it and a ceiling that comes down."""
    press = [Plane(), Plane((0.0, 0.0, -1.0), point=lambda t: (0.0, 0.0, 4.0 - 10.0 * t), carrier="base")]
    q0 = np.array([[1.0], [-0.5], [2.0]])
    run = falls(q0=q0, walls=press, restitution=0.0, times=np.linspace(0.0, 1.0, 11))
    assert run.outcomes[1] == "stopped: it starts inside a wall, t = 0."
    assert run.outcomes[0].startswith("stopped: walls contradict each other, t = 0.4")
    assert np.isfinite(run.q[0, :4]).all() and np.isnan(run.q[0, 5:]).all()
    assert not run.complete.any()
    fine = falls(q0=q0, walls=press[0], restitution=0.5)
    assert fine.complete.tolist() == [True, False, True]


def test_forces_that_are_no_numbers_stop_their_lane() -> None:
    def law(t: Any, q: Any, v: Any, lanes: Any) -> Any:
        return np.where((lanes == 1) & (t > 0.3), np.nan, 0.0)[:, None]

    run = falls(torque=law)
    assert run.complete.tolist() == [True, False, True]
    assert "forces are not finite" in run.outcomes[1] and run.stopped[1] == pytest.approx(0.3, abs=1e-3)
    assert run.q[0, -1, 0] == pytest.approx(1.0 - 0.5 * 9.81)


def test_forces_of_a_wrong_shape_are_told_and_the_rest_is_kept() -> None:
    def law(t: Any, q: Any, v: Any, lanes: Any) -> Any:
        return np.zeros((len(t), 1 if t.max() < 0.5 else 2))

    with pytest.raises(SimulationError, match=r"torque at t = 0\.\d+ has shape \(3, 2\), wanted \(3, 1\)") as told:
        falls(torque=law, times=np.linspace(0.0, 1.0, 21))
    kept = told.value.run
    assert np.isfinite(kept.q[:, :5]).all() and set(kept.outcomes[0].split(",")) >= {"interrupted"}


def test_a_mistake_in_the_users_function_is_the_users() -> None:
    def law(t: Any, q: Any, v: Any, lanes: Any) -> Any:
        return undefined  # type: ignore[name-defined] # noqa: F821

    with pytest.raises(NameError):
        falls(torque=law)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_keeps_what_was_found(tmp_path: Path) -> None:
    arm = appell.load("double_pendulum")
    q = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    times = np.linspace(0.0, 1e5, 1_000_001)[:2000]
    simulate_batch(arm, q, np.zeros(2), 0.1)  # so that its kernels are there
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background is born deaf
    timer = Timer(0.7, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    try:
        with pytest.raises(Interrupted) as told:
            simulate_batch(arm, q, np.zeros(2), 1e5, times=np.append(times, 1e5), threads=2)
    finally:
        signal.signal(signal.SIGINT, before)
    run = told.value.run
    assert isinstance(told.value, KeyboardInterrupt) and "interrupted" in run.outcomes[0]
    assert np.isfinite(run.q[:, 0]).all() and np.isnan(run.q[:, -1]).all() and (run.stopped > 0).all()
    run.save(tmp_path / "some.npz")
    assert np.array_equal(BatchRun.load(tmp_path / "some.npz").stopped, run.stopped)


def test_it_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    run = falls(walls=Plane(), restitution=[0.9, 0.8, 0.7], t_end=2.0)
    run.save(tmp_path / "batch.npz")
    back = BatchRun.load(tmp_path / "batch.npz")
    for name in ("t", "q", "v", "energy", "work", "lost", "status", "stopped", "struck", "steps"):
        assert np.array_equal(getattr(back, name), getattr(run, name))
    assert back.lane(2) == run.lane(2) and len(run.lane(2)) > 1
    assert back.robot == run.robot and back.facts == run.facts and "3 lanes, 3 complete" in repr(back)
    (tmp_path / "half.npz").write_bytes((tmp_path / "batch.npz").read_bytes()[:500])
    with pytest.raises(AppellError, match="half.npz"):
        BatchRun.load(tmp_path / "half.npz")
    with np.load(tmp_path / "batch.npz") as file:
        arrays = {name: file[name] for name in file.files}
    np.savez(tmp_path / "odd.npz", **{**arrays, "row_q": arrays["row_q"][:2]})
    with pytest.raises(AppellError, match="do not fit together"):
        BatchRun.load(tmp_path / "odd.npz")


def test_it_becomes_a_dataset(tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    run = falls(walls=Plane())
    assert run.to_xarray()["q"].dims == ("lane", "t", "q_place")
    run.save(tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc", engine="scipy") as back:
        assert np.array_equal(back["impact_t"].values, run.impacts["t"])
