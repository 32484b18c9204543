"""Runs a Program as it stands, statement by statement: slow and obvious, and no compiler is needed."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ShapeError
from ..model.tree import Tree
from ..trace.coverage import added_before_set
from ..trace.expr import Expr
from ..trace.program import Array, Block, Index, Loop, Program, Store

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "fma": lambda a, b, c: a * b + c,
    "fms": lambda a, b, c: a * b - c,
    "fnma": lambda a, b, c: c - a * b,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "atan2": np.arctan2,
    "sign": lambda a: np.sign(a) + 0 * a,  # infinity has none in the compiled readings either
}


def interpret(
    program: Program, *inputs: ArrayLike, tree: Tree | None = None, dtype: str = "f8"
) -> tuple[np.ndarray, ...]:
    """The outputs, for inputs in the order of the Program; leading axes of lane inputs are a batch.

    A rolled Program needs the tree whose tables it reads. Memory that the Program sets itself before it reads
    it starts as NaN, so that a Program that breaks this promise shows.
    """
    if len(inputs) != len(program.inputs):
        wanted = ", ".join(a.name for a in program.inputs)
        raise ShapeError(f"{program.name!r} got {len(inputs)} inputs and wants {wanted}")
    if program.rolled and tree is None:
        raise ShapeError(f"{program.name!r} got no tree and wants one: it is rolled")
    run = _Run(program, tree, np.dtype(dtype))
    run.take([np.asarray(x, run.dtype) for x in inputs])
    with np.errstate(all="ignore"):
        run.block(program.body)
    return tuple(run.given_back(a) for a in program.outputs)


class _Run:
    """One run: memory by arrays, values by expressions, indices by sweeps."""

    def __init__(self, program: Program, tree: Tree | None, dtype: np.dtype[Any]) -> None:
        self.program, self.dtype = program, dtype
        self.memory: dict[Array, np.ndarray] = {}
        self.values: dict[Any, Any] = {}
        self.at: dict[int, int] = {}
        self.sizes: dict[str, int] = {}
        if tree is not None:
            self.sizes = {"n": tree.n, "n+1": tree.n + 1, "nq": tree.nq, "nv": tree.nv}
            self.columns = {k: v.astype(dtype) for k, v in tree.columns.items()}
            self.lookups = tree.lookups

    # -- memory: first an array's own axes, its width, then the batch ----------------------------------------

    def take(self, inputs: list[np.ndarray]) -> None:
        """Inputs, and room for what is written."""
        own = [self._own(a) for a in self.program.inputs]
        for a, x, shape in zip(self.program.inputs, inputs, own, strict=True):
            if x.shape[x.ndim - len(shape) :] != shape:
                raise ShapeError(f"{a.name!r} of {self.program.name!r} got shape {x.shape} and wants {shape}")
        leading = (x.shape[: x.ndim - len(s)] for x, s in zip(inputs, own, strict=True))
        self.batch = np.broadcast_shapes(*leading)
        for a, x, shape in zip(self.program.inputs, inputs, own, strict=True):
            wide = np.broadcast_to(x, (*self.batch, *shape)).reshape(*self.batch, *self._shape(a), a.width)
            self.memory[a] = np.moveaxis(wide, range(len(self.batch)), range(-len(self.batch), 0))
        for a in (*self.program.outputs, *self.program.slots):
            self.memory[a] = self._room(a)

    def _shape(self, a: Array) -> tuple[int, ...]:
        return tuple(s if isinstance(s, int) else self.sizes[s] for s in a.shape)

    def _own(self, a: Array) -> tuple[int, ...]:
        return self._shape(a) + ((a.width,) if a.width > 1 else ())

    def _room(self, a: Array) -> np.ndarray:
        zero = not self.program.rolled or a.name in added_before_set(self.program)
        room = np.full((*self._shape(a), a.width, *self.batch), 0.0 if zero else np.nan, self.dtype)
        if a.shape == ("n+1",):
            room[0] = 0.0
        return room

    def given_back(self, a: Array) -> np.ndarray:
        """An output as it is held outside, the batch first."""
        inner = len(a.shape) + 1
        moved = np.moveaxis(self.memory[a], range(inner), range(-inner, 0))
        return moved.reshape(*self.batch, *self._own(a))

    # -- statements ------------------------------------------------------------------------------------------

    def block(self, block: Block) -> None:
        for item in block.items:
            if isinstance(item, Store):
                at = (*map(self._index, item.place), item.component)
                self.memory[item.array][at] = self._value(item.value)
            elif isinstance(item, Loop):
                self._loop(item)
            else:
                self.values[item] = self._node(item)

    def _value(self, x: Any) -> Any:
        return self.values[x] if isinstance(x, Expr) else self.dtype.type(x)

    def _node(self, node: Expr) -> Any:
        if node.op != "load":
            return FUNCTIONS[node.op](*map(self._value, node.args))
        array, place, component = node.args
        at = tuple(map(self._index, place))
        if array.role == "column":
            return self.columns[array.name][at]
        return self.memory[array][(*at, component)].copy()  # a view would change with the next store

    def _index(self, i: Any) -> int:
        return self._key(i.key) if isinstance(i, Index) else i

    def _key(self, key: tuple[Any, ...]) -> int:
        return self._found(key) + key[-1]

    def _found(self, key: tuple[Any, ...]) -> int:
        """A body of a sweep, one of the robot's sizes, an entry of a table."""
        if key[0] == "i":
            return self.at[key[1]]
        return self.sizes[key[1]] if key[0] == "s" else int(self.lookups[key[1]][self._key(key[2])])

    # -- loops -----------------------------------------------------------------------------------------------

    def _loop(self, loop: Loop) -> None:
        self.values |= {symbol: self._value(first) for symbol, first, _ in loop.carries}
        for i in self._bodies(loop):
            self.at[loop.number] = i
            self.block(self._case(loop, i))
            self.values |= {symbol: self._value(after) for symbol, _, after in loop.carries}

    def _bodies(self, loop: Loop) -> Iterator[int]:
        if loop.start is None:
            bodies = range(1, self.sizes["n"] + 1)
            yield from bodies if loop.way == "outward" else reversed(bodies)
            return
        i = self._index(loop.start)
        if loop.way == "beyond":
            yield from range(i + 1, int(self.lookups["last"][i]) + 1)
            return
        while i:
            yield i
            i = int(self.lookups["parent"][i])

    def _case(self, loop: Loop, i: int) -> Block:
        from ..model.tree import KINDS

        if len(loop.cases) == 1:
            return next(iter(loop.cases.values()))
        return loop.cases.get(KINDS[self.lookups["kind"][i]], Block())
