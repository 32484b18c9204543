"""A Program as a compiled callable: built or found in the cache, checked once against its text, kept for ever."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import AppellError, ShapeError
from ..trace.stages import timed
from ..write.callable_layout import CHUNK_NS, Signature
from ..write.target import FREE, MALLOC, ROOM, TABLES, WORDS, Target
from . import arrays
from .interface import Interface
from .machine import load, target_of
from .native import bind, keep

if TYPE_CHECKING:
    from ..model.tree import Tree
    from ..trace.program import Program
    from .build import Build

NAMES = ("one", "many", "call", "api")


class Kernel:
    """One question to one robot, as machine code; its Program is read when somebody asks for it."""

    def __init__(
        self, what: str, interface: Interface, code: bytes, build: Callable[[], Build], *,
        from_cache: bool, ask: Any = None,
    ) -> None:  # fmt: skip
        self.what, self.interface, self.code, self._read = what, interface, code, build
        self.dtype, self.inputs, self.outputs = np.dtype(interface.dtype), interface.inputs, interface.outputs
        self.from_cache = from_cache
        self.ask = ask  # the robot's way to other kernels, for keywords that are not this one's
        self.addresses = timed("load", lambda: load(code, NAMES), lambda _: f"{len(code)} bytes of object code")
        tables = interface.tables(self.tree) if interface.rolled else ()
        self.context = context(interface.sizes, interface.scratch, tables)
        setattr(self, what, self._bind())

    @cached_property
    def build(self) -> Build:
        """How its code came about."""
        return self._read()

    @property
    def program(self) -> Program:
        """The Program as it was read."""
        return self.build.program

    @property
    def tree(self) -> Tree:
        """The robot as it was read."""
        return self.build.tree

    @property
    def target(self) -> Target:
        """What its code is made for."""
        return target_of(self.interface.dtype)

    @property
    def callable(self) -> Callable[..., Any]:
        """The bare function: f(q, v, a, *, out=None)."""
        return getattr(self, self.what)

    @property
    def takes_links(self) -> bool:
        """Whether external wrenches are given on links: loops do not know the user's bodies."""
        return self.interface.rolled

    def _bind(self) -> Callable[..., Any]:
        names = ", ".join(f.name for f in self.inputs)
        shapes = ", ".join(f"{f.name} {f.shape}" for f in (*self.inputs, *self.outputs))
        doc = f"{self.what}({names}, *, out=None)\n--\n\nOne state, or a batch along leading axes. {shapes}."
        signature = Signature(
            tuple(f.size for f in self.inputs), tuple(f.shape for f in self.outputs), self.interface.dtype,
            self.interface.guess,
        )  # fmt: skip
        word = self.context.ctypes.data
        call, api = self.addresses["call"], self.addresses["api"]
        return bind(call, api, self, self.what, doc, self.slow, signature, word, many_address=self.addresses["many"])

    # -- the slow way -----------------------------------------------------------------------------------------

    def slow(self, *args: Any, out: Any = None, threads: int = 1, **named: Any) -> Any:
        """Whatever the compiled checks refuse: converts, broadcasts, or says what is wrong."""
        workers = arrays.workers(self.what, threads)
        args = tuple(arrays.named(self.what, self.inputs, args, named))
        if named:
            if self.ask is None:
                raise ShapeError(f"{self.what} does not know the keyword {next(iter(named))!r}; wanted out or threads")
            call = {"out": out} if out is not None else {}
            return self.ask(*args, threads=threads, **call, **named)
        given = arrays.taken(self.what, self.inputs, args, self.dtype)
        lead = arrays.common(self.what, self.inputs, given)
        count = int(np.prod(lead, dtype=np.int64))
        results = [np.empty((count, f.size), self.dtype) for f in self.outputs]
        self.run([arrays.rows(a, lead) for a in given], results, workers)
        shaped = [r.reshape(*lead, *f.shape) for r, f in zip(results, self.outputs, strict=True)]
        if out is not None:
            return arrays.given_out(self.what, out, shaped)
        return shaped[0] if len(shaped) == 1 else tuple(shaped)

    def run(self, inputs: Sequence[Any], results: Sequence[Any], threads: int = 1) -> None:
        """Fills results (B, size) from inputs (B, size); releases the interpreter's lock."""
        table = arrays.views([*inputs, *results])
        count, word = len(results[0]), self.context.ctypes.data
        many = _MANY(self.addresses["many"])

        def some(start: int, stop: int) -> None:
            for a in range(start, stop, self._chunk):  # Python looks for Ctrl-C in between
                many(table.ctypes.data, a, min(a + self._chunk, stop), word)

        arrays.spread(some, count, threads)

    @property
    def _chunk(self) -> int:
        """How many states take about 50 ms."""
        return max(16, int(CHUNK_NS / self.interface.guess))

    def __reduce__(self) -> Any:
        if self.ask is None:
            raise AppellError(f"kernel {self.what} was not made by a robot; build it again in the other process")
        return self.ask.kernel, ()

    def __repr__(self) -> str:
        loops = "rolled" if self.interface.rolled else "unrolled"
        return f"<Kernel {self.what} {self.dtype} n={self.interface.sizes[0]} {loops}>"


_MANY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)


def context(
    sizes: tuple[int, int, int], scratch: int, tables: Sequence[np.ndarray[Any, Any]]
) -> np.ndarray[Any, Any]:  # fmt: skip
    """What compiled code needs to know of a robot: sizes, tables, how to get scratch. Kept for ever."""
    words = np.zeros(WORDS, np.int64)
    words[:3] = sizes
    for k, table in enumerate(tables):
        words[TABLES + k] = table.ctypes.data
    words[ROOM] = scratch
    words[MALLOC] = _address("PyMem_RawMalloc")
    words[FREE] = _address("PyMem_RawFree")
    keep(words, *tables)
    return words


def _address(name: str) -> int:
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
