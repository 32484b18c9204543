"""Measure Appell against its peers, on one core, in turns: ``python -m benchmarks.run --help``.

Peers that are not to be installed beside Appell are found in the folders that the variable APPELL_PEERS names.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from dataclasses import asdict
from pathlib import Path

from . import measure, robots
from .closed import close_loops
from .comparison import GROWTH, Options, compare_robot
from .control import control
from .crowds import crowd
from .goals import verdicts
from .growth import grow
from .identification import identify
from .memory import write_matrices
from .methods import compare_methods
from .motion import follow
from .record import Result
from .report import goal_table, markdown
from .startup import start
from .surroundings import circumstances

OTHERS = ("methods", "growth", "memory", "motion", "crowds", "closed", "identification", "control", "startup")
PARTS = (*robots.NAMES, *OTHERS)
QUICK_PARTS = ("puma", "7r", "growth", "memory", "startup")
QUICK = Options(seconds=0.1, states=1000, growth=GROWTH[:5], repeats=1)
RUNS_OF_START = 5


def measure_part(name: str, options: Options, result: Result) -> None:
    """A robot, or another part of the page."""
    if name == "methods":
        compare_methods(options, result)
    elif name == "growth":
        grow(options, result)
    elif name == "memory":
        write_matrices(options, result)
    elif name == "motion":
        follow(options, result)
    elif name == "crowds":
        crowd(result)
    elif name == "closed":
        close_loops(options, result)
    elif name == "identification":
        identify(options, result)
    elif name == "control":
        control(result, options.repeats == 1)
    elif name == "startup":
        start(RUNS_OF_START if options.repeats > 1 else 2, result)
    else:
        compare_robot(name, options, result)


def measure_all(names: tuple[str, ...], options: Options, result: Result) -> None:
    """Part by part; Ctrl-C ends the run but keeps what it found."""
    try:
        for name in names:
            print(name, flush=True)
            started = time.perf_counter()
            measure_part(name, options, result)
            print(f"  ({time.perf_counter() - started:.1f} s)", flush=True)
    except KeyboardInterrupt:
        result.interrupted = True
        print("interrupted: what was measured is kept", flush=True)


def publish(result: Result, data: str | None, page: str | None) -> None:
    """Writes what was asked for, and prints the goals."""
    if data:
        write(data, json.dumps(result.plain() | {"goals": [asdict(v) for v in verdicts(result)]}, indent=1) + "\n")
    if page:
        write(page, markdown(result))
    print("\n" + goal_table(result, measured_only=True))


def write(path: str, text: str) -> None:
    """Atomically: a reader sees the old file or the new one."""
    fresh = Path(f"{path}.{os.getpid()}.tmp")
    fresh.parent.mkdir(parents=True, exist_ok=True)
    fresh.write_text(text, encoding="utf-8")
    os.replace(fresh, path)


def arguments(given: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="PUMA and 7R, short times: a minute")
    parser.add_argument("--only", action="append", metavar="PART", choices=PARTS, help=", ".join(PARTS))
    parser.add_argument("--json", metavar="FILE", help="write all numbers")
    parser.add_argument("--markdown", metavar="FILE", help="write the page of the documentation")
    return parser.parse_args(given)


def main(given: list[str] | None = None) -> int:
    """Measure, print, write."""
    asked = arguments(given)
    sys.path += [folder for folder in os.environ.get("APPELL_PEERS", "").split(os.pathsep) if folder]
    warnings.filterwarnings("ignore", message=".*radii of gyration")  # PUMA's are as published
    core = measure.pin_to_core()
    print(f"pinned to core {core}" if core is not None else "not pinned: the system offers no way")
    mode = ("quick" if asked.quick else "full") + (f", only {', '.join(asked.only)}" if asked.only else "")
    result = Result(mode, circumstances())
    names = tuple(asked.only) if asked.only else QUICK_PARTS if asked.quick else PARTS
    measure_all(names, QUICK if asked.quick else Options(), result)
    publish(result, asked.json, asked.markdown)
    return 130 if result.interrupted else 0


if __name__ == "__main__":
    sys.exit(main())
