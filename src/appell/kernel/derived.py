"""Kernels of Programs that were made from others, as derivatives are: checked against the Program, run as it stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import KernelError
from ..model.tree import Tree
from ..trace.program import Program
from ..write.interpret import interpret
from .check import run_one
from .kernel import Kernel
from .make import compiles

TOLERANCE = 1e-9
_made: dict[str, Callable[..., Any]] = {}


def derived(program: Program, tree: Tree) -> Callable[..., Any]:
    """A callable of an unrolled Program, for one state or a batch: compiled, where code can be made."""
    if program.hash not in _made:
        _made[program.hash] = _compiled(program, tree) if compiles() else _plain(program)
    return _made[program.hash]


def _compiled(program: Program, tree: Tree) -> Callable[..., Any]:
    kernel = Kernel(program.name, program, tree, "f8")
    if not kernel.from_cache:
        rng = np.random.default_rng(1)
        values = {form.name: rng.uniform(-1.0, 1.0, form.size) for form in kernel.inputs}
        wanted = interpret(program, *(values[f.name].reshape(f.shape) for f in kernel.inputs))
        for form, a, b in zip(kernel.outputs, run_one(kernel, tree, values), wanted, strict=True):
            error = float(np.abs(a.reshape(b.shape) - b).max(initial=0.0) / (np.abs(b).max(initial=0.0) + 1e-30))
            if not error <= TOLERANCE:
                text = f"{form.name} with a relative difference of {error:.1e} from its Program"
                raise KernelError(f"kernel {program.name} gave {text}, wanted at most {TOLERANCE:.0e}")
        kernel.remember()
    return kernel.callable


def _plain(program: Program) -> Callable[..., Any]:
    def run(*inputs: Any) -> Any:
        found = interpret(program, *inputs)
        return found[0] if len(found) == 1 else found

    return run
