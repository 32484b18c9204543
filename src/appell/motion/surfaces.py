"""What a user says of contacts, made into an `Encounter`: restitution and friction of every pair, the law, checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError, ShapeError, unknown
from .contact import Contacts, contacts_of
from .events import Watch
from .impact import LAWS

if TYPE_CHECKING:
    from ..robot import Robot
    from .encounter import Encounter
    from .rate import Rate

Array = np.ndarray[Any, Any]
OTHERS = "others"


def encounter_of(
    robot: Robot,
    rate: Rate,
    others: tuple[Watch, ...],
    walls: Any,
    points: Any,
    pairs: Any,
    stops: Any,
    restitution: Any,
    friction: Any,
    impact_law: str,
    gap_tolerance: float,
) -> Encounter | None:
    """All contacts in time; None where nothing can touch."""
    if impact_law not in LAWS:
        raise unknown("impact law", impact_law, LAWS)
    if not (isinstance(gap_tolerance, (int, float)) and 0.0 <= gap_tolerance < np.inf):
        raise ShapeError(f"simulate: gap_tolerance is {gap_tolerance!r}, wanted a length that is not negative")
    contacts = contacts_of(robot, walls, points, pairs, stops)
    if not len(contacts):
        return None
    e = of_pairs(contacts, "restitution", restitution, lambda x: 0.0 <= x <= 1.0, "a number from 0 to 1")
    mu = of_pairs(contacts, "friction", friction, lambda x: 0.0 <= x < np.inf, "a number that is not negative")
    from .encounter import Encounter

    return Encounter(contacts, rate, others, e, mu, impact_law, float(gap_tolerance))  # type: ignore[arg-type]


def of_pairs(contacts: Contacts, what: str, given: Any, fits: Callable[[float], bool], wanted: str) -> Array:
    """One number for all, or by names: of a (point, wall), of a point, of a wall, of all "others"."""
    if isinstance(given, Mapping):
        known = {n for pair in contacts.names for n in (pair, pair[::-1], *pair)} | {OTHERS}
        for name in given:
            if name not in known:
                raise unknown(f"contact in {what}", name, known)
        values = [_looked_up(what, given, *pair) for pair in contacts.names]
    else:
        values = [given] * len(contacts)
    for value, k in zip(values, range(len(contacts)), strict=True):
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not fits(float(value)):
            raise ModelError(f"{what} of {contacts.label(k)} is {value!r}, wanted {wanted}")
    return np.array(values, float)


def _looked_up(what: str, given: Mapping[Any, Any], point: str, wall: str) -> Any:
    for name in ((point, wall), (wall, point), point, wall, OTHERS):
        if name in given:
            return given[name]
    raise ModelError(f"{what} names nothing for {point} at {wall}; wanted a number there, or for {OTHERS!r}")
