"""The wrenches in all joints of a mechanism, by name."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..actuation import Actuators, places, sparse_first, weighed
from ..asking import Identity
from ..closures import closures_of
from ..errors import ShapeError
from ..formulations.joint_wrenches import of_tree
from ..formulations.loop_wrenches import of_closed
from ..formulations.table import Formulation, Question
from ..model.joints import basis
from ..model.loops import Constraint, Coupling, Loop
from ..model.lower import with_welds
from ..model.reading import Vector
from .mobility import spanning

if TYPE_CHECKING:
    from ..robot import Robot

Array = np.ndarray[Any, Any]
UNROLLED_UP_TO = 40


def reactions(robot: Robot, q: Any, v: Any, a: Any, tau: Any, actuators: Any, wrench: Any) -> dict[str, Array]:
    """See `Robot.reactions`."""
    if (a is None) == (tau is None):
        raise ShapeError("reactions got " + ("no a and no tau" if a is None else "a and tau") + ", wanted one of them")
    motors, pushed = weighed(actuators), () if wrench is None else (wrench,)
    named = {} if wrench is None else {"wrench": wrench}
    if tau is not None:
        if motors:
            raise ShapeError("reactions got tau and actuators, wanted one of them")
        a = robot.forward_dynamics(q, v, tau, **named)
    if not robot.mechanism.closed:
        return _by_name(robot, _of_tree(robot, bool(pushed))(q, v, a, *pushed), None)
    if tau is None:
        tau = robot.inverse_dynamics(q, v, a, **named, **({"actuators": actuators} if motors else {}))
    return _by_name(robot, *_of_closed(robot, motors, bool(pushed))(q, v, a, tau, *pushed))


def _by_name(robot: Robot, links: Array, bonds: Array | None) -> dict[str, Array]:
    """(force, moment) of every joint, from the axes of links to those of bodies, and of joints to their frames'."""
    found = {}
    for body, place in zip(robot.bodies, robot._kernels["welds"].bodies, strict=True):
        R = np.array([list(row) for row in place.R], float)
        found[body.joint.name] = _turned(links[..., place.link - 1, :], R)
    for k, x in enumerate((*robot.loops, *robot.constraints)):
        if not isinstance(x, Coupling):
            found[x.name] = _turned(bonds[..., k, :], np.array(basis(_along(x))).T)  # type: ignore[index]
    return found


def _along(x: Loop | Constraint) -> Vector:
    """The direction that is z in the place b of a loop or a constraint."""
    if isinstance(x, Loop):
        along = x.joint.axis2 if x.joint.type == "universal" else x.joint.axis
    else:
        along = getattr(x, "direction", getattr(x, "axis", None))
    return along or (0.0, 0.0, 1.0)


def _turned(w: Array, R: Array) -> Array:
    """A wrench in other axes, which are the columns of R."""
    return np.concatenate([w[..., :3] @ R, w[..., 3:] @ R], -1)


def _of_tree(robot: Robot, wrench: bool) -> Any:
    from ..kernel.make import make

    key = ("reactions", wrench)
    if key not in robot._kernels:
        asks = Question(("q", "v", "a"), (("w", ("n", 6)),), "wrenches in joints")
        row, tree = Formulation("links", "reactions", of_tree, "luh1980", asks=asks), _welds(robot)
        unroll = wrench or tree.nv <= UNROLLED_UP_TO
        owner = Identity(robot.mechanism, robot.identity)
        robot._kernels[key] = make(row, tree, unroll=unroll, wrench=wrench, owner=owner)
    return robot._kernels[key].callable


def _of_closed(robot: Robot, actuators: Actuators, wrench: bool) -> Any:
    from ..kernel.make import make

    key = ("reactions", actuators, wrench)
    if key not in robot._kernels:
        tree, at = _welds(robot), robot.regular
        all_joints = range(robot.nv)
        motors = places(robot.mechanism, [name for name, _ in actuators])[0] if actuators else tuple(all_joints)
        closures, others = closures_of(robot.mechanism, tree), sparse_first(at, spanning(at.A, at.rank))
        outputs = ("w", (tree.n, 6)), ("f", (len(closures), 6))
        asks = Question(("q", "v", "a", "u"), outputs, "wrenches in joints", sizes=(("u", len(motors)),))
        text = partial(of_closed, closures=closures, motors=motors, others=others)
        row = Formulation("links", "reactions", text, "nikravesh1988", rolls=False, asks=asks)
        owner = Identity(robot.mechanism, robot.identity)
        robot._kernels[key] = make(row, tree, wrench=wrench, owner=owner)
    return robot._kernels[key].callable


def _welds(robot: Robot) -> Any:
    if "welds" not in robot._kernels:
        robot._kernels["welds"] = with_welds(robot.mechanism)
    return robot._kernels["welds"]
