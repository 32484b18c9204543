"""Markdown tables and numbers for people."""

from __future__ import annotations

from appell.show.markdown import duration, grid, three

__all__ = ["duration", "grid", "memory", "three"]


def memory(size: int) -> str:
    """Bytes as MB."""
    return f"{size / 1e6:.2f} MB"
