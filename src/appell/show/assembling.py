"""Closed configurations for the command line: what is asked in words, and the answer as a page or as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ShapeError
from ..model.reading import shown
from .describe import Row, table

if TYPE_CHECKING:
    from ..closing.assembly import Assembly
    from ..robot import Robot


def assembled(robot: Robot, fixed: Sequence[str], branch: str) -> tuple[Assembly, ...]:
    """A robot with its loops closed, once or on every branch; `fixed` holds words like "motor=1.0" or "motor"."""
    start = robot.configuration()
    held = {joint: _numbers(joint, values) for joint, _, values in (word.partition("=") for word in fixed)}
    held = {joint: x if x else _stands(robot, start, joint) for joint, x in held.items()}
    found = robot.assemble(fixed=held or None, branch=int(branch) if branch.isdecimal() else branch or None)
    return found if isinstance(found, tuple) else (found,)


def _numbers(joint: str, words: str) -> list[float]:
    try:
        return [float(x) for x in words.split(",") if words]
    except ValueError:
        raise ShapeError(f"{joint} is fixed at {shown(words)}, wanted numbers, as in {joint}=0.5") from None


def _stands(robot: Robot, q: np.ndarray[Any, Any], joint: str) -> list[float]:
    """Where a joint stands in the model's first configuration."""
    from ..closing.assemble import positions_of

    return [float(q[k]) for k in positions_of(robot, joint)]


def page(found: Assembly) -> str:
    """The report, and the coordinates of every joint."""
    rows: list[Row] = [(name, ", ".join(f"{x:.12g}" for x in values)) for name, values in coordinates(found).items()]
    return f"{found}\n\n{table(('joint', 'coordinates'), rows)}"


def coordinates(found: Assembly) -> dict[str, list[float]]:
    """q by the names of joints."""
    m = found.robot.mechanism
    spans = pairwise(m.q_starts)
    return {b.joint.name: found.q[i:j].tolist() for b, (i, j) in zip(m.bodies, spans, strict=True) if j > i}


def plain(found: Assembly) -> dict[str, Any]:
    """All of it as plain data."""
    m, s = found.mobility, found.singularity
    return {
        "q": found.q.tolist(), "joints": coordinates(found), "residual": found.residual,
        "mobility": {"gruebler": m.gruebler, "here": m.here, "generic": m.generic},
        "redundant": list(found.redundant), "independent": list(found.independent),
        "singularity": {"kind": s.kind, "measure": s.measure, "direction": s.direction},
    }  # fmt: skip
