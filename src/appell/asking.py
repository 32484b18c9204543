"""From a robot's question with its options to a kernel, and to an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .actuation import Actuators, driven, weighed
from .closures import closures_of
from .errors import ModelError, ShapeError, unknown
from .formulations.table import CLOSED_ONES, QUESTIONS, Formulation
from .linalg import WEIGHT_IN_SINGLES
from .model.lower import lower
from .model.mechanism import Mechanism
from .model.reframed import reframed

if TYPE_CHECKING:
    from .kernel.build import Build
    from .model.tree import Tree
    from .questions import Questions
    from .trace.counting import Counts
    from .trace.program import Program

T = TypeVar("T")
REFRAMED_UP_TO = 40  # degrees of freedom: constants saved in straight-line code are loads in loops anyway
MOST_IN_LOOPS = 120  # degrees of freedom: beyond, straight-line code takes minutes to build
AS_GIVEN = ("energy", "momentum", "mass_centre", "centroidal_momentum_matrix")  # of all masses, where they are
OPTIONS = ("method", "dtype", "unroll", "inputs", "prescribed", "actuators")
CALL = ("out", "threads")


@dataclass(frozen=True)
class Asked:
    """A question with its options, as `Robot.kernel` takes them: a key to the kernel that answers."""

    what: str
    method: str | None = None
    dtype: str = "f8"
    unroll: bool | None = None
    inputs: tuple[str, ...] = ()
    frame: str | None = None
    prescribed: tuple[str, ...] = ()
    actuators: Actuators = ()

    @staticmethod
    def of(
        what: str, method: Any = None, dtype: Any = "f8", unroll: Any = None, inputs: Any = (), frame: Any = None,
        prescribed: Any = (), actuators: Any = None,
    ) -> Asked:  # fmt: skip
        """From whatever a user hands over."""
        lists = words("inputs", inputs), frame, words("prescribed", prescribed), weighed(actuators)
        if odd := [x for x in (what, method, unroll, frame) if isinstance(x, (list, dict, set, np.ndarray))]:
            raise ShapeError(f"kernel got {odd[0]!r} where it wanted a name")
        return Asked(what, method, code_of(dtype), unroll, *lists)

    @property
    def options(self) -> dict[str, Any]:
        """The options beside the question and the frame."""
        return {name: getattr(self, name) for name in OPTIONS} | {"actuators": dict(self.actuators) or None}

    @property
    def lifted(self) -> tuple[str, ...]:
        """The parameters that are inputs."""
        return tuple(name for name in self.inputs if name != "wrench")


@dataclass(frozen=True)
class Prepared:
    """A question with all that is needed to read its text: a row of the table, a tree, and what goes with them."""

    row: Formulation
    tree: Tree
    unroll: bool
    wrench: bool
    given: dict[str, Any]

    def program(self) -> Program:
        """The text as a Program."""
        from .trace.reading import read

        return read(self.row, self.tree, unroll=self.unroll, wrench=self.wrench, **self.given)

    def build(self, dtype: str) -> Build:
        """The Program on its way to code."""
        from .kernel.build import Build

        return Build(self.program, self.tree, dtype)

    def counts(self, robot: Questions) -> Counts:
        """Operations of the text on the robot as given, of its Program with masses as given, and of what runs."""
        from .trace.counting import counts

        moved = self.tree is robot.light_tree
        trees = (robot.tree, framed(robot.tree), self.tree) if moved else (self.tree,) * 3
        return counts(self.row, *trees, unroll=self.unroll, wrench=self.wrench, **self.given)


def framed(tree: Tree) -> Tree:
    """The tree in frames with fewer constants, where these are written out and not read from tables."""
    return reframed(tree) if tree.nv <= REFRAMED_UP_TO else tree


def prepared(robot: Questions, asked: Asked) -> Prepared:
    """The formulation, the tree and the options that answer a question."""
    what, lifted = asked.what, asked.lifted
    row = robot.formulation(what, asked.method, rolled=asked.unroll is False)
    _check(robot, row, asked)
    tree = _tree(robot, asked)
    given: dict[str, Any] = {"place": placed(tree, asked.frame)} if QUESTIONS[what].of_frame else {}
    if asked.actuators:
        row, drive = driven(robot, asked.actuators, row)
        given["drive"] = replace(drive, weight=WEIGHT_IN_SINGLES) if asked.dtype == "f4" else drive
    if row.robots == CLOSED_ONES:
        given["closures"] = closures_of(robot.mechanism, tree)
    if asked.dtype == "f4" and row.name == "augmented":
        given["weight"] = WEIGHT_IN_SINGLES
    if asked.prescribed:
        given["prescribed"] = freedoms(robot, asked.prescribed)
    if lifted:
        from .model.lift import Lift

        given["lift"] = Lift(robot.mechanism, tree, lifted)
    large = row.rolls and not lifted and robot.mechanism.nv > row.unrolled_up_to
    unroll = not large if asked.unroll is None else asked.unroll
    return Prepared(row, tree, unroll, "wrench" in asked.inputs, given)


def _tree(robot: Questions, asked: Asked) -> Tree:
    """The tree that a question is asked of: the light one where it answers as well."""
    if asked.what in AS_GIVEN:
        return of_bodies(robot)
    return robot.tree if QUESTIONS[asked.what].of_frame or asked.lifted else robot.light_tree


def of_bodies(robot: Questions) -> Tree:
    """The tree of the bodies as they are, also where the robot is regrouped."""
    return lower(replace(robot.mechanism, regrouped=False)) if robot.mechanism.regrouped else robot.tree


def prepared_with(robot: Questions, what: str, options: dict[str, Any]) -> Prepared:
    """The same, by the options of `Robot.program`."""
    known = ("method", "unroll", "inputs", "frame", "prescribed", "actuators")
    if strange := set(options) - set(known):
        raise unknown(f"option of {what}", min(strange), known)
    return prepared(robot, Asked.of(what, **{k: x for k, x in options.items() if x is not None}))


def _check(robot: Questions, row: Formulation, asked: Asked) -> None:
    """Options that contradict each other, or the robot."""
    what, unroll, frame = asked.what, asked.unroll, asked.frame
    if unroll not in (None, True, False):
        raise ShapeError(f"{what}: unroll is {unroll!r}, wanted True, False or None")
    if unroll is False and not row.rolls:
        raise ModelError(f"method {row.name} for {what} does not roll into loops; wanted unroll=True")
    if frame is not None and not QUESTIONS[what].of_frame:
        raise ShapeError(f"{what} got the frame {frame!r}, wanted none")
    if asked.prescribed and what != "hybrid_dynamics":
        raise ShapeError(f"{what} got prescribed joints, wanted none; hybrid_dynamics takes them")
    if asked.actuators and what != "inverse_dynamics":
        raise ShapeError(f"{what} got actuators, wanted none; inverse_dynamics takes them")
    if asked.lifted and robot.mechanism.regrouped and what in AS_GIVEN:
        raise ModelError(f"{what} got parameters of a regrouped robot, wanted those of the original")
    if row.name == "augmented" and robot.mechanism.nv > MOST_IN_LOOPS:
        got = f"{what} got loops with {robot.mechanism.nv} degrees of freedom"
        raise ModelError(f"{got}, wanted at most {MOST_IN_LOOPS}, or forward_dynamics as the robot's own method")
    if not robot.mechanism.nv:
        raise ModelError(f"robot {robot.mechanism.name!r} has no joint that moves, wanted a degree of freedom at least")


def made(robot: Questions, asked: Asked) -> Any:
    """The kernel of a question; one that was asked before is known by its name, and its text not read again."""
    from .kernel.make import make, recalled
    from .kernel.recall import name_of

    if asked.dtype not in ("f8", "f4"):
        raise ShapeError(f"kernel {asked.what}: dtype is {np.dtype(asked.dtype)}, wanted float64 or float32")
    known = {"owner": Identity(robot.mechanism, robot.identity), "ask": Ask(robot, asked)}
    name = name_of(robot.mechanism, asked.dtype, asked)
    if found := recalled(name, asked.what, lambda: prepared(robot, asked).build(asked.dtype), **known):
        return found
    p = prepared(robot, asked)
    try:
        return make(
            p.row, p.tree, dtype=asked.dtype, unroll=p.unroll, wrench=p.wrench, name=name, **known, **p.given
        )  # fmt: skip
    except ZeroDivisionError:
        text = f"{asked.what}: a joint of robot {robot.mechanism.name!r} moves nothing that resists, so M is singular"
        raise ModelError(text) from None


def words(kind: str, given: Any) -> tuple[str, ...]:
    """Names as a tuple; one alone needs no list."""
    names = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else (None,)
    if not all(isinstance(name, str) for name in names):
        raise ShapeError(f"{kind} is {given!r}, wanted a list of names")
    return names  # type: ignore[return-value]


def numbers_of(what: str, **given: Any) -> list[np.ndarray[Any, Any]]:
    """Arguments as arrays of numbers, in their order."""
    from .kernel.arrays import numbers

    return [numbers(what, name, x) for name, x in given.items()]


def code_of(dtype: Any) -> str:
    """A type of numbers as f8 or f4 or whatever it is."""
    try:
        return np.dtype(dtype).str[1:]
    except TypeError:
        raise ShapeError(f"dtype is {dtype!r}, wanted float64 or float32") from None


def placed(tree: Any, frame: str | None) -> Any:
    """A frame's place on its link."""
    if frame not in tree.frames:
        raise unknown("frame", frame, tree.frames)
    return tree.frames[frame]


