"""Plain data that is the same to round-off."""

from __future__ import annotations

from typing import Any


def close(a: Any, b: Any, tolerance: float = 2e-15) -> bool:
    """Whether plain data is the same, numbers to round-off."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(close(a[k], b[k], tolerance) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(close(x, y, tolerance) for x, y in zip(a, b, strict=True))
    if isinstance(a, float):
        return a == b or abs(a - b) <= tolerance * max(1.0, abs(a))
    return bool(a == b)
