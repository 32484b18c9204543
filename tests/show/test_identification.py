"""`appell identify` and `appell excite`: pages, JSON, a robot, and sentences for what cannot be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from identify.motions import fourier
from test_cli import run

import appell
from appell.control import Fourier
from appell.identify import cross_validate, estimate, measurements, read, validate

SCARA = appell.load("scara")
T = np.arange(20_001) / 1000


def file_of(path: Path, **joint: Any) -> tuple[appell.Robot, Path]:
    """A robot with friction, and a file of what it does, with noise."""
    data = SCARA.to_dict()
    for body in data["bodies"]:
        body["joint"] |= {"damping": 0.8, "coulomb": 0.4, **joint}
    robot = appell.Robot.from_dict(data)
    q, v, a = fourier(4, t=T, size=0.3)
    rng = np.random.default_rng(0)
    tau = robot.inverse_dynamics(q, v, a) + rng.normal(size=q.shape) * [0.5, 0.2, 0.5, 0.02]
    head = ["t [s]", *(f"q{k + 1}" for k in range(4)), *(f"tau{k + 1}" for k in range(4))]
    rows = np.column_stack([T, q + 1e-5 * rng.normal(size=q.shape), tau])
    np.savetxt(path / "run.csv", rows, delimiter=",", header=",".join(head), comments="", fmt="%.9g")
    return robot, path / "run.csv"


def test_a_page_json_and_a_robot(tmp_path: Path):
    robot, path = file_of(tmp_path)
    out, model = tmp_path / "report.html", tmp_path / "found.toml"
    told = ("--out", str(out), "--model", str(model), "--groups", "moments, friction")
    result = run("identify", "scara", str(path), *told)
    assert result.exit_code == 0, result.output
    assert "note: filtered without delay up to" in result.output
    page, found = out.read_text(), json.loads(out.with_suffix(".json").read_text())
    assert page.startswith("<!doctype html>") and "Forces that were not used" in page and "http" not in page
    assert page.count("data:image/png") == 3  # spectrum, forces, residuals
    for name in ("column_arm.damping", "forearm.damping"):
        entry = found["base_parameters"][name]
        assert entry["low"] < 0.8 < entry["high"] or abs(entry["value"] - 0.8) < 0.05
    assert max(np.array(found["validation"]["rms"]) / found["noise"]) < 1.5
    q, v = robot.random_state(1)
    truth = robot.inverse_dynamics(q, v, v)
    assert np.abs(appell.load(model).inverse_dynamics(q, v, v) - truth).max() < 0.05 * np.abs(truth).max()


def test_parts_are_predicted_from_the_others(tmp_path: Path):
    robot, path = file_of(tmp_path)
    data = measurements(robot, read(path))
    found = estimate(robot, data)
    crossed, own = cross_validate(found, data), validate(found, data)
    assert (crossed.rms > own.rms).all() and (crossed.rms < 1.5 * own.rms).all()
    assert crossed.predicted.shape == data.tau.shape and crossed.ratio is not None
    assert (crossed.explained > 0.99).all()


def test_a_motion_as_rows_and_coefficients(tmp_path: Path):
    limits, out = tmp_path / "limits.toml", tmp_path / "motion.csv"
    limits.write_text("[joints.all]\nposition = [-0.2, 0.2]\nspeed = 1.0\nacceleration = 3.0\n")
    where = ("--limits", str(limits), "--out", str(out))
    result = run("excite", "scara", *where, "--starts", "1", "--rate", "100", "--harmonics", "3")
    assert result.exit_code == 0, result.output
    assert "condition number" in result.output
    found = json.loads(out.with_suffix(".json").read_text())
    series = Fourier(*(found[k] for k in ("mean", "a", "b")), found["period"])
    rows = np.loadtxt(out, delimiter=",", skiprows=1)
    assert out.read_text().startswith("t [s],q1 [rad],q2 [rad],q3 [m],q4 [rad],v1 [rad/s]")
    assert rows.shape == (1001, 13)
    np.testing.assert_allclose(rows[:, 1:5], series(rows[:, 0]).q, atol=1e-8)
    assert np.abs(rows[:, 1:5]).max() <= 0.2 + 1e-8


def test_what_a_model_lacks_is_told(tmp_path: Path):
    """Friction in the robot, none in the model: residuals are no noise, and the page says so."""
    _, path = file_of(tmp_path)
    result = run("identify", "scara", str(path), "--out", str(tmp_path / "r.html"))
    assert result.exit_code == 0, result.output
    assert "what is left goes on from sample to sample: the model lacks something, as friction" in result.output


@pytest.mark.parametrize(
    "words, sentence",
    [
        (("identify", "scara", "none.csv"), "no file 'none.csv', wanted measurements"),
        (("excite", "scara", "--limits", "none.toml"), "cannot be read as limits"),
        (("identify", "scarab", "none.csv"), "scarab"),
    ],
)
def test_mistakes_are_one_line(words: tuple[str, ...], sentence: str):
    result = run(*words)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
