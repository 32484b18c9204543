"""A question, a formulation and a tree -> Kernel: the same one for the same content."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Hashable
from functools import cache, cached_property
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any

from ..formulations.table import Formulation
from ..model.tree import Tree
from ..trace.digest import sha256
from ..trace.program import Program
from ..trace.reading import read
from .kernel import Kernel
from .machine import probe

if TYPE_CHECKING:
    from .plain import PlainKernel

_made: dict[tuple[Any, ...], Kernel | PlainKernel] = {}
_lock = Lock()


def _fresh_locks() -> None:
    """In a forked child the threads that held locks do not exist; Python 3.11 locks cached properties as well."""
    global _lock
    _lock = Lock()
    own = [module for name, module in sys.modules.items() if name.startswith(__name__.split(".")[0] + ".")]
    classes = (thing for module in own for thing in vars(module).values() if isinstance(thing, type))
    for item in (x for c in classes for x in vars(c).values() if isinstance(x, cached_property)):
        if hasattr(item, "lock"):
            item.lock = RLock()  # type: ignore[attr-defined]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_fresh_locks)


def make(
    formulation: Formulation,
    tree: Tree,
    *,
    dtype: str = "f8",
    unroll: bool = True,
    wrench: bool = False,
    owner: Hashable = None,
    ask: Any = None,
    **given: Any,
) -> Kernel | PlainKernel:
    """The compiled answer of a formulation for a tree; checked against its text when it is new.

    `owner` tells robots apart that could share code but not the questions that `ask` leads to.
    """
    program = read(formulation, tree, unroll=unroll, wrench=wrench, **given)
    key = (owner, formulation.computes, program.hash, dtype, _numbers(program, tree))
    with _lock:
        if key not in _made:
            if compiles():
                _made[key] = _compiled(formulation, program, tree, dtype, ask, given)
            else:
                from .plain import PlainKernel

                _made[key] = PlainKernel(formulation, program, tree, dtype, ask, wrench=wrench, **given)
        return _made[key]


def _compiled(
    formulation: Formulation, program: Program, tree: Tree, dtype: str, ask: Any, given: dict[str, Any]
) -> Kernel:  # fmt: skip
    kernel = Kernel(formulation.computes, program, tree, dtype, ask)
    if not kernel.from_cache:
        from .check import verify

        verify(kernel, formulation, **given)
        kernel.remember()
    return kernel


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


def _numbers(program: Program, tree: Tree) -> str:
    """A name for what a rolled Program reads from tables; an unrolled one holds its numbers itself."""
    if not program.rolled:
        return ""
    digest = sha256(repr((tree.n, tree.nq, tree.nv)).encode())
    numbers, whole = tree.columns, tree.lookups
    for name in program.columns:
        digest.update(numbers[name].tobytes())
    for name in program.lookups:
        digest.update(whole[name].tobytes())
    return digest.hexdigest()
