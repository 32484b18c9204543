"""Robot: what the user holds. A mechanism and its questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from . import asking
from .actuation import weighed
from .exchange import Exchange
from .model import manifold
from .model.mechanism import Body, Constraint, Frame, Loop, Mechanism
from .questions import Questions

if TYPE_CHECKING:
    from .closing.driven import Driven
    from .closing.path import Reach
    from .closing.reduced import Reduced
    from .closing.singular import Singularity
    from .closing.spherical import SphericalRobot
    from .decoupled import DenocMatrices
    from .explanation import Explanation

Array = np.ndarray[Any, Any]


@asking.in_plain_words
class Robot(Exchange, Questions):
    """A mechanism: its bodies and coordinates, what else can be made of it, and every question (`Questions`)."""

    # -- the model --------------------------------------------------------------------------------------------

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Robot:
        """A robot from plain data of the format `appell-robot/1`."""
        return Robot(Mechanism.from_dict(data))

    @staticmethod
    def from_graph(data: Mapping[str, Any], keep: Iterable[str] = ()) -> Robot:
        """A robot from bodies, and joints between any two of them: which joints close loops is chosen here.

        `data` has a name, gravity, `bodies` (name, mass, com, inertia), `joints` (as in `appell-robot/1`, with body_a,
        placement_a, body_b, placement_b; either body may be "base"), and perhaps frames, constraints, configurations.
        Cut are joints that leave the fewest equations; of equals not those of `keep`, nor those with friction, springs,
        rotors or limits. Each body stands in the frame of the joint that carries it; where that is not its own, a frame
        called "<body>_frame" keeps its own.
        """
        from .model.graph import mechanism

        return Robot(mechanism(data, keep))

    @property
    def name(self) -> str:
        """The robot's name."""
        return self.mechanism.name

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies, in the order of q and v."""
        return self.mechanism.bodies

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The named frames; every body is one as well."""
        return self.mechanism.frames

    @property
    def loops(self) -> tuple[Loop, ...]:
        """The joints that close loops."""
        return self.mechanism.loops

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """What binds the motion beside joints."""
        return self.mechanism.constraints

    @property
    def gravity(self) -> Array:
        """The acceleration of gravity, in the base's axes."""
        return np.array(self.mechanism.gravity)

    @property
    def mass(self) -> float:
        """The mass of all bodies."""
        return float(sum(b.mass for b in self.mechanism.bodies))

    def __repr__(self) -> str:
        kind = "Robot with base parameters" if self.mechanism.regrouped else "Robot"
        return f"<{kind} {self.name!r}: {self.n} bodies, {self.nv} degrees of freedom>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Robot) and self.mechanism == other.mechanism

    __hash__ = object.__hash__

    def __getstate__(self) -> dict[str, Any]:
        return {"mechanism": self.mechanism}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["mechanism"])

    # -- coordinates ------------------------------------------------------------------------------------------

    def neutral(self) -> Array:
        """q of zeros and unit quaternions."""
        return manifold.neutral(self.mechanism)

    def configuration(self, name: str | None = None) -> Array:
        """q of one of the model's configurations by its name: by default the first, or neutral if there is none."""
        return manifold.configuration(self.mechanism, name)

    def random_state(self, seed: int) -> tuple[Array, Array]:
        """(q, v): q within the limits, v normal; the same for the same seed. `assemble(q)` closes loops."""
        return manifold.random_state(self.mechanism, seed)

    def integrate(self, q: Any, v: Any, dt: Any = 1.0) -> Array:
        """q after moving for time dt with the constant velocity v of all joints; what loops want is not asked."""
        return manifold.integrate(self.mechanism, *asking.numbers_of("integrate", q=q, v=v, dt=dt))

    def difference(self, q0: Any, q1: Any) -> Array:
        """The velocity that leads from q0 to q1 in unit time."""
        return manifold.difference(self.mechanism, *asking.numbers_of("difference", q0=q0, q1=q1))

    # -- closed chains ----------------------------------------------------------------------------------------

    def assemble(
        self, guess: Any = None, fixed: Any = None, branch: str | int | None = None, tolerance: float = 1e-10
    ) -> Any:  # fmt: skip
        """The closed configuration nearest to a guess, by default to the model's first configuration: an `Assembly`.

        `fixed` holds joints: coordinates by name, or names of those that stay where the guess has them. From a closed
        guess the mechanism moves there and keeps its branch. `branch` is the name of one of the model's configurations
        to start from; or "all" for every way to close the loops while coordinates are fixed (by default independent
        ones), the nearest first, or the number of one of them. `tolerance` is what may be left, against the size.
        """
        from .closing.assemble import assemble

        return assemble(self, guess, fixed, branch, tolerance)

    def forward_dynamics(self, q: Any, v: Any, tau: Any, **options: Any) -> Array:
        """The accelerations a for forces: M(q) a + h(q, v) = tau, and what keeps loops closed."""
        if self.mechanism.closed:
            from .closing.large import large, large_of

            if large(self):
                return large_of(self).answer(q, v, tau, **options)
        return super().forward_dynamics(q, v, tau, **options)

    def positions(self, coordinates: Mapping[str, Any], guess: Any = None, branch: str | None = None) -> Array:
        """q, (rows, nq), along paths of joints given by name, (rows,) or (rows, k) each: closed, each from the last.

        The first row is assembled from a guess or a branch, as `assemble` does.
        """
        from .closing.path import positions

        return positions(self, coordinates, guess, branch)

    def reach(self, target: Mapping[str, Any], guess: Any = None, branch: str | None = None) -> Reach:
        """How far the named joints can go straight from an assembled guess to a target: to the end of the workspace.

        The end is found to round-off, with the motion that the mechanism has there while they stand still.
        """
        from .closing.path import reach

        return reach(self, target, guess, branch)

    def velocity_transformation(self, q: Any, independent: Any) -> Array:
        """K with v = K u, for a closed q or many: u are the rates of independent joints, by name.

        `independent` may as well be a matrix S, (..., d, nv), with u = S v: rows of a Jacobian.
        """
        from .closing.transformation import transformation

        return transformation(self, q, independent)

    def acceleration_drift(self, q: Any, u: Any, independent: Any, bias: Any = 0.0) -> Array:
        """(dK/dt) u, so that a = K du/dt + this; for a matrix S of independent coordinates `bias` is (dS/dt) v."""
        from .closing.transformation import drift

        return drift(self, q, u, independent, bias)

    def singularities(self, q: Any, inputs: Any, outputs: Any = None) -> tuple[Singularity, ...]:
        """How near a closed q is to singularities, of three kinds, with the motion that is lost or gained there.

        `constraint`: the loops allow more motions than they do around. `parallel`: with the joints `inputs` held, it
        can move. `serial`: the `outputs`, joints or a frame, stand still while it moves; beyond what they never see.
        """
        from .closing.singular import singularities

        return singularities(self, q, inputs, outputs)

    def _sound(self, asked: asking.Asked, found: Any, given: tuple[Any, ...]) -> Any:
        from .closing.told import sound

        return sound(self, asked, found, given)

    def actuator_map(self, q: Any, actuators: Any) -> Array:
        """B(q), one column for each freedom of the joints named, cut or not: motors with forces u make tau = B u."""
        from .closing.kernels import actuator_map

        return actuator_map(self, weighed(actuators))(q)

    def driven_by(self, joints: Iterable[str] = (), method: str = "closed_subsystems") -> Driven:
        """A closed mechanism by what drives it, in the papers' own ways: all joints follow the driven, named or found.

        "closed_subsystems" finds subsystems and solves them one after the other, and tells what every joint carries;
        "denoc_parallel" goes leg by leg, for legs that carry one end-effector.
        """
        from .closing.driven import driven_by

        return driven_by(self, method, joints)

    def spherical(self, q: Any = None, coordinates: Any = "zyx", drives: Iterable[str] = ()) -> SphericalRobot:
        """A robot whose hinges pass through one point, in coordinates of its platform, which are 0 at q.

        q is closed, by default at home, and tells the assembly mode. `coordinates` are the axes about which the
        platform turns, one after the other, each carried by those before: letters, or rows of directions in the base;
        or "quaternion". Drives are joints, by default the first of every leg.
        """
        from .closing.spherical import spherical

        return spherical(self, self.assemble().q if q is None else q, coordinates, drives)

    def reactions(
        self, q: Any, v: Any, a: Any = None, *, tau: Any = None, actuators: Any = None, wrench: Any = None
    ) -> dict[str, Array]:  # fmt: skip
        """The wrenches (force, moment) that bodies get through their joints, by the joints' names.

        In the body's axes about its origin, from its parent. Loops and constraints stand there by their own names: what
        `body_b` gets of `body_a`, in the axes of the joint's frame on it, about that. The motion is given by `a`, with
        forces of the `actuators` or, without these, of all joints of the tree; or by the forces `tau` in them. Where
        equations depend on each other, those reactions are taken that are least.
        """
        from .closing.reactions import reactions

        return reactions(self, q, v, a, tau, actuators, wrench)

    def reduced(self, coordinates: Any) -> Reduced:
        """The mechanism in independent coordinates, whatever tells how it moves: `Reduced`.

        Names of joints, cut or not, as `"crank"` or `"wrist[1]"`; of frames with what moves of them, as `"platform.x"`
        (along an axis of the base), `"platform.wz"` (about it) or `"platform.zyx"` (three angles); or a matrix S with
        u = S v.
        """
        from .closing.reduced import Reduced

        return Reduced.of(self, coordinates)

    def loop_coordinates(self, q: Any) -> Array:
        """The coordinates of the joints that close loops, in the order of `loops`, as in `q` those of other joints."""
        from .closing.kernels import loop_coordinates

        return loop_coordinates(self)(q)

    def loop_rates(self, q: Any, v: Any) -> Array:
        """The rates of the joints that close loops, as in `v` those of other joints."""
        from .closing.kernels import loop_rates

        return loop_rates(self)(q, v)

    # -- the whole of it --------------------------------------------------------------------------------------

    def explain(self, method: str, q: Any, v: Any, a: Any, what: str | None = None) -> Explanation:
        """Every quantity that a method computes in the motion q, v, a, body by body: to print, or as plain data."""
        from .explanation import explain

        return explain(self, method, q, v, a, what)

    def denoc_matrices(self, q: Any, v: Any = None) -> DenocMatrices:
        """The matrices of the equations of motion by DeNOC, from N = Nl Nd to the factors of M; at rest without v."""
        from .decoupled import denoc_matrices

        return denoc_matrices(self, q, v)

    def linearise(self, q: Any, v: Any, tau: Any) -> tuple[Array, Array]:
        """(A, B) of d/dt (dq, dv) = A (dq, dv) + B dtau about a state; dq is a tangent of q.

        Of a closed mechanism, for changes that keep its loops closed; `reduced(...).linearise` knows no others.
        """
        from .analysis import linearise

        return linearise(self, q, v, tau)

    def equilibrium(self, q: Any, tau: Any = 0.0) -> Array:
        """A configuration near q in which the forces tau hold the robot at rest, its loops closed."""
        from .closing.equilibrium import equilibrium

        return equilibrium(self, q, tau)

    def lock(self, joints: Mapping[str, Any]) -> Robot:
        """The robot with joints held fast: a coordinate (or several) for each name of a joint or its body."""
        from .model.variants import locked

        return Robot(locked(self.mechanism, joints))

    def on_moving_base(self, name: str = "moving_base") -> Robot:
        """The robot on a base with six freedoms of its own, whose motion can be prescribed in `hybrid_dynamics`."""
        from .model.variants import on_moving_base

        return Robot(on_moving_base(self.mechanism, name))

    def regrouped(self) -> Robot:
        """The robot with base parameters: of the moments only those that its joints can feel, gathered inboard.

        Its forces, mass matrix and accelerations are the original's, from fewer numbers (`parameters()`); `bodies` and
        energies remain the original's. Its links are no matter: the loads between them mean nothing.
        """
        return Robot(replace(self.mechanism, regrouped=True))

    def with_parameters(self, values: Mapping[str, Any]) -> Robot:
        """The robot with other numbers for some of its `parameters()`, by name; its moments must be those of matter."""
        from .model.changed import changed

        return Robot(changed(self.mechanism, values))

    def parameters(self, names: Iterable[str] | None = None) -> Any:
        """Every parameter that a kernel can lift, by name; or the numbers of some, in their order."""
        from .model.lift import numbers, parameters

        return parameters(self.mechanism) if names is None else numbers(self.mechanism, asking.words("names", names))