def freedoms(robot: Questions, names: tuple[str, ...]) -> frozenset[int]:
    """The places in v of joints, named by themselves or by their bodies."""
    starts = robot.mechanism.v_starts
    ends = (*starts[1:], robot.mechanism.nv)
    known = {name: range(a, b) for body, a, b in zip(robot.mechanism.bodies, starts, ends, strict=False)
             for name in (body.name, body.joint.name)}  # fmt: skip
    for name in names:
        if name not in known:
            raise unknown("joint", name, known)
    return frozenset(k for name in names for k in known[name])


def answered(robot: Questions, what: str, args: tuple[Any, ...], options: dict[str, Any], frame: str | None) -> Any:
    """The answer to a question asked with options."""
    call, wrench = {k: options.pop(k) for k in CALL if k in options}, options.pop("wrench", None)
    if strange := set(options) - set(OPTIONS):
        raise unknown(f"option of {what}", min(strange), [*OPTIONS, *CALL, "wrench"])
    if wrench is not None:
        options["inputs"] = ("wrench", *words("inputs", options.get("inputs", ())))
        at = len(QUESTIONS[what].inputs)
        args = (*args[:at], wrench, *args[at:])
    asked = Asked.of(what, frame=frame, **options)
    found = on_bodies(robot, robot._kernel(asked))(*args, **call)
    return robot._sound(asked, found, args) if asked.actuators or asked.prescribed else found


