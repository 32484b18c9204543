"""A path tracked by a controller on a simulated robot, as a page, as JSON and as data: the command `appell track`."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..control.drive import Log, drive
from ..control.gains import of_model
from ..control.path_file import PathFile, read_path
from ..control.settings import control_of, controller_of, device_of
from ..control.trajectory import Held
from ..errors import AppellError
from ..robot import Robot
from . import report
from .charts import Chart, Panel
from .describe import table
from .report import Picture, Table, Text
from .surroundings import about

Array = np.ndarray[Any, Any]
HEAD = ("joint", "largest error", "left at the end", "largest force", "of the limit", "fastest", "of the limit")
SHOWN, LOOKED = 2000, 2001  # instants of a figure at most; of a path at which it is looked at
LONG = 20_000  # samples that are worth a sign of progress


def track(robot: Robot, path: str, controller: str, out: Path, tolerance: float) -> int:
    """Tracks, prints, and leaves a page, its numbers as JSON and the log as CSV; 1 if it missed more than it may."""
    file = read_path(robot, path)
    device, sensing, motors = device_of(robot, file)
    law = controller_of(robot, file, controller, np.broadcast_to(motors.limit, (robot.nv,)))
    told = _told(file)
    log = drive(device, law, sensing, motors, file.joints.t_end + file.hold, progress=told)
    if told:
        print(file=sys.stderr)
    found = Tracked(robot, file, controller, log)
    print("\n".join([*found.notes, "", table(HEAD, found.rows)]))
    report.write(out, found.page())
    report.write(out.with_suffix(".json"), json.dumps(found.plain(), indent=1) + "\n")
    report.write(out.with_suffix(".csv"), log.csv())
    print(f"\nwritten: {out}, {out.with_suffix('.json')}, {out.with_suffix('.csv')}")
    return int(log.hot is not None or (tolerance > 0 and not found.missed <= tolerance))


def _told(file: PathFile) -> Any:
    """Progress on stderr, where there is much to do."""
    end = file.joints.t_end + file.hold
    if end / control_of(file)["period"] < LONG:
        return None
    return lambda t: print(f"\r{t:.1f} of {end:.1f} s", end="", file=sys.stderr)


@dataclass(frozen=True, eq=False)
class Tracked:
    """A run, beside the path that it was to follow."""

    robot: Robot
    file: PathFile
    controller: str
    log: Log

    @property
    def names(self) -> list[str]:
        """Of the joints, in the order of tau: the loop drives robots whose joints have one freedom each."""
        return [b.joint.name for b in self.robot.bodies if b.joint.type != "fixed"]

    @cached_property
    def wanted(self) -> Array:
        """Where the joints were to be."""
        return Held(self.file.joints)(self.log.t).q

    @cached_property
    def error(self) -> Array:
        """Wanted less true."""
        return self.wanted - self.log.true

    @property
    def missed(self) -> float:
        """The largest error; of a law that goes to the path's end alone, what is left there."""
        judged = self.error[-1:] if self.controller == "point_to_point" else self.error
        return float(np.abs(judged).max())

    @cached_property
    def off(self) -> Array | None:
        """How far a frame was from its path, in metres."""
        if self.file.frame is None:
            return None
        places = [self.robot.pose(q, self.file.frame)[..., :3, 3] for q in (self.wanted, self.log.true)]
        return np.linalg.norm(places[0] - places[1], axis=-1)

    @cached_property
    def rows(self) -> list[tuple[str, ...]]:
        """A row for each joint."""
        force, speed = np.abs(self.log.tau).max(0), np.abs(np.gradient(self.log.true, self.log.t, axis=0)).max(0)
        columns = np.abs(self.error).max(0), np.abs(self.error[-1]), force, speed
        limits = (of_model(self.robot, key) for key in ("effort_limit", "velocity_limit"))
        return [(name, *(f"{x:.4g}" for x in (e, left, f)), _share(f, a), f"{s:.4g}", _share(s, b))
                for name, e, left, f, s, a, b in zip(self.names, *columns, *limits, strict=True)]  # fmt: skip

    @cached_property
    def notes(self) -> list[str]:
        """What a reader has to know first."""
        log, found = self.log, [f"{self.controller} along the path for {self.log.t[-1]:.4g} s"]
        found.append(f"largest error {np.abs(self.error).max():.3g}, at the end {np.abs(self.error[-1]).max():.3g}")
        if self.off is not None:
            found.append(f"frame {self.file.frame!r} at most {self.off.max():.3g} m from its path")
        if log.hot is not None:
            found.append(f"stopped at t = {log.hot:.4g} s: a motor was too warm")
        return found + self._beyond()

    def _beyond(self) -> list[str]:
        """Where the path alone asks for more than the joints have."""
        t = np.linspace(0.0, self.file.joints.t_end, LOOKED)
        q, v, a = self.file.joints(t)
        asked = {"force": (self.robot.inverse_dynamics(q, v, a), "effort_limit"), "speed": (v, "velocity_limit")}
        found = []
        for what, (x, key) in asked.items():
            limits = of_model(self.robot, key)
            over = np.abs(x) > limits * (1 + 1e-9)
            for k in np.flatnonzero(over.any(0)):
                first, most = t[np.argmax(over[:, k])], np.abs(x[:, k]).max()
                found.append(f"the path asks joint {self.names[k]!r} for a {what} of {most:.4g}, its limit is "
                             f"{limits[k]:.4g}, from t = {first:.4g} s on")  # fmt: skip
        return found

    def plain(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "format": "appell-tracking/1", "robot": self.robot.name, "controller": self.controller,
            "seconds": float(self.log.t[-1]), "samples": len(self.log.t), "hot": self.log.hot,
            "largest_error": np.abs(self.error).max(0).tolist(), "left": np.abs(self.error[-1]).tolist(),
            "largest_force": np.abs(self.log.tau).max(0).tolist(),
            "off_path_m": None if self.off is None else float(self.off.max()), "notes": self.notes,
            "made_with": about(),
        }  # fmt: skip

    def page(self) -> str:
        """The report, in one file."""
        lead = f"{self.robot.name} by {self.controller}: {len(self.log.t)} samples on a simulated robot."
        first = [Text(f"{note[0].upper()}{note[1:]}.") for note in self.notes]
        parts: list[report.Section] = [
            ("What came of it", [*first, Table(HEAD, self.rows)]), ("Over time", self._figures()),
            ("Made with", [Text(f"{name}: {value}", "note") for name, value in about().items()]),
        ]  # fmt: skip
        return report.page(f"Tracking of a path by {self.robot.name}", [Text(lead, "lead")], parts)

    def _figures(self) -> list[report.Part]:
        some = slice(None, None, max(1, len(self.log.t) // SHOWN))
        t, both = self.log.t[some], {"wanted": self.wanted[some].T, "robot": self.log.true[some].T}
        drawn = {"Positions": both, "Errors": {"_": self.error[some].T}, "Forces": {"_": self.log.tau[some].T}}
        charts = [
            Chart(title.lower(), title, "time [s]", t, tuple(
                Panel(name, {who: x[k] for who, x in curves.items()}) for k, name in enumerate(self.names)))
            for title, curves in drawn.items()
        ]  # fmt: skip
        try:
            return [Picture(c.png(), c.title) for c in charts]
        except AppellError as reason:  # no matplotlib: the page does without
            return [Text(f"{reason}.", "note")]


def _share(x: float, limit: float) -> str:
    return f"{100 * x / limit:.0f} %" if np.isfinite(limit) else ""
