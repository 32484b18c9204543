"""A Program on its way to object code for this machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..model.tree import Tree
from ..trace.chain import in_registers
from ..trace.passes import with_fma
from ..trace.program import Array, Program
from ..trace.stages import show, statements, timed
from ..trace.walks import walks_in_registers
from ..write.llvm_streams import scratch_bytes
from ..write.target import Target
from . import cache
from .arrays import Form
from .interface import Interface
from .machine import assembly, compile_object, machine, surroundings, target_of


@dataclass(frozen=True)
class Build:
    """What becomes of a Program and of the robot that it was read for."""

    read: Callable[[], Program]
    tree: Tree
    dtype: str

    @cached_property
    def program(self) -> Program:
        """The Program as it is read."""
        return self.read()

    @property
    def target(self) -> Target:
        return target_of(self.dtype)

    @cached_property
    def compiled(self) -> Program:
        """The Program as this processor runs it."""
        return timed("passes", self._lean, lambda p: f"for this processor: {statements(p)} statements")

    def _lean(self) -> Program:
        lean = walks_in_registers(in_registers(self.program))
        return with_fma(lean) if self.target.fma else lean

    @cached_property
    def key(self) -> str:
        """The name of the code in the cache."""
        return cache.key(self.compiled.text(), *surroundings(self.target))

    @property
    def ir(self) -> str:
        """The module as LLVM text."""
        from ..write.llvm_module import module_ir  # a kernel from the cache needs no writer

        return module_ir(self.compiled, self.target, self.cost, machine().attributes)

    def code(self) -> tuple[bytes, bool]:
        """The object code, and whether it was in the cache."""
        found = timed("cache", lambda: cache.read(self.key), lambda c: f"{'hit' if c else 'miss'} {self.key[:16]}")
        code = self._built() if found is None else found
        show(3, "ir", lambda: self.ir)
        show(4, "assembly", lambda: assembly(self.ir))
        return code, found is not None

    def keep(self, code: bytes) -> None:
        """Keeps checked code on disk."""
        cache.write(self.key, code)

    def _built(self) -> bytes:
        ir = timed("write", lambda: self.ir, lambda text: f"{text.count(chr(10))} lines of LLVM IR")
        return timed("compile", lambda: compile_object(ir), lambda code: f"{len(code)} bytes of object code")

    @property
    def cost(self) -> float | None:
        """A rough guess of the nanoseconds of one state: for choosing when to release the interpreter's lock."""
        if self.program.rolled:
            return None
        return 2.0 + len(self.program.body.items) / (4 if self.target.lanes > 1 else 1)

    @cached_property
    def interface(self) -> Interface:
        """What callers must know of it."""
        tree, guess = self.tree, self.cost if self.cost is not None else 20.0 * self.tree.n
        return Interface(
            self.key, self.dtype, self._forms(self.program.inputs), self._forms(self.program.outputs),
            (tree.n, tree.nq, tree.nv), self.scratch(tree), guess, self.program.rolled,
            self.compiled.columns, self.compiled.lookups,
        )  # fmt: skip

    def _forms(self, arrays: tuple[Array, ...]) -> tuple[Form, ...]:
        return tuple(Form(a.name, self._shape(a)) for a in arrays)

    def _shape(self, array: Array) -> tuple[int, ...]:
        sizes: dict[Any, int] = {"n": self.tree.n, "nq": self.tree.nq, "nv": self.tree.nv}
        shape = tuple(sizes.get(s, s) for s in array.shape)
        return (*shape, array.width) if array.width > 1 else shape  # type: ignore[return-value]

    def scratch(self, tree: Tree) -> int:
        """How many bytes one call needs for a tree."""
        return scratch_bytes(self.compiled, self.target, {"n": tree.n, "nq": tree.nq, "nv": tree.nv})
