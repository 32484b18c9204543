"""The equations that bind a robot, as compiled functions of its state."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ..actuation import Actuators, places
from ..asking import Identity
from ..closures import closures_of, names_of
from ..errors import ModelError
from ..formulations import actuated, closed
from ..formulations import loop_coordinates as joints
from ..formulations import senses as right_ways
from ..formulations.table import Formulation, Question, Shape
from ..model.joints import WIDTHS

if TYPE_CHECKING:
    from ..robot import Robot

V: Shape = ("nv",)


def equations(robot: Robot) -> Callable[..., Any]:
    """(g, A, c) at (q, v): how far each equation is from closed, A v = 0, A a + c = 0; one state or many."""
    m = count(robot)
    return _kernel(robot, "equations", closed.constraints, ("q", "v"), (("g", (m,)), ("A", (m, "nv")), ("c", (m,))))


def forces(robot: Robot) -> Callable[..., Any]:
    """(a, f) at (q, v, tau): accelerations, and the sizes of what closes the loops, one per equation."""
    outputs = (("a", V), ("f", (count(robot),)))
    return _kernel(robot, "constraint_forces", closed.forward_dynamics, ("q", "v", "tau"), outputs)


def response(robot: Robot) -> Callable[..., Any]:
    """(x, f) at (q, b, s) such that M x = b + A' f and A x = s."""
    m = count(robot)
    outputs, sizes = (("x", V), ("f", (m,))), (("s", m),)
    return _kernel(robot, "response", closed.response, ("q", "b", "s"), outputs, sizes)


def freedoms(robot: Robot) -> Callable[..., Any]:
    """How many freedoms equations of weights w leave at q, (1,): a whole number but near singular configurations."""
    sizes = (("w", count(robot)),)
    return _kernel(robot, "freedoms", closed.freedoms, ("q", "w"), (("freedoms", (1,)),), sizes)


def senses(robot: Robot) -> Callable[..., Any] | None:
    """(s, S) at q: zeros where every loop is closed the right way round, and how they change; None if all ways are."""
    if made := robot._kernels.get(("closing", "senses", None)):  # Newton asks at every step
        return made.callable
    m = right_ways.count(closures_of(robot.mechanism, robot.tree))
    return _kernel(robot, "senses", right_ways.senses, ("q",), (("s", (m,)), ("S", (m, "nv")))) if m else None


def actuator_map(robot: Robot, actuators: Actuators) -> Callable[..., Any]:
    """B at q, such that actuators with forces u do B u to the freedoms of the tree."""
    motors, _ = places(robot.mechanism, [name for name, _ in actuators])
    text = partial(actuated.actuator_map, motors=motors)
    return _kernel(robot, "actuator_map", text, ("q",), (("B", ("nv", len(motors))),), about=motors)


def loop_coordinates(robot: Robot) -> Callable[..., Any]:
    """The coordinates of all cut joints at q."""
    n = _cut(robot, 0)
    return _kernel(robot, "loop_coordinates", joints.loop_coordinates, ("q",), (("x", (n,)),))


def loop_rates(robot: Robot) -> Callable[..., Any]:
    """Their rates at (q, v)."""
    n = _cut(robot, 1)
    return _kernel(robot, "loop_rates", joints.loop_rates, ("q", "v"), (("dx", (n,)),))


def _cut(robot: Robot, k: int) -> int:
    """How many coordinates, or rates, cut joints have."""
    if n := sum(WIDTHS[x.joint.type][k] for x in robot.loops):
        return n
    raise ModelError(f"robot {robot.name!r} has no loop that a joint with coordinates closes, wanted one")


def count(robot: Robot) -> int:
    """How many equations."""
    return len(names_of(robot.mechanism))


def _kernel(
    robot: Robot, what: str, text: Any, inputs: tuple[str, ...], outputs: Any, sizes: Any = (), about: Any = None
) -> Callable[..., Any]:  # fmt: skip
    from ..kernel.make import make

    key = ("closing", what, about)
    if key not in robot._kernels:
        asks = Question(inputs, outputs, "what closes the loops", sizes=sizes)
        tree = robot.tree if what in ("equations", "senses") else robot.light_tree
        bound = partial(text, closures=closures_of(robot.mechanism, tree))
        row = Formulation("augmented", what, bound, "bayo1988", rolls=False, asks=asks)
        robot._kernels[key] = make(row, tree, owner=Identity(robot.mechanism, robot.identity))
    return robot._kernels[key].callable
