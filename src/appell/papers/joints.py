"""What the joints of a robot do over time, as panels of a chart and as a table."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..robot import Robot
from ..show.charts import Panel
from .case import Table

Array = np.ndarray[Any, Any]
Quantity = Literal["force", "position", "velocity"]
UNITS = {"revolute": ("N m", "rad", "rad/s"), "prismatic": ("N", "m", "m/s")}
WORDS = {"revolute": ("torque", "angle", "rate"), "prismatic": ("force", "displacement", "speed")}
AT_ONCE, APART = 3, 25.0  # curves in one panel, and how much smaller than the largest one may be to be seen there
NOTHING = 1e-12


def units(robot: Robot, what: Quantity) -> list[str]:
    """The unit of each joint's number."""
    k = ("force", "position", "velocity").index(what)
    return [UNITS[b.joint.type][k] for b in robot.bodies]


def panels(robot: Robot, what: Quantity, values: Array) -> tuple[Panel, ...]:
    """Curves of (steps, joints), few in a panel and of like size, so that each is seen; rounding errors as 0."""
    values = without_rounding(values)
    k = ("force", "position", "velocity").index(what)
    kinds = [b.joint.type for b in robot.bodies]
    out = []
    for joints in sorted(_together(kinds, np.abs(values).max(0).tolist())):
        kind = kinds[joints[0]]
        curves = {f"joint {i + 1}": values[:, i] for i in joints}
        out.append(Panel(f"{WORDS[kind][k]} [{UNITS[kind][k]}]", curves))
    return tuple(out)


def without_rounding(values: Array) -> Array:
    """Entries that are nothing beside the largest of their column are 0, and columns beside the largest of all."""
    size = np.abs(values).max(tuple(range(values.ndim - 1)))
    scale = np.where(size < NOTHING * size.max(), size.max(), size)
    return np.where(np.abs(values) < NOTHING * scale, 0.0, values)


def _together(kinds: list[str], size: list[float]) -> list[list[int]]:
    """The joints of each panel: of one type, in their order if all are seen so, else by size."""
    groups = _filled(kinds, size, list(range(len(size))))
    if all(max(size[i] for i in g) <= APART * size[j] for g in groups for j in g if size[j]):
        return groups
    return [
        sorted(g) for g in _filled(kinds, size, sorted(range(len(size)), key=lambda i: (kinds[i], -size[i])), APART)
    ]


def _filled(kinds: list[str], size: list[float], order: list[int], apart: float = np.inf) -> list[list[int]]:
    """Joints in some order, a new panel where the last is full, of another type or of larger ones."""
    groups: list[list[int]] = []
    for i in order:
        last = groups[-1] if groups else []
        seen = bool(last) and len(last) < AT_ONCE and size[last[0]] <= apart * size[i]
        if last and kinds[last[0]] == kinds[i] and (seen or size[i] == 0):
            last.append(i)
        else:
            groups.append([i])
    return groups


def over_time(robot: Robot, name: str, what: Quantity, t: Array, values: Array, shown: int = 11) -> Table:
    """A row for each instant, of which a reader sees about `shown`; rounding errors as 0."""
    values = without_rounding(values)
    head = ("t [s]", *(f"joint {i + 1} [{unit}]" for i, unit in enumerate(units(robot, what))))
    rows = [(float(x), *map(float, row)) for x, row in zip(t, values, strict=True)]
    return Table(name, head, rows, every=max(1, (len(rows) - 1) // (shown - 1)))
