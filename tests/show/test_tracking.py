"""appell track: paths read strictly, tracked on a simulated robot, told as a page, JSON and CSV; exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import appell
from appell.control.path_file import path_of
from appell.errors import DataError, UnknownName
from appell.show.tracking import track

pytestmark = pytest.mark.filterwarnings("ignore:robot .* radii of gyration implausible")
SCARA, PUMA = appell.load("scara"), appell.load("puma560")
LINE: dict[str, Any] = {"kind": "line", "start": [0.6, 0.175, 0.25], "end": [0.5, 0.275, 0.2], "angles": "deg",
                        "attitude": [45, 60, 90], "speed": 0.4}  # fmt: skip
RAMP = """
kind = "minimum_jerk"
angles = "deg"
start = [10, 20, 0.02, 0]
end = [20, 40, 0.05, 30]
duration = 0.3
hold = 0.1
[control]
bandwidth = 30.0
"""


def written(folder: Path, text: str) -> str:
    (folder / "path.toml").write_text(text)
    return str(folder / "path.toml")


def test_a_path_is_tracked_and_told(tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "found.html"
    assert track(SCARA, written(tmp_path, RAMP), "tracking", out, 3e-3) == 0
    assert "largest error" in capsys.readouterr().out and "Positions" in out.read_text()
    data = json.loads(out.with_suffix(".json").read_text())
    assert data["samples"] == 401 and max(data["largest_error"]) < 3e-3 and data["hot"] is None
    head, *rows = out.with_suffix(".csv").read_text().splitlines()
    assert head.startswith("t [s],q1 [rad],q2 [rad],q3 [m]") and len(rows) == 401


@pytest.mark.slow
def test_the_command_ends_as_the_run_did(tmp_path: Path) -> None:
    typer = pytest.importorskip("typer.testing")
    from appell import cli

    path, out = written(tmp_path, RAMP), str(tmp_path / "found.html")
    codes = {"0.01": 0, "1e-9": 1}
    for tolerance, code in codes.items():
        words = ["track", "scara", path, "--out", out, "--tolerance", tolerance]
        assert typer.CliRunner().invoke(cli.application(), words).exit_code == code
    assert typer.CliRunner().invoke(cli.application(), ["track", "scara", "none.toml"]).exit_code == 2


@pytest.mark.slow
def test_what_is_wrong_with_the_robot_shows_in_the_exit_code(tmp_path: Path) -> None:
    weak = RAMP + '\n[device]\nforce_per_volt = [0.5, 0.2, 5.0, 0.05]\nlines = 100\nnoise = 0.001\n'
    path, out = written(tmp_path, weak), tmp_path / "found.html"
    assert track(SCARA, path, "tracking", out, 1e-3) == 1
    assert track(SCARA, path, "point_to_point", out, 0.0) == 0  # no tolerance, nothing to judge


@pytest.mark.slow
def test_lines_are_followed_in_joints_and_in_space(tmp_path: Path) -> None:
    path = path_of(PUMA, LINE | {"near": [2, -63, 174, 140, 65, -46]})
    assert path.frame == "tool" and path.joints.t_end == pytest.approx(0.15 / 0.4)
    np.testing.assert_allclose(PUMA.pose(path.joints(0.1).q, "tool"), path.space(0.1).pose, atol=1e-10)  # type: ignore[misc]
    text = "\n".join(f"{k} = {json.dumps(v)}" for k, v in LINE.items())
    for name in ("tracking", "task_tracking"):
        assert track(PUMA, written(tmp_path, text), name, tmp_path / "found.html", 5e-3) == 0


def test_what_the_path_asks_too_much_of_the_drives_is_told(tmp_path: Path, capsys: Any) -> None:
    data = SCARA.to_dict()
    data["bodies"][1]["joint"] |= {"effort_limit": 0.5, "velocity_limit": 1.0}
    track(appell.Robot.from_dict(data), written(tmp_path, RAMP), "tracking", tmp_path / "found.html", 0.0)
    told = capsys.readouterr().out
    assert "for a force of" in told and "its limit is 0.5, from t =" in told and "for a speed of" in told


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"kind": "spiral"}, "unknown kind of path in path 'spiral'"),
        ({"sped": 1.0}, "unknown entry of path 'sped'; did you mean 'speed'"),
        ({"start": [0.1, 0.2]}, r"start has shape \(2,\), wanted \(3,\) finite numbers"),
        ({"attitude": "up"}, "attitude is no array of numbers"),
        ({"duration": 1.0}, "wanted either a duration or a speed"),
        ({"profile": "square"}, "unknown profile in path 'square'"),
        ({"angles": "grad"}, "angles are in 'grad'"),
        ({"near": [0.0]}, r"near has shape \(1,\), wanted \(6,\)"),
        ({"control": 3}, "control is 3, wanted a table"),
        ({"hold": -1}, "hold is -1, wanted a number, 0 or more"),
    ],
)
def test_mistakes_in_a_path_are_one_sentence(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises((DataError, UnknownName), match=sentence):
        path_of(PUMA, LINE | change)


def test_mistakes_elsewhere_are_one_sentence(tmp_path: Path) -> None:
    path, out = written(tmp_path, RAMP), tmp_path / "found.html"
    with pytest.raises(UnknownName, match="unknown controller 'trakcing'; did you mean 'tracking'"):
        track(SCARA, path, "trakcing", out, 0.0)
    with pytest.raises(DataError, match="task_tracking wants a path in space"):
        track(SCARA, path, "task_tracking", out, 0.0)
    with pytest.raises(DataError, match="pd_with_gravity wants kp and kd"):
        track(SCARA, path, "pd_with_gravity", out, 0.0)
    with pytest.raises(UnknownName, match="unknown entry of the table control 'bandwith'; did you mean"):
        track(SCARA, written(tmp_path, RAMP.replace("bandwidth", "bandwith")), "tracking", out, 0.0)
    with pytest.raises(DataError, match="bandwidth is 'fast', wanted a number"):
        track(SCARA, written(tmp_path, RAMP.replace("30.0", '"fast"')), "tracking", out, 0.0)
    with pytest.raises(DataError, match="'five_bar' has closed loops, wanted an open chain or a tree"):
        track(appell.load("five_bar"), path, "tracking", out, 0.0)
    with pytest.raises(DataError, match="cannot be read as a path"):
        track(SCARA, str(tmp_path / "none.toml"), "tracking", out, 0.0)
    with pytest.raises(appell.AppellError, match=r"at t = 0\.\d+ s pose of frame .* out of reach by"):
        far = json.dumps(LINE | {"end": [2.0, 0.0, 0.0]})
        text = "\n".join(f"{k} = {json.dumps(v)}" for k, v in json.loads(far).items())
        track(PUMA, written(tmp_path, text), "tracking", out, 0.0)
