"""The zoo: the papers' reference values, sizes, repeatability."""

from __future__ import annotations

import subprocess
import sys
from math import pi

import numpy as np
import pytest

from appell.errors import ModelError, UnknownName
from appell.formulations.composite_body import composite_body
from appell.formulations.gibbs_appell import gibbs_appell
from appell.formulations.newton_euler import newton_euler
from appell.model import zoo
from appell.model.lower import lower
from appell.model.topology import depth_first, depths, subtree_ends
from appell.model.walk import Coordinates, Walk

pytestmark = pytest.mark.filterwarnings("ignore:robot .*radii of gyration")
Array = np.ndarray
SIZES = {
    "agile_wrist": (7, 7), "cartpole": (2, 2), "delta": (22, 21), "double_pendulum": (2, 2), "five_bar": (4, 4),
    "four_bar": (3, 3), "humanoid": (39, 38), "panda": (7, 7), "planar_3rrr": (9, 9), "puma560": (6, 6),
    "puma_saha": (6, 6), "quadruped": (19, 18), "rolling_disk": (7, 6), "scara": (4, 4), "scraper": (7, 7),
    "shafei_tree": (12, 12), "slider_crank": (3, 3), "standing_biped": (24, 23), "stanford": (6, 6),
    "stewart": (25, 24), "wheeled_manipulator": (8, 8),
}  # fmt: skip


def torques(name: str, q: Array, v: Array, a: Array) -> Array:
    tree = lower(zoo.load(name))
    state = q.tolist(), Coordinates(v.tolist()), Coordinates(a.tolist())
    first, second = (text(Walk(tree), *state) for text in (gibbs_appell, newton_euler))
    tau, check = (np.array([t[i] for i in range(tree.nv)], float) for t in (first, second))
    assert np.abs(tau - check).max() < 1e-12 * np.abs(tau).max()
    return tau


def cycloid(t: float, start: Array, end: Array) -> tuple[Array, Array, Array]:
    """The motion of saha2010, equation (22), T = 10 s."""
    w, mean = 2 * pi / 10, (end - start) / 10
    return start + mean * (t - np.sin(w * t) / w), mean * (1 - np.cos(w * t)), mean * w * np.sin(w * t)


def test_the_zoo_is_complete() -> None:
    assert {n: (zoo.load(n).nq, zoo.load(n).nv) for n in zoo.names()} == SIZES


def test_puma560_at_rest() -> None:
    still = np.zeros(6)
    wanted = [0, -68.6914089519, 0.50919237, 0, 0, 0]
    assert torques("puma560", still, still, still) == pytest.approx(wanted, abs=1e-8)
    M = composite_body(Walk(lower(zoo.load("puma560"))), still.tolist())
    diagonal = [13.1989543, 15.0884908, 4.46341805, 0.2149, 0.134937276, 0.0141]
    assert [M[i, i] for i in range(6)] == pytest.approx(diagonal, rel=1e-8)


PUMA = {
    0.0: [0, -69.68576664, -0.481671, 0, 0, 0],
    5.0: [-0.1263381751, 0.5682971969, 0.6226129303, -0.0963588964, 0.1480757637, 0.0111329138],
}
STANFORD = {
    0.0: [0, 12.71376, 0, 0, -0.62784, 0],
    5.0: [-0.0043836533, 15.1589610551, -15.5748810358, 0.1524200244, -0.5369589534, -0.0000697973],
}


@pytest.mark.parametrize("t", PUMA)
def test_puma_saha_along_its_motion(t: float) -> None:
    assert torques("puma_saha", *cycloid(t, np.zeros(6), np.full(6, pi))) == pytest.approx(PUMA[t], abs=1e-9)


@pytest.mark.parametrize("t", STANFORD)
def test_stanford_along_its_motion(t: float) -> None:
    start, end = np.array([0, pi / 2, 0, 0, 0, 0]), np.full(6, pi / 3)
    end[2] = 0.1
    assert torques("stanford", *cycloid(t, start, end)) == pytest.approx(STANFORD[t], abs=1e-9)


