"""Robot: what the user holds. A mechanism and its questions; each fetches a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from . import errors
from .formulations.table import FORMULATIONS, QUESTIONS, Formulation
from .model import manifold
from .model.equivalent import reframed, regrouped
from .model.lower import lower
from .model.mechanism import Body, Frame, Mechanism
from .model.tree import Tree

Array = np.ndarray[Any, Any]
UNROLLED_UP_TO = 40  # degrees of freedom: beyond, straight-line code leaves the instruction cache
TRUE_MASSES = ("energy", "mass_centre", "centroidal_momentum_matrix")  # they ask about the robot as it is given


class Robot:
    """A mechanism and its questions.

    Every question takes one state or a batch along leading axes, anything `np.asarray` takes, and gives new
    arrays or fills `out=`. `method=` picks a formulation, `wrench=` adds external wrenches (one row of force and
    moment per body, in the body's axes), `threads=` spreads a batch (0: all cores).
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self._kernels: dict[Any, Any] = {}

    # -- the model --------------------------------------------------------------------------------------------

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Robot:
        """A robot from plain data of the format `appell-robot/1`."""
        return Robot(Mechanism.from_dict(data))

    def to_dict(self) -> dict[str, Any]:
        """The robot as plain data of the format `appell-robot/1`; exact."""
        return self.mechanism.to_dict()

    def save(self, path: Any) -> None:
        """Writes the robot as a TOML file."""
        from .model.toml import write

        write(self.mechanism, path)

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
    def gravity(self) -> Array:
        """The acceleration of gravity, in the base's axes."""
        return np.array(self.mechanism.gravity)

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

    @property
    def mass(self) -> float:
        """The mass of all bodies."""
        return float(sum(b.mass for b in self.mechanism.bodies))

    @cached_property
    def tree(self) -> Tree:
        """The robot made ready to be walked."""
        return lower(self.mechanism)

    @cached_property
    def light_tree(self) -> Tree:
        """A tree of equal forces and accelerations with fewer constants: exact, and cheaper."""
        return regrouped(reframed(self.tree))

    def __repr__(self) -> str:
        return f"<Robot {self.name!r}: {self.n} bodies, {self.nv} degrees of freedom>"

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

    def random_state(self, seed: int) -> tuple[Array, Array]:
        """(q, v): q within the limits, v normal; the same for the same seed."""
        return manifold.random_state(self.mechanism, seed)

    def integrate(self, q: Any, v: Any, dt: Any = 1.0) -> Array:
        """q after moving for time dt with the constant velocity v."""
        return manifold.integrate(self.mechanism, q, v, dt)

    def difference(self, q0: Any, q1: Any) -> Array:
        """The velocity that leads from q0 to q1 in unit time."""
        return manifold.difference(self.mechanism, q0, q1)

    # -- questions --------------------------------------------------------------------------------------------

    def inverse_dynamics(self, q: Any, v: Any, a: Any, **options: Any) -> Array:
        """The forces tau for a motion: M(q) a + h(q, v) = tau."""
        return self._ask("inverse_dynamics", (q, v, a), options)

    def mass_matrix(self, q: Any, **options: Any) -> Array:
        """The mass matrix M(q)."""
        return self._ask("mass_matrix", (q,), options)

    def forward_dynamics(self, q: Any, v: Any, tau: Any, **options: Any) -> Array:
        """The accelerations a for forces: M(q) a + h(q, v) = tau."""
        return self._ask("forward_dynamics", (q, v, tau), options)

    def kernel(
        self,
        what: str,
        *,
        method: str | None = None,
        dtype: Any = "f8",
        unroll: bool | None = None,
        inputs: Iterable[str] = (),
        frame: str | None = None,
    ) -> Callable[..., Any]:
        """The bare compiled callable of a question: f(q, v, a, *, out=None), for loops at 1 kHz and beyond.

        `inputs=["wrench"]` adds an argument: external wrenches, one row (force, moment) per body.
        """
        key = (what, method, np.dtype(dtype).str, unroll, tuple(inputs), frame)
        if key not in self._kernels:
            self._kernels[key] = self._make(what, method, np.dtype(dtype), unroll, tuple(inputs), frame)
        return self._kernels[key].callable

    def _make(self, what: str, method: str | None, dtype: Any, unroll: bool | None, inputs: Any, frame: Any) -> Any:
        from .kernel.make import make

        if dtype.str[1:] not in ("f8", "f4"):
            raise errors.ShapeError(f"kernel {what}: dtype is {dtype}, wanted float64 or float32")
        for extra in inputs:
            if extra != "wrench":
                raise errors.unknown("kernel input", extra, ["wrench"])
        row = self.formulation(what, method)
        rolled = row.rolls and self.nv > UNROLLED_UP_TO if unroll is None else not unroll
        tree = self.tree if what in TRUE_MASSES else self.light_tree
        given = {"place": self._place(tree, what, frame)} if QUESTIONS[what].of_frame else {}
        return make(
            row, tree, dtype=dtype.str[1:], unroll=not rolled, wrench="wrench" in inputs,
            ask=_Ask(self, what, frame), **given,
        )  # fmt: skip

    def _place(self, tree: Tree, what: str, frame: str | None) -> Any:
        if frame not in tree.frames:
            raise errors.unknown("frame", frame, tree.frames)
        return tree.frames[frame]

    def formulation(self, what: str, method: str | None = None) -> Formulation:
        """The row of the formulations' table that answers a question here."""
        if what not in QUESTIONS:
            raise errors.unknown("question", what, QUESTIONS)
        rows = {f.name: f for f in FORMULATIONS if f.computes == what}
        if method is None:
            method = self._fastest(what, rows)
        if method not in rows:
            raise errors.unknown(f"method for {what}", method, rows)
        return rows[method]

    def _fastest(self, what: str, rows: dict[str, Formulation]) -> str:
        """The exact formulation that costs least: the first row, but for forward dynamics of small robots."""
        if what == "forward_dynamics" and "composite_body" in rows and self.nv <= 12:
            return "composite_body"
        return next(name for name, f in rows.items() if f.rolls or self.nv <= UNROLLED_UP_TO)

    def _ask(self, what: str, args: tuple[Any, ...], options: dict[str, Any], frame: str | None = None) -> Any:
        """Answers with a kernel; the plain form of a question becomes an attribute, so that the next call is bare."""
        call = {k: options.pop(k) for k in ("out", "threads") if k in options}
        wrench = options.pop("wrench", None)
        if wrench is not None:
            options["inputs"] = ("wrench",)
            args = (*args, wrench)
        if unknown := set(options) - {"method", "dtype", "unroll", "inputs"}:
            raise errors.unknown(f"option of {what}", min(unknown), ["method", "wrench", "out", "threads", "dtype", "unroll"])
        function = self.kernel(what, frame=frame, **options)
        if frame is None and not options:
            self.__dict__[what] = function
        return function(*args, **call)


class _Ask:
    """The way from a bare callable back to the robot's own method, for keywords that only the robot knows."""

    def __init__(self, robot: Robot, what: str, frame: str | None) -> None:
        self.robot, self.what, self.frame = robot, what, frame

    def __call__(self, *args: Any, **options: Any) -> Any:
        options = {k: x for k, x in options.items() if not (k == "out" and x is None or k == "threads" and x == 1)}
        return self.robot._ask(self.what, args, options, self.frame)
