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
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")  # Okabe and Ito
LINES = ("-", "--", ":", "-.")
KEYS = 16  # names that there is room for beside a panel


def figure(run: Run, panels: tuple[str, ...] = ("positions", "velocities", "energy")) -> Any:
    """A matplotlib Figure with one panel below the other; `.savefig(path)` writes it."""
    for name in panels:
        if name not in PANELS:
            raise unknown("panel", name, PANELS)
    drawn = _canvas(8, 2.4 * len(panels) + 0.6)
    axes = drawn.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, name in zip(axes, panels, strict=True):
        _panel(axis, run, name)
    axes[-1].set_xlabel("time [s]")
    drawn.suptitle(f"{run.robot.name}: {run.ledger.outcome}", fontsize=10, x=0.01, ha="left")
    return drawn


def plain_figure(rows: int, columns: int, size: float) -> tuple[Any, Any]:
    """An empty figure of square panels that share their axes, row by row."""
    drawn = _canvas(size * columns, size * rows + 0.7)
    axes = drawn.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).reshape(-1)
    for axis in axes:
        axis.tick_params(labelsize=7)
        axis.spines[["top", "right"]].set_visible(False)
    return drawn, axes


def _canvas(width: float, height: float) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise AppellError("no figure without matplotlib: python -m pip install 'appell[plot]'") from None
    return Figure(figsize=(width, height), layout="constrained")


def _panel(axis: Any, run: Run, name: str) -> None:
    t, rows, names = _shown(run, name)
    for k, (label, row) in enumerate(zip(names, rows, strict=True)):
        colour, line = COLOURS[k % len(COLOURS)], LINES[k // len(COLOURS) % len(LINES)]
        axis.plot(t, row, color=colour, linestyle=line, linewidth=1.2, label=label)
    if len(names) <= KEYS:
        axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=7, labelspacing=0.25)
    for t in sorted({impact.t for impact in run.impacts}):
        axis.axvline(t, color="0.6", linewidth=0.7, linestyle=":")
    axis.set_ylabel(UNITS[name])
    axis.grid(color="0.9", linewidth=0.7)
    axis.spines[["top", "right"]].set_visible(False)


def _shown(run: Run, name: str) -> tuple[Any, Any, list[str]]:
    """Times, rows and names of a panel's curves."""
    if name == "energy":
        ledger = run.ledger
        return run.t, (ledger.energy, ledger.kinetic, ledger.potential), ["total", "kinetic", "potential"]
    mechanism = run.robot.mechanism
    if name == "forces":
        return run.t, run.tau.T, _names(mechanism, mechanism.v_starts)
    t, q, v = curves(run)
    if name == "positions":
        return t, q.T, _names(mechanism, mechanism.q_starts)
    return t, v.T, _names(mechanism, mechanism.v_starts)


def _names(mechanism: Any, starts: Any) -> list[str]:
    """Of all coordinates: their joints', with .0, .1 behind it where a joint has several."""
    found: list[str] = []
    for body, a, b in zip(mechanism.bodies, starts, starts[1:], strict=False):
        name = body.joint.name
        found += [name] if b - a == 1 else [f"{name}.{k}" for k in range(b - a)]
    return found


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
