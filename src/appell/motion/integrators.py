"""The integrators by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ShapeError, unknown
from .fixed import RungeKutta4, Symplectic
from .integrate import Counts, Dop853, Stepper, Tolerances
from .machine import Machine, serves
from .rate import Rate

FIXED = {"rk4": RungeKutta4, "symplectic": Symplectic}
NAMES = ("dop853", *FIXED)


def maker(name: str, step: Any, tolerances: Tolerances) -> Callable[[Any, Counts], Stepper]:
    """What makes an integrator for a right-hand side."""
    if name not in NAMES:
        raise unknown("integrator", name, NAMES)
    if name == "dop853":
        if step is not None:
            raise ShapeError(f"simulate: step is {step!r}, wanted none: dop853 finds its own; max_step bounds it")
        return lambda rate, counts: (Machine if quick(rate) else Dop853)(rate, tolerances, counts)
    if isinstance(step, bool) or not isinstance(step, (int, float)) or not 0 < step < float("inf"):
        raise ShapeError(f"simulate: step is {step!r}, wanted a positive time for the fixed steps of {name}")
    return lambda rate, counts: FIXED[name](rate, float(step), counts)


def quick(rate: Any) -> bool:
    """Whether all stages can be computed in machine code."""
    return type(rate) is Rate and serves(rate)
