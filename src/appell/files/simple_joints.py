"""Joints of several freedoms, and helical ones, as the simple joints that move as they do."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ..model.joints import basis
from ..model.mechanism import Joint
from ..model.reading import Vector
from .graph import free

KINDS = {
    "cylindrical": ("revolute", "prismatic"),
    "universal": ("revolute", "revolute"),
    "helical": ("revolute", "prismatic"),
}
PLANAR = {"planar": ("prismatic", "prismatic", "revolute")}  # for formats that have no such joint


@dataclass(frozen=True)
class Step:
    """A simple joint; or one that follows another, as the slide of a helical joint does."""

    joint: Joint
    follows: str = ""
    ratio: float = 1.0


def steps(joint: Joint, taken: Collection[str], kinds: Mapping[str, tuple[str, ...]] = KINDS) -> list[Step]:
    """The joint, or those that move as it does, the one next to the parent first; of names that are not taken."""
    if joint.type not in kinds:
        return [Step(joint)]
    names = [free(f"{joint.name}/{k}", taken) for k in range(len(kinds[joint.type]))]
    if joint.type == "helical":
        turn = Joint(**{**vars(joint), "name": names[0], "type": "revolute", "pitch": None})
        return [Step(turn), Step(Joint(names[1], "prismatic", joint.axis), names[0], joint.pitch or 0.0)]
    parts = enumerate(zip(names, kinds[joint.type], _axes(joint), strict=True))
    return [Step(Joint(name, kind, axis, **_part(joint, k))) for k, (name, kind, axis) in parts]


def _axes(joint: Joint) -> tuple[Vector | None, ...]:
    """Where the simple joints point."""
    if joint.type == "planar" and joint.axis is not None:
        return tuple(zip(*basis(joint.axis), strict=True))  # type: ignore[return-value]
    return joint.axis, joint.axis2 if joint.type == "universal" else joint.axis


def _part(joint: Joint, k: int) -> dict[str, Any]:
    """What belongs to one freedom of a joint."""
    own = ("name", "type", "axis", "axis2", "pitch")
    data = {key: value for key, value in vars(joint).items() if key not in own}
    return {key: value[k] if isinstance(value, tuple) else value for key, value in data.items()}
