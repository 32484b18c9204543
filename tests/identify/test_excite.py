"""Exciting motions: exact slopes, limits kept at every instant, better than chance, and files of limits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import appell
from appell.errors import DataError, ModelError, UnknownName
from appell.identify import Box, Limits, base_parameters, excite
from appell.identify.closed_data import followed
from appell.identify.excite import _Search
from appell.identify.information import Information
from appell.identify.ways import Driven, Open

SCARA, PUMA = appell.load("scara"), appell.load("puma560")
LIMITS = Limits.of(
    PUMA, speed=2.0, acceleration=6.0, force=[100, 150, 80, 15, 15, 10], position=[[-2.5, 2.5]] * 6,
    boxes=[Box("tool", (-1.0, -1.0, -0.5), (1.0, 1.0, 1.5))],
)  # fmt: skip
BAR, MOTORS = appell.load("five_bar"), ("shoulder1", "shoulder2")
BOUND = Limits.of(BAR, speed=2.0, acceleration=8.0, force=40, boxes=[Box("tip_frame", (-0.5, -1.5, -1), (1.5, 0.2, 1))])


@pytest.mark.parametrize("criterion", ["condition", "determinant"])
def test_slopes_are_exact(criterion: str):
    asked = Information(base_parameters(PUMA), np.arange(1.0, 7.0), criterion)
    search = _Search(Open(PUMA), LIMITS, asked, 3, 10.0, 40)
    rng = np.random.default_rng(0)
    y = 3 * search._start(rng).ravel()
    d = rng.normal(size=y.size)
    by_steps = (search._cost(y + 1e-6 * d, 10.0)[0] - search._cost(y - 1e-6 * d, 10.0)[0]) / 2e-6
    assert search._cost(y, 10.0)[1] @ d == pytest.approx(by_steps, rel=1e-6)
    assert search._beyond(*search.series(y.reshape(6, -1))(search.t))[0] > 0  # the limits are felt


def test_slopes_are_exact_where_loops_stay_closed():
    base = base_parameters(BAR, "moments", coordinates=MOTORS)
    search = _Search(Driven(base.regressor), BOUND, Information(base, np.array([1.0, 2.0]), "condition"), 3, 10.0, 30)
    rng = np.random.default_rng(0)
    y = search._start(rng).ravel()
    d = rng.normal(size=y.size)
    by_steps = (search._cost(y + 1e-6 * d, 10.0)[0] - search._cost(y - 1e-6 * d, 10.0)[0]) / 2e-6
    assert search._cost(y, 10.0)[1] @ d == pytest.approx(by_steps, rel=1e-4)


def test_a_closed_mechanism_keeps_to_the_limits_of_all_its_joints():
    found = excite(BAR, BOUND, "moments", coordinates=MOTORS, harmonics=3, samples=30, starts=1, steps=15)
    t = np.linspace(0.0, 10.0, 400)
    x, u, du = found.trajectory(t)
    q, reduced = followed(BAR, MOTORS, t, x, None, None), BAR.reduced(MOTORS)
    v, a = reduced.velocities(q, u), reduced.accelerations(q, u, du)
    assert (np.abs(v) <= 2.0 + 1e-6).all() and (np.abs(a) <= 8.0 + 1e-6).all()
    assert (np.abs(BAR.inverse_dynamics(q, v, a, actuators=MOTORS)) <= 40.0).all()
    assert BAR.pose(q, "tip_frame")[:, 1, 3].max() <= 0.2
    assert found.condition < 60  # small motions about home have thousands
    with pytest.raises(ModelError, match="has loops, and which joints drive it is not said"):
        excite(BAR, BOUND)


def test_limits_are_kept_and_much_is_told():
    found = excite(PUMA, LIMITS, harmonics=4, samples=60, starts=1, steps=40)
    t = np.linspace(0.0, 10.0, 3001)
    q, v, a = found.trajectory(t)
    assert np.abs(v[0]).max() < 1e-12 and np.abs(a[0]).max() < 1e-12
    assert (np.abs(q) <= 2.5).all() and (np.abs(v) <= 2.0).all() and (np.abs(a) <= 6.0).all()
    assert (np.abs(PUMA.inverse_dynamics(q, v, a)) <= LIMITS.force).all()
    place = PUMA.pose(q, "tool")[:, :3, 3]
    assert (place >= LIMITS.boxes[0].low).all() and (place <= LIMITS.boxes[0].high).all()
    assert found.condition < 8  # a random motion has some 30 to 100
    assert "condition number" in found.notes[0]


@pytest.mark.slow
def test_more_is_told_than_by_chance():
    best = excite(PUMA, LIMITS, criterion="determinant", starts=1, steps=60)
    search = _Search(Open(PUMA), LIMITS, Information(best.base, LIMITS.force, "determinant"), 5, 10.0, 100)
    chance = [search.cost(search.shrunk(search.series(2 * search._start(np.random.default_rng(k))))) for k in range(10)]
    assert best.determinant < min(chance) - 0.5


def test_limits_that_no_motion_meets():
    with pytest.raises(DataError, match=r"no motion keeps to the limits: at rest .* of the force of joint 2 is needed"):
        excite(PUMA, Limits.of(PUMA, force=[100, 1, 80, 15, 15, 10]), harmonics=2, samples=20, starts=1, steps=2)
    with pytest.raises(DataError, match="1 harmonics in 20 samples"):
        excite(PUMA, LIMITS, harmonics=1, samples=20)
    with pytest.raises(DataError, match="speed is .* wanted numbers above 0"):
        Limits.of(PUMA, speed=0.0)
    with pytest.raises(DataError, match=r"the box of frame 'tool' is from .* wanted low < high"):
        Limits.of(PUMA, boxes=[Box("tool", (1.0, 0.0, 0.0), (0.0, 1.0, 1.0))])
    with pytest.raises(UnknownName, match="criterion of excitation 'cond'; did you mean"):
        excite(PUMA, LIMITS, criterion="cond")


def test_limits_are_by_default_the_models_own():
    data = SCARA.to_dict()
    for body in data["bodies"]:
        body["joint"] |= {"effort_limit": 30.0, "velocity_limit": 2.0}
    own = Limits.of(appell.Robot.from_dict(data), acceleration=5.0)
    assert (own.speed == 2.0).all() and (own.force == 30.0).all() and (own.acceleration == 5.0).all()
    assert np.isinf(Limits.of(SCARA).force).all()


def test_limits_from_a_file(tmp_path: Path):
    path = tmp_path / "limits.toml"
    path.write_text(
        'angles = "deg"\n[joints.all]\nspeed = 90\n[joints.shoulder]\nposition = [-90, 90]\nforce = 20\n'
        "[joints.lift]\nposition = [0.0, 0.2]\nspeed = 0.3\n"
        '[[boxes]]\nframe = "tool"\nlow = [0, 0, 0]\nhigh = [1, 1, 1]\n'
    )
    found = Limits.read(SCARA, path)
    assert found.low[0] == pytest.approx(-np.pi / 2)
    assert found.speed == pytest.approx([np.pi / 2, np.pi / 2, 0.3, np.pi / 2])
    assert found.force[0] == 20
    assert found.force[1] == np.inf
    assert found.boxes == (Box("tool", (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)),)


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("joints = 3", "joints is 3, wanted a table for each joint"),
        ("[joint]", "unknown entry of .*'joint'; did you mean 'joints'"),
        ("[joints.j9]\nspeed = 1", "unknown joint in .*'j9'"),
        ("[joints.all]\nspeed = [1, 2]", r"speed is \[1, 2\], wanted a number"),
        ("[joints.all]\nposition = [2, 1]", "wanted low < high"),
        ("[joints.all]\nspeeed = 1", "did you mean 'speed'"),
        ('angles = "grad"', "angles are in 'grad', wanted 'rad' or 'deg'"),
        ("[[boxes]]\nframe = 'tool'", "wanted frame, low and high"),
        ("= 3", "cannot be read as limits"),
    ],
)
def test_wrong_files_of_limits(tmp_path: Path, text: str, sentence: str):
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(appell.AppellError, match=sentence):
        Limits.read(SCARA, tmp_path / "x.toml")
