"""Markdown tables and blocks, and numbers for people."""

from __future__ import annotations

from collections.abc import Sequence

UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"))


def grid(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table."""
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def block(language: str, text: str) -> str:
    """Lines as they stand."""
    return f"```{language}\n{text}\n```"


def duration(ns: float) -> str:
    """A time with three figures and its unit."""
    size, unit = next(((s, u) for s, u in UNITS if ns >= s), UNITS[-1])
    return f"{three(ns / size)} {unit}"


def three(x: float) -> str:
    """Three figures, without an exponent."""
    return f"{x:.0f}" if abs(x) >= 100 else f"{x:.3g}"
