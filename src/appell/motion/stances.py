"""A robot at chosen times, seen along one of the axes: links as lines, walls, and the points that strike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ShapeError
from ..vec import Vec3
from .figures import plain_figure
from .walls import Wall

if TYPE_CHECKING:
    from .run import Run

Array = np.ndarray[Any, Any]
SHOWN, IN_A_ROW, APART = 8, 4, 1 / 50  # panels; of the time shown, how far apart they are at least
LINK, WALL, STRUCK = "#0072B2", "0.35", "#D55E00"  # told apart by every eye (Okabe and Ito)
FINE, AROUND = 241, 0.2  # points of a wall's grid along each axis; margin, of what is shown


def stances(run: Run, times: Any = None, walls: Wall | Iterable[Wall] = (), plane: str | None = None) -> Any:
    """A matplotlib Figure with one panel for each time; `plane` is "xy", "xz" or "yz", the widest by default."""
    at = _chosen(run) if times is None else np.atleast_1d(np.asarray(times, float))
    walls = (walls,) if isinstance(walls, Wall) else tuple(walls)
    q = run(at)[0]
    places = _places(run, q)
    axes = _plane(places, plane)
    low, high = _box(places, axes)
    drawn, panels = plain_figure(ceil(len(at) / IN_A_ROW), min(IN_A_ROW, len(at)), 2.6)
    for k, panel in enumerate(panels):
        if k >= len(at):
            panel.set_visible(False)
            continue
        panel.tick_params(labelbottom=k + IN_A_ROW >= len(at))
        for wall in walls:
            _draw_wall(panel, run, wall, float(at[k]), q[k], axes, (low, high), _depth(places, k, axes))
        _draw(panel, run, places, k, axes, _struck(run, float(at[k])))
        panel.set(title=f"{at[k]:.4g} s", aspect="equal", xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    letters = ["xyz"[a] for a in axes]
    drawn.supxlabel(f"{letters[0]} [m]", fontsize=9)
    drawn.supylabel(f"{letters[1]} [m]", fontsize=9)
    drawn.suptitle(f"{run.robot.name}; ringed points strike", fontsize=10, x=0.01, ha="left")
    return drawn


def _chosen(run: Run) -> Array:
    """The start, the strongest impacts, the end; without impacts, times that are evenly spread."""
    first, last = float(run.t[0]), float(run.t[-1])
    if not run.impacts:
        return np.linspace(first, last, SHOWN) if last > first else np.array([first])
    chosen = [first, last]
    for impact in sorted(run.impacts, key=lambda i: -max(c.impulse for c in i.contacts)):
        if len(chosen) < SHOWN and min(abs(impact.t - t) for t in chosen) > APART * (last - first):
            chosen.append(impact.t)
    return np.array(sorted(chosen))


def _places(run: Run, q: Array) -> dict[str, Array]:
    """Where all bodies and frames stand, (times, 3) by name."""
    names = [b.name for b in run.robot.bodies] + [f.name for f in run.robot.frames]
    return {name: run.robot.pose(q, name)[..., :3, 3] for name in names}


def _plane(places: dict[str, Array], given: str | None) -> tuple[int, int]:
    if given is None:
        size = np.ptp(np.concatenate([*places.values()]), axis=0)
        a, b = sorted(np.argsort(-size, kind="stable")[:2].tolist())
        return a, b
    if given not in ("xy", "xz", "yz"):
        raise ShapeError(f"plane is {given!r}, wanted 'xy', 'xz' or 'yz'")
    return "xyz".index(given[0]), "xyz".index(given[1])


def _box(places: dict[str, Array], axes: tuple[int, int]) -> tuple[Array, Array]:
    """What is seen in every panel: all points at all times, and some room."""
    every = np.concatenate([*places.values()])[:, axes]
    low, high = every.min(0), every.max(0)
    room = AROUND * max(float((high - low).max()), 1e-3)
    return low - room, high + room


def _depth(places: dict[str, Array], k: int, axes: tuple[int, int]) -> float:
    """Where the robot is along the direction in which it is looked at."""
    third = 3 - sum(axes)
    return float(np.mean([x[k, third] for x in places.values()]))


def _lines(run: Run) -> Sequence[tuple[str, str]]:
    """From each body to what stands on it."""
    bodies = [(b.parent, b.name) for b in run.robot.bodies if b.parent != "base"]
    return [*bodies, *((f.body, f.name) for f in run.robot.frames if f.body != "base")]


def _struck(run: Run, t: float) -> set[str]:
    return {c.point for i in run.impacts if i.t == t for c in i.contacts}


def _draw(panel: Any, run: Run, places: dict[str, Array], k: int, axes: tuple[int, int], struck: set[str]) -> None:
    points = {name: x[k, axes] for name, x in places.items()}
    for a, b in _lines(run):
        panel.plot(*np.array([points[a], points[b]]).T, color=LINK, linewidth=2.0, solid_capstyle="round")
    every = np.array([*points.values()])
    panel.plot(*every.T, "o", color=LINK, markersize=3.0)
    rings = [points[name] for name in struck if name in points]
    if rings:
        panel.plot(*np.array(rings).T, "o", color=STRUCK, markersize=8, markerfacecolor="none", markeredgewidth=1.6)


def _draw_wall(
    panel: Any, run: Run, wall: Wall, t: float, q: Array, axes: tuple[int, int], box: tuple[Array, Array], depth: float
) -> None:  # fmt: skip
    """Where a wall's function is zero, in the plane in which the robot is."""
    grid = np.meshgrid(*(np.linspace(a, b, FINE) for a, b in zip(*box, strict=True)))
    world = np.full((3, FINE, FINE), depth)
    world[list(axes)] = grid
    carrier = np.eye(4) if wall.carrier == "base" else run.robot.pose(q, wall.carrier)
    own = np.einsum("ij,iab->jab", carrier[:3, :3], world - carrier[:3, 3, None, None])
    with np.errstate(all="ignore"):
        gap = np.broadcast_to(np.asarray(wall(Vec3(*own), t), float), (FINE, FINE))
    if gap.min() < 0 < gap.max():
        panel.contour(*grid, gap, levels=[0.0], colors=[WALL], linewidths=1.0)
