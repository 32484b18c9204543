"""Many motions that were simulated together."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import AppellError

if TYPE_CHECKING:
    from ...robot import Robot

Array = np.ndarray[Any, Any]
FORMAT = "appell-batch/1"
ROWS = ("t", "q", "v", "energy", "work", "lost", "status", "stopped", "struck", "steps")
OUTCOMES = (
    "running",
    "reached the end",
    "stopped: no step is exact enough, or forces are not finite",
    "stopped: events without end",
    "stopped: walls contradict each other",
    "stopped: it starts inside a wall",
    "interrupted",
)


@dataclass(frozen=True, eq=False)
class BatchRun:
    """B lanes at T times: q (B, T, nq), v (B, T, nv); NaN where a lane did not come.

    `energy` (B, T) is kinetic and potential, `lost` what impacts took, `work` (B, T, 3) that of actuators, of walls
    that move, and what friction took. `impacts` has one row per contact that closed, by name: lane, t, contact (its
    place in `contacts`), attack_angle, velocity_before, velocity_after, impulse.
    """

    robot: Robot
    t: Array
    q: Array
    v: Array
    energy: Array
    work: Array
    lost: Array
    impacts: dict[str, Array]
    contacts: tuple[tuple[str, str], ...]
    status: Array
    stopped: Array  # when each lane ended
    struck: Array  # how many impacts each had; contacts that close together are one
    steps: Array
    facts: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.q)

    @property
    def outcomes(self) -> list[str]:
        """How each lane ended."""
        return [f"{OUTCOMES[s]}, t = {t:.15g}." for s, t in zip(self.status, self.stopped, strict=True)]

    @property
    def complete(self) -> Array:
        """Which lanes reached the end."""
        return self.status == OUTCOMES.index("reached the end")

    @cached_property
    def drift(self) -> Array:
        """The largest energy of each lane that came from nowhere, by its largest energy since the start; (B,)."""
        gained = self.energy - self.energy[:, :1]
        balance = gained - self.work[..., 0] - self.work[..., 1] + self.work[..., 2] + self.lost
        scale = np.maximum(np.nanmax(np.abs(self.energy), 1, initial=0.0), np.finfo(float).tiny)
        return np.nanmax(np.abs(balance), 1, initial=0.0) / scale

    def lane(self, k: int) -> list[dict[str, Any]]:
        """The impacts of one lane, in time, with the names of points and walls."""
        rows = np.flatnonzero(self.impacts["lane"] == k)
        rows = rows[np.argsort(self.impacts["t"][rows], kind="stable")]
        names = [self.contacts[c] for c in self.impacts["contact"][rows]]
        numbers = [{n: float(self.impacts[n][r]) for n in self.impacts if n not in ("lane", "contact")} for r in rows]
        return [{"point": a, "wall": b, **x} for (a, b), x in zip(names, numbers, strict=True)]

    # -- elsewhere ----------------------------------------------------------------------------------------------

    def save(self, path: Any) -> None:
        """Writes a .npz file that `BatchRun.load` reads; or .nc or .zarr, by xarray."""
        from ..files import save

        save(path, self._arrays, self.to_xarray)

    @staticmethod
    def load(path: Any) -> BatchRun:
        """A batch from its .npz file."""
        from ..files import load

        return load(path, _parts)

    def to_xarray(self) -> Any:
        """The rows as an `xarray.Dataset`."""
        from ..files import xarray

        axes = {"q": ("lane", "t", "q_place"), "v": ("lane", "t", "v_place"), "work": ("lane", "t", "of")}
        axes |= dict.fromkeys(("energy", "lost"), ("lane", "t"))
        rows = {name: (axes.get(name, ("lane",)), getattr(self, name)) for name in ROWS[1:]}
        impacts = {f"impact_{name}": ("impact", x) for name, x in self.impacts.items()}
        return xarray().Dataset({**rows, **impacts}, coords={"t": self.t}, attrs=self._text())

    def _text(self) -> dict[str, str]:
        about = {"robot": self.robot.to_dict(), "contacts": self.contacts, "facts": self.facts}
        return {"format": FORMAT, **{name: json.dumps(x) for name, x in about.items()}}

    def _arrays(self) -> dict[str, Array]:
        rows = {f"row_{name}": getattr(self, name) for name in ROWS}
        impacts = {f"impact_{name}": x for name, x in self.impacts.items()}
        return {"text": np.array(json.dumps(self._text())), **rows, **impacts}

    def __repr__(self) -> str:
        done, many = int(self.complete.sum()), int(self.struck.sum())
        return f"<BatchRun of {self.robot.name!r}, {len(self)} lanes, {done} complete, {many} impacts>"


def _parts(where: str, found: dict[str, Array]) -> BatchRun:
    from ...robot import Robot

    text = json.loads(str(found["text"][()]))
    if not isinstance(text, dict) or text.get("format") != FORMAT:
        raise AppellError(f"{where} is not of the format {FORMAT}")
    robot, contacts, facts = (json.loads(text[name]) for name in ("robot", "contacts", "facts"))
    rows = {name: found[f"row_{name}"] for name in ROWS}
    impacts = {name.removeprefix("impact_"): x for name, x in found.items() if name.startswith("impact_")}
    B, T, robot = len(rows["q"]), len(rows["t"]), Robot.from_dict(robot)
    shapes = {"t": (T,), "q": (B, T, robot.nq), "v": (B, T, robot.nv), "work": (B, T, 3)}
    shapes |= dict.fromkeys(("energy", "lost"), (B, T))
    if any(x.shape != shapes.get(name, (B,)) or x.dtype.kind not in "fi" for name, x in rows.items()):
        raise AppellError(f"{where}: its arrays do not fit together, or not to robot {robot.name!r}")
    pairs = tuple((str(a), str(b)) for a, b in contacts)
    return BatchRun(robot, **rows, impacts=impacts, contacts=pairs, facts=facts)
