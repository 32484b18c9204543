"""A small kernel written by hand, with the callable in front of it, for the tests of the call path.

out0[i] = q[i] + 2 v[i]; out1[i, j] = q[i] v[j]. The context holds n and how often to repeat the work.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from appell.kernel import abi, native
from appell.write.callable import Signature, callable_ir

_TEXT = """
define dso_local void @row(ptr %q, i64 %qs, ptr %v, i64 %vs, ptr %a, i64 %as, ptr %m, i64 %ms, ptr %ctx) #0 {
entry:
  %n = load i64, ptr %ctx
  %more = getelementptr i64, ptr %ctx, i64 1
  %spins = load i64, ptr %more
  br label %again
again:
  %s = phi i64 [0, %entry], [%s1, %repeat]
  %empty = icmp eq i64 %n, 0
  br i1 %empty, label %repeat, label %outer
outer:
  %i = phi i64 [0, %again], [%i1, %next]
  %qo = mul i64 %i, %qs
  %vo = mul i64 %i, %vs
  %qp = getelementptr i8, ptr %q, i64 %qo
  %vp = getelementptr i8, ptr %v, i64 %vo
  %x = load T, ptr %qp
  %y = load T, ptr %vp
  %y2 = fmul T %y, 2.0
  %z = fadd T %x, %y2
  %ao = mul i64 %i, %as
  %ap = getelementptr i8, ptr %a, i64 %ao
  store T %z, ptr %ap
  %none = icmp eq ptr %m, null
  br i1 %none, label %next, label %inner
inner:
  %j = phi i64 [0, %outer], [%j1, %inner]
  %wo = mul i64 %j, %vs
  %wp = getelementptr i8, ptr %v, i64 %wo
  %w = load T, ptr %wp
  %xw = fmul T %x, %w
  %base = mul i64 %i, %n
  %k = add i64 %base, %j
  %mo = mul i64 %k, %ms
  %mp = getelementptr i8, ptr %m, i64 %mo
  store T %xw, ptr %mp
  %j1 = add i64 %j, 1
  %jd = icmp eq i64 %j1, %n
  br i1 %jd, label %next, label %inner
next:
  %i1 = add i64 %i, 1
  %id = icmp eq i64 %i1, %n
  br i1 %id, label %repeat, label %outer
repeat:
  %s1 = add i64 %s, 1
  %sd = icmp ugt i64 %s1, %spins
  br i1 %sd, label %done, label %again
done:
  ret void
}
define dso_local void @one(ptr %q, ptr %v, ptr %a, MATRIX ptr %ctx) #0 {
  call void @row(ptr %q, i64 SIZE, ptr %v, i64 SIZE, ptr %a, i64 SIZE, ptr GIVEN, i64 SIZE, ptr %ctx)
  ret void
}
define dso_local void @many(ptr %views, i64 %start, i64 %stop, ptr %ctx) #0 {
entry:
  %nothing = icmp eq i64 %start, %stop
  br i1 %nothing, label %done, label %loop
loop:
  %r = phi i64 [%start, %entry], [%r1, %loop]
LOADS
  call void @row(ptr %p0, i64 %s0, ptr %p1, i64 %s1, ptr %p2, i64 %s2, ptr %p3, i64 %s3, ptr %ctx)
  %r1 = add i64 %r, 1
  %end = icmp eq i64 %r1, %stop
  br i1 %end, label %done, label %loop
