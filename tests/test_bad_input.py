"""What a user gets wrong is answered in one sentence that names the element, what was got and what was wanted."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import appell
from appell.errors import AppellError, KernelError, ModelError, ShapeError, UnknownName
from appell.robot import Robot

ARM = appell.load("puma560")
N = ARM.nv
Q, V, A = np.full((3, N), 0.3)
DATA = ARM.to_dict()
Call = Callable[[Robot], Any]


def _fresh() -> Robot:
    return Robot.from_dict(DATA)


def _asked() -> Robot:
    """A robot that has answered already, so that its questions are bare functions."""
    robot = _fresh()
    robot.inverse_dynamics(Q, V, A)
    robot.mass_matrix(Q)
    robot.inverse_dynamics_derivatives(Q, V, A)
    return robot


def _sentence(error: BaseException) -> str:
    text = str(error)
    assert "\n" not in text
    assert 15 < len(text) < 400, text
    assert not re.search(r"0x[0-9a-f]{6}", text)
    return text


def _refused(kind: type[AppellError], words: str, call: Callable[[], Any]) -> None:
    with pytest.raises(AppellError) as caught:
        call()
    assert isinstance(caught.value, kind), repr(caught.value)
    assert isinstance(caught.value, ValueError)
    text = _sentence(caught.value)
    assert re.search(words, text), text
    assert caught.value.__suppress_context__ or caught.value.__context__ is None, "no second traceback"


# -- arguments of questions -----------------------------------------------------------------------------------

ARGUMENTS: dict[str, tuple[type[AppellError], str, Call]] = {
    "short": (ShapeError, r"inverse_dynamics: q has shape \(5,\), wanted \(\.\.\., 6\)", lambda r: r.inverse_dynamics(Q[:5], V, A)),
    "long": (ShapeError, r"v has shape \(7,\), wanted \(\.\.\., 6\)", lambda r: r.inverse_dynamics(Q, np.zeros(7), A)),
    "turned": (ShapeError, r"q has shape \(6, 9\)", lambda r: r.mass_matrix(np.zeros((6, 9)))),
    "no axis": (ShapeError, r"q has shape \(\)", lambda r: r.mass_matrix(1.0)),
    "empty": (ShapeError, r"q has shape \(0,\)", lambda r: r.mass_matrix([])),
    "rows": (ShapeError, "leading axes do not fit together: q .3, 6., v .4, 6.", lambda r: r.inverse_dynamics(np.zeros((3, 6)), np.zeros((4, 6)), A)),
    "objects": (ShapeError, "q holds object, wanted real numbers", lambda r: r.inverse_dynamics(Q.astype(object), V, A)),
    "None": (ShapeError, "a holds object", lambda r: r.inverse_dynamics(Q, V, None)),
    "mapping": (ShapeError, "q holds object", lambda r: r.mass_matrix({"joint1": 0.0})),
    "string": (ShapeError, "q holds <U4, wanted real numbers", lambda r: r.mass_matrix("zero")),
    "strings": (ShapeError, "q holds <U3", lambda r: r.mass_matrix(["0.1"] * 6)),
    "bytes": (ShapeError, "q holds .S3", lambda r: r.mass_matrix([b"0.1"] * 6)),
    "complex": (ShapeError, "tau holds complex128, wanted real numbers", lambda r: r.forward_dynamics(Q, V, A + 0j)),
    "dates": (ShapeError, "q holds datetime64", lambda r: r.mass_matrix(np.zeros(6, "M8[s]"))),
    "ragged": (ShapeError, "q is no array of numbers", lambda r: r.mass_matrix([[0.1, 0.2], [0.3]])),
    "generator": (ShapeError, "q holds object", lambda r: r.mass_matrix(x for x in Q)),
    "set": (ShapeError, "q holds object", lambda r: r.mass_matrix({0.1, 0.2})),
    "no argument": (ShapeError, "inverse_dynamics.*wanted.* q, v, a", lambda r: r.inverse_dynamics()),
    "too few": (ShapeError, "inverse_dynamics.*wanted.* q, v, a", lambda r: r.inverse_dynamics(Q, V)),
    "too many": (ShapeError, "inverse_dynamics.*wanted.* q, v, a", lambda r: r.inverse_dynamics(Q, V, A, A)),
    "no frame": (ShapeError, "pose.*'frame'.*wanted q, frame", lambda r: r.pose(Q)),
    "doubled": (ShapeError, "q", lambda r: r.inverse_dynamics(Q, V, A, q=Q)),
    "wrench": (ShapeError, r"wrench has shape \(2, 6\), wanted \(\.\.\., 6, 6\)", lambda r: r.inverse_dynamics(Q, V, A, wrench=np.zeros((2, 6)))),
    "rolled wrench": (ShapeError, r"wrench has shape \(6,\), wanted", lambda r: r.inverse_dynamics(Q, V, A, wrench=np.zeros(6), unroll=False)),
    "wrench of words": (ShapeError, "wrench holds <U1", lambda r: r.inverse_dynamics(Q, V, A, wrench="x", unroll=False)),
    "out shape": (ShapeError, r"out has shape \(5,\), wanted \(6,\)", lambda r: r.inverse_dynamics(Q, V, A, out=np.zeros(5))),
    "out list": (ShapeError, "out is list, wanted a NumPy array", lambda r: r.inverse_dynamics(Q, V, A, out=[0.0] * 6)),
    "out integers": (ShapeError, "out must be a writeable array of float64, got int64", lambda r: r.inverse_dynamics(Q, V, A, out=np.zeros(6, int))),
    "out of three": (ShapeError, "out is ndarray, wanted 3 arrays", lambda r: r.inverse_dynamics_derivatives(Q, V, A, out=np.zeros((6, 6)))),
    "threads -1": (ShapeError, "threads is -1, wanted a whole number", lambda r: r.inverse_dynamics(Q, V, A, threads=-1)),
    "threads 1.5": (ShapeError, "threads is 1.5", lambda r: r.inverse_dynamics(np.zeros((90, 6)), V, A, threads=1.5)),
    "threads all": (ShapeError, "threads is 'all'", lambda r: r.inverse_dynamics(Q, V, A, threads="all")),
    "dtype": (ShapeError, "dtype is 'abc', wanted float64 or float32", lambda r: r.inverse_dynamics(Q, V, A, dtype="abc")),
    "dtype int": (ShapeError, "dtype is int64, wanted float64 or float32", lambda r: r.inverse_dynamics(Q, V, A, dtype=int)),
    "unroll": (ShapeError, "unroll is 'yes', wanted True, False or None", lambda r: r.inverse_dynamics(Q, V, A, unroll="yes")),
    "no loops": (ModelError, "composite_body for inverse_mass_matrix does not roll", lambda r: r.inverse_mass_matrix(Q, method="composite_body", unroll=False)),
    "option": (UnknownName, "unknown option of inverse_dynamics 'metod'; did you mean 'method'", lambda r: r.inverse_dynamics(Q, V, A, metod="x")),
    "method": (UnknownName, "unknown method for inverse_dynamics 'newton_eular'; did you mean 'newton_euler'", lambda r: r.inverse_dynamics(Q, V, A, method="newton_eular")),
    "other's method": (UnknownName, "unknown method for mass_matrix 'newton_euler'; known: composite_body", lambda r: r.mass_matrix(Q, method="newton_euler")),
    "method 3": (UnknownName, "unknown method for mass_matrix '3'", lambda r: r.mass_matrix(Q, method=3)),
    "method list": (ShapeError, "where it wanted a name", lambda r: r.mass_matrix(Q, method=["composite_body"])),
    "question": (UnknownName, "unknown question 'inverse_dynamic'; did you mean 'inverse_dynamics'", lambda r: r.kernel("inverse_dynamic")),
    "question 3": (UnknownName, "unknown question '3'", lambda r: r.kernel(3)),
    "frame": (UnknownName, "unknown frame 'tol'; did you mean 'tool'", lambda r: r.pose(Q, "tol")),
    "frame 3": (UnknownName, "unknown frame '3'", lambda r: r.jacobian(Q, 3)),
    "joint": (UnknownName, "unknown joint 'join1'; did you mean 'joint1'", lambda r: r.hybrid_dynamics(Q, V, A, A, prescribed=["join1"])),
    "joints 3": (ShapeError, "prescribed is 3, wanted a list of names", lambda r: r.hybrid_dynamics(Q, V, A, A, prescribed=3)),
    "parameter": (UnknownName, "unknown parameter 'link1.mas'; did you mean 'link1.mass'", lambda r: r.kernel("bias", inputs=["link1.mas"])),
    "parameters": (UnknownName, "did you mean 'link2.first.x'", lambda r: r.parameters(["link2.frst.x"])),
    "inputs": (ShapeError, "inputs is 7, wanted a list of names", lambda r: r.kernel("bias", inputs=7)),
    "integrate": (ShapeError, r"v of 'puma560': got shape \(2,\)", lambda r: r.integrate(Q, V[:2])),
    "integrate words": (ShapeError, "integrate: q holds <U1", lambda r: r.integrate("q", V)),
    "integrate time": (ShapeError, "integrate: dt holds <U4", lambda r: r.integrate(Q, V, "long")),
    "difference": (ShapeError, "difference: q1 holds object", lambda r: r.difference(Q, None)),
    "equilibrium": (ShapeError, r"equilibrium: q has shape \(2, 6\)", lambda r: r.equilibrium(np.zeros((2, 6)))),
    "linearise": (ShapeError, "v holds <U1", lambda r: r.linearise(Q, "v", A)),
    "lock": (UnknownName, "unknown joint 'elbow'", lambda r: r.lock({"elbow": 0.0})),
    "lock list": (ModelError, "lock got", lambda r: r.lock(["joint1"])),
    "lock values": (ModelError, "joint 'joint1' got the coordinates nan, wanted 1 finite", lambda r: r.lock({"joint1": np.nan})),
    "moving base": (ModelError, "a body named 'link1' already", lambda r: r.on_moving_base("link1")),
    "count": (UnknownName, "did you mean 'bias'", lambda r: r.count("bas")),
}  # fmt: skip


@pytest.mark.parametrize("robot", [_fresh, _asked], ids=["at first", "later"])
@pytest.mark.parametrize("case", list(ARGUMENTS))
def test_arguments(case: str, robot: Callable[[], Robot]):
    kind, words, call = ARGUMENTS[case]
    made = robot()
    _refused(kind, words, lambda: call(made))


def test_nothing_is_written_when_an_argument_is_refused():
    out = np.full(6, 7.0)
    with pytest.raises(ShapeError):
        ARM.inverse_dynamics(Q, V[:2], A, out=out)
    assert (out == 7.0).all()


def test_nan_in_a_batch_stays_in_its_row():
    q = np.tile(Q, (9, 1))
    q[4, 2] = np.nan
    tau = ARM.inverse_dynamics(q, V, A)
    assert np.isnan(tau[4]).any()
    assert np.isfinite(np.delete(tau, 4, 0)).all()


# -- models ---------------------------------------------------------------------------------------------------


def _with(path: str, value: Any) -> dict[str, Any]:
    """The robot's data with one place changed, as bodies.2.mass."""
    data = copy.deepcopy(DATA)
    *way, last = [int(k) if k.isdigit() else k for k in path.split(".")]
    at: Any = data
    for k in way:
        at = at[k]
    at[last] = value
    return data


