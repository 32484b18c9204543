"""The oracles agree with each other and keep the laws they are meant to judge by."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pinocchio")

from .pinocchio_model import PinocchioOracle, basis, depth_first, widths
from .random_robots import KINDS, random_robot, random_state

CASES = [
    (seed, n, joints, floating, shape, order)
    for seed, (n, joints, floating, shape, order) in enumerate(
        [
            (6, "revolute", False, "chain", "depth"),
            (7, "simple", False, "tree", "shuffled"),
            (12, "mujoco", False, "tree", "depth"),
            (13, "revolute", True, "tree", "shuffled"),
            (20, "mujoco", True, "tree", "shuffled"),
            (30, "simple", True, "tree", "shuffled"),
            (9, "ball", False, "chain", "depth"),
            (8, "planar", True, "tree", "shuffled"),
        ]
    )
]
MIXED = [random_robot(s, 5 + 3 * s, "mixed", floating=s % 2 == 1, shape="tree", order="shuffled") for s in range(8)]


def close(got: Any, wanted: Any, tolerance: float = 1e-9) -> None:
    """Equal relative to the largest entry."""
    scale = max(1.0, float(np.max(np.abs(wanted))))
    np.testing.assert_allclose(got, wanted, rtol=0.0, atol=tolerance * scale)


def step(d: dict[str, Any], oracle: PinocchioOracle, q: Any, v: Any, dt: float) -> Any:
    """Appell's q after a small time at constant v: Lie group for quaternions, plain sums elsewhere."""
    return oracle.integrate(q, np.asarray(v) * dt)


@pytest.mark.parametrize("seed, n, joints, floating, shape, order", CASES)
def test_mujoco_agrees(seed: int, n: int, joints: str, floating: bool, shape: str, order: str) -> None:
    pytest.importorskip("mujoco")
    from .mujoco_model import MujocoOracle

    d = random_robot(seed, n, joints, floating, shape, order, rotors=True)
    ours, other = PinocchioOracle(d), MujocoOracle(d)
    q, v, a = random_state(d, seed)
    tau = ours.rnea(q, v, a)
    close(other.rnea(q, v, a), tau)
    close(other.crba(q), ours.crba(q))
    condition = max(1.0, float(np.linalg.cond(ours.crba(q))))
    close(other.aba(q, v, tau), ours.aba(q, v, tau), 1e-13 * condition + 1e-9)


@pytest.mark.slow
def test_mujoco_holds_a_long_chain() -> None:
    """Deeper than MJCF text may be, and where Pinocchio gives up: M a + h = tau."""
    pytest.importorskip("mujoco")
    from .mujoco_model import MujocoOracle

    d = random_robot(1, 600, "revolute")
    with pytest.raises(MemoryError, match="600"):
        PinocchioOracle(d).rnea(*random_state(d, 1))
    oracle = MujocoOracle(d)
    q, v, a = random_state(d, 1)
    close(oracle.rnea(q, v, a) - oracle.rnea(q, v, 0 * a), oracle.crba(q) @ a)


def test_mujoco_least_work_agrees() -> None:
    pytest.importorskip("mujoco")
    from .mujoco_model import MujocoOracle

    d = random_robot(5, 14, "mujoco", floating=True, shape="tree", order="shuffled")
    q, v, a = random_state(d, 5)
    close(MujocoOracle(d).rnea_least_work(q, v, a), PinocchioOracle(d).rnea(q, v, a))


@pytest.mark.parametrize("d", MIXED, ids=lambda d: d["name"])
def test_mass_matrix(d: dict[str, Any]) -> None:
    """Symmetric, positive, and made of the columns of inverse dynamics (crba is wrong out of order)."""
    oracle = PinocchioOracle(d)
    q, v, _ = random_state(d, 1)
    m, zero = oracle.crba(q), np.zeros_like(v)
    rest = oracle.rnea(q, zero, zero)
    columns = [oracle.rnea(q, zero, e) - rest for e in np.eye(len(v))]
    close(np.column_stack(columns), m, 1e-12)
    assert np.array_equal(m, m.T)
    assert np.linalg.eigvalsh(m)[0] > 0.0


@pytest.mark.parametrize("d", MIXED, ids=lambda d: d["name"])
def test_forward_undoes_inverse(d: dict[str, Any]) -> None:
    oracle = PinocchioOracle(d)
    q, v, a = random_state(d, 2)
    wrenches = np.random.default_rng(3).normal(size=(len(d["bodies"]), 6))
    scale = np.linalg.cond(oracle.crba(q)) * 1e-14 + 1e-11
    close(oracle.aba(q, v, oracle.rnea(q, v, a)), a, scale)
    close(oracle.aba(q, v, oracle.rnea(q, v, a, wrenches), wrenches), a, scale)


@pytest.mark.parametrize("d", MIXED, ids=lambda d: d["name"])
def test_wrenches_work_through_jacobians(d: dict[str, Any]) -> None:
    """A wrench in body axes lowers the joint forces by J' w, whatever joint the body hangs on."""
    oracle = PinocchioOracle(d)
    q, v, a = random_state(d, 4)
    wrenches = np.random.default_rng(5).normal(size=(len(d["bodies"]), 6))
    carried = np.zeros_like(v)
    for body, wrench in zip(d["bodies"], wrenches, strict=True):
        rotation = oracle.pose(q, body["name"])[:3, :3]
        world = np.concatenate([rotation @ wrench[:3], rotation @ wrench[3:]])
        carried += oracle.jacobian(q, body["name"]).T @ world
    close(oracle.rnea(q, v, a) - oracle.rnea(q, v, a, wrenches), carried, 1e-11)


