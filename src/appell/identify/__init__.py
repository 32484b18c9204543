"""A model from measurements: what forces tell of a robot, motions that show it, and how sure the numbers are."""

from .base import BaseParameters, base_parameters
from .estimate import Estimate, estimate
from .factors import Block, Factors, reduced
from .measurements import Measurements, measurements
from .regressor import Regressor
from .table import Table, read

__all__ = [
    "BaseParameters",
    "Block",
    "Estimate",
    "Factors",
    "Measurements",
    "Regressor",
    "Table",
    "base_parameters",
    "estimate",
    "measurements",
    "read",
    "reduced",
]
