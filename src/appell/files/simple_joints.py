"""Joints of two freedoms, and helical ones, as the two simple joints that move as they do."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from ..model.mechanism import Joint
from .graph import free

KINDS = {
    "cylindrical": ("revolute", "prismatic"),
    "universal": ("revolute", "revolute"),
    "helical": ("revolute", "prismatic"),
}


@dataclass(frozen=True)
class Step:
    """A simple joint; or one that follows another, as the slide of a helical joint does."""

    joint: Joint
    follows: str = ""
    ratio: float = 1.0


def steps(joint: Joint, taken: Collection[str]) -> list[Step]:
    """The joint, or the two that move as it does, the one next to the parent first; of names that are not taken."""
    if joint.type not in KINDS:
        return [Step(joint)]
    axes = joint.axis, joint.axis2 if joint.type == "universal" else joint.axis
    names = [free(f"{joint.name}/{k}", taken) for k in (0, 1)]
    if joint.type == "helical":
        turn = Joint(**{**vars(joint), "name": names[0], "type": "revolute", "pitch": None})
        return [Step(turn), Step(Joint(names[1], "prismatic", joint.axis), names[0], joint.pitch or 0.0)]
    parts = zip(names, KINDS[joint.type], axes, (0, 1), strict=True)
    return [Step(Joint(name, kind, axis, **_part(joint, k))) for name, kind, axis, k in parts]


def _part(joint: Joint, k: int) -> dict[str, Any]:
    """What belongs to one freedom of a joint."""
    own = ("name", "type", "axis", "axis2", "pitch")
    data = {key: value for key, value in vars(joint).items() if key not in own}
    return {key: value[k] if isinstance(value, tuple) else value for key, value in data.items()}
