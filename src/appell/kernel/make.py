"""A question, a formulation and a tree -> Kernel: the same one for the same content."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Hashable
from functools import cached_property, partial
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any

from ..formulations.table import Formulation
from ..trace.digest import sha256
from . import recall
from .kernel import Kernel
from .machine import compiles

if TYPE_CHECKING:
    from ..model.tree import Tree
    from ..trace.program import Program
    from .build import Build
    from .plain import PlainKernel, PlainProgram

_made: dict[tuple[Any, ...], Any] = {}
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
    name: str | None = None,
    **given: Any,
) -> Kernel | PlainKernel:
    """The compiled answer of a formulation for a tree; checked against its text when it is new.

    `owner` tells robots apart that could share code but not the questions that `ask` leads to. By `name` it will be
    recalled.
    """
    from ..trace.reading import read
    from .build import Build

    build = Build(partial(read, formulation, tree, unroll=unroll, wrench=wrench, **given), tree, dtype)
    key = (owner, formulation.computes, build.program.hash, dtype, _numbers(build))
    with _lock:
        if key not in _made:
            if compiles():
                _made[key] = _compiled(formulation, build, ask, given)
            else:
                from .plain import PlainKernel

                _made[key] = PlainKernel(formulation, build.program, tree, dtype, ask, wrench=wrench, **given)
        if name:
            recall.keep(name, build.interface)
        return _made[key]


def make_of(what: str, program: Program, tree: Tree, dtype: str = "f8") -> Kernel | PlainProgram:
    """The compiled answer of a Program that is not a text's own; checked against its statements when it is new."""
    key = (what, program.hash, dtype)
    with _lock:
        if key not in _made:
            _made[key] = _compiled_of(what, program, tree, dtype)
        return _made[key]


def _compiled_of(what: str, program: Program, tree: Tree, dtype: str) -> Kernel | PlainProgram:
    if not compiles():
        from .plain import PlainProgram

        return PlainProgram(what, program)
    from .build import Build

    build = Build(lambda: program, tree, dtype)
    code, found = build.code()
    kernel = Kernel(what, build.interface, code, lambda: build, from_cache=found)
    if not found:
        from .check import verify_program

        verify_program(kernel)
        build.keep(code)
    return kernel


def _compiled(formulation: Formulation, build: Build, ask: Any, given: dict[str, Any]) -> Kernel:
    code, found = build.code()
    kernel = Kernel(formulation.computes, build.interface, code, lambda: build, from_cache=found, ask=ask)
    if not found:
        from .check import verify

        verify(kernel, formulation, **given)
        build.keep(code)  # only what was checked
    return kernel


def recalled(
    name: str | None, what: str, build: Callable[[], Build], *, owner: Hashable, ask: Any
) -> Kernel | PlainKernel | None:  # fmt: skip
    """The kernel of a question that was asked before, its text unread; None if the cache does not know it."""
    key = (owner, what, name)
    with _lock:
        if name and key not in _made and (found := recall.find(name)):
            _made[key] = Kernel(what, *found, build, from_cache=True, ask=ask)
        return _made.get(key)


def _numbers(build: Build) -> str:
    """A name for what a rolled Program reads from tables; an unrolled one holds its numbers itself."""
    program, tree = build.program, build.tree
    if not program.rolled:
        return ""
    digest = sha256(repr((tree.n, tree.nq, tree.nv)).encode())
    numbers, whole = tree.columns, tree.lookups
    for name in program.columns:
        digest.update(numbers[name].tobytes())
    for name in program.lookups:
        digest.update(whole[name].tobytes())
    return digest.hexdigest()
