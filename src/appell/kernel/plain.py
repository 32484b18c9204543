"""The same answers without machine code: a text read over NumPy arrays, one lane per state.

For systems that forbid a process to make code. Slower by orders of magnitude, and exact.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..formulations.table import Formulation
from ..model.tree import Tree
from ..model.walk import Coordinates
from ..trace.program import Array, Program
from ..trace.reading import inputs_of, robot_of
from . import arrays


class PlainKernel:
    """One question to one robot, answered by its text."""

    from_cache = False
    takes_links = False  # wrenches act on the user's bodies

    def __init__(
        self,
        formulation: Formulation,
        program: Program,
        tree: Tree,
        dtype: str,
        ask: Any,
        *,
        wrench: bool = False,
        prescribed: frozenset[int] = frozenset(),
        lift: Any = None,
        **given: Any,
    ) -> None:
        self.what, self.dtype = formulation.computes, np.dtype(dtype)
        self.program, self.tree, self.ask = program, tree, ask
        self.fields = inputs_of(formulation, tree, wrench, lift)
        self.inputs = [arrays.Form(a.name, (*a.shape, a.width) if a.width > 1 else a.shape) for a in self.fields]  # type: ignore[arg-type]
        sizes: dict[Any, Any] = {"n": tree.n, "nq": tree.nq, "nv": tree.nv}
        shapes = [(name, tuple(sizes.get(s, s) for s in shape)) for name, shape in formulation.question.outputs]
        self.outputs = [arrays.Form(name, shape) for name, shape in shapes]  # type: ignore[arg-type]
        self.text, self.names = partial(formulation.text, **given), formulation.question.inputs
        fields = {a.name: a for a in self.fields}
        self.robot_of = partial(robot_of, tree, arrays=fields, prescribed=prescribed, lift=lift)

    @property
    def callable(self) -> Callable[..., Any]:
        """The function: f(q, v, a, *, out=None)."""
        return PlainCall(self)

    def slow(self, *args: Any, out: Any = None, threads: int = 1, **named: Any) -> Any:
        """The answer for one state or a batch."""
        if named:
            return self.ask(*args, threads=threads, **({"out": out} if out is not None else {}), **named)
        given = arrays.taken(self.what, self.inputs, args, self.dtype)
        lead = arrays.common(self.what, self.inputs, given)
        shaped = self._answers([np.broadcast_to(a, (*lead, a.shape[-1])) for a in given], lead)
        if out is not None:
            return arrays.given_out(self.what, out, shaped)
        return shaped[0] if len(shaped) == 1 else tuple(shaped)

    def _answers(self, values: list[Any], lead: tuple[int, ...]) -> list[Any]:
        columns = [np.moveaxis(v, -1, 0).astype(self.dtype) for v in values]
        walk = self.robot_of(Columns(dict(zip((a.name for a in self.fields), columns, strict=True))))
        with np.errstate(all="ignore"):
            result = self.text(walk, *(Coordinates(column) for column, _ in zip(columns, self.names, strict=False)))
        results = result if isinstance(result, tuple) else (result,)
        found = [np.zeros((*lead, *f.shape), self.dtype) for f in self.outputs]
        for array, values_, form in zip(found, results, self.outputs, strict=True):
            for place in np.ndindex(form.shape):
                array[(..., *place)] = values_[place[0] if len(place) == 1 else place]
        return found

    def __reduce__(self) -> Any:
        return self.ask.kernel, ()


class Columns:
    """Inputs as `robot_of` asks for them."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self.columns = columns

    def load(self, array: Array, place: tuple[Any, ...], component: int = 0) -> Any:
        """One number of each state."""
        return self.columns[array.name][place[0] * array.width + component]


class PlainCall:
    """A plain kernel as a function."""

    def __init__(self, kernel: PlainKernel | PlainProgram) -> None:
        self.__self__, self.__name__ = kernel, kernel.what
        names = [inspect.Parameter(f.name, inspect.Parameter.POSITIONAL_ONLY) for f in kernel.inputs]
        out = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None)
        self.__signature__ = inspect.Signature([*names, out])

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.__self__.slow(*args, **named)


class PlainProgram:
    """A Program that is no text's own, run statement by statement."""

    from_cache = False
    takes_links = False

    def __init__(self, what: str, program: Program) -> None:
        self.what, self.program, self.dtype = what, program, np.dtype("f8")
        self.inputs = [arrays.Form(a.name, a.shape) for a in program.inputs]  # type: ignore[arg-type]

    @property
    def callable(self) -> Callable[..., Any]:
        """The function: f(q, v, a, *, out=None)."""
        return PlainCall(self)

    def slow(self, *args: Any, out: Any = None, threads: int = 1, **named: Any) -> Any:
        """The answer for one state or a batch."""
        from ..write.interpret import interpret

        given = arrays.taken(self.what, self.inputs, arrays.named(self.what, self.inputs, args, named), self.dtype)
        arrays.common(self.what, self.inputs, given)
        found = [*interpret(self.program, *given)]
        if out is not None:
            return arrays.given_out(self.what, out, found)
        return found[0] if len(found) == 1 else tuple(found)
