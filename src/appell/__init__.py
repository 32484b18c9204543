"""Appell: the dynamics of rigid mechanisms. One text per formulation, read in many ways."""

from __future__ import annotations

from typing import Any

from . import zoo
from .errors import AppellError
from .robot import Robot

__version__ = "0.1.0"
__all__ = ["AppellError", "Robot", "__version__", "cite", "from_dh", "load", "zoo"]


def load(name_or_path: Any, *, snap: float | None = None) -> Robot:
    """A robot of the zoo by name, or a robot file by path.

    `snap=1e-4`, say, cleans constants that are nearly 0 or +-1, as a URDF's 1.5708 leaves them; never done unasked.
    """
    from .model.zoo import load as read

    mechanism = read(name_or_path)
    if snap is not None:
        from .model.variants import snapped

        mechanism = snapped(mechanism, snap)
    return Robot(mechanism)


def cite(*what: Any, robot: Robot | None = None) -> Any:
    """The papers behind methods, questions or keys, as BibTeX: `cite("gibbs_appell")`, `cite("bias", robot=arm)`."""
    from .citations import cite as found

    return found(*what, robot=robot)


def from_dh(rows: Any, **options: Any) -> Robot:
    """A robot from a table of Denavit-Hartenberg parameters."""
    from .model.dh import from_dh as read

    return Robot(read(rows, **options))


def __getattr__(name: str) -> Any:
    """`appell.papers` is imported when it is asked for: most programs never need it."""
    if name != "papers":
        raise AttributeError(f"module 'appell' has no attribute {name!r}")
    from importlib import import_module

    return import_module("appell.papers")
