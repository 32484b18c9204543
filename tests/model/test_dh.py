"""Denavit-Hartenberg tables: both conventions, against their definitions and the papers' robots."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
import pytest

from appell.errors import ModelError
from appell.model import zoo
from appell.model.dh import from_dh
from appell.model.lower import lower
from appell.model.mechanism import Mechanism

pytestmark = pytest.mark.filterwarnings("ignore")
Array = np.ndarray
H = pi / 2
VALERA: dict[str, Any] = {
    "rows": [
        (0, 0, 0, 0), (0, -H, 0, 0), (0.432, 0, -0.15, 0),
        (-0.02, H, -0.433, 0), (0, -H, 0, 0), (0, H, 0, 0),
    ],
    "convention": "modified",
    "translation": "valera",
    "masses": [10.521, 15.781, 8.767, 1.052, 1.052, 0.351],
    "coms": [
        [0, -0.054, 0], [0.1398, 0, 0.1491], [-0.32e-3, -0.197, 0],
        [0, 0, -0.057], [0, -0.007, 0], [0, 0, 0.0372],
    ],
    "inertias": [
        (1.612, 0.5091, 1.612), (0.4898, 8.0783, 8.2672), (3.3768, 0.3009, 3.3768),
        (0.181, 0.181, 0.1273), (0.0735, 0.0735, 0.1273), (0.0071, 0.0071, 0.0141),
    ],
    "name": "puma560",
}  # fmt: skip
SAHA: dict[str, Any] = {
    "rows": [
        (0, -H, 0, 0), (0.432, 0, 0.149, 0), (0.02, -H, 0, 0),
        (0, -H, 0.432, 0), (0, -H, 0, 0), (0, 0, 0.05, 0),
    ],
    "com_vector": "to_origin",
    "masses": [10.521, 15.761, 8.767, 1.052, 1.052, 0.351],
    "coms": [(0, 0, 0.054), (0.292, 0, 0), (0.02, 0, -0.197), (0, -0.057, 0), (0, 0, -0.007), (0, 0, 0.019)],
    "inertias": [
        (1.612, 1.612, 0.5091), (0.4898, 8.0783, 8.2672), (3.3768, 3.3768, 0.3009),
        (0.181, 0.1273, 0.181), (0.0735, 0.1273, 0.0735), (0.0071, 0.0071, 0.0141),
    ],
    "name": "puma_saha",
}  # fmt: skip
STANFORD: dict[str, Any] = {
    "rows": [
        (0, -H, 0.1, 0), (0, -H, 0.1, 0), (0, 0, 0, 0, "P"),
        (0, H, 0.6, 0), (0, -H, 0, 0), (0, 0, 0, 0),
    ],
    "com_vector": "to_origin",
    "masses": [9, 6, 4, 1, 0.6, 0.5],
    "coms": [(0, -0.1, 0), (0, 0, 0), (0, 0, 0), (0, -0.1, 0), (0, 0, -0.06), (0, 0, 0.2)],
    "inertias": [
        (0.01, 0.02, 0.01), (0.05, 0.06, 0.01), (0.4, 0.4, 0.01),
        (0.001, 0.001, 0.0005), (0.0005, 0.0005, 0.0002), (0.003, 0.001, 0.002),
    ],
    "name": "stanford",
}  # fmt: skip


@pytest.mark.parametrize("table", [VALERA, SAHA, STANFORD], ids=lambda t: t["name"])
def test_the_zoo_holds_the_papers_tables(table: dict[str, Any]) -> None:
    assert from_dh(**table) == zoo.load(table["name"])


def rot(axis: int, angle: float) -> Array:
    T, i, j = np.eye(4), (axis + 1) % 3, (axis + 2) % 3
    T[i, i] = T[j, j] = np.cos(angle)
    T[i, j], T[j, i] = -np.sin(angle), np.sin(angle)
    return T


def trans(x: float, y: float, z: float) -> Array:
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def standard(a: float, alpha: float, d: float, theta: float) -> Array:
    return rot(2, theta) @ trans(0, 0, d) @ trans(a, 0, 0) @ rot(0, alpha)


def craig(a: float, alpha: float, d: float, theta: float) -> Array:
    return rot(0, alpha) @ trans(a, 0, 0) @ rot(2, theta) @ trans(0, 0, d)


def valera(a: float, alpha: float, d: float, theta: float) -> Array:
    """The rotation as Craig has it, the translation as printed."""
    T = craig(a, alpha, d, theta)
    T[:3, 3] = a, d * np.sin(alpha), -d * np.cos(alpha)
    return T


def pose(mechanism: Mechanism, name: str, q: Array) -> Array:
    tree = lower(mechanism)
    place = tree.frames[name]
    T = homogeneous(place.R, place.r)
    for b in tree.support(place.link):
        X = b.pose(q.tolist())
        T = homogeneous(X.R.matrix, X.r) @ T
    return T


def homogeneous(R: Any, r: Any) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = [list(row) for row in R], list(r)
    return T


CONVENTIONS = [
    (standard, {"convention": "standard"}),
    (craig, {"convention": "modified"}),
    (valera, {"convention": "modified", "translation": "valera"}),
]


@pytest.mark.parametrize(("step", "options"), CONVENTIONS, ids=lambda x: getattr(x, "__name__", ""))
@pytest.mark.parametrize("seed", range(4))
def test_the_tool_stands_where_the_definition_says(step: Any, options: dict[str, Any], seed: int) -> None:
    """Revolute and prismatic joints, offsets in all four entries, a base and a tool."""
    rng = np.random.default_rng(seed)
    rows, prismatic = rng.normal(size=(5, 4)), rng.random(5) < 0.4
    base, tool = rot(0, 0.3) @ trans(1, 2, 3), trans(0.1, 0.2, 0.3) @ rot(1, -0.4)
    kinds = np.where(prismatic, "prismatic", "revolute")
    arm = from_dh([(*row, str(k)) for row, k in zip(rows, kinds, strict=True)], base=base, tool=tool, **options)
    q = rng.normal(size=5)
    T = base
    for (a, alpha, d, theta), slides, x in zip(rows, prismatic, q, strict=True):
        T = T @ step(a, alpha, d + x * slides, theta + x * (not slides))
    assert np.abs(pose(arm, "tool", q) - T @ tool).max() < 1e-14


def test_the_wrist_centre_of_the_puma() -> None:
    assert pose(from_dh(**VALERA), "tool", np.zeros(6))[:3, 3] == pytest.approx([0.412, 0.15, 0.433], abs=1e-15)


def test_craig_and_the_printed_signs_are_the_same_robot() -> None:
    rows = [(a, alpha, -d, theta) for a, alpha, d, theta in VALERA["rows"]]
    again = from_dh(**{**VALERA, "rows": rows, "translation": "craig"})
    assert again == from_dh(**VALERA)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_mass_centres_and_inertias_are_those_of_frame_i(convention: Any) -> None:
    """One link, its matter given in frame 1, found again in the world through the frame's pose."""
    tensor = np.array([[0.3, 0.02, -0.01], [0.02, 0.4, 0.03], [-0.01, 0.03, 0.5]])
    com, row = np.array([0.1, -0.2, 0.3]), (0.3, 0.7, 0.2, 0.4)
    arm = from_dh([row], convention, [2.0], [com], [tensor])
    body = arm.bodies[0]
    frame = pose(arm, "tool", np.array([0.9]))
    link = pose(arm, "link1", np.array([0.9]))
    assert link[:3] @ [*body.com, 1.0] == pytest.approx(frame[:3] @ [*com, 1.0], abs=1e-15)
    i = body.inertia
    own = np.array([[i.ixx, i.ixy, i.ixz], [i.ixy, i.iyy, i.iyz], [i.ixz, i.iyz, i.izz]])
    seen = link[:3, :3] @ own @ link[:3, :3].T
    assert seen == pytest.approx(frame[:3, :3] @ tensor @ frame[:3, :3].T, abs=1e-15)


