"""LLVM text -> object code -> addresses, on this machine."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from threading import RLock
from typing import Any

import numpy as np

from ..errors import KernelError
from ..write.target import WRITER, Target
from .native import keep

_lock = RLock()


@dataclass(frozen=True)
class Machine:
    """What llvmlite says of this processor."""

    triple: str
    cpu: str
    features: str

    @property
    def lanes(self) -> int:
        """How many float64 fit in a vector register."""
        on = self.features.split(",")
        if "+avx512f" in on:
            return 8
        return 4 if "+avx2" in on or "+avx" in on else 2

    @property
    def pack(self) -> int:
        """How many float64 of one state share a vector; beyond 256 bits Intel starts slowly (decision 6)."""
        return self.lanes if self.cpu.startswith("znver") else min(self.lanes, 4)

    @property
    def fma(self) -> bool:
        """Whether a fused multiply-add is one instruction."""
        arm = self.triple.startswith(("aarch64", "arm64"))
        return arm or bool({"+fma", "+avx512f"} & set(self.features.split(",")))

    @property
    def near(self) -> bool:
        """Whether code reaches its constants by short addresses: 5 to 8 % faster, tried on Linux x86-64 only.

        It is safe because llvmlite's own memory manager then lays out an object in one piece.
        """
        return self.triple.startswith("x86_64") and "linux" in self.triple

    @property
    def code_model(self) -> str:
        return "small" if self.near else "jitdefault"

    @property
    def relocation(self) -> str:
        return "pic" if self.near else "default"

    def target(self, dtype: str) -> Target:
        """Lanes and dtype of a kernel here."""
        wide = 2 if dtype == "f4" else 1
        return Target(self.lanes * wide, dtype, self.fma, self.pack * wide)

    @property
    def attributes(self) -> str:
        """The function attributes of everything compiled."""
        width = self.lanes * 64
        return (
            f'nounwind "target-cpu"="{self.cpu}" "target-features"="{self.features}" "no-builtins" '
            f'"no-stack-arg-probe" "prefer-vector-width"="{width}" "min-legal-vector-width"="{width}"'
        )


@cache
def machine() -> Machine:
    """This machine."""
    llvm = _llvm()
    return Machine(llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())


def target_of(dtype: str) -> Target:
    """Lanes and dtype of a kernel on this machine."""
    return machine().target(dtype)


def surroundings(target: Target) -> tuple[str, ...]:
    """All that the same Program's code depends on: this machine, and the versions of what makes code and calls it."""
    import llvmlite

    here = machine()
    abi = repr((object.__basicsize__, tuple.__basicsize__))
    code = (here.triple, here.cpu, here.features, here.code_model, repr(target))
    return (WRITER, llvmlite.__version__, *code, np.__version__, abi)


@cache
def _llvm() -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    _guard_fork()
    return llvm


def _guard_fork() -> None:
    """A fork waits for a compile to end, so that the child finds every lock free."""
    if not hasattr(os, "register_at_fork"):
        return
    from llvmlite.binding import ffi

    inner = getattr(ffi.lib, "_lock", None)
    locks: list[Any] = [_lock] + ([inner] if hasattr(inner, "__enter__") else [])

    def hold() -> None:
        for lock in locks:
            lock.__enter__()

    def drop() -> None:
        for lock in reversed(locks):
            lock.__exit__(None, None, None)

    os.register_at_fork(before=hold, after_in_parent=drop, after_in_child=drop)


def target_machine(opt: int = 1) -> Any:
    """llvmlite's target machine."""
    llvm, here = _llvm(), machine()
    target = llvm.Target.from_triple(here.triple)
    return target.create_target_machine(
        cpu=here.cpu, features=here.features, opt=opt, jit=True, codemodel=here.code_model, reloc=here.relocation
    )


def compile_object(ir: str, opt: int = 1) -> bytes:
    """Object code of a module, with nothing in it that is defined elsewhere."""
    llvm = _llvm()
    with _lock:
        module = llvm.parse_assembly(ir)
        module.verify()
        tm = target_machine(opt)
        _inline(module, tm)
        with _unscheduled():
            code = tm.emit_object(module)
    missing = undefined_symbols(code)
    if missing:
        raise KernelError(f"object code needs {', '.join(missing)} from outside; wanted none")
    return code


def assembly(ir: str, opt: int = 1) -> str:
    """The machine code of a module as text."""
    llvm = _llvm()
    with _lock:
        module = llvm.parse_assembly(ir)
        tm = target_machine(opt)
        _inline(module, tm)
        with _unscheduled():
            return tm.emit_assembly(module)


@contextmanager
def _unscheduled() -> Iterator[None]:
    """LLVM's machine scheduler off while our code is made: it lengthens the lives of values in straight-line code.

    Without it a humanoid's derivatives run a quarter faster and build in half the time. The switch is one for the
    process, so it is put back at once.
    """
    llvm = _llvm()
    llvm.set_option("appell", "-enable-misched=false")
    try:
        yield
    finally:
        llvm.set_option("appell", "-enable-misched=true")


def _inline(module: Any, tm: Any) -> None:
    """Only what is marked alwaysinline: the Program is optimised already."""
    llvm = _llvm()
    builder = llvm.create_pass_builder(tm, llvm.create_pipeline_tuning_options(speed_level=0))
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.run(module, builder)


def undefined_symbols(code: bytes) -> list[str]:
    """Names that an ELF object wants from elsewhere; other formats are not read (empty list)."""
    if code[:4] != b"\x7fELF":
        return []
    from .elf import undefined

    return undefined(code)


def load(code: bytes, names: tuple[str, ...]) -> dict[str, int]:
    """Addresses of functions and tables of object code, loaded for ever."""
    llvm = _llvm()
    with _lock:
        one_piece = True if machine().near else None
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine(), use_lmm=one_piece)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        keep(engine)  # code is never unloaded: a callable may be called until the very end
        found = {n: engine.get_function_address(n) or engine.get_global_value_address(n) for n in names}
    if not all(found.values()):
        raise KernelError(f"object code lacks {[n for n, a in found.items() if not a]}")
    return found


def probe() -> None:
    """Asks the system for a little executable memory, as a kernel would; raises OSError where that is forbidden."""
    machine()
    if sys.platform in ("emscripten", "wasi", "ios"):
        raise OSError(f"{sys.platform} forbids a process to make code")
    if sys.platform == "linux":
        import mmap

        mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_EXEC).close()


@cache
def compiles() -> bool:
    """Whether this process can make code; if not, texts are read plainly, and one warning says so."""
    try:
        if os.environ.get("APPELL_NO_JIT"):
            raise OSError("APPELL_NO_JIT is set")
        probe()
    except (ImportError, OSError, RuntimeError) as reason:
        warnings.warn(f"no machine code can be made here ({reason}); texts are read plainly and slowly", stacklevel=2)
        return False
    return True
