"""A mechanism in independent coordinates of any kind: `Reduced`, with kernels of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..actuation import places, weighed
from ..asking import Identity
from ..closures import closures_of
from ..errors import unknown
from ..formulations import reduced, reduced_motion
from ..formulations.reduction import Chosen
from ..formulations.table import Formulation, Question
from .along import along
from .chosen import chosen_coordinates
from .reached import reached
from .told import checked

if TYPE_CHECKING:
    from ..robot import Robot
    from ..trace.program import Program

Array = np.ndarray[Any, Any]
# what, its text, inputs, and the shape of its answer, where "n" is the number of coordinates
TEXTS: dict[str, tuple[Callable[..., Any], tuple[str, ...], tuple[str, tuple[Any, ...]]]] = {
    "mass_matrix": (reduced.mass_matrix, ("q",), ("M", ("n", "n"))),
    "coriolis": (reduced.coriolis, ("q", "u"), ("C", ("n", "n"))),
    "gravity_forces": (reduced.gravity_forces, ("q",), ("g", ("n",))),
    "bias": (reduced.bias, ("q", "u"), ("h", ("n",))),
    "inverse_dynamics": (reduced.inverse_dynamics, ("q", "u", "du"), ("tau", ("n",))),
    "forward_dynamics": (reduced.forward_dynamics, ("q", "u", "tau"), ("du", ("n",))),
    "velocities": (reduced_motion.velocities, ("q", "u"), ("v", ("nv",))),
    "accelerations": (reduced_motion.accelerations, ("q", "u", "du"), ("a", ("nv",))),
    "rates": (reduced_motion.rates, ("q", "v"), ("u", ("n",))),
    "basis": (reduced_motion.basis, ("q",), ("K", ("nv", "n"))),
}
OWN = ("u", "du", "tau")  # inputs with a number for each coordinate


@dataclass(frozen=True, eq=False)
class Reduced:
    """A mechanism in independent coordinates: v = K(q) u, M_r du + C_r u + g_r = tau, where nothing resists.

    q is that of the whole mechanism, with its loops closed; u are the rates of the coordinates, in the order of
    `names`, and tau the forces on them. One state or a batch, as of a robot's own questions. Where the coordinates are
    singular they do not tell all motion: an error says which; rows of a batch are NaN, as are answers of kernels.
    """

    robot: Robot
    names: tuple[str, ...]
    chosen: Chosen
    _kernels: dict[Any, Any] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(robot: Robot, coordinates: Any) -> Reduced:
        """In coordinates as a user names them."""
        return Reduced(robot, *chosen_coordinates(robot, coordinates))

    def __repr__(self) -> str:
        return f"<Reduced {self.robot.name!r} in {', '.join(self.names)}>"

    @property
    def n(self) -> int:
        """How many coordinates."""
        return len(self.names)

    # -- questions ----------------------------------------------------------------------------------------------

    def mass_matrix(self, q: Any, **options: Any) -> Array:
        """M_r(q) = K' M K."""
        return self._told("mass_matrix", options, q)

    def coriolis(self, q: Any, u: Any, **options: Any) -> Array:
        """C_r(q, u), with dM_r/dt - 2 C_r skew: C_r u are the forces of velocities."""
        return self._told("coriolis", options, q, u)

    def gravity_forces(self, q: Any, **options: Any) -> Array:
        """g_r(q), the forces that hold the links at rest."""
        return self._told("gravity_forces", options, q)

    def bias(self, q: Any, u: Any, **options: Any) -> Array:
        """All forces of a motion in which the coordinates do not accelerate, friction and springs included."""
        return self._told("bias", options, q, u)

    def inverse_dynamics(self, q: Any, u: Any, du: Any, **options: Any) -> Array:
        """The forces on the coordinates for a motion."""
        return self._told("inverse_dynamics", options, q, u, du)

    def forward_dynamics(self, q: Any, u: Any, tau: Any, **options: Any) -> Array:
        """The accelerations of the coordinates for forces on them."""
        return self._told("forward_dynamics", options, q, u, tau)

    def velocities(self, q: Any, u: Any, **options: Any) -> Array:
        """v = K u, the velocities of all joints of the tree."""
        return self._told("velocities", options, q, u)

    def accelerations(self, q: Any, u: Any, du: Any, **options: Any) -> Array:
        """a = K du + dK/dt u, the accelerations of all joints of the tree."""
        return self._told("accelerations", options, q, u, du)

    def rates(self, q: Any, v: Any, **options: Any) -> Array:
        """u, of velocities v that keep the loops closed."""
        return self._told("rates", options, q, v)

    def basis(self, q: Any, **options: Any) -> Array:
        """K(q), (nv, n): all motions that the loops leave."""
        return self._told("basis", options, q)

    def actuator_map(self, q: Any, actuators: Any, **options: Any) -> Array:
        """B_r(q): what motors of joints, cut or not, do to the coordinates, tau = B_r times their forces."""
        motors, _ = places(self.robot.mechanism, [name for name, _ in weighed(actuators)])
        return self._told("actuator_map", options, q, motors=motors)

    def inverse_dynamics_derivatives(self, q: Any, u: Any, du: Any) -> tuple[Array, Array, Array]:
        """Derivatives of the forces by q, along a unit rate of each coordinate, by u, and by du, which is M_r."""
        return self._told("inverse_dynamics_derivatives", {}, q, u, du)

    def forward_dynamics_derivatives(self, q: Any, u: Any, tau: Any) -> tuple[Array, Array, Array]:
        """Derivatives of the coordinates' accelerations by q, along a unit rate of each, by u, and by tau."""
        du = self.forward_dynamics(q, u, tau)
        by_q, by_u, M = self.inverse_dynamics_derivatives(q, u, du)
        inverse = np.linalg.inv(M)
        return -inverse @ by_q, -inverse @ by_u, inverse

    def linearise(self, q: Any, u: Any, tau: Any) -> tuple[Array, Array]:
        """(A, B) of d/dt (dx, du) = A (dx, du) + B dtau about a state on the loops, x the coordinates' values.

        As many as the mechanism has freedoms, and no more: what a regulator is designed with.
        """
        from .linear import linearise

        return linearise(self, q, u, tau)

    def configuration(self, values: Any, near: Any = None) -> Array:
        """q, with the coordinates at values and the loops closed, reached from near, by default the model's first.

        Of a joint the value is its coordinate; of a frame its position, or angle. Angular velocities have none.
        """
        return reached(self, values, near)

    # -- kernels ------------------------------------------------------------------------------------------------

    def kernel(self, what: str) -> Callable[..., Any]:
        """The bare compiled callable of a question: f(q, u, du, *, out=None)."""
        return self._kernel(what, None)

    def program(self, what: str) -> Program:
        """The Program of a question, as all writers read it."""
        from ..trace.derivative import jacobian
        from ..trace.reading import read

        if what == "inverse_dynamics_derivatives":
            return jacobian(self.program("inverse_dynamics"), seeds={"q": along(self)})
        return read(self._row(what), self.robot.light_tree, **self._given)

    def write_c(self, what: str, path: Any, *, precision: Any = "double") -> None:
        """Writes a question as C99 that needs nothing but libm, with a header and a self-test beside it."""
        from ..write.c_files import write_c

        write_c(self.program(what), self.robot.light_tree, path, precision)

    def _told(self, what: str, options: dict[str, Any], *given: Any, motors: Any = None) -> Any:
        """An answer; an error where the coordinates are singular. Of many states these rows are no numbers."""
        found = self._kernel(what, motors)(*given, **options)
        return checked(self.robot, self.names, self.chosen.coordinates, found, given)

    def _kernel(self, what: str, motors: Any) -> Callable[..., Any]:
        from ..kernel.make import make, make_of

        key, tree = (what, motors), self.robot.light_tree
        if key not in self._kernels:
            if what == "inverse_dynamics_derivatives":
                made = make_of(what, self.program(what), tree)
            else:
                owner = Identity(self.robot.mechanism, self.robot.identity)
                made = make(self._row(what, motors), tree, owner=owner, **self._given)
            self._kernels[key] = made.callable
        return self._kernels[key]

    @property
    def _given(self) -> dict[str, Any]:
        return {"closures": closures_of(self.robot.mechanism, self.robot.light_tree), "chosen": self.chosen}

    def _row(self, what: str, motors: Any = None) -> Formulation:
        if motors is not None:
            text, inputs, (name, shape) = reduced_motion.actuator_map, ("q",), ("B", ("n", len(motors)))
            text = partial(text, motors=motors)
        elif what in TEXTS:
            text, inputs, (name, shape) = TEXTS[what]
        else:
            raise unknown("question", what, [*TEXTS, "inverse_dynamics_derivatives"])
        wide = tuple(self.n if s == "n" else s for s in shape)
        sizes = tuple((x, self.n) for x in OWN)
        asks = Question(inputs, ((name, wide),), "a mechanism in independent coordinates", sizes=sizes)
        return Formulation("reduced", what, text, "abedloo2014", rolls=False, asks=asks)
