"""The columns of a table that are a robot's: its coordinates and forces; of a closed one, those of its motors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..closing.coordinates import slides
from ..closing.moving import drives
from ..errors import DataError, ModelError, unknown
from ..model.joints import WIDTHS
from ..model.manifold import quaternions
from ..robot import Robot
from .table import SLIDING, TURNING, WANTED, Table

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Column:
    """One number of q, v, a or tau: what its column may be called, and what it is."""

    names: tuple[str, ...]
    kind: str


@dataclass(frozen=True)
class Signals:
    """What is read of a robot: columns of q, v, a and tau.

    Of a closed mechanism q, v and a are those of its `coordinates`; it has forces in its `motors`.
    """

    robot: Robot
    columns: dict[str, tuple[Column, ...]]
    coordinates: tuple[str, ...] = ()
    motors: tuple[str, ...] = ()

    def of(self, given: Table, notes: list[str]) -> dict[str, Array]:
        """t, q and tau, and v and a where they are there."""
        found = {"t": given.column(("t", "time"), "time")}
        for kind, columns in self.columns.items():
            there = [given.named(c.names) is not None for c in columns]
            if kind in ("v", "a") and not any(there):
                continue
            floats = _floating(self.robot) if kind == "tau" and not self.coordinates else range(0)
            if floats and not any(there[k] for k in floats):
                notes.append(f"no forces {columns[floats[0]].names[0]} to {columns[floats[-1]].names[0]} on the base: "
                             "taken as 0, as of one that nothing touches")  # fmt: skip
                zeros = [np.zeros(len(found["t"])) for _ in floats]
                rest = [given.column(c.names, c.kind) for k, c in enumerate(columns) if k not in floats]
                found[kind] = np.stack([*zeros, *rest], -1)
                continue
            found[kind] = np.stack([given.column(c.names, c.kind) for c in columns], -1)
        return found


def signals_of(robot: Robot, given: Table, actuators: Sequence[str] = ()) -> Signals:
    """What a table has of a robot."""
    every = {kind: columns_of(robot, kind) for kind in TURNING}
    if not robot.mechanism.closed:
        if actuators:
            raise ModelError(f"robot {robot.name!r} has no loops: got actuators, wanted none: all joints have forces")
        return Signals(robot, {kind: tuple(columns) for kind, columns in every.items()})
    places = _driving(robot)
    motors = tuple(actuators) or tuple(n for n, (_, column) in places.items() if given.named(column.names))
    for name in motors:
        if name not in places:
            raise unknown("joint of one freedom", name, places)
    if not motors:
        raise DataError(f"{given.source} has no column of any motor, as 'tau.{next(iter(places))}', wanted {WANTED}")
    own = [z for n in motors if (z := places[n][0]) is not None]
    told = drives(robot, sorted(own, key=lambda z: given.named(every["q"][_place(robot, z)].names) is None))
    if not actuators and len(motors) < len(told):
        text = f"the data hold forces of {', '.join(motors)}, and {robot.name!r} has {len(told)} freedoms"
        raise DataError(f"{text}: wanted those of all motors, or `actuators=` to say that no others push")
    by_freedom = {z: n for n, (z, _) in places.items() if z is not None}
    if not set(told) <= set(by_freedom):
        raise ModelError(f"coordinates of {robot.name!r} are in joints of several freedoms, wanted `Measurements`")
    columns = {"q": tuple(every["q"][_place(robot, z)] for z in told)}
    columns |= {kind: tuple(every[kind][z] for z in told) for kind in ("v", "a")}
    columns["tau"] = tuple(places[n][1] for n in motors)
    return Signals(robot, columns, tuple(by_freedom[z] for z in told), motors)


def columns_of(robot: Robot, kind: str) -> list[Column]:
    """Every number of q, v, a or tau, by its number, its joint or its body."""
    m = robot.mechanism
    starts, slide = m.q_starts if kind == "q" else m.v_starts, slides(m)
    turns = {k + j for k in quaternions(m) for j in range(4)} if kind == "q" else set()
    found: list[Column] = []
    for body, start, end, first in zip(robot.bodies, starts, starts[1:], m.v_starts, strict=False):
        for k in range(start, end):
            tail = "" if end - start == 1 else f".{k - start + 1}"
            what = "number" if k in turns else (SLIDING if slide[first + k - start] else TURNING)[kind]
            owners = (f"{kind}.{body.joint.name}{tail}", f"{kind}.{body.name}{tail}")
            found.append(Column((f"{kind}{k + 1}", f"{kind}_{k + 1}", *owners), what))
    return found


def _driving(robot: Robot) -> dict[str, tuple[int | None, Column]]:
    """For every joint that can have one motor, cut or not: its freedom in the tree, and the column of its force."""
    forces, starts = columns_of(robot, "tau"), robot.mechanism.v_starts
    found: dict[str, tuple[int | None, Column]] = {}
    for body, a, b in zip(robot.bodies, starts, starts[1:], strict=False):
        if b - a == 1:
            found[body.joint.name] = a, forces[a]
    for loop in robot.loops:
        if WIDTHS[loop.joint.type][1] == 1:
            kind = (SLIDING if loop.joint.type == "prismatic" else TURNING)["tau"]
            found[loop.name] = None, Column((f"tau.{loop.name}", f"tau.{loop.joint.name}"), kind)
    return found


def _place(robot: Robot, freedom: int) -> int:
    """Where in q the coordinate of a freedom stands."""
    m = robot.mechanism
    return m.q_starts[m.v_starts.index(freedom)]


def _floating(robot: Robot) -> range:
    """The freedoms of a base that floats."""
    free = robot.bodies and robot.bodies[0].joint.type == "free"
    return range(6) if free else range(0)
