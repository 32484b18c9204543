"""Linear models of closed mechanisms, in coordinates that are independent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..closures import holonomic
from ..errors import ModelError
from .reached import reader

if TYPE_CHECKING:
    from .reduced import Reduced

Array = np.ndarray[Any, Any]


def linearise(given: Reduced, q: Any, u: Any, tau: Any) -> tuple[Array, Array]:
    """See `Reduced.linearise`.

    The coordinates' rates are derivatives of their values, so d/dt dx = du; and a change dx of a state on the loops is
    a motion K dx.
    """
    reader(given)  # refuses coordinates without values
    if not holonomic(given.robot.mechanism).all():
        raise ModelError(f"{given.robot.name!r} has constraints on velocities alone, wanted loops and couplings only")
    by_x, by_u, by_tau = given.forward_dynamics_derivatives(q, u, tau)
    n, lead = given.n, by_x.shape[:-2]
    A, B = np.zeros((*lead, 2 * n, 2 * n)), np.zeros((*lead, 2 * n, n))
    A[..., :n, n:] = np.eye(n)
    A[..., n:, :n], A[..., n:, n:], B[..., n:, :] = by_x, by_u, by_tau
    return A, B
