"""Loops and constraints made ready for the texts: their places on the links of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from .formulations.closure import Blade, Closure, Coupled, Rolls
from .model.joints import basis, joint_type, resistances
from .model.mechanism import Constraint, Coupling, Joint, Loop, Mechanism, Placement, Rolling
from .model.rotation import orthonormal, stacked
from .model.tree import Freedom, Place, Tree
from .model.walk import structural_mat, structural_resistance, structural_vec
from .spatial import Twist
from .vec import Mat3, Vec3

Array = np.ndarray[Any, Any]
ROWS = {
    "revolute": ("position x", "position y", "position z", "tilt about y", "tilt about x"),
    "prismatic": ("position x", "position y", "tilt about y", "tilt about x", "turn about z"),
    "cylindrical": ("position x", "position y", "tilt about y", "tilt about x"),
    "helical": ("position x", "position y", "tilt about y", "tilt about x", "screw along z"),
    "universal": ("position x", "position y", "position z", "angle between the axes"),
    "planar": ("position z", "tilt about y", "tilt about x"),
    "ball": ("position x", "position y", "position z"),
    "fixed": ("position x", "position y", "position z", "tilt about y", "tilt about x", "turn about z"),
}


def closures_of(mechanism: Mechanism, tree: Tree) -> tuple[Any, ...]:
    """Every loop and constraint, in their order, on the links of a tree of the mechanism."""
    return tuple(_closed(x, tree) for x in mechanism.loops) + tuple(
        _bound(mechanism, x, tree) for x in mechanism.constraints
    )


def loops_resist(mechanism: Mechanism) -> bool:
    """Whether a joint that closes a loop has friction, a spring or a rotor."""
    return any(resistances(x.joint) for x in mechanism.loops)


def names_of(mechanism: Mechanism) -> list[str]:
    """The equations' names, in their order."""
    return [name for x in (*mechanism.loops, *mechanism.constraints) for name in equation_names(x)]


def holonomic(mechanism: Mechanism) -> Array:
    """Which equations bind positions, and not only velocities."""
    return np.array([not name.endswith(SLIPS) for name in names_of(mechanism)], bool)


SLIPS = ("without slipping along", "without slipping across", "without slipping sideways")


def equation_names(given: Loop | Constraint) -> tuple[str, ...]:
    """The names of the equations of one loop or constraint."""
    if isinstance(given, Loop):
        return tuple(f"{given.name}: {row}" for row in ROWS[given.joint.type])
    if isinstance(given, Coupling):
        return (f"{given.name}: coupling",)
    rows = ("height", *SLIPS[:2]) if isinstance(given, Rolling) else SLIPS[2:]
    return tuple(f"{given.name}: {row}" for row in rows)


def _closed(loop: Loop, tree: Tree) -> Closure:
    joint = loop.joint
    first = basis(joint.axis or (0.0, 0.0, 1.0))
    second = basis(joint.axis2) if joint.type == "universal" and joint.axis2 else first
    a = _placed(tree.frames[loop.body_a], loop.placement_a, first)
    b = _placed(tree.frames[loop.body_b], loop.placement_b, second)
    lean = float(np.array(first)[:, 2] @ np.array(second)[:, 2]) if joint.type == "universal" else 0
    stands = np.array(first).T @ np.array(second)
    rest = tuple((float(x), float(y)) for x, y in (stands[:2, 2], stands[2, :2])) if joint.type == "universal" else ()
    return Closure(joint.type, a, b, joint.pitch or 0, lean, rest, _freedoms(joint))


def _freedoms(joint: Joint) -> tuple[Freedom, ...]:
    """What resists along the freedoms of a joint, each at the place 0 of its own; nothing if it is ideal."""
    own = 0 if joint_type(joint).is_scalar else None
    return tuple(Freedom(0, Twist(), structural_resistance(met), own) for met in resistances(joint))


def _bound(mechanism: Mechanism, given: Constraint, tree: Tree) -> Any:
    if isinstance(given, Coupling):
        (i, z), (j, y) = (_coordinate(mechanism, name) for name in (given.joint, given.of))
        return Coupled(i, z, j, y, given.coefficients)
    along = given.axis if isinstance(given, Rolling) else given.direction
    place = _placed(tree.frames[given.body], Placement(given.position), basis(along or (0.0, 0.0, 1.0)))
    if not isinstance(given, Rolling):
        return Blade(place)
    x, y, n = (structural_vec(Vec3(*axis)) for axis in zip(*basis(given.normal), strict=True))
    return Rolls(place, given.radius, structural_vec(Vec3(*given.point)), n, (x, y), given.axis is None)


def _coordinate(mechanism: Mechanism, name: str) -> tuple[int, int]:
    """A joint's places in q and v, by its name or its body's."""
    k = next(k for k, b in enumerate(mechanism.bodies) if name in (b.name, b.joint.name))
    return mechanism.q_starts[k], mechanism.v_starts[k]


def _placed(body: Place, placement: Placement, axes: Any) -> Place:
    """A place on a link, with the axes of a joint."""
    R = orthonormal(stacked([placement]))[0]
    on = np.array([[float(x) for x in row] for row in body.R])
    r = on @ np.array(placement.position) + np.array([float(x) for x in body.r])
    turned = on @ R @ np.array(axes)
    turned[np.abs(turned) < 1e-16] = 0.0
    rows = (Vec3(*map(float, row)) for row in turned)
    return Place(body.link, structural_mat(Mat3(*rows)), structural_vec(Vec3(*map(float, r))))
