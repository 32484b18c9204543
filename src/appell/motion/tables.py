"""A run as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .run import Run

WIDE = 8  # coordinates that a line has room for


def table(run: Run, rows: int) -> str:
    """The impacts of a run, or if there are none some of its rows, and how it ended."""
    lines = _impacts(run) if run.impacts else _rows(run, rows)
    return "\n".join([*lines, str(run.ledger.outcome)])


def _impacts(run: Run) -> list[str]:
    lines = [f"{'t [s]':>16} {'point':>14} {'wall':>14} {'angle [deg]':>12} {'speed change':>14} {'impulse [N s]':>15}"]
    for impact in run.impacts:
        for k, c in enumerate(impact.contacts):
            t = f"{impact.t:16.12f}" if k == 0 else " " * 16
            numbers = f"{c.attack_angle:12.6f} {c.normal_velocity_change:14.8f} {c.impulse:15.8f}"
            lines.append(f"{t} {c.point:>14} {c.wall:>14} {numbers}")
    return lines


def _rows(run: Run, rows: int) -> list[str]:
    shown = run.q[:, :WIDE]
    names = [f"q{k + 1}" for k in range(shown.shape[1])]
    lines = [" ".join([f"{'t [s]':>12}", *(f"{name:>12}" for name in names), f"{'energy [J]':>14}"])]
    for k in np.unique(np.linspace(0, len(run) - 1, max(1, min(rows, len(run)))).astype(int)):
        numbers = " ".join(f"{x:12.6f}" for x in shown[k])
        lines.append(f"{run.t[k]:12.6f} {numbers} {run.ledger.energy[k]:14.8f}")
    return lines
