"""All equations that bind a mechanism, with their coefficients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..linalg import is_zero
from ..scalar import Scalar
from ..vec import Vec3, cross
from .closure import Closure, Coupled, Rolls, Row
from .cut_joint import cut_joint
from .rolling import blade_rows, coupled, wheel_rows
from .still import Still


def equations(world, q, v, closures) -> Iterator[tuple[Scalar, Scalar, Scalar, dict[int, Scalar]]]:
    """Every equation: value, rate and bias, and its coefficients by the place of the freedom."""
    for _ in world.outward(q, v, Still()):
        pass
    for closure in closures:
        if isinstance(closure, Coupled):
            value, rate, bias, slope = coupled(closure, q, v)
            yield value, rate, bias, {closure.freedom: 1, closure.of_freedom: -slope}
            continue
        yield from resolved(world, closure, *rows_of(world, closure))


def resolved(world, closure, x, rows) -> Iterator[tuple[Scalar, Scalar, Scalar, dict[int, Scalar]]]:
    """Rows of a closure, whose wrenches act at x, with their coefficients."""
    twists = dict(columns(world, closure, x))
    for row in rows:
        by = {z: row.force @ t.linear + row.moment @ t.angular for z, t in twists.items()}
        yield row.value, row.rate, row.bias, by


def columns(world, closure, x) -> Iterator[tuple[int, Any]]:
    """What each freedom does to link b against link a: the twist at x, by the place of the freedom."""
    on = world.support(closure.b)
    under = world.support(closure.a) if isinstance(closure, Closure) else None
    for b in world.robot.outward():
        sense = on[b] - (under[b] if under else 0)
        if not is_zero(sense):
            for z in b.freedoms:
                t = world.turned(b, z.twist)
                yield z.index, type(t)(t.angular, t.linear + cross(t.angular, x - world.o[b])) * sense


def rows_of(world, closure) -> tuple[Vec3, list[Row]]:
    """Where the wrenches of a closure act, from the base's origin, and its equations."""
    if isinstance(closure, Closure):
        return world.o[closure.b.link] + world.arm(closure.b), cut_joint(world, closure)
    return (wheel_rows if isinstance(closure, Rolls) else blade_rows)(world, closure)
