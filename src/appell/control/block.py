"""Something that is run sample after sample: a text of signals and memory, compiled for simulation, written as C for
the real time.

A text (robot, q, v, inputs.., state) gives its outputs, and the state after the sample where it has one. Like the
formulations it may add, multiply and take sines, and asks for no scalar's value; a robot of its own walks through it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from ..formulations.table import Formulation, Question
from ..model.tree import Tree
from ..robot import Robot

if TYPE_CHECKING:
    from ..trace.program import Program

Array = np.ndarray[Any, Any]
NEAR, SECONDS = 0.05, 2.0  # from where to where a written loop moves every joint, and for how long
Sizes = tuple[tuple[str, int], ...]


@dataclass(frozen=True, eq=False)
class Block:
    """A text with its inputs beside q and v, its outputs, and the state that it starts with."""

    robot: Robot
    tree: Tree
    name: str
    text: Callable[..., Any]
    inputs: Sizes
    outputs: Sizes
    start: Array = field(default_factory=lambda: np.zeros(0))
    rest: Callable[[Array], tuple[Any, ...]] | None = None  # the inputs that ask a law to stay at a configuration
    closed: bool = False  # whether the text knows of loops
    period: float = 0.0  # between samples, of a text that sums over them
    driven: tuple[int, ...] | None = None  # the places in v that references of joints are for, where these are not all

    def __post_init__(self) -> None:
        if self.closed:
            return
        if self.robot.nq != self.robot.nv:
            raise ModelError(f"{self.name}: robot {self.robot.name!r} has a quaternion in q, wanted scalar coordinates")
        if self.robot.mechanism.closed:
            raise ModelError(f"{self.name}: robot {self.robot.name!r} has closed loops, wanted an open chain or a tree")

    @property
    def axes(self) -> tuple[int, ...]:
        """The places in v that references of joints are for."""
        return tuple(range(self.robot.nv)) if self.driven is None else self.driven

    @cached_property
    def row(self) -> Formulation:
        """The text as a formulation of its own."""
        state = (("state", len(self.start)),) if len(self.start) else ()
        after = (("after", (len(self.start),)),) if len(self.start) else ()
        names = ("q", "v", *(name for name, _ in (*self.inputs, *state)))
        outputs = (*((name, (size,)) for name, size in self.outputs), *after)
        question = Question(names, outputs, self.name, sizes=(*self.inputs, *state))
        return Formulation("gibbs_appell", self.name, self.text, "", rolls=False, asks=question)

    @cached_property
    def kernel(self) -> Any:
        """The compiled text: (q, v, inputs.., state) -> outputs.., state."""
        from ..kernel.make import make

        return make(self.row, self.tree).callable

    def program(self) -> Program:
        """The text as a Program."""
        from ..trace.reading import read

        return read(self.row, self.tree)

    def __call__(self, q: Array, v: Array, *inputs: Array, state: Array) -> tuple[tuple[Array, ...], Array]:
        """(outputs, state after) of one sample."""
        if len(self.start):
            *found, after = self.kernel(q, v, *inputs, state)
            return tuple(found), after
        found = self.kernel(q, v, *inputs)
        return (found if isinstance(found, tuple) else (found,)), state

    def write_c(self, path: Any, precision: Any = "double", period: float = 1e-3) -> None:
        """Writes the text as C99 that needs nothing but libm: `NAME_start`, `NAME_step`, a header, a self-test, and of
        a law `NAME_loop.c`, a loop to begin from, in which a simulated robot stands for the real one."""
        from ..write.c_block import Loop, write_law

        loop, robot = None, self.robot
        if self.rest is not None and robot.nq == robot.nv:
            q = robot.assemble().q if robot.mechanism.closed else robot.random_state(1)[0]
            signals = [np.asarray(x, float) for x in self.rest(q + NEAR)]
            loop = Loop(self.robot.program("forward_dynamics"), q, signals, period, round(SECONDS / period))
        write_law(self.program(), self.tree, path, precision, self.start.tolist(), loop)
