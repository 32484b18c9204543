"""Appell: the dynamics of rigid mechanisms. One text per formulation, read in many ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import AppellError
from .robot import Robot

if TYPE_CHECKING:
    from .model import zoo as zoo

__version__ = "0.1.0"
__all__ = ["AppellError", "Robot", "__version__", "from_dh", "load", "zoo"]


def load(name_or_path: Any, **options: Any) -> Robot:
    """A robot of the zoo by name, or a robot file by path."""
    from .model.zoo import load as read

    return Robot(read(name_or_path, **options))


def from_dh(rows: Any, **options: Any) -> Robot:
    """A robot from a table of Denavit-Hartenberg parameters."""
    from .model.dh import from_dh as read

    return Robot(read(rows, **options))
