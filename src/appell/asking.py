"""From a robot's question with its options to a kernel, and to an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .closures import closures_of
from .errors import ModelError, ShapeError, unknown
from .formulations.table import CLOSED_ONES, QUESTIONS, Formulation
from .model.lower import lower
from .model.mechanism import Mechanism
from .model.reframed import reframed

if TYPE_CHECKING:
    from .model.tree import Tree
    from .questions import Questions
    from .trace.counting import Counts
    from .trace.program import Program

T = TypeVar("T")
REFRAMED_UP_TO = 40  # degrees of freedom: constants saved in straight-line code are loads in loops anyway
AS_GIVEN = ("energy", "momentum", "mass_centre", "centroidal_momentum_matrix")  # of all masses, where they are
OPTIONS = ("method", "dtype", "unroll", "inputs", "prescribed")
CALL = ("out", "threads")


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

    def counts(self, robot: Questions) -> Counts:
        """Operations of the text on the robot as given, of its Program with masses as given, and of what runs."""
        from .trace.counting import counts

        moved = self.tree is robot.light_tree
        trees = (robot.tree, framed(robot.tree), self.tree) if moved else (self.tree,) * 3
        return counts(self.row, *trees, unroll=self.unroll, wrench=self.wrench, **self.given)


def framed(tree: Tree) -> Tree:
    """The tree in frames with fewer constants, where these are written out and not read from tables."""
    return reframed(tree) if tree.nv <= REFRAMED_UP_TO else tree


def prepared(
    robot: Questions, what: str, method: str | None, unroll: bool | None, inputs: tuple[str, ...],
    frame: str | None, prescribed: tuple[str, ...],
) -> Prepared:  # fmt: skip
    """The formulation, the tree and the options that answer a question; the same arguments as `Robot.kernel`."""
    lifted = tuple(name for name in inputs if name != "wrench")
    row = robot.formulation(what, method, rolled=unroll is False)
    _check(robot, row, unroll, frame, prescribed, bool(lifted))
    rolled = row.rolls and not lifted and robot.mechanism.nv > row.unrolled_up_to if unroll is None else not unroll
    as_given = what in AS_GIVEN or QUESTIONS[what].of_frame or lifted
    tree = (of_bodies(robot) if what in AS_GIVEN else robot.tree) if as_given else robot.light_tree
    given: dict[str, Any] = {"place": placed(tree, frame)} if QUESTIONS[what].of_frame else {}
    if row.robots == CLOSED_ONES:
        given["closures"] = closures_of(robot.mechanism, tree)
    if prescribed:
        given["prescribed"] = freedoms(robot, prescribed)
    if lifted:
        from .model.lift import Lift

        given["lift"] = Lift(robot.mechanism, tree, lifted)
    return Prepared(row, tree, not rolled, "wrench" in inputs, given)


def of_bodies(robot: Questions) -> Tree:
    """The tree of the bodies as they are, also where the robot is regrouped."""
    return lower(replace(robot.mechanism, regrouped=False)) if robot.mechanism.regrouped else robot.tree


def prepared_with(robot: Questions, what: str, options: dict[str, Any]) -> Prepared:
    """The same, by the options of `Robot.program`."""
    known = ("method", "unroll", "inputs", "frame", "prescribed")
    if strange := set(options) - set(known):
        raise unknown(f"option of {what}", min(strange), known)
    method, unroll, inputs, frame, prescribed = (options.get(name) for name in known)
    lists = words("inputs", inputs or ()), frame, words("prescribed", prescribed or ())
    return prepared(robot, what, method, unroll, *lists)


def _check(
    robot: Questions, row: Formulation, unroll: Any, frame: Any, prescribed: tuple[str, ...], lifted: bool
) -> None:  # fmt: skip
    """Options that contradict each other, or the robot."""
    if unroll not in (None, True, False):
        raise ShapeError(f"{row.computes}: unroll is {unroll!r}, wanted True, False or None")
    if unroll is False and not row.rolls:
        raise ModelError(f"method {row.name} for {row.computes} does not roll into loops; wanted unroll=True")
    if frame is not None and not QUESTIONS[row.computes].of_frame:
        raise ShapeError(f"{row.computes} got the frame {frame!r}, wanted none")
    if prescribed and row.computes != "hybrid_dynamics":
        raise ShapeError(f"{row.computes} got prescribed joints, wanted none; hybrid_dynamics takes them")
    if lifted and robot.mechanism.regrouped and row.computes in AS_GIVEN:
        raise ModelError(f"{row.computes} got parameters of a regrouped robot, wanted those of the original")
    if not robot.mechanism.nv:
        raise ModelError(f"robot {robot.mechanism.name!r} has no joint that moves, wanted a degree of freedom at least")


def made(
    robot: Questions, what: str, method: str | None, dtype: str, unroll: bool | None, inputs: tuple[str, ...],
    frame: str | None, prescribed: tuple[str, ...],
) -> Any:  # fmt: skip
    """The kernel of a question."""
    from .kernel.make import make

    if dtype not in ("f8", "f4"):
        raise ShapeError(f"kernel {what}: dtype is {np.dtype(dtype)}, wanted float64 or float32")
    p = prepared(robot, what, method, unroll, inputs, frame, prescribed)
    options = {"method": method, "dtype": dtype, "unroll": unroll, "inputs": inputs, "prescribed": prescribed}
    owner, ask = Identity(robot.mechanism, robot.identity), Ask(robot, what, frame, options)
    try:
        return make(p.row, p.tree, dtype=dtype, unroll=p.unroll, wrench=p.wrench, owner=owner, ask=ask, **p.given)
    except ZeroDivisionError:
        text = f"{what}: a joint of robot {robot.mechanism.name!r} moves nothing that resists, so M is singular"
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
    return on_bodies(robot, chosen(robot, what, frame, options))(*args, **call)


def chosen(robot: Questions, what: str, frame: str | None, options: dict[str, Any]) -> Any:
    """The kernel that options pick."""
    return robot._kernel(
        what, options.get("method"), code_of(options.get("dtype", "f8")), options.get("unroll"),
        words("inputs", options.get("inputs", ())), frame, words("prescribed", options.get("prescribed", ())),
    )  # fmt: skip


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
    for name in QUESTIONS:
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
    what: str
    frame: str | None
    options: dict[str, Any]

    def __call__(self, *args: Any, **options: Any) -> Any:
        return answered(self.robot, self.what, args, {**self.options, **options}, self.frame)

    def kernel(self) -> Any:
        """The kernel again."""
        return chosen(self.robot, self.what, self.frame, self.options)