def test_double_pendulum_in_closed_form() -> None:
    """Two uniform rods, m = l = 1, angles relative: Lagrange's equations by hand."""
    q, v, a, g = np.array([0.3, -0.7]), np.array([1.1, 0.4]), np.array([-0.2, 0.9]), 9.81
    c, s = np.cos(q[1]), np.sin(q[1])
    M = np.array([[5 / 3 + c, 1 / 3 + c / 2], [1 / 3 + c / 2, 1 / 3]])
    h = np.array([-s / 2 * (2 * v[0] * v[1] + v[1] ** 2), s / 2 * v[0] ** 2])
    gravity = g * np.array([1.5 * np.cos(q[0]) + 0.5 * np.cos(q.sum()), 0.5 * np.cos(q.sum())])
    assert torques("double_pendulum", q, v, a) == pytest.approx(M @ a + h + gravity, rel=1e-9)


def test_cartpole_in_closed_form() -> None:
    """M + m, m l cos q and m l^2 + I; the pole falls away from the upright."""
    q, v, a = np.array([0.2, 0.4]), np.array([0.3, -0.5]), np.array([0.7, 0.1])
    c, s, m, half = np.cos(q[1]), np.sin(q[1]), 0.1, 0.5
    force = 1.1 * a[0] + m * half * (c * a[1] - s * v[1] ** 2)
    torque = m * half * c * a[0] + m / 3 * a[1] - m * 9.81 * half * s
    assert torques("cartpole", q, v, a) == pytest.approx([force, torque], rel=1e-9)


def test_load_suggests() -> None:
    with pytest.raises(UnknownName, match="unknown robot 'puma506'; did you mean 'puma560'"):
        zoo.load("puma506")


def test_chains() -> None:
    for n in (1, 2, 50):
        chain = zoo.chain(n)
        assert chain.nv == len(chain.bodies) == n
        assert max(depths(chain.parents)) == n
    assert zoo.chain(50) == zoo.chain(50)
    axes = {b.joint.axis for b in zoo.chain(3).bodies}
    assert len(axes) == 3


@pytest.mark.parametrize("joints", ["revolute", "mixed"])
@pytest.mark.parametrize("floating", [False, True])
def test_trees(joints: str, floating: bool) -> None:
    tree = zoo.tree(200, 4, floating, joints)  # type: ignore[arg-type]
    assert tree == zoo.tree(200, 4, floating, joints)  # type: ignore[arg-type]
    assert tree.bodies != zoo.tree(200, 5, floating, joints).bodies  # type: ignore[arg-type]
    assert [b.joint.type for b in tree.bodies].count("free") == floating
    assert depth_first(tree.parents) == list(range(200))
    assert max(depths(tree.parents)) < 100
    kinds = {b.joint.type for b in tree.bodies[1:]}
    assert kinds == ({"revolute"} if joints == "revolute" else set(zoo.MIXED))
    ends = subtree_ends(tree.parents)
    assert all(ends[i] <= ends[p] for i, p in enumerate(tree.parents) if p >= 0)
    lower(tree)


def test_sizes_and_choices_are_checked() -> None:
    for n in (0, -1, 2.0, True, "3"):
        with pytest.raises(ModelError, match="wanted a whole number of bodies, at least 1"):
            zoo.chain(n)  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="unknown choice of joints 'ball'"):
        zoo.tree(3, 0, joints="ball")  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_tree_is_the_same_in_every_process() -> None:
    code = "from appell.model import toml, zoo; import hashlib; t = zoo.tree(40, 9, True, 'mixed')"
    code += "; print(hashlib.sha256(toml.text(t).encode()).hexdigest())"
    runs = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout for _ in "12"
    }
    assert len(runs) == 1


def test_tomllib_is_imported_only_when_needed() -> None:
    code = "import sys; from appell.model import zoo; zoo.chain(3); print('tomllib' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
