"""How coordinates q move along independent coordinates: the directions in which a Program is differentiated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..closures import closures_of
from ..formulations.rates import of_joint
from ..formulations.reduction import Reduction
from ..formulations.still import ByPlace
from ..linalg import is_zero
from ..model.walk import Walk

if TYPE_CHECKING:
    from .reduced import Reduced


def along(given: Reduced) -> Any:
    """For each coordinate, the rates of q while it alone moves at unit rate, as a seed of `trace.derivative`."""
    tree = given.robot.light_tree

    def columns(inputs: Any) -> list[dict[int, Any]]:
        q, walk = inputs["q"], Walk(tree)
        basis = Reduction.of(walk, q, closures_of(given.robot.mechanism, tree), given.chosen).basis()
        return [_rates(walk, q, ByPlace(column)) for column in basis]

    return columns


def _rates(walk: Walk, q: Any, v: Any) -> dict[int, Any]:
    moving = ((b.q_index + k, x) for b in walk.outward() for k, x in enumerate(of_joint(b, q, v)))
    return {place: x for place, x in moving if not is_zero(x)}
