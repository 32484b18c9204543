"""Figures 14 to 19 of shafei2018, and their curves as tables.

Source: shafei2018.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..motion.figures import curves
from ..show.charts import Chart, Drawing, Panel, merged
from ..show.configurations import Configurations, Stance
from .case import Table
from .tree_in_circle import LINKS, POINTS, RADIUS, Flight

Array = np.ndarray[Any, Any]
AXES = ("X1", "X2")
CHAINS = (range(5), range(5, 11))  # which points share a panel: O1 to O5, O6 to O11
STANCES = 8  # configurations of Fig 18


def figures(flight: Flight) -> Iterator[Drawing]:
    """Figures 14 to 19."""
    t, q, v = curves(flight.run)
    for number, axis, what, unit, values in (
        (14, 0, "Positions", "m", flight.positions(q)),
        (15, 0, "Velocities", "m/s", flight.velocities(q, v)),
        (16, 1, "Positions", "m", flight.positions(q)),
        (17, 1, "Velocities", "m/s", flight.velocities(q, v)),
    ):
        title = f"Figure {number}: {what} of the points along {AXES[axis]}"
        yield _over_time(
            flight, f"figure-{number}", title, t, tuple(_panels(f"{AXES[axis]} [{unit}]", values[..., axis]))
        )
    yield _stances(flight)
    yield _energies(flight)


def _panels(word: str, values: Array) -> Iterator[Panel]:
    for points in CHAINS:
        yield Panel(word, merged({POINTS[k]: values[:, k] for k in points}))


def _over_time(flight: Flight, name: str, title: str, t: Array, panels: tuple[Panel, ...]) -> Chart:
    instants = tuple(sorted({impact.t for impact in flight.impacts}))
    return Chart(name, title, "time [s]; dotted: impacts", t, panels, instants=instants)


def _energies(flight: Flight) -> Chart:
    ledger = flight.run.ledger
    curves = {"kinetic": ledger.kinetic, "potential": ledger.potential, "total": ledger.energy}
    panels = (Panel("energy [J]", curves), Panel("from nowhere [J]", {"balance": ledger.balance}))
    return _over_time(flight, "figure-19", "Figure 19: energy", ledger.t, panels)


def _stances(flight: Flight) -> Configurations:
    """The start, the impacts (the strongest, if there are many), and the end."""
    strongest = sorted(flight.impacts, key=lambda impact: -max(c.impulse for c in impact.contacts))[: STANCES - 2]
    at = [(0.0, ()), *((i.t, i.points) for i in sorted(strongest, key=lambda i: i.t)), (float(flight.run.t[-1]), ())]
    links = [(a - 1, b - 1) for a, b in LINKS]
    stances = [
        Stance(
            _heading(t, struck), flight.positions(flight.run(t)[0]), links, [POINTS.index(p) for p in struck], POINTS
        )
        for t, struck in at
    ]
    turn = np.linspace(0.0, 2 * np.pi, 200)
    circle = RADIUS * np.stack([np.cos(turn), np.sin(turn)], 1)
    return Configurations("figure-18", "Figure 18: configurations [m]; ringed points strike", stances, (circle,))


def _heading(t: float, struck: tuple[str, ...]) -> str:
    return f"{t:.4f} s" + (f": {', '.join(struck)}" if struck else "")


def histories(flight: Flight) -> Iterator[Table]:
    """Positions and velocities of all points over time, energies: where there is an impact, before and after it."""
    t, q, v = curves(flight.run)
    many = max(1, len(t) // 10)
    for name, unit, values in (("positions", "m", flight.positions(q)), ("velocities", "m/s", flight.velocities(q, v))):
        head = ("t [s]", *(f"{point} {axis} [{unit}]" for point in POINTS for axis in AXES))
        rows = [(float(x), *map(float, row.reshape(-1))) for x, row in zip(t, values, strict=True)]
        yield Table(name, head, rows, every=many)
    ledger = flight.run.ledger
    columns = (ledger.t, ledger.kinetic, ledger.potential, ledger.energy, ledger.impacts, ledger.balance)
    head = ("t [s]", "kinetic [J]", "potential [J]", "total [J]", "taken by impacts [J]", "from nowhere [J]")
    yield Table("energy", head, [tuple(map(float, row)) for row in zip(*columns, strict=True)], every=many)
