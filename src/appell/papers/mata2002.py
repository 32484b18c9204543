"""The cases of mata2002: Gibbs-Appell for serial robots."""

from .two_plates import stability

__all__ = ["stability"]
