"""A run in pictures: positions, velocities, energy, with impacts marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import AppellError, unknown

if TYPE_CHECKING:
    from .run import Run

PANELS = ("positions", "velocities", "forces", "energy")
UNITS = {"positions": "q [rad, m]", "velocities": "v [rad/s, m/s]", "forces": "tau [N m, N]", "energy": "energy [J]"}
SMOOTH = 600  # points of a curve


def figure(run: Run, panels: tuple[str, ...] = ("positions", "velocities", "energy")) -> Any:
    """A matplotlib Figure with one panel below the other; `.savefig(path)` writes it."""
    for name in panels:
        if name not in PANELS:
            raise unknown("panel", name, PANELS)
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise AppellError("no figure without matplotlib: python -m pip install 'appell[plot]'") from None
    drawn = Figure(figsize=(8, 2.4 * len(panels) + 0.6), layout="constrained")
    axes = drawn.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, name in zip(axes, panels, strict=True):
        _panel(axis, run, name)
    axes[-1].set_xlabel("time [s]")
    drawn.suptitle(f"{run.robot.name}: {run.ledger.outcome}", fontsize=10, x=0.01, ha="left")
    return drawn


def _panel(axis: Any, run: Run, name: str) -> None:
    if name == "energy":
        for what in ("energy", "kinetic", "potential"):
            axis.plot(run.t, getattr(run.ledger, what), label="total" if what == "energy" else what, linewidth=1.2)
        axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=8)
    elif name == "forces":
        axis.plot(run.t, run.tau, linewidth=1.2)
    else:
        t, q, v = curves(run)
        axis.plot(t, q if name == "positions" else v, linewidth=1.2)
    for t in sorted({impact.t for impact in run.impacts}):
        axis.axvline(t, color="0.6", linewidth=0.7, linestyle=":")
    axis.set_ylabel(UNITS[name])
    axis.grid(color="0.9", linewidth=0.7)
    axis.spines[["top", "right"]].set_visible(False)


def curves(run: Run) -> tuple[Any, Any, Any]:
    """Dense curves, broken where the state jumps."""
    if not len(run.steps):
        return run.t, run.q, run.v
    jumps = np.array(sorted({impact.t for impact in run.impacts}))
    t = np.union1d(np.linspace(run.steps.t[0], run.steps.end, SMOOTH), jumps)
    q, v = run(t)
    before = run(jumps, side="left") if len(jumps) else (q[:0], v[:0])
    t = np.concatenate([jumps, t])
    order = np.argsort(t, kind="stable")  # what comes before a jump stands before it
    return t[order], np.concatenate([before[0], q])[order], np.concatenate([before[1], v])[order]