def test_the_choices_of_giving_matter_agree() -> None:
    com, about_centre = np.array([0.1, -0.2, 0.3]), np.diag([0.3, 0.4, 0.5])
    about_origin = about_centre + 2.0 * (com @ com * np.eye(3) - np.outer(com, com))
    row = {"a": 0.3, "alpha": H, "d": 0.2}
    plain = from_dh([row], masses=[2.0], coms=[com], inertias=[about_centre])
    entries = {"ixx": 0.3, "iyy": 0.4, "izz": 0.5, "ixy": 0, "ixz": 0, "iyz": 0}
    assert from_dh([row], masses=[2.0], coms=[com], inertias=[entries]) == plain
    assert from_dh([row], masses=[2.0], coms=[-com], inertias=[(0.3, 0.4, 0.5)], com_vector="to_origin") == plain
    shifted = from_dh([row], masses=[2.0], coms=[com], inertias=[about_origin], inertia_about="origin").bodies[0]
    assert shifted.inertia.ixx == pytest.approx(plain.bodies[0].inertia.ixx, rel=1e-14)
    assert shifted.inertia.iyz == pytest.approx(plain.bodies[0].inertia.iyz, abs=1e-15)


@pytest.mark.parametrize("quarters", range(-5, 6))
def test_right_angles_are_exact(quarters: int) -> None:
    arm = from_dh([(0, quarters * H, 0, 0), (0, 0, 0, quarters * pi / 2)])
    entries = {x for b in arm.bodies for row in b.placement.rotation for x in row}
    assert entries <= {0.0, 1.0, -1.0}


