"""The cases of the papers, worked out again: each module is one paper, each function one case."""

from .stability import stability

__all__ = ["stability"]
