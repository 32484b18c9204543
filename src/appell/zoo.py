"""Robots that come with Appell: models by name, chains and trees of any size."""

from __future__ import annotations

from typing import Literal

from .model import zoo
from .robot import Robot

__all__ = ["chain", "load", "names", "tree"]


def names() -> list[str]:
    """The models that ship with Appell."""
    return zoo.names()


def load(name: str) -> Robot:
    """A model of the zoo."""
    return Robot(zoo.load(name))


def chain(n: int) -> Robot:
    """A serial chain of n revolute joints, the same for the same n; n up to 100 000 and beyond."""
    return Robot(zoo.chain(n))


def tree(n: int, seed: int, floating: bool = False, joints: Literal["revolute", "mixed"] = "revolute") -> Robot:
    """A random tree of n joints, the same for the same seed."""
    return Robot(zoo.tree(n, seed, floating, joints))