MODELS: dict[str, tuple[str, Any, str]] = {
    "mass NaN": ("bodies.2.mass", float("nan"), "link3.* mass = nan, wanted a finite number"),
    "mass negative": ("bodies.2.mass", -1.0, "link3.*-1.0"),
    "mass a word": ("bodies.2.mass", "heavy", "link3.* mass = 'heavy', wanted a finite number"),
    "com NaN": ("bodies.1.com", [0.0, float("nan"), 0.0], "link2.* com = .*nan.*, wanted 3 finite numbers"),
    "com short": ("bodies.1.com", [0.0, 1.0], "link2.* wanted 3 finite numbers"),
    "inertia infinite": ("bodies.1.inertia.ixx", float("inf"), "link2.* ixx = inf"),
    "inertia negative": ("bodies.1.inertia.ixx", -5.0, "link2"),
    "gravity NaN": ("gravity", [0.0, 0.0, float("nan")], "gravity = .*nan.*, wanted 3 finite numbers"),
    "axis zero": ("bodies.0.joint.axis", [0.0, 0.0, 0.0], "joint 'joint1': got axis = .*, wanted a direction"),
    "axis missing": ("bodies.0.joint", {"name": "joint1", "type": "revolute"}, "joint 'joint1': got no 'axis'"),
    "joint type": ("bodies.0.joint.type", "revolut", "joint 'joint1'.*'revolut'; did you mean 'revolute'"),
    "parent": ("bodies.3.parent", "link33", "body 'link4'.*'link33'; did you mean 'link3'"),
    "cycle": ("bodies.0.parent", "link6", "cycle of parents link1"),
    "doubled body": ("bodies.1.name", "link1", "body 'link1': got a name that is taken"),
    "doubled joint": ("bodies.1.joint.name", "joint1", "joint 'joint1': got a name that is taken"),
    "rotation": ("bodies.1.placement.rotation", [[1.0, 0, 0], [0, 2.0, 0], [0, 0, 1.0]], "link2"),
    "quaternion": ("bodies.1.placement.rotation", {"quaternion": [3.0, 0.0, 0.0, 0.0]}, "link2"),
    "format": ("format", "appell-robot/9", "format = 'appell-robot/9', wanted 'appell-robot/1'"),
    "unknown key": ("bodies.0.weight", 3.0, "link1.*unknown key 'weight'"),
    "bodies": ("bodies", "link1", "bodies = 'link1', wanted a list"),
    "damping": ("bodies.0.joint.damping", -0.1, "joint 'joint1'.*damping = -0.1"),
    "loops": ("loops", [{"name": "loop"}], "loop"),
    "frame": ("frames", [{"name": "eye", "body": "link7"}], "frame 'eye'.*'link7'; did you mean"),
}


