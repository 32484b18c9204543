"""A Program as a compiled callable: built or found in the cache, checked once against its text, kept for ever."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import AppellError, ShapeError
from ..model.tree import Tree
from ..trace.chain import in_registers
from ..trace.passes import with_fma
from ..trace.program import Array, Program
from ..trace.stages import show, statements, timed
from ..trace.walks import walks_in_registers
from ..write.callable_layout import CHUNK_NS, Signature
from ..write.target import FREE, MALLOC, ROOM, WORDS, WRITER, Target, scratch_bytes
from . import arrays, cache
from .machine import assembly, compile_object, load, machine
from .native import bind, keep

NAMES = ("one", "many", "call", "api")


class Kernel:
    """One question to one robot, as machine code."""

    def __init__(self, what: str, program: Program, tree: Tree, dtype: str, ask: Any = None) -> None:
        self.what, self.program, self.tree, self.dtype = what, program, tree, np.dtype(dtype)
        self.target: Target = machine().target(dtype)
        self.compiled = timed("passes", self._lean, lambda p: f"for this processor: {statements(p)} statements")
        self.sizes = {"n": tree.n, "nq": tree.nq, "nv": tree.nv}
        self.ask = ask  # the robot's way to other kernels, for keywords that are not this one's
        self.inputs = [arrays.Form(a.name, self._shape(a)) for a in program.inputs]
        self.outputs = [arrays.Form(a.name, self._shape(a)) for a in program.outputs]
        code = self._code()
        self.addresses = timed("load", lambda: load(code, NAMES), lambda _: f"{len(code)} bytes of object code")
        self.context = context(self.compiled, self.target, tree)
        setattr(self, what, self._bind())

    @property
    def callable(self) -> Callable[..., Any]:
        """The bare function: f(q, v, a, *, out=None)."""
        return getattr(self, self.what)

    @property
    def takes_links(self) -> bool:
        """Whether external wrenches are given on links: loops do not know the user's bodies."""
        return self.program.rolled

    def _shape(self, array: Array) -> tuple[int, ...]:
        shape = tuple(s if isinstance(s, int) else self.sizes[s] for s in array.shape)
        return (*shape, array.width) if array.width > 1 else shape

    # -- building ---------------------------------------------------------------------------------------------

    def _lean(self) -> Program:
        lean = walks_in_registers(in_registers(self.program))
        return with_fma(lean) if self.target.fma else lean

    def _code(self) -> bytes:
        found = timed("cache", lambda: cache.read(self.key), lambda c: f"{'hit' if c else 'miss'} {self.key[:16]}")
        self.from_cache = found is not None
        self.code = self._built() if found is None else found
        show(3, "ir", lambda: self.ir)
        show(4, "assembly", lambda: assembly(self.ir))
        return self.code

    def _built(self) -> bytes:
        ir = timed("write", lambda: self.ir, lambda text: f"{text.count(chr(10))} lines of LLVM IR")
        return timed("compile", lambda: compile_object(ir), lambda code: f"{len(code)} bytes of object code")

    def remember(self) -> None:
        """Keeps checked code on disk."""
        if not self.from_cache:
            cache.write(self.key, self.code)

    @cached_property
    def key(self) -> str:
        """The name of the code in the cache."""
        import llvmlite

        here = machine()
        return cache.key(
            self.compiled.text(), WRITER, llvmlite.__version__, here.triple, here.cpu, here.features, here.code_model,
            repr(self.target), np.__version__, repr((object.__basicsize__, tuple.__basicsize__)),
        )  # fmt: skip

    @property
    def ir(self) -> str:
        """The module as LLVM text."""
        from ..write.llvm_module import module_ir  # a kernel from the cache needs no writer

        return module_ir(self.compiled, self.target, self._cost, machine().attributes)

    @property
    def _cost(self) -> float | None:
        """A rough guess of the nanoseconds of one state: for choosing when to release the interpreter's lock."""
        if self.program.rolled:
            return None
        return 2.0 + len(self.program.body.items) / (4 if self.target.lanes > 1 else 1)

    def _bind(self) -> Callable[..., Any]:
        names = ", ".join(f.name for f in self.inputs)
        shapes = ", ".join(f"{f.name} {f.shape}" for f in (*self.inputs, *self.outputs))
        doc = f"{self.what}({names}, *, out=None)\n--\n\nOne state, or a batch along leading axes. {shapes}."
        signature = Signature(
            tuple(f.size for f in self.inputs), tuple(f.shape for f in self.outputs), _code_of(self.dtype),
            self._guess,
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
        return max(16, int(CHUNK_NS / self._guess))

    @property
    def _guess(self) -> float:
        return self._cost if self._cost is not None else 20.0 * self.tree.n

    def __reduce__(self) -> Any:
        if self.ask is None:
            raise AppellError(f"kernel {self.what} was not made by a robot; build it again in the other process")
        return self.ask.kernel, ()

    def __repr__(self) -> str:
        return f"<Kernel {self.what} {self.dtype} n={self.tree.n} {'rolled' if self.program.rolled else 'unrolled'}>"


_MANY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)


def _code_of(dtype: np.dtype[Any]) -> str:
    return f"f{dtype.itemsize}"


def context(program: Program, target: Target, tree: Tree) -> np.ndarray[Any, Any]:
    """What compiled code needs to know of a robot: sizes, tables, how to get scratch. Kept for ever."""
    words = np.zeros(WORDS, np.int64)
    words[:3] = tree.n, tree.nq, tree.nv
    if program.rolled:
        numbers, whole = tree.columns, tree.lookups
        width = np.dtype(target.dtype)
        table = np.array([numbers[c] for c in program.columns], width).T.copy()
        places = np.array([whole[c] for c in program.lookups], np.int64).T.copy()
        words[3:5] = table.ctypes.data, places.ctypes.data
        keep(table, places)
    words[ROOM] = scratch_bytes(program, target, {"n": tree.n, "nq": tree.nq, "nv": tree.nv})
    words[MALLOC] = _address("PyMem_RawMalloc")
    words[FREE] = _address("PyMem_RawFree")
    keep(words)
    return words


def _address(name: str) -> int:
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
