"""An exciting motion, as CSV to be driven and as JSON to be kept: the command `appell excite`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..closing.coordinates import freedom_names, freedoms_of, slides
from ..control.fourier import Fourier
from ..errors import AppellError
from ..identify.excite import Excitation, excite
from ..identify.limits import Limits
from ..robot import Robot
from . import report
from .describe import table

USED = ("position", "speed", "acceleration", "force")


def exciting(robot: Robot, limits: str, out: Path, rate: float, groups: Sequence[str], **options: Any) -> None:
    """Finds an exciting trajectory, prints what it tells, and leaves it as CSV and, exactly, as JSON."""
    kept = Limits.read(robot, limits) if limits else Limits.of(robot)
    found = excite(robot, kept, *groups, progress=lambda text: print(text, file=sys.stderr), **options)
    asked = found.base.regressor
    joints = freedom_names(robot.mechanism)
    rows = [(name, *(f"{100 * x:.0f} %" if x else "-" for x in found.use[name])) for name in USED[:-1]]
    shares = {name: f"{100 * x:.0f} %" if x else "-" for name, x in zip(asked.labels, found.use["force"], strict=True)}
    rows.append(("force", *(shares.get(name, "-") for name in joints)))
    print("\n".join([*found.notes, "", table(("of the limit", *joints), rows)]))
    report.write(out, rows_of(robot, found.trajectory, rate, asked.coordinates))
    report.write(out.with_suffix(".json"), json.dumps(plain(found), indent=1) + "\n")
    print(f"\nwritten: {out}, {out.with_suffix('.json')}")


def rows_of(robot: Robot, trajectory: Fourier, rate: float, coordinates: Sequence[str] = ()) -> str:
    """A period of a trajectory as CSV: rows of t, q, v, a; of a closed mechanism those of its coordinates, by name."""
    if not 0 < rate < 1e6:
        raise AppellError(f"rate is {rate!r}, wanted samples per second above 0")
    t = np.arange(round(trajectory.t_end * rate) + 1) / rate
    slide, m = slides(robot.mechanism), robot.mechanism
    names = [f".{name}" for name in coordinates] or [str(k + 1) for k in range(robot.nv)]
    units = ["m" if s else "rad" for s in (slide[freedoms_of(m, coordinates)] if coordinates else slide)]
    kinds = (("q", ""), ("v", "/s"), ("a", "/s^2"))
    head = [f"{kind}{name} [{unit}{tail}]" for kind, tail in kinds for name, unit in zip(names, units, strict=True)]
    lines = (",".join(f"{x:.9g}" for x in row) for row in np.column_stack([t, *trajectory(t)]).tolist())
    return "\n".join([",".join(["t [s]", *head]), *lines]) + "\n"


def plain(found: Excitation) -> dict[str, Any]:
    """A trajectory's coefficients, and what it tells."""
    series = found.trajectory
    numbers = {name: np.asarray(getattr(series, name)).tolist() for name in ("mean", "a", "b")}
    return {
        "format": "appell-excitation/1", "period": series.period, **numbers, "condition": found.condition,
        "coordinates": list(found.base.regressor.coordinates), "determinant": found.determinant,
        "base_parameters": list(found.base.names),
        "use": {name: x.tolist() for name, x in found.use.items()},
    }  # fmt: skip