@pytest.mark.parametrize("case", list(MODELS))
def test_models(case: str):
    path, value, words = MODELS[case]
    _refused(ModelError, words, lambda: Robot.from_dict(_with(path, value)))


@pytest.mark.parametrize("data", [None, [], "puma560", 3, {}, {"format": "appell-robot/1"}])
def test_what_is_no_model_at_all(data: Any):
    _refused(ModelError, "robot: got .*, wanted", lambda: Robot.from_dict(data))


def test_a_quaternion_that_is_nearly_unit_is_normalised_with_a_warning():
    data = _with("bodies.1.placement.rotation", {"quaternion": [1.0002, 0.0, 0.0, 0.0]})
    with pytest.warns(UserWarning, match="quaternion"):
        robot = Robot.from_dict(data)
    np.testing.assert_allclose(
        robot.pose(robot.neutral(), "link1")[:3, :3] @ np.eye(3), ARM.pose(ARM.neutral(), "link1")[:3, :3], atol=1e-12
    )


# -- files ----------------------------------------------------------------------------------------------------


def test_robots_and_files_that_are_not_there(tmp_path: Path):
    _refused(UnknownName, "unknown robot 'pumma560'; did you mean 'puma560'", lambda: appell.load("pumma560"))
    _refused(UnknownName, "unknown robot 'qqq'; known: .*puma560", lambda: appell.load("qqq"))
    missing = tmp_path / "missing.toml"
    _refused(ModelError, "missing.toml.* could not be read .No such file", lambda: appell.load(missing))
    _refused(ModelError, "got a folder, wanted a TOML file", lambda: appell.load(_made_folder(tmp_path)))
    _refused(ModelError, "could not be written", lambda: ARM.save(tmp_path / "nowhere" / "arm.toml"))
    _refused(ModelError, "snap is 3, wanted a number between", lambda: appell.load("puma560", snap=3))


def _made_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("this is no toml", "invalid TOML"),
        ("name = 'x'\n", "got no 'format', wanted the keys"),
        ("format = 'appell-robot/1'\nname = 'x'\ngravity = [0, 0, nan]\nbodies = []\n", "gravity"),
    ],
)
def test_files_that_are_no_robots(tmp_path: Path, text: str, words: str):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    _refused(ModelError, f"bad.toml.*{words}", lambda: appell.load(path))
    path.write_bytes(b"\xff\xfe\x00")
    _refused(ModelError, "bad.toml.*no UTF-8", lambda: appell.load(path))


def test_kinds_of_errors():
    for kind in (ModelError, ShapeError, KernelError, UnknownName):
        assert issubclass(kind, AppellError)
    assert issubclass(AppellError, ValueError)
    assert appell.AppellError is AppellError