def test_names_and_more_keys_of_joints() -> None:
    arm = from_dh(
        [(0, 0, 0, 0)], masses=[1], coms=[(0.1, 0, 0)], joint_names=["waist"], body_names=["trunk"],
        joints=[{"damping": 0.2, "limits": (-1, 1)}], gravity=(0, -9.81, 0), name="arm",
    )  # fmt: skip
    (body,) = arm.bodies
    assert (arm.name, arm.gravity, body.name, body.joint.name) == ("arm", (0, -9.81, 0), "trunk", "waist")
    assert (body.joint.damping, body.joint.limits) == (0.2, (-1.0, 1.0))


BAD: list[tuple[dict[str, Any], str]] = [
    ({"convention": "craig"}, "unknown convention 'craig'"),
    ({"com_vector": "saha"}, "unknown com_vector 'saha'"),
    ({"rows": [(1, 2, 3)]}, "row 1 of robot 'robot': got (1, 2, 3), wanted (a, alpha, d, theta)"),
    ({"rows": [{"alfa": 1}]}, "unknown key 'alfa'; did you mean 'alpha'"),
    ({"rows": [(0, 0, 0, 0, "helical")]}, "unknown joint type 'helical'"),
    ({"rows": [(0, float("nan"), 0, 0)]}, "got alpha = nan, wanted a finite number"),
    ({"masses": [1, 2]}, "got 2 masses, wanted 1, one per row"),
    ({"masses": 3.0}, "got masses = 3.0, wanted 1, one per row"),
    ({"masses": [-1.0]}, "body 'link1': got mass = -1.0"),
    ({"coms": [(0, 0)]}, "got com = (0, 0), wanted 3 finite numbers"),
    ({"inertias": [(1, 2, 3, 4, 5, 6)]}, "wanted a symmetric 3x3 matrix, its diagonal, or a mapping"),
    ({"inertias": [[[1, 2, 0], [0, 1, 0], [0, 0, 1]]]}, "wanted a symmetric 3x3 matrix"),
    ({"base": np.eye(3)}, "wanted a 4x4 pose"),
    ({"tool": 2 * np.eye(4)}, "wanted a 4x4 pose"),
]


@pytest.mark.parametrize(("options", "sentence"), BAD, ids=lambda x: x if isinstance(x, str) else "")
def test_refusals(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ModelError) as caught:
        from_dh(**{"rows": [(0, 0, 0, 0)], **options})
    assert sentence in str(caught.value)
