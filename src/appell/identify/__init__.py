"""A model from measurements: what forces tell of a robot, motions that show it, and how sure the numbers are."""

from .base import BaseParameters, base_parameters
from .consistent import Consistent, consistent
from .estimate import Estimate, estimate
from .excite import Excitation, excite
from .factors import Block, Factors, reduced
from .limits import Box, Limits
from .measurements import Measurements, measurements
from .payload import payload
from .regressor import Regressor
from .table import Table, read
from .validation import Validation, cross_validate, validate

__all__ = [
    "BaseParameters",
    "Block",
    "Box",
    "Consistent",
    "Estimate",
    "Excitation",
    "Factors",
    "Limits",
    "Measurements",
    "Regressor",
    "Table",
    "Validation",
    "base_parameters",
    "consistent",
    "cross_validate",
    "estimate",
    "excite",
    "measurements",
    "payload",
    "read",
    "reduced",
    "validate",
]
