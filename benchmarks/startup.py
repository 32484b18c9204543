"""Seconds until the first answer: imports, and builds of a kernel, each in a fresh process.

Bytecode lies ready, as in any process but the first after an installation.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass

from .measure import REPEATS
from .record import Result, Started, mark, say
from .tables import duration
from .task import available

PEERS = ("pinocchio", "mujoco", "casadi")
CLOCK = "from time import perf_counter, process_time"
LOAD = "import numpy, appell"
ROBOT = "import warnings; warnings.simplefilter('ignore'); robot = appell.load('puma560')"
BUILD = "robot.kernel('inverse_dynamics')"
COLD, WARM = "build of a PUMA kernel, cold", "build of a PUMA kernel, from cache"
IMPORT = "import appell, above NumPy"
PAPER = "appell paper shafei2018 --json, from cache"
SHELL = """try:
    main(["paper", "shafei2018", "--json"])
except SystemExit:
    pass"""
QUIET = "import io, sys; out, sys.stdout = sys.stdout, io.StringIO()"


@dataclass(frozen=True)
class Fresh:
    """What happens in a fresh process: statements before the clock starts, and those that are timed."""

    what: str
    before: str
    timed: str


def start(repeats: int, result: Result) -> None:
    """Best of several, all in turn."""
    with tempfile.TemporaryDirectory() as folder:
        shared = {"PYTHONPYCACHEPREFIX": os.path.join(folder, "bytecode")}
        for fresh in _imports():
            _keep(_best(fresh, repeats, shared), result)
        for row in _builds(repeats, shared):
            _keep(row, result)


def _imports() -> list[Fresh]:
    found = [Fresh("import numpy", "", "import numpy"), Fresh(IMPORT, "import numpy", "import appell")]
    found += [Fresh(f"import {m}, above NumPy", "import numpy", f"import {m}") for m in PEERS if available(m)]
    found.append(Fresh("import llvmlite.binding, above appell", LOAD, "import llvmlite.binding"))
    command = f"from appell.cli import main\n{SHELL}\nsys.stdout = out"
    return [*found, *([Fresh(PAPER, QUIET, command)] if available("typer") else [])]


def _best(fresh: Fresh, repeats: int, environment: Mapping[str, str]) -> Started:
    _run(fresh, environment)  # writes bytecode
    runs: list[Started] = []
    while len(runs) < repeats or (mark(_quickest(runs).share) and len(runs) < repeats + REPEATS):
        runs.append(_run(fresh, environment))
    return _quickest(runs)


def _quickest(runs: list[Started]) -> Started:
    return min(runs, key=lambda r: r.seconds)


def _builds(repeats: int, environment: Mapping[str, str]) -> tuple[Started, Started]:
    """A kernel with an empty cache folder, then with a filled one; llvmlite is there already."""
    before = f"{LOAD}; import llvmlite.binding; {ROBOT}"
    cold, warm = [], []
    for _ in range(repeats + 1):
        with tempfile.TemporaryDirectory() as folder:
            own = {**environment, "APPELL_CACHE_DIR": folder}
            cold.append(_run(Fresh(COLD, before, BUILD), own))
            warm.append(_run(Fresh(WARM, before, BUILD), own))
    return _quickest(cold[1:]), _quickest(warm[1:])


def _run(fresh: Fresh, environment: Mapping[str, str]) -> Started:
    """Once, in a fresh process; its environment as a user's, who lets Python keep bytecode."""
    lines = (CLOCK, fresh.before, "t, c = perf_counter(), process_time()", fresh.timed)
    code = "\n".join((*lines, "t, c = perf_counter() - t, process_time() - c", "print(t, c / t)"))
    theirs = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "APPELL_DEBUG")}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env={**theirs, **environment}, capture_output=True, text=True, check=True)
    seconds, share = (float(x) for x in done.stdout.split()[-2:])
    return Started(fresh.what, seconds, min(1.0, share))


def _keep(row: Started, result: Result) -> None:
    result.started.append(row)
    say(f"{row.what}: {duration(row.seconds * 1e9)} {mark(row.share)}".rstrip())
