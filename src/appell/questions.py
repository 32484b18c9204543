"""What can be asked of a robot: every question is a method that fetches a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from . import errors
from .asking import Asked, answered, framed, in_plain_words, made, on_bodies, prepared, prepared_with, words
from .closures import loops_resist
from .formulations.table import CLOSED, FORMULATIONS, QUESTIONS, RESISTING, Formulation
from .model.lower import lower
from .model.mechanism import Mechanism
from .model.regrouped import regrouped
from .model.tree import Tree
from .regular import Regular, regulars

if TYPE_CHECKING:
    from .trace.counting import Counts
    from .trace.program import Program

Array = np.ndarray[Any, Any]


@in_plain_words
class Questions:
    """A mechanism, and the kernels that answer for it.

    Every question takes one state or a batch along leading axes, anything `np.asarray` takes, and gives new
    arrays or fills `out=`. `method=` picks a formulation, `wrench=` adds external wrenches (one row of force and
    moment per body, in the body's axes), `threads=` spreads a batch (0: all cores).

    Of a closed mechanism q, v and a are those of all joints of its tree. What gives accelerations keeps the loops
    closed: `forward_dynamics`, `hybrid_dynamics`, `inverse_mass_matrix`, and their derivatives, which are right along
    motions that keep them closed. M, h, C and g are the tree's, so are the forces of `inverse_dynamics` but for
    `actuators=`, and their derivatives; `reduced` has them in independent coordinates.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self._kernels: dict[Any, Any] = {}

    @property
    def n(self) -> int:
        """How many bodies."""
        return len(self.mechanism.bodies)

    @property
    def nq(self) -> int:
        """How many coordinates."""
        return self.mechanism.nq

    @property
    def nv(self) -> int:
        """How many degrees of freedom."""
        return self.mechanism.nv

    @cached_property
    def tree(self) -> Tree:
        """The robot made ready to be walked."""
        return lower(self.mechanism)

    @cached_property
    def identity(self) -> int:
        """A hash of the whole model."""
        return hash(self.mechanism)

    @cached_property
    def light_tree(self) -> Tree:
        """A tree of equal forces and accelerations with fewer constants: exact, and cheaper."""
        return regrouped(framed(self.tree))

    @property
    def regular(self) -> Regular:
        """A configuration on the loops in which the mechanism shows its rank."""
        return self.regulars[0]

    @cached_property
    def regulars(self) -> tuple[Regular, ...]:
        """A few of them."""
        return regulars(self.mechanism, self.tree)

    # -- questions --------------------------------------------------------------------------------------------

    def inverse_dynamics(self, q: Any, v: Any, a: Any, **options: Any) -> Array:
        """The forces tau for a motion: M(q) a + h(q, v) = tau.

        `actuators=` names the joints that have a motor, with a price each if it is a mapping; then these have the
        forces of the answer, and loops carry what they can. More motors than freedoms share: the sum of price times
        force squared is least. Without it every joint of the tree has its force, and loops carry nothing.
        """
        return self._ask("inverse_dynamics", (q, v, a), options)

    def mass_matrix(self, q: Any, **options: Any) -> Array:
        """The mass matrix M(q)."""
        return self._ask("mass_matrix", (q,), options)

    def forward_dynamics(self, q: Any, v: Any, tau: Any, **options: Any) -> Array:
        """The accelerations a for forces: M(q) a + h(q, v) = tau, and what keeps loops closed."""
        return self._ask("forward_dynamics", (q, v, tau), options)

    def hybrid_dynamics(self, q: Any, v: Any, a: Any, tau: Any, prescribed: Iterable[str], **options: Any) -> Any:
        """(a, tau) where the joints or bodies named in `prescribed` move as `a` says and the others as `tau` drives.

        Of what is prescribed loops must allow the motion: they are not opened for it.
        """
        options["prescribed"] = prescribed
        return self._ask("hybrid_dynamics", (q, v, a, tau), options)

    def bias(self, q: Any, v: Any, **options: Any) -> Array:
        """h(q, v): the forces of a motion without acceleration, gravity and friction included."""
        return self._ask("bias", (q, v), options)

    def gravity_forces(self, q: Any, **options: Any) -> Array:
        """g(q): the forces that hold the links at rest."""
        return self._ask("gravity_forces", (q,), options)

    def coriolis(self, q: Any, v: Any, **options: Any) -> Array:
        """A matrix C with C v = h - g (without friction) and dM/dt - 2 C skew."""
        return self._ask("coriolis", (q, v), options)

    def inverse_mass_matrix(self, q: Any, **options: Any) -> Array:
        """The inverse of the mass matrix, by U D U'.

        Of a closed mechanism the accelerations W tau that forces make while its loops are closed: W is singular.
        """
        return self._ask("inverse_mass_matrix", (q,), options)

    def inverse_dynamics_derivatives(self, q: Any, v: Any, a: Any, **options: Any) -> tuple[Array, Array, Array]:
        """Derivatives of the forces by q (its tangent), v and a; the last is the mass matrix."""
        return self._ask("inverse_dynamics_derivatives", (q, v, a), options)

    def forward_dynamics_derivatives(self, q: Any, v: Any, tau: Any, **options: Any) -> tuple[Array, Array, Array]:
        """Derivatives of the accelerations by q (its tangent), v and tau; the last is the inverse mass matrix."""
        return self._ask("forward_dynamics_derivatives", (q, v, tau), options)

    def energy(self, q: Any, v: Any, **options: Any) -> tuple[Any, Any]:
        """(kinetic, potential); the potential is zero at the base's origin."""
        both = self._ask("energy", (q, v), options, keep=False)
        return both[..., 0], both[..., 1]

    def momentum(self, q: Any, v: Any, **options: Any) -> Array:
        """Linear momentum, then angular momentum about the base's origin, in world axes."""
        return self._ask("momentum", (q, v), options)

    def mass_centre(self, q: Any, **options: Any) -> Array:
        """The mass centre in world axes."""
        return self._ask("mass_centre", (q,), options)

    def centroidal_momentum_matrix(self, q: Any, **options: Any) -> Array:
        """A(q): momentum, linear then angular about the mass centre, is A v."""
        return self._ask("centroidal_momentum_matrix", (q,), options)

    def pose(self, q: Any, frame: str, **options: Any) -> Array:
        """Where a frame or body stands in the world: a 4x4 matrix."""
        return self._ask("pose", (q,), options, frame)

    def jacobian(self, q: Any, frame: str, **options: Any) -> Array:
        """J(q): the frame's velocity, linear then angular, is J v; world axes, at the frame's origin."""
        return self._ask("jacobian", (q,), options, frame)

    def jacobian_rate(self, q: Any, v: Any, frame: str, **options: Any) -> Array:
        """The time derivative of the Jacobian while q moves with v."""
        return self._ask("jacobian_rate", (q, v), options, frame)

    def velocity(self, q: Any, v: Any, frame: str, **options: Any) -> Array:
        """The velocity of a frame's origin, then its angular velocity, in world axes."""
        return self._ask("velocity", (q, v), options, frame)

    def acceleration(self, q: Any, v: Any, a: Any, frame: str, **options: Any) -> Array:
        """The acceleration of a frame's origin, then its angular acceleration, in world axes."""
        return self._ask("acceleration", (q, v, a), options, frame)

    # -- kernels ----------------------------------------------------------------------------------------------

    def kernel(
        self, what: str, *, method: str | None = None, dtype: Any = "f8", unroll: bool | None = None,
        inputs: Iterable[str] = (), frame: str | None = None, prescribed: Iterable[str] = (), actuators: Any = None,
    ) -> Callable[..., Any]:  # fmt: skip
        """The bare compiled callable of a question: f(q, v, a, *, out=None), for loops at 1 kHz and beyond.

        `inputs=["wrench"]` adds an argument: external wrenches, one row (force, moment) per body. Other names, as
        "link3.mass", lift parameters of the model into one more argument, in their order.
        """
        return on_bodies(
            self, self._kernel(Asked.of(what, method, dtype, unroll, inputs, frame, prescribed, actuators))
        )

    def _kernel(self, asked: Asked) -> Any:
        if asked not in self._kernels:
            self._kernels[asked] = made(self, asked)
        return self._kernels[asked]

    def program(
        self, what: str, *, method: str | None = None, unroll: bool | None = None, inputs: Iterable[str] = (),
        frame: str | None = None, prescribed: Iterable[str] = (), actuators: Any = None,
    ) -> Program:  # fmt: skip
        """The Program of a question, as all writers read it; `.text()` shows it."""
        return prepared(self, Asked.of(what, method, "f8", unroll, inputs, frame, prescribed, actuators)).program()

    def write_c(self, what: str, path: Any, *, precision: Any = "double", **options: Any) -> None:
        """Writes a question as C99 that needs nothing but libm, with a header and a self-test beside it.

        Options are those of `program`; `precision` is "double" or "float".
        """
        from .write.c_files import write_c

        p = prepared_with(self, what, options)
        write_c(p.program(), p.tree, path, precision)

    def symbolic(self, what: str, *, inputs: Any = (), steps: bool = False, **options: Any) -> Any:
        """What a question computes, as matrices of SymPy in q1, q2, ..., v1, a1, tau1 and so on.

        `inputs` names parameters that are to be letters, "all" those that are not zero; a mapping says what to write
        for each, as {"link2.mass": "m2", "link2.first.x": m2 * l / 2}. With `steps`, (name, expression) pairs and
        what they end in, as `sympy.cse` gives them: for all but small robots. Options are those of `program`.
        """
        from .write.formulas import formulas

        named = _lettered(self, inputs)
        p = prepared_with(self, what, {"inputs": [*named], "unroll": True, **options})
        return formulas(p.program(), self.mechanism, {k: x for k, x in named.items() if k != "wrench"}, steps)

    def count(self, what: str, method: str | None = None, **options: Any) -> Counts:
        """Operations of a formulation here: `.text` as written, `.unmoved` folded, `.program` as run.

        Each has mul, add, div, sqrt, sincos, other. Options are those of `program`.
        """
        return prepared_with(self, what, {"method": method, **options}).counts(self)

    def formulation(self, what: str, method: str | None = None, rolled: bool = False) -> Formulation:
        """The row of the formulations' table that answers a question here: the method, or what costs least."""
        rows = self._rows(what)
        if method is None:
            fit = [f for f in rows.values() if f.rolls or not rolled] or [*rows.values()]
            size = inf if rolled else self.nv
            return next((f for f in fit if f.best_up_to is None or size <= f.best_up_to), fit[-1])
        if method not in rows:
            raise errors.unknown(f"method for {what}", method, rows)
        return rows[method]

    def methods(self, what: str) -> tuple[str, ...]:
        """The formulations that answer a question here, the one that does so unasked before the others."""
        return tuple(dict.fromkeys([self.formulation(what).name, *self._rows(what)]))

    def _rows(self, what: str) -> dict[str, Formulation]:
        if what not in QUESTIONS:
            raise errors.unknown("question", what, QUESTIONS)
        special = (*CLOSED, *(RESISTING if loops_resist(self.mechanism) else ())) if self.mechanism.closed else ()
        rows = {f.name: f for f in special if f.computes == what}
        return rows or {f.name: f for f in FORMULATIONS if f.computes == what}

    def _sound(self, asked: Asked, found: Any, given: tuple[Any, ...]) -> Any:
        """An answer, where nothing more is known of it."""
        return found

    def _ask(
        self, what: str, args: tuple[Any, ...], options: dict[str, Any], frame: str | None = None, keep: bool = True
    ) -> Any:  # fmt: skip
        """Answers with a kernel; the plain form of a question becomes an attribute, so that the next call is bare."""
        if options or frame is not None:
            return answered(self, what, args, options, frame)
        function = self.kernel(what)
        if keep:
            self.__dict__[what] = function
        return function(*args)


def _lettered(robot: Questions, inputs: Any) -> dict[str, Any]:
    """Parameters by name, with what is to be written for each; None for the usual."""
    if isinstance(inputs, Mapping):
        return dict(zip(words("inputs", [*inputs]), inputs.values(), strict=True))
    if inputs == "all":
        from .model.lift import parameters

        return {name: None for name, x in parameters(robot.mechanism).items() if x}
    return dict.fromkeys(words("inputs", inputs))
