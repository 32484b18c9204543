"""What closed mechanisms are asked by their drives: the papers' own algorithms, which are no `method=`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import driven, legs, spherical_legs, spherical_parallel
from .closed_subsystems import Subsystems
from .denoc_parallel import Legs
from .table import CLOSED_ONES, Formulation

LED, WRIST = 'robot.driven_by(joints, "{}").{}(q, v, {})', "robot.spherical(q, coordinates, drives).{}(x, dx{})"


def _driven(name: str, robots: str, *made_of: Callable[..., Any]) -> tuple[Formulation, ...]:
    """What a way from driven joints to all others answers."""
    texts = {"inverse_dynamics": (driven.inverse_dynamics, "a"), "forward_dynamics": (driven.forward_dynamics, "tau")}
    rows = []
    for what, (text, last) in texts.items():
        asked = LED.format(name, what, last)
        rows.append(Formulation(name, what, text, "saha2010", False, robots=robots, asked=asked, made_of=made_of))
    return tuple(rows)


def _spherical(what: str, text: Callable[..., Any], last: str) -> Formulation:
    asked, made_of = WRIST.format(what, last), (spherical_legs.attitude, spherical_legs.hinges, spherical_legs.turned)
    robots = "spherical parallel robots"
    return Formulation(
        "spherical_parallel", what, text, "abedloo2014", False, robots=robots, asked=asked, made_of=made_of
    )


BY_DRIVES: tuple[Formulation, ...] = (
    *_driven("denoc_parallel", "parallel robots", legs.passed, Legs.rates, Legs.driving),
    *_driven("closed_subsystems", CLOSED_ONES, Subsystems.rates, Subsystems.solved),
    _spherical("matrices", spherical_parallel.dynamic_matrices, ""),
    _spherical("inverse_dynamics", spherical_parallel.inverse_dynamics, ", ddx"),
    _spherical("forward_dynamics", spherical_parallel.forward_dynamics, ", tau"),
)
