"""Measurements: units, names, gaps, limits, time that goes wrong; filtered signals and their derivatives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.random_robots import random_robot

import appell
from appell.errors import DataError
from appell.identify import base_parameters, estimate, measurements, read
from appell.identify.table import table
from identify.motions import fourier

SCARA = appell.load("scara")
PUMA = appell.load("puma560")
T = np.linspace(0.0, 10.0, 10001)


def columns(robot: Any = PUMA, t: Any = T, **more: Any) -> dict[str, Any]:
    """What a file of exact measurements holds."""
    q, v, a = fourier(robot.nv, t=t, size=0.3)
    tau = robot.inverse_dynamics(q, v, a)
    found = {"t [s]": t} | {f"q{k + 1} [rad]": x for k, x in enumerate(q.T)}
    return found | {f"tau{k + 1} [N m]": x for k, x in enumerate(tau.T)} | more


def test_velocities_and_accelerations_are_derived():
    data = measurements(PUMA, table(columns()), cutoff=20.0, thin=False)
    q, v, a = fourier(6, t=data.t, size=0.3)
    np.testing.assert_allclose(data.q, q, atol=1e-6)
    np.testing.assert_allclose(data.v, v, atol=3e-5)
    np.testing.assert_allclose(data.a, a, atol=3e-3)
    assert data.t[0] > 0.14
    thin = measurements(PUMA, table(columns()), cutoff=20.0)
    assert len(thin) == pytest.approx(len(data) / 25, abs=2)
    assert any("one sample of 25 is kept" in note for note in thin.notes)


def test_the_cut_off_is_chosen_by_the_motion_and_told():
    data = measurements(PUMA, table(columns()))
    assert data.cutoff is not None
    assert 1.5 < data.cutoff < 6.0  # the motion ends at 0.5 Hz
    assert f"filtered without delay up to {data.cutoff:.4g} Hz (chosen by the spectrum of q)" in data.notes


def test_noise_is_filtered_and_parameters_come_out():
    rng, given = np.random.default_rng(0), columns()
    for name in given:
        given[name] = given[name] + {"q": 1e-4, "t": 0.0}[name[0]] * rng.normal(size=len(T))
    found = estimate(PUMA, measurements(PUMA, table(given)))
    wanted = found.base.values
    assert np.linalg.norm(found.values - wanted) < 5e-3 * np.linalg.norm(wanted)


def test_dry_friction_goes_through_the_same_filter():
    """It jumps where a joint turns round, and a filter makes a slope of that: K must be filtered as tau was."""
    data = SCARA.to_dict()
    for body in data["bodies"]:
        body["joint"] |= {"damping": 0.8, "coulomb": 2.0}
    robot, t = appell.Robot.from_dict(data), T[:8001] * 2.5
    q, v, a = fourier(4, t=t, size=0.3)
    noise = np.array([0.5, 0.2, 0.5, 0.02])
    given = {"t": t} | {f"q{k + 1}": x for k, x in enumerate(q.T)}
    exact, base = robot.inverse_dynamics(q, v, a), base_parameters(robot)
    off = []
    for seed in range(10):
        tau = exact + noise * np.random.default_rng(seed).normal(size=q.shape)
        measured = measurements(robot, given | {f"tau{k + 1}": x for k, x in enumerate(tau.T)}, cutoff=8.0)
        found = estimate(robot, measured, base=base)
        off.append((found.values - base.values) / found.errors)
        np.testing.assert_allclose(found.sigma, noise * np.sqrt(2 * 8.0 * 2.5e-3), rtol=0.25)
    assert np.sqrt(np.mean(np.square(off))) < 1.2
    assert 0.9 < np.mean(np.abs(off) < 1.96) < 0.98


def test_a_base_that_floats():
    """Quaternions are differentiated along the turn; forces of the base are read, or taken as none."""
    data = random_robot(3, 3, joints="revolute", floating=True, shape="tree")
    robot = appell.Robot.from_dict(data)
    t, path = T[:3001], [robot.neutral()]
    _, v, a = fourier(robot.nv, t=t, size=0.4)
    for k in range(len(t) - 1):
        path.append(robot.integrate(path[-1], (v[k] + v[k + 1]) / 2, t[k + 1] - t[k]))
    q = np.array(path)
    q[1000:2000, 3:7] *= -1  # the same attitude
    tau = robot.inverse_dynamics(q, v, a)
    given = {"t": t} | {f"q{k + 1}": x for k, x in enumerate(q.T)}
    read = measurements(robot, given | {f"tau{k + 1}": x for k, x in enumerate(tau.T)}, cutoff=20.0, thin=False)
    _, v, a = fourier(robot.nv, t=read.t, size=0.4)
    np.testing.assert_allclose(read.v, v, atol=1e-3)
    np.testing.assert_allclose(read.a, a, atol=2e-2)
    found = estimate(robot, read)
    assert np.abs(found.values - found.base.values).max() < 2e-2 * np.abs(found.base.values).max()
    free = measurements(robot, given | {f"tau{k + 1}": x for k, x in enumerate(tau.T) if k > 5}, cutoff=20.0)
    assert "no forces tau1 to tau6 on the base: taken as 0, as of one that nothing touches" in free.notes
    assert not free.tau[:, :6].any()


def test_units_and_names(tmp_path: Path):
    q, v, a = fourier(4, t=T, size=0.2)
    tau, turning = SCARA.inverse_dynamics(q, v, a), [b.joint.type == "revolute" for b in SCARA.bodies]
    head, rows = ["time [ms]"], [1000 * T]
    for k, (body, turns) in enumerate(zip(SCARA.bodies, turning)):
        head += [f"q.{body.joint.name} [{'deg' if turns else 'mm'}]", f"tau.{body.name} [{'mNm' if turns else 'N'}]"]
        rows += [q[:, k] * (180 / np.pi if turns else 1000), tau[:, k] * (1000 if turns else 1)]
    path = tmp_path / "run.csv"
    np.savetxt(path, np.stack(rows, -1), delimiter=",", header=",".join(head), comments="", fmt="%.17g")
    data = measurements(SCARA, read(path), cutoff=20.0)
    np.testing.assert_allclose(data.q, fourier(4, t=data.t, size=0.2)[0], atol=1e-6)
    assert np.abs(data.tau - SCARA.inverse_dynamics(data.q, data.v, data.a)).max() < 1e-3 * np.abs(tau).max()


def test_parquet(tmp_path: Path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(columns()), tmp_path / "run.parquet")
    assert len(measurements(PUMA, read(tmp_path / "run.parquet"), cutoff=20.0)) > 300
    (tmp_path / "no.parquet").write_text("nothing")
    with pytest.raises(DataError, match="is no Parquet file"):
        read(tmp_path / "no.parquet")


def test_gaps_are_filtered_apart():
    keep = np.ones(len(T), bool)
    keep[4000:4100] = keep[7000:7050] = False
    keep[9900:9905] = False
    data = measurements(PUMA, {k: x[keep] for k, x in columns().items()}, cutoff=20.0, thin=False)
    text = "\n".join(data.notes)
    assert "a gap of 0.101 s after t = 3.999 s" in text
    assert "is too short to be filtered: left out" in text
    np.testing.assert_allclose(data.a, fourier(6, t=data.t, size=0.3)[2], atol=3e-3)


def test_what_is_no_number_is_left_out():
    given = columns(t=T)
    given["tau2 [N m]"] = given["tau2 [N m]"].copy()
    given["tau2 [N m]"][500:503] = np.nan
    data = measurements(PUMA, given, cutoff=20.0)
    assert "3 of 10001 rows hold NaN or infinity, the first is row 501: left out" in data.notes
    assert any("a gap" in note for note in data.notes)


def test_forces_at_a_limit_are_not_believed():
    given = columns()
    given["tau2 [N m]"] = np.clip(given["tau2 [N m]"], -40.0, 40.0)
    data = measurements(PUMA, given, cutoff=20.0)
    assert any("tau2 stands at -40 for" in note for note in data.notes)
    assert data.weight is not None
    assert (data.weight[:, 1] == 0).any()
    assert data.weight[:, [0, 2, 3, 4, 5]].all()


@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"t [s]": T[::-1]}, r"time runs backwards at row 2, t = 10 \(10000 such rows\), wanted rising time"),
        ({"t [s]": np.repeat(T[::2], 2)[: len(T)]}, "time stands still at row 2"),
        ({"t [h]": T}, "column 't' is in 'h', wanted one of s, ms"),
        ({"q1 [rad]": None, "q1 [mm]": T}, "column 'q1' has the unit of a length, wanted rad, deg"),
        ({"tau3 [N m]": None, "tau3 [N]": T}, "column 'tau3' has the unit of a force, wanted Nm, N m"),
        ({"tau6 [N m]": None}, r"has no column 'tau6', wanted a head as in `t \[s\]"),
        ({"t [s]": None}, "has no column 't'"),
        ({f"q{k + 1} [rad]": 0.1 * k + 0 * T for k in range(6)}, "no joint moves in the data"),
        ({"tau1 [N m]": T[:5]}, r"column 'tau1' has shape \(5,\)"),
        ({"q1 [rad]": ["a"] * len(T)}, "column 'q1' holds no numbers"),
        ({"t [s]": np.full(len(T), np.nan)}, "no row of the data is all numbers"),
    ],
)
def test_wrong_data(change: dict[str, Any], sentence: str):
    given = {k: x for k, x in columns().items() if k not in change and not (k == "t [s]" and "t [h]" in change)}
    with pytest.raises(DataError, match=sentence):
        measurements(PUMA, {**given, **{k: x for k, x in change.items() if x is not None}})


def test_time_can_be_mended():
    rng, given = np.random.default_rng(0), columns()
    order = np.concatenate([rng.permutation(len(T)), [3, 4]])
    data = measurements(PUMA, {k: x[order] for k, x in given.items()}, cutoff=20.0, mend=True)
    assert any("2 of 10003 rows left out as doubles" in note for note in data.notes)
    np.testing.assert_allclose(data.v, fourier(6, t=data.t, size=0.3)[1], atol=1e-4)


def test_uneven_sampling_is_made_even():
    t = T + np.random.default_rng(0).uniform(-2e-4, 2e-4, len(T))
    data = measurements(PUMA, columns(t=t), cutoff=20.0)
    assert any("made even" in note for note in data.notes)
    np.testing.assert_allclose(data.v, fourier(6, t=data.t, size=0.3)[1], atol=1e-3)


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", "has no head"),
        ("1,2\n3,4\n", "has no head"),
        ("t,q1\n", "has no rows under its head"),
        ("t,q1\n1,two\n", "is no table of numbers"),
        ("t,t\n1,2\n", "has a column twice: 't'"),
        ("t,q1\n1,2,3\n", "is no table of numbers|has 2 names above 3 columns"),
    ],
)
def test_wrong_files(tmp_path: Path, text: str, sentence: str):
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(DataError, match=sentence):
        read(tmp_path / "x.csv")


def test_empty_cells_are_gaps(tmp_path: Path):
    (tmp_path / "x.csv").write_text("t,q1,tau1\n0,1,\n1,,3\n2,1,2\n")
    found = read(tmp_path / "x.csv")
    assert np.isnan(found.columns["tau1"][0])
    assert np.isnan(found.columns["q1"][1])
    assert found.notes == ("no units at t, q1, tau1: taken as SI",)
    with pytest.raises(DataError, match="no file"):
        read(tmp_path / "y.csv")
