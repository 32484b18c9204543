"""A robot in the plane at chosen times: links as lines, what bounds them, and the points that strike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from .plots import grid, png_of

Array = np.ndarray[Any, Any]
IN_A_ROW = 4
LINK, WALL, STRUCK = "#0072B2", "0.35", "#D55E00"  # told apart by every eye (Okabe and Ito)

BEHIND = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.8}
LABEL: dict[str, Any] = {"fontsize": 7, "ha": "center", "va": "center", "bbox": BEHIND}


@dataclass(frozen=True)
class Stance:
    """One configuration: points (n, 2), which of them links connect, and which strike."""

    title: str
    points: Array
    links: Sequence[tuple[int, int]]
    struck: Sequence[int] = ()
    names: Sequence[str] = ()  # of the points, to be written beside them


@dataclass(frozen=True)
class Configurations:
    """Stances beside each other, within the same walls, each a closed or open line (k, 2)."""

    name: str
    title: str
    stances: Sequence[Stance]
    walls: Sequence[Array] = ()

    def png(self) -> bytes:
        """The picture."""
        count = len(self.stances)
        wide = min(IN_A_ROW, count)
        figure, axes = grid(ceil(count / wide), wide, 2.5)
        for axis, stance in zip(axes, self.stances, strict=False):
            self._draw(axis, stance)
        for axis in axes[count:]:
            axis.set_visible(False)
        figure.suptitle(self.title, x=0.02, ha="left", fontweight="bold", fontsize=11)
        return png_of(figure)

    def _draw(self, axis: Any, stance: Stance) -> None:
        for wall in self.walls:
            axis.plot(*wall.T, color=WALL, linewidth=1.0)
        for a, b in stance.links:
            axis.plot(*stance.points[[a, b]].T, color=LINK, linewidth=2.0, solid_capstyle="round")
        axis.plot(*stance.points.T, "o", color=LINK, markersize=3.2)
        struck = stance.points[list(stance.struck)]
        axis.plot(*struck.T, "o", color=STRUCK, markersize=8, markerfacecolor="none", markeredgewidth=1.6)
        middle = stance.points.mean(0)
        for name, place in zip(stance.names, stance.points, strict=False):
            away = 11 * (place - middle) / max(float(np.linalg.norm(place - middle)), 1e-9)
            axis.annotate(name, place, away, textcoords="offset points", **LABEL)
        axis.set_title(stance.title, fontsize=9)
        axis.set_aspect("equal")
        axis.tick_params(labelsize=7)
        axis.margins(0.06)
        axis.spines[["top", "right"]].set_visible(False)