@pytest.mark.parametrize("d", MIXED, ids=lambda d: d["name"])
def test_jacobian_is_the_rate_of_the_pose(d: dict[str, Any]) -> None:
    """Central differences of the pose: this ties q's units (pitch, order of turns) to v."""
    oracle = PinocchioOracle(d)
    q, v, _ = random_state(d, 6)
    dt = 1e-6
    before, after = (oracle.pose(step(d, oracle, q, v, h), "tool") for h in (-dt, dt))
    rate = (after - before) / (2 * dt)
    spin = rate[:3, :3] @ oracle.pose(q, "tool")[:3, :3].T
    twist = np.concatenate([rate[:3, 3], [spin[2, 1], spin[0, 2], spin[1, 0]]])
    close(oracle.jacobian(q, "tool") @ v, twist, 1e-7)


@pytest.mark.parametrize("d", MIXED, ids=lambda d: d["name"])
def test_power_is_the_rate_of_energy(d: dict[str, Any]) -> None:
    oracle = PinocchioOracle(d)
    q, v, a = random_state(d, 7)
    dt = 1e-5
    before, after = (sum(oracle.energy(step(d, oracle, q, v + h / 2 * a, h), v + h * a)) for h in (-dt, dt))
    close((after - before) / (2 * dt), float(oracle.rnea(q, v, a) @ v), 1e-6)


@pytest.mark.parametrize("d", MIXED[:5], ids=lambda d: d["name"])
def test_derivatives(d: dict[str, Any]) -> None:
    oracle = PinocchioOracle(d)
    q, v, a = random_state(d, 8)
    dq, dv, da = oracle.rnea_derivatives(q, v, a)
    e, h = np.random.default_rng(9).normal(size=len(v)), 1e-6
    along_q = oracle.rnea(oracle.integrate(q, h * e), v, a) - oracle.rnea(oracle.integrate(q, -h * e), v, a)
    close(dq @ e, along_q / (2 * h), 1e-6)
    close(dv @ e, (oracle.rnea(q, v + h * e, a) - oracle.rnea(q, v - h * e, a)) / (2 * h), 1e-6)
    close(da, oracle.crba(q), 1e-12)


def test_elementary_poses() -> None:
    """Each joint type against its definition, written out by hand."""
    axis, origin = [0.0, 0.0, 1.0], {"position": [0.0, 0.0, 0.0], "rotation": np.eye(3).tolist()}
    body = {
        "mass": 1.0,
        "com": [0.0] * 3,
        "inertia": {"ixx": 1, "iyy": 1, "izz": 1, "ixy": 0, "ixz": 0, "iyz": 0},
    }
    c, s = np.cos(0.3), np.sin(0.3)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    cases = {
        "helical": ([0.3], turn, [0.0, 0.0, 0.3 * 0.7]),
        "cylindrical": ([0.3, 2.0], turn, [0.0, 0.0, 2.0]),
        "planar": ([1.0, 2.0, 0.3], turn, [1.0, 2.0, 0.0]),
        "universal": ([0.3, 0.0], turn, [0.0, 0.0, 0.0]),
        "ball": ([np.cos(0.15), 0.0, 0.0, np.sin(0.15)], turn, [0.0, 0.0, 0.0]),
        "free": ([1.0, 2.0, 3.0, np.cos(0.15), 0.0, 0.0, np.sin(0.15)], turn, [1.0, 2.0, 3.0]),
    }
    for kind, (q, rotation, position) in cases.items():
        joint = {"name": "j", "type": kind, "axis": axis, "axis2": [1.0, 0.0, 0.0], "pitch": 0.7}
        bodies = [{"name": "b", "parent": "base", "joint": joint, "placement": origin, **body}]
        d = {"format": "appell-robot/1", "name": "one", "gravity": [0, 0, -9.81], "bodies": bodies}
        pose = PinocchioOracle(d).pose(np.array(q), "b")
        close(pose[:3, :3], rotation, 1e-15)
        close(pose[:3, 3], position, 1e-15)


def test_basis_is_a_right_handed_frame() -> None:
    wanted = {(0, 0, 1): [1, 0, 0], (1, 0, 0): [0, 1, 0], (0, 1, 0): [0, 0, 1]}
    for normal, e1 in wanted.items():
        for sign in (1.0, -1.0):
            assert np.array_equal(basis(sign * np.array(normal))[:, 0], e1)
    b = basis([0.3, -0.4, 0.8])
    close(b.T @ b, np.eye(3), 1e-15)
    assert np.linalg.det(b) == pytest.approx(1.0)


def test_random_robots_cover_every_joint() -> None:
    kinds = {body["joint"]["type"] for d in MIXED for body in d["bodies"]}
    assert kinds == {*KINDS["mixed"], "free"}
    assert all(len(random_state(d, 0)[1]) == sum(widths(b["joint"])[1] for b in d["bodies"]) for d in MIXED)
    assert any(depth_first(d) != list(range(len(d["bodies"]))) for d in MIXED)
