"""A motion that was simulated: states at times and between them, events, impacts, and its ledger."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ShapeError
from ..model.manifold import quaternions
from .ledger import Ledger
from .steps import Steps

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Run:
    """Rows of t, q, v, tau; `run(t)` is the motion at any time between."""

    robot: Robot
    t: Array
    q: Array
    v: Array
    tau: Array
    ledger: Ledger
    steps: Steps
    events: list[Any] = field(default_factory=list)
    impacts: list[Any] = field(default_factory=list)

    def __call__(self, t: Any, side: str = "right") -> tuple[Array, Array]:
        """(q, v) at a time or at many; where the state jumps, what comes after it or, side="left", before it."""
        times = np.asarray(t, float)
        if not times.size or not len(self.steps):
            return self._without_steps(times)
        if side not in ("left", "right"):
            raise ShapeError(f"run: side is {side!r}, wanted 'left' or 'right'")
        first, last = float(self.steps.t[0]), self.steps.end
        if not ((times >= first) & (times <= last)).all():
            raise ShapeError(f"run: t is {t}, wanted times from {first:.15g} to {last:.15g}")
        y = self.steps.at(times.reshape(-1), side)
        q, v = y[:, : self.robot.nq], y[:, self.robot.nq : self.robot.nq + self.robot.nv]
        for k in self._quaternions:
            q[:, k : k + 4] /= np.linalg.norm(q[:, k : k + 4], axis=-1, keepdims=True)
        return q.reshape(*times.shape, -1), v.reshape(*times.shape, -1)

    def _without_steps(self, times: Array) -> tuple[Array, Array]:
        if times.size and not (times == self.t[0]).all():
            raise ShapeError(f"run: t is {times}, wanted {self.t[0]:.15g}, as nothing moved on")
        shape = (*times.shape, 1)
        return np.tile(self.q[0], shape), np.tile(self.v[0], shape)

    @cached_property
    def _quaternions(self) -> list[int]:
        return quaternions(self.robot.mechanism)

    @cached_property
    def points(self) -> dict[str, Array]:
        """Where points are at the times of the rows, (rows, 3) by name: those that may touch, or joints and ends."""
        from .contact import default_points

        names = self.ledger.facts.get("points") or default_points(self.robot)
        return {name: self.robot.pose(self.q, name)[..., :3, 3] for name in names}

    # -- elsewhere --------------------------------------------------------------------------------------------

    def save(self, path: Any) -> None:
        """Writes the run to a .npz file that `Run.load` reads; or its rows to .nc or .zarr, by xarray."""
        from .files import save
        from .store import arrays

        save(path, lambda: arrays(self), self.to_xarray)

    @staticmethod
    def load(path: Any) -> Run:
        """A run from its .npz file."""
        from .files import load
        from .store import parts

        return Run(**load(path, parts))

    def to_xarray(self) -> Any:
        """The rows as an `xarray.Dataset`."""
        from .store import dataset

        return dataset(self)

    def plot(self, *panels: str) -> Any:
        """A matplotlib Figure of some of "positions", "velocities", "forces", "energy"; all but forces by default."""
        from .figures import figure

        return figure(self, panels) if panels else figure(self)

    def configurations(self, times: Any = None, walls: Any = (), plane: str | None = None) -> Any:
        """A matplotlib Figure of the robot at chosen times, by default the start, the strongest impacts and the end.

        It is seen in the `plane` "xy", "xz" or "yz"; `walls` are drawn where the robot is.
        """
        from .stances import stances

        return stances(self, times, walls, plane)

    def table(self, rows: int = 20) -> str:
        """The impacts, or if there are none some of the rows, as text."""
        from .tables import table

        return table(self, rows)

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"<Run of {self.robot.name!r}, {len(self)} rows, {len(self.impacts)} impacts: {self.ledger.outcome}>"
