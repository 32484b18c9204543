"""Figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from itertools import chain, cycle
from typing import Any

import numpy as np

from ..errors import AppellError

COLOURS = ("#0072B2", "#D55E00", "#009E73")  # told apart by every eye (Okabe and Ito)
MARKS = {
    "o": "circles", "x": "crosses", "+": "plus signs", "s": "squares", "^": "triangles", "d": "diamonds",
    "v": "triangles upside down", "*": "stars", "p": "pentagons", "<": "triangles to the left",
}  # fmt: skip
DOTS = 45  # marks on a line, of all other formulations together
IN_A_ROW = 4  # words of the key


def torques(t: Any, answers: Mapping[str, Any], joints: Sequence[str], title: str) -> bytes:
    """A PNG: the joint torques over time, lines by the first formulation, marks by the others."""
    plt = _pyplot()
    groups = [joints[k : k + len(COLOURS)] for k in range(0, len(joints), len(COLOURS))]
    figure, axes = plt.subplots(len(groups), 1, figsize=(8, 2.7 * len(groups) + 0.5), sharex=True, squeeze=False)
    for k, (axis, group) in enumerate(zip(axes[:, 0], groups, strict=True)):
        _panel(axis, t, answers, slice(k * len(COLOURS), k * len(COLOURS) + len(group)), group)
    axes[0, 0].set_title(title, loc="left", fontweight="bold", fontsize=11, pad=10)
    axes[-1, 0].set_xlabel("time [s]")
    _key(figure, list(answers))
    figure.align_ylabels(axes[:, 0])
    figure.tight_layout(h_pad=1.5)
    return _png(plt, figure)


def figure_and_axes(panels: int, width: float, height: float) -> tuple[Any, Any]:
    """An empty figure of panels below each other, which share their axis."""
    figure, axes = _pyplot().subplots(panels, 1, figsize=(width, height * panels), sharex=True, squeeze=False)
    return figure, axes[:, 0]


def grid(rows: int, columns: int, size: float) -> tuple[Any, Any]:
    """An empty figure of square panels, row by row."""
    both = {"sharex": True, "sharey": True}
    figure, axes = _pyplot().subplots(
        rows, columns, figsize=(size * columns, size * rows + 0.6), squeeze=False, layout="constrained", **both
    )
    return figure, axes.reshape(-1)


def png_of(figure: Any) -> bytes:
    """The figure as a PNG; it is closed."""
    return _png(_pyplot(), figure)


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise AppellError("no figure without matplotlib: python -m pip install 'appell[plot]'") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def _panel(axis: Any, t: Any, answers: Mapping[str, Any], columns: slice, names: Sequence[str]) -> None:
    first, *others = answers.values()
    for name, colour, tau in zip(names, COLOURS, np.asarray(first).T[columns], strict=False):
        axis.plot(t, tau, color=colour, linewidth=1.6, label=name)
    for k, (other, mark) in enumerate(zip(others, cycle(MARKS), strict=False)):
        step = len(t) // max(2, DOTS // len(others))
        every = slice((k + 1) * step // (len(others) + 1), None, step)
        for colour, tau in zip(COLOURS, np.asarray(other).T[columns], strict=False):
            axis.plot(t[every], tau[every], mark, color=colour, markersize=5, markerfacecolor="white")
    _dress(axis, t)


def _dress(axis: Any, t: Any) -> None:
    axis.set_ylabel("torque [N m]")
    axis.set_xlim(t[0], t[-1])
    axis.margins(y=0.08)
    axis.grid(color="0.9", linewidth=0.7)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)


def _key(figure: Any, methods: Sequence[str]) -> None:
    """Which formulation is the line, and which the marks."""
    marks = chain(["lines"], cycle(MARKS.values()))
    parts = [f"{mark}: {name}" for mark, name in zip(marks, methods, strict=False)]
    rows = ("     ".join(parts[k : k + IN_A_ROW]) for k in range(0, len(parts), IN_A_ROW))
    figure.text(0.1, 0.0, "\n".join(rows), fontsize=9, color="0.35", va="top", linespacing=1.6)


def _png(plt: Any, figure: Any) -> bytes:
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=160, bbox_inches="tight", facecolor="white")
    plt.close(figure)
    return buffer.getvalue()
