"""A chart as data: curves over one axis in one or more panels, drawn when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from .plots import figure_and_axes, png_of

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")  # Okabe and Ito
LINES = ("-", "--", ":", "-.")


class Drawing(Protocol):
    """Whatever can be drawn and has a name for a file."""

    @property
    def name(self) -> str:
        """Of the file, without its ending."""
        ...

    @property
    def title(self) -> str:
        """Above the picture."""
        ...

    def png(self) -> bytes:
        """The picture."""
        ...


@dataclass(frozen=True)
class Panel:
    """Curves over the common axis, or bars over its words; those whose name begins with _ are in no key."""

    y: str
    curves: Mapping[str, Any]
    log: bool = False
    bars: bool = False
    title: str = ""
    under: str = ""  # the curve that is drawn broad and pale, as others will lie on it


@dataclass(frozen=True)
class Chart:
    """One axis, panels below each other; `name` becomes the file's name."""

    name: str
    title: str
    x: str
    at: Any
    panels: tuple[Panel, ...]
    height: float = 3.0  # of a panel, in inches
    instants: Sequence[float] = ()  # of the axis, to be marked in all panels

    def png(self) -> bytes:
        """The picture."""
        figure, axes = figure_and_axes(len(self.panels), 8, self.height)
        for axis, panel in zip(axes, self.panels, strict=True):
            self._draw(axis, panel)
        above = 26 if self.panels[0].title else 10
        axes[0].set_title(self.title, loc="left", fontweight="bold", fontsize=11, pad=above)
        axes[-1].set_xlabel(self.x)
        figure.align_ylabels(axes)
        figure.tight_layout(h_pad=1.5)
        return png_of(figure)

    def _draw(self, axis: Any, panel: Panel) -> None:
        for k, (name, values) in enumerate(panel.curves.items()):
            colour, line = COLOURS[k % len(COLOURS)], LINES[k // len(COLOURS) % len(LINES)]
            if panel.bars:
                axis.bar_label(axis.bar(self.at, values, 0.6, color=colour, label=name), fmt="%.3g", padding=2)
            else:
                colour, width = ("0.75", 5.0) if name == panel.under else (colour, 1.6)
                axis.plot(self.at, np.asarray(values), color=colour, linestyle=line, linewidth=width, label=name)
        for x in self.instants:
            axis.axvline(x, color="0.6", linewidth=0.7, linestyle=":")
        axis.set_ylabel(panel.y)
        if panel.log:
            axis.set_yscale("log")
        axis.margins(y=0.16 if panel.bars else 0.08)
        axis.set_axisbelow(True)
        axis.grid(axis="y" if panel.bars else "both", color="0.9", linewidth=0.7)
        axis.spines[["top", "right"]].set_visible(False)
        axis.text(0, 1.05, panel.title, transform=axis.transAxes, fontsize=9.5, color="0.3")
        if not all(name.startswith("_") for name in panel.curves):
            axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)


def merged(curves: Mapping[str, Any], near: float = 1e-9) -> dict[str, Any]:
    """Curves that are equal, beside the largest value of all, as one with all their names."""
    scale = near * max((float(np.abs(values).max()) for values in curves.values()), default=0.0)
    groups: list[tuple[list[str], Any]] = []
    for name, values in curves.items():
        same = next((names for names, first in groups if np.abs(first - values).max() <= scale), None)
        if same is None:
            groups.append(([name], values))
        else:
            same.append(name)
    return {", ".join(names): values for names, values in groups}