done:
  ret void
}
attributes #0 = { nounwind "no-builtins" }
"""

_LOAD = """  %dJ = getelementptr {ptr, i64, i64}, ptr %views, i64 J
  %bJ = load ptr, ptr %dJ
  %rpJ = getelementptr i8, ptr %dJ, i64 8
  %rsJ = load i64, ptr %rpJ
  %spJ = getelementptr i8, ptr %dJ, i64 16
  %sJ = load i64, ptr %spJ
  %oJ = mul i64 %rsJ, %r
  %pJ = getelementptr i8, ptr %bJ, i64 %oJ"""
_NO_LOAD = "  %p3 = getelementptr i8, ptr null, i64 0\n  %s3 = add i64 0, 0"


def kernel_text(matrix: bool, dtype: str) -> str:
    """The module's own functions."""
    loads = [_LOAD.replace("J", str(j)) for j in range(4 if matrix else 3)] + ([] if matrix else [_NO_LOAD])
    text = _TEXT.replace("LOADS", "\n".join(loads)).replace("MATRIX", "ptr %m," if matrix else "")
    text = text.replace("GIVEN", "%m" if matrix else "null").replace("SIZE", str(np.dtype(dtype).itemsize))
    return text.replace(" T ", " double " if dtype == "f8" else " float ").replace(
        " T,", (" double," if dtype == "f8" else " float,")
    )


def empty_text(inputs: int) -> str:
    """A kernel that does nothing."""
    words = ", ".join(["ptr"] * (inputs + 2))
    body = f"define dso_local void @one({words}) #0 {{\n  ret void\n}}\n"
    body += "define dso_local void @many(ptr, i64, i64, ptr) #0 {\n  ret void\n}\n"
    return body + 'attributes #0 = { nounwind "no-builtins" }\n'


def load(text: str) -> Any:
    """The engine that holds the machine code of a text, for ever."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(text)
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=1, codemodel="jitdefault", jit=True)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    native.keep(engine)
    return engine


class Toy:
    """Stands for a Kernel: `toy.f` is the callable, and what it refuses is counted."""

    def __init__(
        self,
        n: int = 6,
        matrix: bool = False,
        dtype: str = "f8",
        known: bool = True,
        cost_ns: float = 100.0,
        spins: int = 0,
        text: str | None = None,
        inputs: int = 2,
    ) -> None:
        self.arguments = (n, matrix, dtype, known, cost_ns, spins, text, inputs)
        self.shapes: list[tuple[int, ...]] = [(n,), (n, n)] if matrix else [(n,)]
        self.signature = Signature((n,) * inputs, tuple(self.shapes), dtype, cost_ns)
        self.refused: list[tuple[Any, Any]] = []
        self.f = self._bind(text or kernel_text(matrix, dtype), known, (n, spins))

    def _bind(self, text: str, known: bool, context: Sequence[int]) -> Any:
        s = self.signature
        unknown = [[None] * len(shape) for shape in s.outputs]
        sizes = (s.inputs, s.outputs, s.cost_ns) if known else ([None] * len(s.inputs), unknown, None)
        engine = load(callable_ir("f", sizes[0], sizes[1], s.dtype, sizes[2]) + text)
        ctx = (ctypes.c_int64 * 2)(*context)
        native.keep(ctx)
        names = ", ".join(("q", "v", "a", "b")[: len(s.inputs)])
        return native.bind(
            engine.get_function_address("call"),
            engine.get_global_value_address("api"),
            self,
            "f",
            f"f({names}, *, out=None)\n--\n\nA sum, and what is left of it.",
            self.slow,
            s,
            ctypes.addressof(ctx),
            many_address=engine.get_function_address("many"),
        )

    def slow(self, *args: Any, **named: Any) -> str:
        """Note what was refused."""
        self.refused.append((args, named))
        return "slow"

    def __reduce__(self) -> Any:
        return Toy, self.arguments

    def wanted(self, q: Any, v: Any) -> list[np.ndarray[Any, Any]]:
        """What the kernel computes, by NumPy."""
        q, v = np.broadcast_arrays(q, v)
        return [q + 2 * v, q[..., :, None] * v[..., None, :]][: len(self.signature.outputs)]


def abi_off() -> None:
    """Pretend that nothing compiled can be called."""
    abi.supported = lambda: (False, "forced")  # type: ignore[assignment]
