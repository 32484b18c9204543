"""The self-check: wrong machine code is caught before anyone calls it, and right code passes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.random_robots import random_robot, random_state

from appell.errors import KernelError, ModelError
from appell.kernel import check, make
from appell.model.lower import lower
from appell.model.mechanism import Mechanism
from appell.robot import Robot
from appell.write import llvm as writer

UNROLLS = pytest.mark.parametrize("unroll", [True, False], ids=["unrolled", "rolled"])


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache and a list of kernels that this test has for itself."""
    monkeypatch.setenv("APPELL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(make, "_made", {})
    return tmp_path / "cache"


@UNROLLS
@pytest.mark.parametrize("dtype", ["f8", pytest.param("f4", marks=pytest.mark.slow)])
def test_a_wrong_writer_is_caught_before_its_code_is_kept(
    place: Path, monkeypatch: pytest.MonkeyPatch, unroll: bool, dtype: str
):
    robot = Robot.from_dict(random_robot(31, 3))
    options: dict[str, Any] = {"dtype": dtype, "unroll": unroll}
    with monkeypatch.context() as patch:
        patch.setitem(writer.TWO, "sub", "fadd")
        with pytest.raises(KernelError, match="gave tau with a relative difference of .* wanted at most"):
            robot.kernel("inverse_dynamics", **options)
        with pytest.raises(KernelError, match="wanted at most"):
            robot.inverse_dynamics(np.zeros(3), np.zeros(3), np.zeros(3), **options)
    assert not list(place.glob("*.o")), "wrong code is kept nowhere"
    assert "inverse_dynamics" not in robot.__dict__
    q, v, a = robot.random_state(1)[0], np.ones(3), np.zeros(3)
    right = robot.inverse_dynamics(q, v, a, **options)
    np.testing.assert_allclose(right, robot.bias(q, v), rtol=1e-3)
    assert len(list(place.glob("*.o"))) == 2


def test_a_wrong_constant_is_caught_in_every_answer(place: Path, monkeypatch: pytest.MonkeyPatch):
    robot = Robot.from_dict(random_robot(31, 3))
    monkeypatch.setitem(writer.TWO, "mul", "fadd")
    for what in ("mass_matrix", "forward_dynamics", "energy", "inverse_dynamics_derivatives"):
        with pytest.raises(KernelError, match=f"kernel {what} gave"):
            robot.kernel(what)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_none_are_caught(place: Path, monkeypatch: pytest.MonkeyPatch, bad: float):
    robot, run = Robot.from_dict(random_robot(31, 3)), check.run_one

    def spoilt(*args: Any) -> Any:
        answers = run(*args)
        answers[-1].flat[0] = bad
        return answers

    monkeypatch.setattr(check, "run_one", spoilt)
    for what in ("inverse_dynamics", "inverse_dynamics_derivatives"):
        with pytest.raises(KernelError, match=f"relative difference of {bad}"):
            robot.kernel(what)


def test_lifted_and_prescribed_kernels_are_checked(place: Path, monkeypatch: pytest.MonkeyPatch):
    robot = Robot.from_dict(random_robot(31, 3))
    monkeypatch.setitem(writer.TWO, "sub", "fadd")
    with pytest.raises(KernelError):
        robot.kernel("inverse_dynamics", inputs=["body1.mass"])
    with pytest.raises(KernelError):
        robot.kernel("hybrid_dynamics", prescribed=["joint1"])
    with pytest.raises(KernelError):
        robot.kernel("inverse_dynamics", inputs=["wrench"], unroll=False)
    monkeypatch.setitem(writer.TWO, "mul", "fadd")
    with pytest.raises(KernelError):
        robot.kernel("pose", frame="tool")


# -- the small robot of a rolled kernel -----------------------------------------------------------------------


def test_part_of_a_tree_is_numbered_anew():
    tree = lower(Mechanism.from_dict(random_robot(12, 9, joints="mixed", floating=True, shape="tree")))
    part = check.part(tree, 5)
    assert part.n == 5
    assert [b.index for b in part.links] == [1, 2, 3, 4, 5]
    assert all(b.parent < b.index for b in part.links)
    assert part.nv == sum(len(b.freedoms) for b in part.links)
    assert part.links[0].kind == "free"
    assert part.links[1].q_index == 7


@pytest.mark.parametrize("kind", ["universal", "cylindrical", "planar"])
@pytest.mark.parametrize("before", [3, 4, 5])
def test_joints_with_massless_links_inside_are_not_cut_open(kind: str, before: int):
    """Among them is one whose half is all that a rolled kernel would be tried on: M is singular there."""
    data = random_robot(before, before + 2)
    for body in data["bodies"][before:]:
        axes = {"axis": [0.0, 0.0, 1.0]} | ({"axis2": [1.0, 0.0, 0.0]} if kind == "universal" else {})
        body["joint"] = {"name": body["joint"]["name"], "type": kind, **axes}
    robot = Robot.from_dict(data)
    given: dict[str, Any] = {}
    for tree in (robot.tree, robot.light_tree):
        count = check._small(tree, given)
        assert count >= 6
        row = robot.formulation("forward_dynamics", "articulated_body")
        part = check.part(tree, count)
        (a,) = check.plain(row, part, check.random_values(part, row))
        assert np.abs(a).max() < 1e6
    if kind == "planar":
        assert robot.kernel("forward_dynamics", method="articulated_body", unroll=False)


@pytest.mark.slow
def test_ill_conditioned_robots_pass(place: Path):
    """Links of a milligram behind links of tons: few digits of the accelerations mean anything."""
    data = random_robot(33, 9)
    for k, body in enumerate(data["bodies"]):
        scale = 10.0 ** (4.0 - 1.4 * k)
        body["mass"] *= scale
        body["inertia"] = {key: scale * x for key, x in body["inertia"].items()}
    robot = Robot.from_dict(data)
    q, v, a = random_state(data, 1)
    assert np.linalg.cond(robot.mass_matrix(q)) > 1e9
    for dtype in ("f8", "f4"):
        for method in ("articulated_body", "composite_body"):
            found = robot.forward_dynamics(q, v, a, method=method, dtype=dtype)
            if dtype == "f8":
                left = robot.inverse_dynamics(q, v, found) - a
                size = np.abs(robot.mass_matrix(q)) @ np.abs(found)
                assert (np.abs(left) <= 1e-9 * size).all()


def test_a_singular_mass_matrix_is_named():
    data = random_robot(34, 2)
    tip = data["bodies"][-1]
    tip["com"], tip["inertia"] = [0.0, 0.0, 0.0], dict.fromkeys(tip["inertia"], 0.0)
    robot = Robot.from_dict(data)
    q, v, a = random_state(data, 1)
    for unroll in (True, False):
        with pytest.raises(ModelError, match="forward_dynamics: a joint of robot .* so M is singular"):
            robot.forward_dynamics(q, v, a, method="articulated_body", unroll=unroll)
    assert np.isfinite(robot.inverse_dynamics(q, v, a)).all()
