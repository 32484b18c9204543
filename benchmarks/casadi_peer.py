"""CasADi: generated C, compiled by gcc, called through a FunctionBuffer with its memory bound beforehand."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .measure import Call, timings
from .task import DID, Array, Contender, Task, answer_shape

HEAVY = 20_000  # instructions above which gcc -O3 takes minutes: -O1 then
TOO_MANY = 60_000  # and above which even -O1 does
LONGEST, DERIVED_UP_TO = 120, 40  # bodies, and degrees of freedom with derivatives: CasADi itself takes minutes beyond
COPIES = 3  # of a compiled library, see `fastest`


def casadi_peers(task: Task, batch: bool) -> Iterator[Contender]:
    """One call, and `map` over the batch."""
    _refuse(task)
    from tests.oracles.pinocchio_model import PinocchioOracle

    from .casadi_questions import SpatialQuestions

    function = SpatialQuestions(PinocchioOracle(task.robot)).function(task.question)
    function = fastest(task.question, compiled(function), task.one[: task.inputs])
    single, answer = _bound(function, task.one[: task.inputs])
    if not batch:
        yield Contender("casadi C", single, answer)
        return
    rows, rows_answer = _bound(function.map(task.states), task.many[: task.inputs])
    yield Contender("casadi C", single, answer, rows, lambda: _by_state(task, rows_answer()))


def _refuse(task: Task) -> None:
    if shutil.which("gcc") is None:
        raise NotImplementedError("gcc was not found")
    if len(task.robot["bodies"]) > LONGEST:
        raise NotImplementedError("its straight-line C does not compile in sane time for so long a chain")
    if task.question == DID and task.nv > DERIVED_UP_TO:
        raise NotImplementedError(f"its jacobian takes minutes above {DERIVED_UP_TO} degrees of freedom")


def _by_state(task: Task, given: Array) -> Array:
    """The mapped answer with the states first; of several outputs each comes for all states in turn."""
    shape = answer_shape(task.question, task.nv)
    if task.question == DID:
        return given.reshape(3, task.states, *shape[1:]).swapaxes(0, 1)
    return given.reshape(task.states, *shape)


def _bound(function: Any, inputs: tuple[Array, ...]) -> tuple[Call, Callable[[], Array]]:
    """A function with its inputs and results bound to memory."""
    buffer, evaluate = function.buffer()
    held = [np.ascontiguousarray(x, float).ravel() for x in inputs]
    for i, x in enumerate(held):
        buffer.set_arg(i, memoryview(x))  # pyright: ignore[reportArgumentType]
    outs = [np.zeros(function.size_out(i)[::-1]) for i in range(function.n_out())]
    for i, out in enumerate(outs):
        buffer.set_res(i, memoryview(out.reshape(-1)))  # pyright: ignore[reportArgumentType]

    def answer() -> Array:
        evaluate()
        return np.stack(outs).copy() if len(outs) > 1 else outs[0].squeeze().copy()

    return Call("evaluate()", {"evaluate": evaluate, "held": (buffer, held, outs)}), answer


def fastest(name: str, library: Path, inputs: tuple[Array, ...]) -> Any:
    """The quickest of several copies of one library.

    Where a file happens to lie in memory changed a function's time 1.8 times, byte for byte the same
    code (quadruped, forward dynamics). A peer is shown at its best, not at its luck.
    """
    import casadi

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        paths = [shutil.copy(library, Path(folder) / f"copy{i}{library.suffix}") for i in range(COPIES)]
        functions = [casadi.external(name, str(path)) for path in (library, *paths)]
        calls = {str(i): _bound(f, inputs)[0] for i, f in enumerate(functions)}
        found = timings(calls, 0.02)
        return functions[int(min(found, key=lambda k: found[k].median))]


def compiled(function: Any) -> Path:
    """The function as a shared library, kept in a private temporary folder under the hash of its C text."""
    import casadi

    if function.n_instructions() > TOO_MANY:
        raise NotImplementedError(f"{function.n_instructions()} instructions in one C function are too many for gcc")
    generator = casadi.CodeGenerator("generated.c")
    generator.add(function)
    text = generator.dump()
    level = "-O1" if function.n_instructions() > HEAVY else "-O3"
    library = _own_folder() / f"{hashlib.sha256((level + text).encode()).hexdigest()[:24]}.so"
    if not library.exists():
        _gcc(text, level, library)
    return library


def _own_folder() -> Path:
    """A folder that only this user can have written to."""
    folder = Path(tempfile.gettempdir()) / f"appell-benchmarks-{os.getuid() if hasattr(os, 'getuid') else 0}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
        raise OSError(f"{folder} belongs to somebody else")
    return folder


def _gcc(text: str, level: str, library: Path) -> None:
    source, fresh = library.with_suffix(".c"), library.with_suffix(f".{os.getpid()}")
    source.write_text(text)
    command = ["gcc", level, "-march=native", "-fPIC", "-shared", str(source), "-o", str(fresh), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"gcc failed: {done.stderr[:200]}")
    os.replace(fresh, library)
