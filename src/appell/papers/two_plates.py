"""Example 5.1 of mata2002: two plates of very different length, whose mass matrix is ill-conditioned.

Source: mata2002, section 5.1; the mass of the long plate is missing there and follows from equal density.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..robot import Robot
from .case import Agreement, Case, Table
from .stability import EPS, Stability, forward_rows
from .stability import stability as study

DEGREES = np.arange(0, 360, 2)
AT_ZERO = (-492.108078095565, 492.132198663984)  # accelerations at q2 = 0, from two independent derivations
CONDITION = (13278.0, 54056.0)  # of the mass matrix over the turn, likewise
ABA, CRBA = "articulated_body", "composite_body"
TABLE_5 = {ABA: (0.4976, 0.01324), CRBA: (1.2922, 0.275063), "mata2002": (0.534002, 0.0087611)}  # largest, mean


def two_plates() -> Robot:
    """The manipulator: short and light on the base, long and heavy on it, both along x at q = 0."""
    bodies = [_plate("short", "base", 0.0, 0.1, 0.02), _plate("long", "short", 0.02, 10.0, 2.0)]
    return Robot.from_dict(
        {
            "format": "appell-robot/1",
            "name": "two_plates",
            "gravity": [0.0, -9.81, 0.0],
            "bodies": bodies,
            "frames": [],
            "loops": [],
        }
    )


def _plate(name: str, parent: str, x: float, mass: float, length: float, width: float = 0.02) -> dict[str, Any]:
    along, across = mass * width**2 / 12, mass * length**2 / 12
    return {
        "name": name,
        "parent": parent,
        "joint": {"name": f"{name}_joint", "type": "revolute", "axis": [0.0, 0.0, 1.0]},
        "placement": {"position": [x, 0.0, 0.0], "rotation": np.eye(3).tolist()},
        "mass": mass,
        "com": [length / 2, 0.0, 0.0],
        "inertia": {"ixx": along, "iyy": across, "izz": along + across, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0},
    }


def stability() -> Case:
    """Forward dynamics at 180 positions of the long plate, in single and double precision, by every method."""
    robot, q = two_plates(), np.stack([np.zeros(len(DEGREES)), np.radians(DEGREES)], -1)
    light, given = study(robot, q), study(robot, q, as_given=True)
    case = light.case(DEGREES, "q2 [deg]")
    return replace(
        case,
        title="Two plates: forward dynamics in single and double precision",
        statement=f"{_verdict(light)} {light.statement}",
        tables=(_table_5(light, given), *case.tables),
        agreements=tuple(_agreements(robot, light)),
    )


def printed(method: str) -> str:
    """The key in TABLE_5 of a method: its name, or the paper for the paper's own."""
    return next(row.source if row.source in TABLE_5 else row.name for row in forward_rows() if row.name == method)


def of_joint_2(s: Stability, method: str) -> tuple[float, float]:
    """The largest and the mean difference of joint 2, as Table 5 has them."""
    d = s.difference(method)[:, 1]
    return float(d.max()), float(d.mean())


def _table_5(light: Stability, given: Stability) -> Table:
    """Differences of joint 2 in rad/s^2: on the tree that kernels run on, on the model as given, as printed."""
    head = ("method", "largest", "mean", "largest, model as given", "mean, as given", "largest, paper", "mean, paper")
    rows = [(m, *of_joint_2(light, m), *of_joint_2(given, m), *TABLE_5.get(printed(m), ("", ""))) for m in light.single]
    return Table("table-5", head, rows)


def _verdict(s: Stability) -> str:
    """What becomes of the paper's conclusion."""
    own = [m for m in s.single if printed(m) == "mata2002"]
    best = of_joint_2(s, ABA)[0]
    more = ", ".join(f"{m} by {of_joint_2(s, m)[0] / best:.0f} times as much" for m in (CRBA, *own))
    claim = "NOT confirmed" if any(s.loses_the_condition(m) for m in own) else "confirmed"
    return (
        f"In joint 2 {ABA} is off by {best:.1e} rad/s^2 at most, some roundings of the answer itself; {more}. "
        "The paper's row for composite bodies is right in size. Its claim that Gibbs-Appell is nearly as stable as "
        f"articulated bodies is {claim}: whoever forms the mass matrix in single precision loses its condition "
        f"number, cond(M) eps = {s.condition.max() * EPS:.1e}."
    )


def _agreements(robot: Robot, s: Stability) -> list[Agreement]:
    rest = np.zeros(2)
    at_zero = robot.forward_dynamics(rest, rest, rest, method=ABA)
    names = [f"acceleration {k} at q2 = 0 [rad/s^2]" for k in (1, 2)]
    found = [Agreement(name, a, float(x), 1e-9) for name, a, x in zip(names, AT_ZERO, at_zero, strict=True)]
    for word, wanted, here in zip(("least", "largest"), CONDITION, (s.condition.min(), s.condition.max()), strict=True):
        found.append(Agreement(f"{word} condition number of M", wanted, float(here), 1.0))
    found.append(Agreement(f"{CRBA}, largest difference of joint 2", TABLE_5[CRBA][0], of_joint_2(s, CRBA)[0], 0.7))
    for m in (m for m in s.single if m != CRBA and printed(m) in TABLE_5):
        found.append(Agreement(f"{m}, largest difference of joint 2", TABLE_5[printed(m)][0], of_joint_2(s, m)[0]))
    return found
