"""What is said of a mechanism that cannot be closed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import AssemblyError
from .coordinates import freedom_names
from .newton import Closed
from .scaled import Scaled

Array = np.ndarray[Any, Any]


def cannot(scaled: Scaled, found: Closed, free: Array) -> AssemblyError:
    """The error that says by how much, and at which equations, it does not close."""
    left = np.abs(found.left * scaled.units[scaled.binds])
    names = [n for n, binds in zip(scaled.names, scaled.binds, strict=True) if binds]
    worst = np.argsort(-np.abs(found.left), kind="stable")[:3]
    told = [f"{names[k]} by {left[k]:.3g}" for k in worst if abs(found.left[k]) > 1e-3 * found.gap]
    if found.wrong.max(initial=0.0) > np.abs(found.left).max(initial=0.0):
        told.append("axes that meet upside down")
    kept = [n for n, moves in zip(freedom_names(scaled.robot.mechanism), free, strict=True) if not moves]
    with_held = f" with {', '.join(kept)} held" if kept else ""
    text = f"{scaled.robot.name!r} cannot be closed{with_held}: what lacks least still lacks {'; '.join(told)}"
    error = AssemblyError(text)
    error.q, error.residual = found.q, float(left.max(initial=0.0))
    return error
