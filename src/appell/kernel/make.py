"""A question, a formulation and a tree -> Kernel: the same one for the same content."""

from __future__ import annotations

import hashlib
from threading import Lock
from typing import Any

from ..formulations.table import Formulation
from ..model.tree import Tree
from ..trace.pattern import columns, lookups
from ..trace.program import Program
from ..trace.reading import read
from .check import verify
from .kernel import Kernel

_made: dict[tuple[Any, ...], Kernel] = {}
_lock = Lock()


def make(
    formulation: Formulation,
    tree: Tree,
    *,
    dtype: str = "f8",
    unroll: bool = True,
    wrench: bool = False,
    ask: Any = None,
    **given: Any,
) -> Kernel:
    """The compiled answer of a formulation for a tree; checked against its text when it is new."""
    program = read(formulation, tree, unroll=unroll, wrench=wrench, **given)
    key = (formulation.computes, program.hash, dtype, _numbers(program, tree))
    with _lock:
        if key not in _made:
            kernel = Kernel(formulation.computes, program, tree, dtype, ask)
            if not kernel.from_cache:
                verify(kernel, formulation, **given)
                kernel.remember()
            _made[key] = kernel
        return _made[key]


def _numbers(program: Program, tree: Tree) -> str:
    """A name for what a rolled Program reads from tables; an unrolled one holds its numbers itself."""
    if not program.rolled:
        return ""
    digest = hashlib.sha256(repr((tree.n, tree.nq, tree.nv)).encode())
    numbers, whole = columns(tree), lookups(tree)
    for name in program.columns:
        digest.update(numbers[name].tobytes())
    for name in program.lookups:
        digest.update(whole[name].tobytes())
    return digest.hexdigest()
