"""A robot as text: the tree's shape, and the rows that Denavit and Hartenberg would have written."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import appell
from appell.model.mechanism import Placement
from appell.show import describe


def body(name: str, parent: str, mass: float = 1.0, **joint: Any) -> dict[str, Any]:
    joint = {"name": f"j_{name}", "type": "revolute", "axis": [0, 0, 1]} | joint
    return {"name": name, "parent": parent, "joint": joint, "mass": mass}


def robot(*bodies: dict[str, Any]) -> dict[str, Any]:
    return {"name": "thing", "gravity": [0, 0, -9.81], "bodies": list(bodies)}


def test_outline_keeps_a_chain_in_one_column_and_marks_branches() -> None:
    text = describe.outline(
        robot(
            body("trunk", "base", type="free"),
            body("left", "trunk", 2.5),
            body("right", "trunk"),
            body("hand", "left"),
        )
    )
    assert text.splitlines()[1:] == [
        "base",
        "• trunk: free j_trunk, 1 kg",
        "├─ left: revolute j_left about (0, 0, 1), 2.5 kg",
        "│  • hand: revolute j_hand about (0, 0, 1), 1 kg",
        "└─ right: revolute j_right about (0, 0, 1), 1 kg",
    ]


def test_outline_tells_what_binds_the_tree() -> None:
    assert describe.outline(appell.load("slider_crank").to_dict()).splitlines()[-2:] == [
        "loop piston_pin: revolute about (0, 0, 1) between rod and piston",
        "configurations: forward, backward",
    ]
    geared = {"name": "gear", "type": "coupling", "joint": "b", "of": "a"}
    assert describe.outline({**robot(), "constraints": [geared]}).endswith("constraint gear: coupling, b follows a")


def test_outline_of_a_long_chain_needs_no_recursion() -> None:
    names = ["base", *(f"b{i}" for i in range(5000))]
    text = describe.outline(robot(*(body(name, parent) for parent, name in pairwise(names))))
    assert text.count("\n") == 5001
    assert len(text) < 5001 * 60


ROWS = [(0.0, 0.0, 0.2, 0.0), (0.3, -1.1, -0.15, 0.4), (-0.02, np.pi / 2, 0.433, -2.0)]


def test_dh_rows_come_back() -> None:
    arm = appell.from_dh(ROWS, convention="modified", masses=[1.0, 1.0, 1.0], inertias=[(1, 1, 1)] * 3)
    found = [describe.dh_row(b.placement) for b in arm.bodies]
    np.testing.assert_allclose(np.array(found, float), ROWS, atol=1e-12)


def test_a_placement_that_is_no_row() -> None:
    turned = Placement(rotation=((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)))  # about y
    assert describe.dh_row(turned) is None
    shifted = Placement(position=(0.1, 0.2, 0.3))  # along y, which no row does without a turn
    assert describe.dh_row(shifted) is None


@pytest.mark.parametrize("name", ["puma560", "humanoid"])
def test_the_table_of_links_has_a_row_per_body(name: str) -> None:
    robot = appell.load(name)
    head, rows = describe.links(robot.bodies)
    assert ("alpha [deg]" in head) == (name == "puma560")
    assert [r[0] for r in rows] == [b.name for b in robot.bodies]
    assert [float(r[head.index("mass [kg]")]) for r in rows] == pytest.approx([b.mass for b in robot.bodies], rel=1e-5)
    text = describe.table(head, rows).splitlines()
    assert len(text) == len(rows) + 1
    assert max(map(len, text)) < 130
