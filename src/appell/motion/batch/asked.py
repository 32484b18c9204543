"""What is asked of a batch, checked and in plain arrays: how many lanes, their states, forces, parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ModelError, ShapeError, unknown
from ...kernel.arrays import numbers
from ...model.manifold import quaternions
from ..contact import Contacts
from ..dry import dry
from ..integrate import Tolerances
from ..start import FAR
from ..surfaces import of_pairs
from .fleet import Own
from .steps import TABLEAUS, Tableau

if TYPE_CHECKING:
    from ...robot import Robot

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Scheme:
    """How lanes go on: by which method, and by steps of one length or as long as the tolerances allow."""

    name: str
    tableau: Tableau
    step: float | None
    rtol: float
    atol: float

    @property
    def facts(self) -> dict[str, Any]:
        """The same in words."""
        size = {"rtol": self.rtol, "atol": self.atol} if self.step is None else {"step": self.step}
        return {"integrator": self.name, **size}


def check_robot(robot: Robot) -> None:
    """Refuses what needs more than lanes can do: loops that stay closed, joints that stick."""
    if robot.mechanism.closed:
        raise ModelError(f"simulate_batch: {robot.name!r} has loops, wanted a tree; simulate follows it")
    if dry(robot).any():
        name = robot.name
        raise ModelError(f"simulate_batch: {name!r} has dry friction without smoothing, wanted smoothing; or simulate")


def scheme_of(integrator: str, step: Any, limits: Tolerances) -> Scheme:
    """The method that was asked for."""
    if integrator not in TABLEAUS:
        raise unknown("integrator", integrator, TABLEAUS)
    tableau = TABLEAUS[integrator]
    if step is None and tableau.errors is None:
        raise ShapeError(f"simulate_batch: {integrator} knows nothing of its error, wanted a step with it")
    if step is not None and not (isinstance(step, (int, float)) and 0 < step < np.inf):
        raise ShapeError(f"simulate_batch: step is {step!r}, wanted a positive time")
    return Scheme(integrator, tableau, None if step is None else float(step), limits.rtol, limits.atol)


def lanes_meant(
    robot: Robot, q0: Any, v0: Any, torque: Any, restitution: Any, lifted: Mapping[str, Array]
) -> int:  # fmt: skip
    """How many lanes are meant."""
    wide = {"q0": (q0, 2), "v0": (v0, 2), **{name: (x, 1) for name, x in lifted.items()}}
    if torque is not None and not callable(torque):
        wide["torque"] = torque, 2
    if not isinstance(restitution, Mapping):
        wide["restitution"] = restitution, 1
    arrays = {name: (numbers("simulate_batch", name, x), axes) for name, (x, axes) in wide.items()}
    counts = {name: len(x) for name, (x, axes) in arrays.items() if x.ndim == axes and len(x) != 1}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{name} of {n}" for name, n in counts.items())
        raise ShapeError(f"simulate_batch: lanes do not fit together, got {told}; wanted one number of lanes")
    return next(iter(counts.values()), 1)


def states_of(robot: Robot, q0: Any, v0: Any, count: int) -> tuple[Array, Array]:
    """Rows of q0 with unit quaternions, and of v0."""
    q, v = _rows("q0", q0, robot.nq, count), _rows("v0", v0, robot.nv, count)
    for k in quaternions(robot.mechanism):
        norm = np.linalg.norm(q[:, k : k + 4], axis=1, keepdims=True)
        lane = int(np.argmax(np.abs(norm - 1)))
        if abs(length := float(norm[lane, 0])) - 1 > FAR or length < 1 - FAR:
            raise ShapeError(f"simulate_batch: q0 of lane {lane} has a quaternion of length {length:.6g}, wanted 1")
        q[:, k : k + 4] /= norm
    return q, v


def _rows(name: str, given: Any, n: int, count: int) -> Array:
    rows = numbers("simulate_batch", name, given).astype(float)
    if rows.shape not in ((n,), (1, n), (count, n)):
        raise ShapeError(f"simulate_batch: {name} has shape {rows.shape}, wanted ({count}, {n})")
    if not np.isfinite(rows).all():
        lane = int(np.argmin(np.isfinite(np.atleast_2d(rows)).all(1)))
        raise ShapeError(f"simulate_batch: {name} of lane {lane} is not finite")
    return np.broadcast_to(rows, (count, n)).copy()


def own_of(robot: Robot, torque: Any, lifted: Mapping[str, Array], count: int) -> Own:
    """What lanes have of their own."""
    for name, x in lifted.items():
        if x.shape not in ((), (1,), (count,)):
            raise ShapeError(f"simulate_batch: parameter {name!r} has shape {x.shape}, wanted ({count},)")
    several = (np.stack([np.broadcast_to(x, (count,)) for x in lifted.values()], 1),) if lifted else ()
    forces = None if callable(torque) else np.zeros(robot.nv) if torque is None else torque
    return Own(np.arange(count), None if forces is None else _rows("torque", forces, robot.nv, count), several)


def restitution_of(contacts: Contacts, given: Any, count: int) -> Array:
    """Of every lane and contact."""
    if isinstance(given, Mapping) or np.ndim(given) == 0:
        row = of_pairs(contacts, "restitution", given, lambda x: 0.0 <= x <= 1.0, "a number from 0 to 1")
        return np.broadcast_to(row, (count, len(contacts)))
    e = np.asarray(given, float)
    if e.shape not in ((1,), (count,)):
        raise ShapeError(f"simulate_batch: restitution has shape {e.shape}, wanted a number, or ({count},)")
    if not ((e >= 0) & (e <= 1)).all():
        lane = int(np.argmin((e >= 0) & (e <= 1)))
        raise ShapeError(f"simulate_batch: restitution of lane {lane} is {e[lane]:g}, wanted a number from 0 to 1")
    return np.broadcast_to(e[:, None], (count, len(contacts)))


def checked_gap(given: Any) -> float:
    """A length within which contacts are one impact, and to a part of which they are found."""
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0.0 < given < np.inf:
        raise ShapeError(f"simulate_batch: gap_tolerance is {given!r}, wanted a length above 0")
    return float(given)
