"""A run: between its rows, in files, as tables and figures."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import appell
from appell.errors import AppellError, ShapeError
from appell.motion.events import Event

from .test_events import ball, thrown
from .test_simulate import pendulum, top


def bounced() -> appell.Run:
    return thrown(Event(lambda t, q, v: q[0], "bounce", -1, then=lambda t, q, v: (q, -0.8 * v)), t_end=5.0)


def test_between_rows_it_is_as_exact_as_on_them() -> None:
    robot = pendulum(2)
    run = appell.simulate(robot, [1.0, 2.0], [0.3, -0.4], 2.0, rtol=1e-11)
    t = np.linspace(0.0, 2.0, 37)
    q, v = run(t)
    other = appell.simulate(robot, [1.0, 2.0], [0.3, -0.4], 2.0, rtol=1e-13, times=t)
    assert np.abs(q - other.q).max() < 2e-10 and np.abs(v - other.v).max() < 2e-9
    assert run(0.7)[0].shape == (2,) and run(t.reshape(1, -1))[0].shape == (1, 37, 2)
    with pytest.raises(ShapeError, match="wanted times from 0 to 2"):
        run(2.1)


def test_quaternions_between_rows_are_of_unit_length() -> None:
    robot = top()
    run = appell.simulate(robot, robot.neutral(), [0, 0, 0, 1.0, 2.0, 3.0], 5.0, rtol=1e-5)
    lengths = np.linalg.norm(run(np.linspace(0, 5, 101))[0][:, 3:], axis=1)
    assert np.abs(lengths - 1).max() < 1e-15


def test_it_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    run = bounced()
    run.save(tmp_path / "run.npz")
    back = appell.Run.load(tmp_path / "run.npz")
    assert back.robot == run.robot and len(back.events) == len(run.events) > 2
    for name in ("t", "q", "v", "tau"):
        assert np.array_equal(getattr(back, name), getattr(run, name))
    assert np.array_equal(back.ledger.balance, run.ledger.balance) and back.ledger.facts == run.ledger.facts
    assert [(e.name, e.t, e.direction) for e in back.events] == [(e.name, e.t, e.direction) for e in run.events]
    t = np.linspace(0, 5, 77)
    assert all(np.array_equal(a, b) for a, b in zip(back(t), run(t)))
    assert [p.name for p in tmp_path.iterdir()] == ["run.npz"]


def spoiled(path: Path, change: Any) -> None:
    """The file of a run with some of its arrays changed."""
    bounced().save(path)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    change(arrays)
    np.savez(path, **arrays)


CHANGES = {
    "missing": lambda a: a.pop("row_q"),
    "shorter": lambda a: a.update(row_q=a["row_q"][:-1]),
    "of another kind": lambda a: a.update(row_q=a["row_q"].astype("U5")),
    "objects": lambda a: a.update(row_q=np.array([None, {}], dtype=object)),
    "no text": lambda a: a.update(text=np.array("{")),
    "another format": lambda a: a.update(text=np.array('{"format": "appell-run/9"}')),
    "an unknown kind": lambda a: a.update(text=np.array(str(a["text"]).replace("Happened", "Popen"))),
    "no robot": lambda a: a.update(text=np.array(str(a["text"]).replace("slide", "", 1))),
    "steps of another robot": lambda a: a.update(step_F=a["step_F"][:, :, :-1]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_spoiled_file_is_refused_in_a_sentence(change: str, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    spoiled(path, CHANGES[change])
    with pytest.raises(AppellError, match=r"^file '.*run.npz'"):
        appell.Run.load(path)


def test_what_is_no_such_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("no run")
    np.save(tmp_path / "array.npy", np.zeros(3))
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("text.npy", b"\0" * 10_000_000)
    bounced().save(tmp_path / "half.npz")
    whole = (tmp_path / "half.npz").read_bytes()
    (tmp_path / "half.npz").write_bytes(whole[: len(whole) // 2])
    for name in ("text.npz", "array.npy", "bomb.npz", "half.npz", "nothing.npz"):
        with pytest.raises(AppellError, match=f"^file '.*{name}'"):
            appell.Run.load(tmp_path / name)
    with pytest.raises(AppellError, match="ending '.pkl', wanted .npz, .nc or .zarr"):
        bounced().save(tmp_path / "run.pkl")
    with pytest.raises(AppellError, match="could not be written"):
        bounced().save(tmp_path / "no folder" / "run.npz")


def test_it_becomes_a_dataset(tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    run = bounced()
    assert np.array_equal(run.to_xarray()["q"].values, run.q)
    run.save(tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc", engine="scipy") as back:
        assert np.array_equal(back["v"].values, run.v) and back.attrs["outcome"] == run.ledger.outcome


@pytest.mark.slow
def test_it_can_be_seen(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    run = bounced()
    run.plot().savefig(tmp_path / "run.png")
    assert (tmp_path / "run.png").read_bytes()[:4] == b"\x89PNG"
    assert len(run.plot("energy", "forces").axes) == 2
    with pytest.raises(AppellError, match="unknown panel 'speed'"):
        run.plot("speed")
    assert run.table(3).splitlines()[-1] == "reached t = 5." and len(run.table(3).splitlines()) == 5


def test_no_time_is_a_run_of_one_row() -> None:
    run = appell.simulate(ball(), [1.0], [2.0], 0.0)
    assert len(run) == 1 and run(0.0)[0] == [1.0] and run.ledger.drift == 0.0


def swung() -> tuple[appell.Run, list[appell.Line]]:
    """A double pendulum between two walls."""
    walls = [appell.Line((1.0, 0.0), (-0.3, 0.0)), appell.Line((-1.0, 0.0), (0.7, 0.0))]
    given: dict[str, Any] = {"walls": walls, "restitution": 0.6, "times": np.linspace(0.0, 2.0, 21)}
    return appell.simulate(appell.load("double_pendulum"), [-1.4, 0.1], [2.0, 0.0], 2.0, **given), walls


def test_points_are_where_they_may_touch(tmp_path: Path) -> None:
    run, _ = swung()
    assert set(run.points) == {"tip", "lower"} and run.points["tip"].shape == (21, 3)
    assert run.points["lower"][:, 0].min() > -0.3 - 1e-12 and run.points["tip"][:, 0].max() < 0.7 + 1e-12
    run.save(tmp_path / "run.npz")
    assert np.array_equal(appell.Run.load(tmp_path / "run.npz").points["tip"], run.points["tip"])
    assert run.ledger["event residual"] < 1e-14
    alone = appell.simulate(pendulum(2), [0.1, 0.2], [0.0, 0.0], 0.1)
    assert list(alone.points) == ["rod1"] and alone.ledger["event residual"] == 0.0
    only = appell.simulate(run.robot, [-1.4, 0.1], [2.0, 0.0], 0.1, walls=appell.Line(point=(0, -9)), points="tip")
    assert list(only.points) == ["tip"]


def test_it_is_drawn_at_chosen_times() -> None:
    pytest.importorskip("matplotlib")
    run, walls = swung()
    shown = [axis for axis in run.configurations(walls=walls).axes if axis.get_visible()]
    at = {float(axis.get_title().removesuffix(" s")) for axis in shown}
    assert {0.0, 2.0} < at and len(at) == len(shown) <= 8
    strikes = next(axis for axis in shown if axis.get_title() == f"{run.impacts[0].t:.4g} s")
    rings = [line for line in strikes.lines if line.get_markerfacecolor() == "none"]
    assert len(rings) == 1 and rings[0].get_xdata()[0] == pytest.approx(0.7)
    drawn = [x for c in strikes.collections for path in c.get_paths() for x in path.vertices[:, 0]]
    assert min(drawn) == pytest.approx(-0.3) and max(drawn) == pytest.approx(0.7)
    assert len(run.configurations([0.5, 1.0], plane="xz").axes) == 2
    with pytest.raises(ShapeError, match="plane is 'zx', wanted 'xy', 'xz' or 'yz'"):
        run.configurations(plane="zx")
    assert [x.get_text() for x in run.plot("positions").axes[0].get_legend().get_texts()] == ["shoulder", "elbow"]