def on_bodies(robot: Questions, kernel: Any) -> Callable[..., Any]:
    """A kernel's function, which takes wrenches on the user's bodies even where the kernel wants them on links."""
    names = [form.name for form in kernel.inputs]
    if kernel.takes_links and "wrench" in names:
        return OnBodies(robot, kernel.callable, names.index("wrench"))
    return kernel.callable


@dataclass(frozen=True)
class OnBodies:
    """A rolled kernel's function behind a step that carries wrenches from bodies to links."""

    robot: Questions
    function: Callable[..., Any]
    place: int

    def __call__(self, *args: Any, **named: Any) -> Any:
        if len(args) > self.place:
            given = on_links(self.robot, args[self.place])
            args = (*args[: self.place], given, *args[self.place + 1 :])
        elif "wrench" in named:
            named["wrench"] = on_links(self.robot, named["wrench"])
        return self.function(*args, **named)

    def __getattr__(self, name: str) -> Any:
        """The name, the kernel and the signature of the function itself."""
        if name not in ("__name__", "__self__", "__signature__"):
            raise AttributeError(name)
        return signature(self.function) if name == "__signature__" else getattr(self.function, name)


def on_links(robot: Questions, wrench: Any) -> Any:
    """Wrenches (..., n, 6) on the user's bodies as wrenches on the links of the light tree, for rolled loops."""
    from .kernel.arrays import numbers

    given, tree = numbers("external forces", "wrench", wrench), robot.light_tree
    if given.shape[-2:] != (len(tree.bodies), 6):
        raise ShapeError(f"wrench has shape {given.shape}, wanted (..., {len(tree.bodies)}, 6)")
    total = np.zeros((*given.shape[:-2], tree.n + 1, 6))
    for k, place in enumerate(tree.bodies):
        R, r = np.array([list(row) for row in place.R], float), np.array(list(place.r), float)
        force = given[..., k, :3] @ R.T
        moment = given[..., k, 3:] @ R.T + np.cross(r, force)
        total[..., place.link, :] += np.concatenate([force, moment], -1)
    return total[..., 1:, :]


def in_plain_words(robot: type[T]) -> type[T]:
    """Questions called with too few or too many arguments say so as all other mistakes are said."""
    for name in QUESTIONS.keys() & vars(robot).keys():
        setattr(robot, name, _explained(getattr(robot, name)))
    return robot


def _explained(question: Callable[..., Any]) -> Callable[..., Any]:
    known = signature(question)
    names = ", ".join(p.name for p in [*known.parameters.values()][1:] if p.kind is p.POSITIONAL_OR_KEYWORD)

    @wraps(question)
    def asked(*args: Any, **named: Any) -> Any:
        try:
            return question(*args, **named)
        except TypeError:
            try:
                known.bind(*args, **named)
            except TypeError as error:
                raise ShapeError(f"{question.__name__}: {error}, wanted {names}") from None
            raise

    return asked


@dataclass(frozen=True, eq=False)
class Identity:
    """A mechanism as a key: equal for equal mechanisms, its hash computed once."""

    mechanism: Mechanism
    hash: int

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self.hash == other.hash and self.mechanism == other.mechanism


@dataclass(frozen=True)
class Ask:
    """The way from a bare callable back to its robot: for options that only the robot knows, and from a pickle."""

    robot: Questions
    asked: Asked

    def __call__(self, *args: Any, **options: Any) -> Any:
        return answered(self.robot, self.asked.what, args, {**self.asked.options, **options}, self.asked.frame)

    def kernel(self) -> Any:
        """The kernel again."""
        return self.robot._kernel(self.asked)
